// See weights_fit.h.
#include "frontend/vision/weights_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/check.h"

namespace tg::models {
namespace {

constexpr size_t kNamesShown = 4;

void add_names(std::string& text, std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const size_t shown = std::min(names.size(), kNamesShown);
  text +=
      fmt::format("{}{} {}", text.empty() ? "" : "; ", what,
                  fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
}

}  // namespace

Misfit misfit_of(const nn::StateDict& network, const nn::StateDict& tensors) {
  Misfit out;
  for (const auto& [name, tensor] : network) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      out.missing.push_back(fmt::format("\"{}\"", name));
    } else if (found->second.shape() != tensor.shape()) {
      out.other_shape.push_back(fmt::format("\"{}\" [{}] instead of [{}]", name,
                                            fmt::join(found->second.shape(), ", "),
                                            fmt::join(tensor.shape(), ", ")));
    }
  }
  for (const auto& [name, tensor] : tensors)
    if (!network.contains(name)) out.left.push_back(fmt::format("\"{}\"", name));
  return out;
}

std::string described(const Misfit& m) {
  std::string out;
  add_names(out, "missing", m.missing);
  add_names(out, "left over", m.left);
  add_names(out, "of another shape", m.other_shape);
  return out;
}

void require_fit(std::string_view function, const nn::StateDict& network,
                 const nn::StateDict& tensors, const std::filesystem::path& file,
                 std::string_view description) {
  const Misfit m = misfit_of(network, tensors);
  if (m.count() > 0)
    user_error<FileError>(function, fmt::format("\"{}\" does not have the tensors of {}: {}",
                                                file.string(), description, described(m)));
  for (const auto& [name, tensor] : tensors)
    if (!tensor.is_floating_point())
      user_error<FileError>(function, fmt::format("\"{}\": the tensor \"{}\" is {}, which is no "
                                                  "float",
                                                  file.string(), name, dtype_name(tensor.dtype())));
}

int64_t size_of(const nn::StateDict& tensors, std::string_view name, size_t axis) {
  const auto found = tensors.find(name);
  if (found == tensors.end() || found->second.shape().size() <= axis) return 0;
  return found->second.shape()[axis];
}

}  // namespace tg::models
