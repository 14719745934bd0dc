// State dicts: checked before anything is assigned, then assigned and computed together. Files of
// them: safetensors_files.cpp, state_files.cpp.
#include <algorithm>

#include "support/check.h"
#include "tg/nn.h"
#include "tg/state.h"

namespace tg::nn {
namespace {

std::string shape_text(const Shape& s) { return fmt::format("[{}]", fmt::join(s, ", ")); }

// The names of `of` that `in` lacks, at most five of them spelled out.
std::string names_missing(const StateDict& of, const StateDict& in) {
  std::vector<std::string> names;
  size_t count = 0;
  for (const auto& [name, tensor] : of) {
    if (in.contains(name)) continue;
    if (++count <= 5) names.push_back("\"" + name + "\"");
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  return count > 5 ? fmt::format("{} and {} more", text, count - 5) : text;
}

void check_names(std::string_view fn, const StateDict& model, const StateDict& from) {
  if (const auto missing = names_missing(model, from); !missing.empty()) {
    user_error<ArgumentError>(fn, "tensors of the model are missing: " + missing);
  }
  if (const auto extra = names_missing(from, model); !extra.empty()) {
    user_error<ArgumentError>(fn, "there are tensors that the model does not have: " + extra);
  }
}

void check_values(std::string_view fn, const StateDict& model, const StateDict& from) {
  for (const auto& [name, target] : model) {
    const Tensor& value = from.at(name);
    if (target.shape() != value.shape()) {
      user_error<ShapeError>(
          fn, fmt::format("\"{}\" has shape {} in the model and {} in the state", name,
                          shape_text(target.shape()), shape_text(value.shape())));
    }
    if (target.dtype() != value.dtype()) {
      user_error<DTypeError>(fn,
                             fmt::format("\"{}\" is {} in the model and {} in the state", name,
                                         dtype_name(target.dtype()), dtype_name(value.dtype())),
                             "Hint: cast the values.");
    }
  }
}

}  // namespace

namespace detail {

void add_state(StateDict& dict, const std::string& name, const Tensor& tensor) {
  if (dict.emplace(name, tensor).second) return;
  user_error<ArgumentError>("state_dict", fmt::format("two members are named \"{}\"", name));
}

void load_state(std::string_view function, const StateDict& model, const StateDict& from) {
  check_names(function, model, from);
  check_values(function, model, from);
  std::vector<Tensor> changed;
  for (const auto& [name, target] : model) {
    const Tensor& value = from.at(name);
    if (value.state() == target.state()) continue;
    target.assign(target.device().empty() ? value : value.to(target.device()));
    changed.push_back(target);
  }
  Tensor::realize(changed);
}

std::string load_name(const std::filesystem::path& file) {
  return fmt::format("load \"{}\"", file.string());
}

}  // namespace detail

void save(const StateDict& dict, const std::filesystem::path& file) {
  save(dict, file, Metadata{});
}

StateDict load(const std::filesystem::path& file, const std::string& device) {
  return load_file(file, device).tensors;
}

}  // namespace tg::nn
