// The record of a public function: everything that documentation, bindings and checks need to know
// about it as data. The records of Tensor's functions stand in this folder, one file a family;
// tools/tg-functions prints them, and a test compares them with include/tg/tensor.h and runs every
// example.
#pragma once

#include <string_view>
#include <vector>

#include "tensor/records/value.h"

namespace tg {

struct FnRecord;

/// One parameter, or one field of the function's options.
struct FnParam {
  std::string_view name;
  std::string_view type;                ///< as in C++, or "field of ReduceOptions"
  std::string_view default_value = "";  ///< empty: must be given
  std::string_view meaning;
  std::string_view unit = "";  ///< "elements", "bytes", "probability", …; empty: none
  bool number = false;         ///< a plain number will do in place of the tensor
  FnType field = {};           ///< of a field of options: its type
  /// Of a field of options: assigns the value to it.
  void (*set)(void* options, const FnValue& value, const FnPlace& place) = nullptr;
};

/// How a function is called with values; made from the C++ function by call.h.
struct FnCall {
  FnValue (*invoke)(const FnRecord& record, std::span<const FnValue> arguments) = nullptr;
  std::vector<FnType> takes =
      {};  ///< of the parameters that are no fields; a method's tensor apart
  FnType result = {};
  bool method = false;  ///< the first argument is the tensor that it is called on
};

struct FnRecord {
  std::string_view name;  ///< as called
  std::string_view doc;   ///< what it does, a sentence or two
  std::vector<FnParam> params = {};
  std::string_view shapes = "the result has this tensor's shape";
  std::string_view dtype = "that of this tensor";
  std::string_view errors = "";  ///< class and condition of each user error; empty: none of its own
  std::string_view gradient = "";  ///< how gradients flow; empty: none does
  std::string_view example = "";   ///< a C++ expression; compiled and run
  std::string_view result = "";    ///< its text (Tensor::str, or the plain value)
  FnCall call = {};                ///< the implementation; without one it is for C++ only

  /// The type of parameter `i`.
  const FnType& param_type(size_t i) const {
    return params[i].set ? params[i].field : call.takes[i];
  }
};

/// Calls a recorded function. `arguments`: of a method its tensor, then the parameters in order;
/// those left out at the end, and those not given, have their defaults. Throws what the function
/// throws, and ArgumentError for arguments of wrong number or kind.
FnValue call_fn(const FnRecord& record, std::span<const FnValue> arguments);

struct FnFamily {
  std::string_view title;
  std::vector<FnRecord> functions;
};

/// All records, in the order of the documentation.
const std::vector<FnFamily>& fn_families();
/// The record of a function, or null.
const FnRecord* find_fn(std::string_view name);

// One function a file of this folder.
FnFamily creation_records();
FnFamily random_records();
FnFamily fact_records();
FnFamily movement_records();
FnFamily index_records();
FnFamily order_records();
FnFamily arrange_records();
FnFamily algebra_records();
FnFamily fourier_records();
FnFamily arithmetic_records();
FnFamily elementwise_records();
FnFamily activation_records();
FnFamily reduce_records();
FnFamily scan_records();
FnFamily product_records();
FnFamily norm_records();
FnFamily loss_records();
FnFamily storage_records();
FnFamily gradient_records();

// Phrases that many records share.
namespace phrases {
inline constexpr std::string_view kFloatDtype = "floats stay, integers and bool become float32";
inline constexpr std::string_view kPromoted =
    "the promoted dtype of the operands; numbers give way";
inline constexpr std::string_view kBool = "bool";
inline constexpr std::string_view kBroadcast = "the operands' shapes, broadcast";
inline constexpr std::string_view kBroadcastError = "ShapeError if the shapes cannot be broadcast";
inline constexpr std::string_view kAxisError = "IndexError for an axis outside the shape";
inline constexpr std::string_view kSmooth = "the derivative";
inline constexpr std::string_view kFlows = "passed through to the elements it came from";
inline constexpr std::string_view kBits =
    "DTypeError for floats; ShapeError if the shapes cannot be broadcast";
}  // namespace phrases

}  // namespace tg
