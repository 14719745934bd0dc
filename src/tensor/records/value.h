// What goes into a recorded function and what comes out, as data: the values that a program of
// another language hands over when only the run of the program tells their types. How values become
// C++ arguments: call.h. Their form for C: include/tg/c/tg.h, whose kinds have the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tg/index.h"
#include "tg/tensor.h"

namespace tg {

/// What a value holds; the numbers are those of the C interface and never change.
enum class FnKind : uint8_t {
  None = 0,
  Bool = 1,
  Int = 2,
  Float = 3,
  DType = 4,
  String = 5,
  Ints = 6,
  Tensor = 7,
  Tensors = 8,
  Size = 9,    ///< where an integer may stand, an expression of variables
  Sizes = 10,  ///< integers and expressions of variables
  Index = 11,  ///< items between brackets
  Bytes = 12,
  Layer = 13,
  Optimizer = 14,
  Choice = 15,  ///< a value of an enumeration, as an integer
};
inline constexpr int kNumFnKinds = 16;

/// "tensor", "ints", …: as the manifest spells it.
std::string_view fn_kind_name(FnKind kind);

/// An enumeration that functions take, with the names of its values, which count from 0.
struct FnChoices {
  std::string_view name;
  std::span<const std::string_view> names;
};
/// All of them, in the order of their names.
std::span<const FnChoices* const> fn_choices();

/// A layer or an optimiser as a value.
struct FnObject {
  virtual ~FnObject();
  virtual FnKind kind() const = 0;
};

/// Arguments that are not copied: the caller keeps them until the call is over.
struct LentTensor {
  explicit LentTensor(const Tensor& t) : tensor(&t) {}
  const Tensor* tensor;
};
struct LentInts {
  explicit LentInts(std::span<const int64_t> l) : list(l) {}
  std::span<const int64_t> list;
};

/// One argument or result; monostate is "not given". No result is lent.
using FnValue =
    std::variant<std::monostate, bool, int64_t, double, DType, std::string, std::vector<int64_t>,
                 Tensor, std::vector<Tensor>, SymInt, std::vector<SymInt>, std::vector<IndexItem>,
                 std::span<const std::byte>, std::shared_ptr<FnObject>, LentTensor, LentInts>;

/// Whether a value was given at all.
inline bool is_given(const FnValue& v) { return !std::holds_alternative<std::monostate>(v); }
/// The kind of what it holds (Int for a choice).
FnKind kind_of(const FnValue& v);

/// What a parameter or result is, as the manifest tells it.
struct FnType {
  FnKind kind = FnKind::None;
  const FnChoices* choices = nullptr;  ///< of FnKind::Choice
  bool pairs = false;                  ///< integers come in pairs, flattened
};

/// Which argument of which function is read: what messages name.
struct FnPlace {
  std::string_view function;
  std::string_view parameter;
  std::string_view default_value;
};

/// The value as one of the types that public functions take: numbers become tensors and wider
/// numbers, one element a list of one. Throws ArgumentError naming place and kinds.
bool to_bool(const FnValue& v, const FnPlace& place);
int64_t to_int(const FnValue& v, const FnPlace& place);
double to_double(const FnValue& v, const FnPlace& place);
DType to_dtype(const FnValue& v, const FnPlace& place);
std::string to_string(const FnValue& v, const FnPlace& place);
std::vector<int64_t> to_ints(const FnValue& v, const FnPlace& place);
Tensor to_tensor(const FnValue& v, const FnPlace& place);
/// The tensor that the value holds or lends; null if it is none.
inline const Tensor* tensor_in(const FnValue& v) {
  if (const auto* lent = std::get_if<LentTensor>(&v)) return lent->tensor;
  return std::get_if<Tensor>(&v);
}
std::vector<Tensor> to_tensors(const FnValue& v, const FnPlace& place);
SymInt to_size(const FnValue& v, const FnPlace& place);
std::vector<SymInt> to_sizes(const FnValue& v, const FnPlace& place);
std::vector<IndexItem> to_items(const FnValue& v, const FnPlace& place);
std::span<const std::byte> to_bytes(const FnValue& v, const FnPlace& place);
/// The place of a value in `choices`: by number or by name.
int64_t to_choice(const FnValue& v, const FnChoices& choices, const FnPlace& place);

/// The default that a record spells as text: a number, true, false, or the name of a choice.
/// InternalError if it is none, which a test of the records excludes.
FnValue parse_default(const FnPlace& place);

}  // namespace tg
