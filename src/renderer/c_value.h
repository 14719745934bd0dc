// A value of linear code as C text, and how texts combine without losing their grouping.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "renderer/c_unit.h"
#include "tg/ir/scalar.h"
#include "tg/ir/uop.h"

namespace tg {

struct CValue {
  std::string text;
  Prec prec = Prec::Atom;
  DType dtype = DType::Void;
  int lanes = 1;
  int mask = 0;         ///< bytes a lane of a bool vector, which is 0 or −1 in each lane
  std::string uniform;  ///< of a splat: the scalar, an atom or unary text; arithmetic broadcasts it
  bool is_number = false;      ///< a constant that is not NaN
  bool is_literal = false;     ///< a scalar constant
  Space space = Space::Value;  ///< of a pointer: where it points to
};

/// The text, in parentheses if it binds less than `prec`.
std::string at_least(const CValue& v, Prec prec);
/// Literal of a constant.
CValue c_literal(const CUnit& u, const Scalar& s);
/// The same value as a vector whose mask has `width` bytes a lane.
std::string as_mask(CUnit& u, const CValue& v, int width);
/// Scalar `v` in every lane.
CValue c_splat(CUnit& u, const CValue& v, int lanes, int mask_width);

/// One elementwise op on C values. `is_plain`: the operands are proven to lie where C's operator
/// means the same as ours: a division of non-negative numbers by a positive one, a shift by less
/// than the width, a sum or product that does not overflow. Throws InternalError for what C cannot
/// spell.
CValue c_elementwise(CUnit& u, Op op, DType dtype, std::span<const CValue> src, bool is_plain);

}  // namespace tg
