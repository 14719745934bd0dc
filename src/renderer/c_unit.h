// The translation unit under construction: which types and helper functions it needs, each spelled
// once, in order of first use, and the dialect that it is written in. What the helpers do is in
// c_helpers.h; the kernels' text is c_kernel.h.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/c_dialect.h"
#include "tg/dtype.h"
#include "tg/ir/function_ref.h"

namespace tg {

/// Bytes of one element in memory; an Index, which is never there, has 8.
int c_bytes(DType t);
/// The signed integer of `bytes` bytes, of which masks of such elements are made.
DType c_mask_dtype(int bytes);

class CUnit {
 public:
  explicit CUnit(const CDialect& dialect) : dialect_(dialect) {}
  const CDialect& dialect() const { return dialect_; }

  /// The integer that Index is from now on: Int64, which it is at first, or Int32.
  void spell_index(DType t) { index_ = t; }
  /// Bytes of one element in a variable.
  int bytes(DType t) const { return c_bytes(spelled(t)); }

  /// Names of types, as the dialect spells them: "f32", "f32x8"; of bool vectors the storage.
  std::string_view scalar(DType t) const { return dialect_.scalar(spelled(t)); }
  std::string_view storage(DType t) const { return dialect_.storage(t); }
  std::string vector(DType t, int lanes);
  /// A type for `lanes` lanes: scalar or vector.
  std::string type(DType t, int lanes);
  /// Makes sure that the type `name` is declared, by `text` if it is new.
  void declare(const std::string& name, FunctionRef<std::string()> text);
  /// Name of the helper function `name`; the text is asked for when it is new, after those that it
  /// calls itself.
  std::string helper(std::string name, FunctionRef<std::string()> text);

  /// Everything that must stand before the kernels.
  std::string preamble() const;

 private:
  DType spelled(DType t) const { return t == DType::Index ? index_ : t; }

  const CDialect& dialect_;
  DType index_ = DType::Int64;
  std::set<std::string> known_;
  std::vector<std::string> types_;
  std::vector<std::string> helpers_;
};

}  // namespace tg
