// Sizes and positions that change from call to call without a new plan: a Variable is a named
// integer with bounds, bind() gives it a value, and the result can be used as a size or as a slice
// position. Kernels are compiled for the variable, not for its value.
//
//   tg::Variable length("length", 1, 512);
//   tg::TinyJit score([&](const tg::Tensor& x, const tg::SymInt& n) {
//     return x[{tg::Slice(0, n)}].mean();
//   });
//   for (int64_t n : {17, 300, 512}) std::cout << score(x, length.bind(n)) << '\n';
//
// A tensor of variable size has the extents of the largest (Tensor::shape()); sizes() gives the
// number of existing elements: reductions, borders and gathers leave out the others, and
// to_vector() does not return them. More: docs/symbolic.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tg/export.h"

namespace tg {

class SymInt;
/// Sizes of the axes as plain numbers.
using Shape = std::vector<int64_t>;

/// A named integer with bounds: kernels are compiled for all values from `min` to `max`.
class TG_API Variable {
 public:
  /// ArgumentError if the name is empty or not 0 ≤ min ≤ max.
  Variable(std::string name, int64_t min, int64_t max);
  /// The variable with a value (ArgumentError if it is outside the bounds). In one computation a
  /// variable has one value.
  SymInt bind(int64_t value) const;
  const std::string& name() const { return name_; }
  int64_t min() const { return min_; }
  int64_t max() const { return max_; }

 private:
  std::string name_;
  int64_t min_, max_;
};

/// An integer, or an expression of bound variables: `n`, `n + 1`, `2 * n - 3`. Division and
/// remainder round down, as in Python.
class TG_API SymInt {
 public:
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  SymInt(T value) : number_(static_cast<int64_t>(value)) {}

  bool is_number() const { return expression_ == nullptr; }
  /// The value, with those of its variables.
  int64_t value() const;
  /// Bounds over all values of the variables.
  int64_t min() const;
  int64_t max() const;
  /// "n + 1".
  std::string str() const;

  friend TG_API SymInt operator+(const SymInt& a, const SymInt& b);
  friend TG_API SymInt operator-(const SymInt& a, const SymInt& b);
  friend TG_API SymInt operator*(const SymInt& a, const SymInt& b);
  friend TG_API SymInt operator/(const SymInt& a, const SymInt& b);
  friend TG_API SymInt operator%(const SymInt& a, const SymInt& b);
  SymInt operator-() const { return SymInt(0) - *this; }
  /// The same expression, with the same values.
  friend TG_API bool operator==(const SymInt& a, const SymInt& b);

  /// For the library: an expression of the graph.
  struct Expression;
  explicit SymInt(std::shared_ptr<const Expression> expression)
      : expression_(std::move(expression)) {}
  const std::shared_ptr<const Expression>& expression() const { return expression_; }
  int64_t number() const { return number_; }

 private:
  int64_t number_ = 0;
  std::shared_ptr<const Expression> expression_;  // null: the number
};

/// Sizes of the axes, of which some may be expressions: what reshape and expand take.
class Sizes {
 public:
  Sizes() = default;
  Sizes(std::initializer_list<SymInt> sizes) : list_(sizes) {}
  Sizes(const Shape& shape) : list_(shape.begin(), shape.end()) {}
  explicit Sizes(std::vector<SymInt> sizes) : list_(std::move(sizes)) {}
  const std::vector<SymInt>& list() const { return list_; }

 private:
  std::vector<SymInt> list_;
};

}  // namespace tg
