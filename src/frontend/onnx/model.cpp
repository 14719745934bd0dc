// The public model: loads, checks what a call gives, and names what it returns. Reading: read.cpp;
// evaluation: run.cpp.
#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <limits>
#include <set>

#include "frontend/onnx/read.h"
#include "frontend/onnx/run.h"
#include "frontend/whole_file.h"
#include "support/check.h"
#include "tg/models/onnx.h"

namespace tg::onnx {

struct ModelState {
  Parsed parsed;
  std::map<std::string, Tensor> parameters;
  std::string device;
};

namespace {

constexpr std::string_view kCall = "onnx::Model";

// Protobuf reads no more at once.
std::string read_bytes(const std::filesystem::path& file) {
  return whole_file("onnx::load", file, static_cast<uint64_t>(std::numeric_limits<int>::max()),
                    "Hint: larger models keep their tensors as external data.");
}

Model make(std::span<const std::byte> bytes, const Source& source) {
  auto state = std::make_shared<ModelState>();
  state->device = source.device;
  state->parsed = read_model(bytes, source);
  for (const auto& [name, value] : state->parsed.main.constants)
    state->parameters.emplace(name, value.tensor(source.device));
  return Model(std::move(state));
}

std::string shape_text(const ValueInfo& info) {
  std::string out;
  for (const Dimension& d : info.shape)
    out += fmt::format("{}{}", out.empty() ? "" : ", ",
                       d.size >= 0      ? fmt::to_string(d.size)
                       : d.name.empty() ? "?"
                                        : d.name);
  return fmt::format("[{}]", out);
}

void check_input(const ValueInfo& info, const Tensor& t, std::map<std::string, int64_t>& named) {
  if (info.dtype != DType::Void && info.dtype != t.dtype())
    user_error<DTypeError>(kCall, fmt::format("input \"{}\" must be {}, got {}", info.name,
                                              dtype_name(info.dtype), dtype_name(t.dtype())));
  for (const SymInt& size : t.sizes())
    if (!size.is_number())
      user_error<ShapeError>(
          kCall, fmt::format("input \"{}\" has the variable size {}", info.name, size.str()),
          "Sizes are numbers here, which may differ from call to call.");
  if (!info.has_shape) return;
  const Shape shape = t.shape();
  bool fits = shape.size() == info.shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    const Dimension& d = info.shape[i];
    fits = d.size < 0 || d.size == shape[i];
    if (d.size >= 0 || d.name.empty()) continue;
    const auto [known, first] = named.emplace(d.name, shape[i]);
    if (!first && known->second != shape[i])
      user_error<ShapeError>(
          kCall, fmt::format("input \"{}\" has {} = {}, which is {} in another input", info.name,
                             d.name, shape[i], known->second));
  }
  if (!fits)
    user_error<ShapeError>(kCall, fmt::format("input \"{}\" must have shape {}, got [{}]",
                                              info.name, shape_text(info), fmt::join(shape, ", ")));
}

// What was given for an input: a tensor, or the items of a sequence, "name.0", "name.1", ….
Value given_input(const ValueInfo& info, const std::map<std::string, Tensor>& given,
                  std::set<std::string>& used, std::map<std::string, int64_t>& named) {
  const auto found = given.find(info.name);
  if (found != given.end() && info.kind != "sequence") {
    used.insert(info.name);
    if (info.kind == "tensor") check_input(info, found->second, named);
    return found->second;
  }
  std::vector<Value> items;
  for (size_t i = 0; info.kind != "tensor"; ++i) {
    const auto item = given.find(fmt::format("{}.{}", info.name, i));
    if (item == given.end()) break;
    used.insert(item->first);
    items.emplace_back(item->second);
  }
  if (info.kind == "sequence" || !items.empty()) return Value::sequence(std::move(items));
  if (info.kind == "optional") return Value::none();
  user_error<ArgumentError>(
      kCall, fmt::format("input \"{}\" is missing", info.name),
      fmt::format("Hint: it is {} {}.", info.dtype == DType::Void ? "text" : dtype_name(info.dtype),
                  shape_text(info)));
}

void add_output(const std::string& name, const Value& value, const std::string& device,
                std::map<std::string, Tensor>& out) {
  if (value.is_array()) out.emplace(name, value.tensor(device));
  if (!value.is_sequence()) return;
  for (size_t i = 0; i < value.items().size(); ++i) {
    const Value& item = value.items()[i];
    if (item.is_array()) out.emplace(fmt::format("{}.{}", name, i), item.tensor(device));
  }
}

void check_parameter(const std::string& name, const Tensor& given, const Value& loaded) {
  if (given.dtype() != loaded.dtype())
    user_error<DTypeError>(kCall,
                           fmt::format("parameter \"{}\" must be {}, it was replaced by {}", name,
                                       dtype_name(loaded.dtype()), dtype_name(given.dtype())));
  if (given.shape() != loaded.shape())
    user_error<ShapeError>(
        kCall, fmt::format("parameter \"{}\" must have shape [{}], it was replaced by [{}]", name,
                           fmt::join(loaded.shape(), ", "), fmt::join(given.shape(), ", ")));
}

}  // namespace

const std::vector<ValueInfo>& Model::inputs() const { return state_->parsed.inputs; }
const std::vector<ValueInfo>& Model::outputs() const { return state_->parsed.outputs; }
std::map<std::string, Tensor>& Model::parameters() { return state_->parameters; }
const std::map<std::string, Tensor>& Model::parameters() const { return state_->parameters; }
const std::vector<Unsupported>& Model::unsupported() const { return state_->parsed.unsupported; }

std::map<std::string, int64_t> Model::operators() const {
  std::map<std::string, int64_t> out;
  std::vector<const Graph*> todo = {&state_->parsed.main};
  for (const auto& [name, f] : state_->parsed.functions) todo.push_back(&f);
  while (!todo.empty()) {
    const Graph* g = todo.back();
    todo.pop_back();
    for (const NodeDef& n : g->nodes) {
      ++out[n.op];
      for (const auto& [name, a] : n.attributes)
        if (a.graph) todo.push_back(a.graph.get());
    }
  }
  return out;
}

std::map<std::string, Tensor> Model::operator()(const std::map<std::string, Tensor>& given) const {
  const Parsed& parsed = state_->parsed;
  std::set<std::string> used;
  std::map<std::string, int64_t> named;
  Values inputs;
  for (const ValueInfo& info : parsed.inputs)
    inputs.push_back(given_input(info, given, used, named));
  for (const auto& [name, tensor] : given)
    if (!used.contains(name))
      user_error<ArgumentError>(kCall, fmt::format("there is no input \"{}\"", name));
  for (const auto& [name, value] : parsed.main.constants) {
    const auto parameter = state_->parameters.find(name);
    if (parameter == state_->parameters.end())
      user_error<ArgumentError>(kCall, fmt::format("parameter \"{}\" was taken away", name));
    check_parameter(name, parameter->second, value);
  }
  // Constants join the inputs where those are.
  std::string device = state_->device;
  for (const auto& [name, tensor] : given)
    if (!tensor.device().empty()) device = tensor.device();
  const Values results = run_model(parsed, std::move(inputs), state_->parameters, device);
  std::map<std::string, Tensor> out;
  for (size_t i = 0; i < results.size(); ++i)
    add_output(parsed.outputs[i].name, results[i], device, out);
  return out;
}

Model load(const std::filesystem::path& file, const LoadOptions& options) {
  const std::string bytes = read_bytes(file);
  std::filesystem::path folder = file.parent_path();
  if (folder.empty()) folder = ".";
  return make(std::as_bytes(std::span(bytes)), {file.string(), folder, options.device});
}

Model parse(std::span<const std::byte> bytes, const LoadOptions& options, std::string_view name) {
  return make(bytes, {std::string(name), options.folder, options.device});
}

}  // namespace tg::onnx
