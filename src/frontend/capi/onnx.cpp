// ONNX models for C: tg/c/tg_models.h on top of tg/models/onnx.h.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "frontend/capi/model_handles.h"
#include "tg/c/tg_models.h"
#include "tg/models/onnx.h"

using namespace tg;
using namespace tg::capi_models;

namespace {

constexpr std::string_view kKind = "an ONNX model";

tg_onnx new_model(onnx::Model model) { return new_handle<tg_onnx>(std::move(model), kKind); }

std::shared_ptr<onnx::Model> model_of(tg_onnx handle, std::string_view function) {
  return capi_models::model_of<onnx::Model>(handle, kKind, function);
}

nlohmann::json axis(const onnx::Dimension& d) {
  if (d.size >= 0) return d.size;
  if (!d.name.empty()) return d.name;
  return nullptr;
}

nlohmann::json values_json(const std::vector<onnx::ValueInfo>& values) {
  nlohmann::json out = nlohmann::json::array();
  for (const onnx::ValueInfo& v : values) {
    nlohmann::json one = {{"name", v.name}, {"kind", v.kind}};
    if (v.dtype != DType::Void) one["dtype"] = dtype_name(v.dtype);
    if (v.has_shape) {
      one["shape"] = nlohmann::json::array();
      for (const onnx::Dimension& d : v.shape) one["shape"].push_back(axis(d));
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::string description(const onnx::Model& model) {
  nlohmann::json unsupported = nlohmann::json::array();
  for (const onnx::Unsupported& u : model.unsupported())
    unsupported.push_back({{"node", u.node}, {"op", u.op}, {"reason", u.reason}});
  const nlohmann::json all = {{"inputs", values_json(model.inputs())},
                              {"outputs", values_json(model.outputs())},
                              {"operators", model.operators()},
                              {"unsupported", std::move(unsupported)}};
  // Names in a file need not be UTF-8.
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

tg_status tg_onnx_load(const char* path, const char* device, tg_onnx* result) {
  return interop::guarded([&] {
    check_given(path, "tg_onnx_load", "path");
    check_given(result, "tg_onnx_load", "result");
    *result = new_model(onnx::load(path, {.device = text_or_empty(device)}));
  });
}

tg_status tg_onnx_parse(const void* bytes, size_t count, const char* folder, const char* device,
                        tg_onnx* result) {
  return interop::guarded([&] {
    if (count > 0) check_given(bytes, "tg_onnx_parse", "bytes");
    check_given(result, "tg_onnx_parse", "result");
    const std::span all(static_cast<const std::byte*>(bytes), count);
    *result = new_model(
        onnx::parse(all, {.device = text_or_empty(device), .folder = text_or_empty(folder)}));
  });
}

tg_status tg_onnx_describe(tg_onnx model, tg_value* result) {
  return interop::guarded([&] {
    check_given(result, "tg_onnx_describe", "result");
    *result = interop::text_value(description(*model_of(model, "tg_onnx_describe")));
  });
}

tg_status tg_onnx_call(tg_onnx model, tg_state inputs, tg_state* result) {
  return interop::guarded([&] {
    constexpr std::string_view kName = "tg_onnx_call";
    check_given(result, kName, "result");
    const nn::StateDict given = interop::tensors_of(inputs, kName);
    const auto outputs = (*model_of(model, kName))({given.begin(), given.end()});
    *result = interop::handle_of(nn::StateDict(outputs.begin(), outputs.end()));
  });
}

tg_status tg_onnx_get_parameters(tg_onnx model, tg_state* result) {
  return interop::guarded([&] {
    constexpr std::string_view kName = "tg_onnx_get_parameters";
    check_given(result, kName, "result");
    const auto held = model_of(model, kName);
    const auto& parameters = held->parameters();
    *result = interop::handle_of(nn::StateDict(parameters.begin(), parameters.end()));
  });
}

tg_status tg_onnx_set_parameters(tg_onnx model, tg_state parameters) {
  return interop::guarded([&] {
    constexpr std::string_view kName = "tg_onnx_set_parameters";
    const auto held = model_of(model, kName);
    auto& own = held->parameters();
    const nn::StateDict given = interop::tensors_of(parameters, kName);
    for (const auto& [name, tensor] : given) {
      const auto it = own.find(name);
      if (it == own.end())
        user_error<ArgumentError>(kName, fmt::format("there is no parameter \"{}\"", name));
      if (it->second.dtype() != tensor.dtype())
        user_error<DTypeError>(
            kName, fmt::format("parameter \"{}\" is {}, not {}", name,
                               dtype_name(it->second.dtype()), dtype_name(tensor.dtype())));
      if (it->second.shape() != tensor.shape())
        user_error<ShapeError>(kName, fmt::format("parameter \"{}\" is [{}], not [{}]", name,
                                                  fmt::join(it->second.shape(), ", "),
                                                  fmt::join(tensor.shape(), ", ")));
    }
    for (const auto& [name, tensor] : given) own.insert_or_assign(name, tensor);
  });
}
