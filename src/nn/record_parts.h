// What the records of layers share: parameters that many have, and the record of a layer. Internal.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "nn/objects.h"
#include "nn/records.h"
#include "tensor/records/call.h"

namespace tg {

template <>
inline constexpr std::string_view kOptionsOf<nn::LinearOptions> = "field of the options";

}  // namespace tg

namespace tg::nn {

inline constexpr std::string_view kPromoted = "the promoted dtype of input and parameters";
inline constexpr std::string_view kSmooth = "to the input and to every parameter";
inline constexpr std::string_view kSizes = "ArgumentError for sizes below 1";

inline FnParam size(std::string_view name, std::string_view meaning) {
  return {name, "int64_t", "", meaning, "elements"};
}
inline const FnParam kIn = size("in", "features or channels that come in");
inline const FnParam kOut = size("out", "features or channels that come out");

template <typename Options>
FnParam bias() {
  return field<&Options::bias>("bias", "true", "add a learned shift");
}
template <typename Options>
FnParam affine() {
  return field<&Options::affine>("affine", "true", "learn a scale, and a shift where there is one");
}
template <typename Options>
FnParam eps() {
  return field<&Options::eps>("eps", "1e-5", "added to the variance");
}
// The two fields of the options' `placement`.
template <typename Options>
FnParam dtype() {
  FnParam p = field<&TensorOptions::dtype>("dtype", "float32", "of the parameters");
  p.type = "field of the placement";
  p.set = [](void* options, const FnValue& v, const FnPlace& place) {
    static_cast<Options*>(options)->placement.dtype = to_dtype(v, place);
  };
  return p;
}
template <typename Options>
FnParam device() {
  FnParam p = field<&TensorOptions::device>("device", "the default device", "of the parameters");
  p.type = "field of the placement";
  p.set = [](void* options, const FnValue& v, const FnPlace& place) {
    static_cast<Options*>(options)->placement.device = to_string(v, place);
  };
  return p;
}

// A layer made from `A...`, all but the last of which are parameters and the last its options.
template <typename L, typename... A>
FnCall make() {
  return call<[](const A&... a) { return LayerOf<L>(L(a...)); }>();
}

inline FnRecord layer(FnCall call, std::string_view name, std::string_view doc,
                      std::vector<FnParam> params, std::string_view shapes, std::string_view errors,
                      std::string_view example, std::string_view result) {
  return {.name = name,
          .doc = doc,
          .params = std::move(params),
          .shapes = shapes,
          .dtype = kPromoted,
          .errors = errors,
          .gradient = kSmooth,
          .example = example,
          .result = result,
          .call = std::move(call)};
}

/// The family of layers of sequences (sequence_records.cpp).
FnFamily sequence_layer_records();

}  // namespace tg::nn
