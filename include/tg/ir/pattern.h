// Patterns: small trees that describe graphs, written like algebra. `(x ^ y) ^ y` matches every xor
// of a xor with one of its own operands, in any order. Used on the left of a rule to match and on
// the right to build (rule.h). A Pattern is a pointer into a pool that lives as long as the
// process: copying is free, building never throws.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "tg/export.h"
#include "tg/ir/uop.h"

namespace tg {

/// Placeholders are numbered; each binds one node in a match, and all places that carry its number
/// bind the same node.
inline constexpr int kMaxSlots = 8;

struct PatternNode {
  enum class Kind : uint8_t {
    Any,       ///< any node
    Constant,  ///< a CONST, possibly spread over a shape or lanes
    Literal,   ///< a CONST of this value, spread likewise
    Op,        ///< one of `ops`
  };
  Kind kind = Kind::Any;
  int8_t slot = -1;          ///< binding, -1 for none
  bool any_sources = false;  ///< Op: whatever sources
  double literal = 0;
  uint64_t ops = 0;           ///< Op: a bit for each
  DType dtype = DType::Void;  ///< Op: of the result, if not Void
  std::vector<const PatternNode*> src;
};

/// The bit of an op in PatternNode::ops; 0 of the last ones, which only linear code has and no
/// pattern names.
inline constexpr int kPatternOps = 64;
inline uint64_t pattern_bit(Op op) {
  const int i = static_cast<int>(op);
  return i < kPatternOps ? uint64_t{1} << i : 0;
}
static_assert(static_cast<int>(Op::VReduce) < kPatternOps, "all that compute have a bit");

class TG_API Pattern {
 public:
  /// The literal: a number that matches in every dtype in which it has that value (bool: 0 and 1).
  /// -0.0 is not 0.
  Pattern(int literal) noexcept : Pattern(static_cast<double>(literal)) {}
  Pattern(double literal) noexcept;
  explicit Pattern(const PatternNode* n) noexcept : n_(n) {}

  /// The same, bound to slot `s` of the placeholder: `(x + y).as(z)`.
  Pattern as(Pattern placeholder) const noexcept;
  /// The same, matching (and building) only results of dtype `t`.
  Pattern of(DType t) const noexcept;

  const PatternNode& operator*() const noexcept { return *n_; }
  const PatternNode* operator->() const noexcept { return n_; }

 private:
  const PatternNode* n_;
};

TG_API Pattern operator+(Pattern a, Pattern b) noexcept;
TG_API Pattern operator*(Pattern a, Pattern b) noexcept;
TG_API Pattern operator/(Pattern a, Pattern b) noexcept;  ///< fdiv
TG_API Pattern operator%(Pattern a, Pattern b) noexcept;  ///< floor remainder
TG_API Pattern operator&(Pattern a, Pattern b) noexcept;
TG_API Pattern operator|(Pattern a, Pattern b) noexcept;
TG_API Pattern operator^(Pattern a, Pattern b) noexcept;
TG_API Pattern operator!(Pattern a) noexcept;  ///< a ^ 1, for bools
TG_API Pattern idiv(Pattern a, Pattern b) noexcept;
TG_API Pattern maximum(Pattern a, Pattern b) noexcept;
TG_API Pattern lt(Pattern a, Pattern b) noexcept;
TG_API Pattern ne(Pattern a, Pattern b) noexcept;
TG_API Pattern shl(Pattern a, Pattern b) noexcept;
TG_API Pattern shr(Pattern a, Pattern b) noexcept;
TG_API Pattern where(Pattern c, Pattern a, Pattern b) noexcept;
/// `op` with exactly these sources.
TG_API Pattern op(Op op, std::initializer_list<Pattern> src) noexcept;
/// One of `ops`, whatever its sources.
TG_API Pattern any_of(std::initializer_list<Op> ops) noexcept;
/// Any op in one of these groups (Group bits), whatever its sources.
TG_API Pattern any_in(uint32_t groups) noexcept;

/// As it is written in C++: "(x ^ y) ^ y". For docs, traces and messages.
TG_API std::string print(Pattern p);

/// Placeholders, to be imported where rules are written.
namespace patterns {
extern TG_API const Pattern x, y, z, w;  ///< anything
extern TG_API const Pattern c0, c1, c2;  ///< constants
extern TG_API const Pattern any;         ///< anything, never bound
}  // namespace patterns

}  // namespace tg
