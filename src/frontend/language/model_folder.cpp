// See model_folder.h.
#include "frontend/language/model_folder.h"

#include <fmt/format.h>

#include <set>

#include "frontend/whole_file.h"
#include "support/check.h"

namespace tg::models {

namespace fs = std::filesystem;

nlohmann::json json_of_file(std::string_view fn, const fs::path& file) {
  constexpr uint64_t kMostBytes = 16 << 20;
  return parse_json(whole_file(fn, file, kMostBytes), file.string());
}

bool has_model_type(const fs::path& folder, std::string_view type) {
  try {
    const nlohmann::json content = json_of_file("has_model_type", folder / "config.json");
    return JsonPart(content, "config.json")["model_type"].text() == type;
  } catch (const Error&) {
    return false;
  }
}

WeightsFile find_weights(std::string_view fn, const fs::path& folder, std::string_view name) {
  std::error_code unknown;
  const std::string file = fmt::format("{}.safetensors", name);
  WeightsFile out{.path = folder / file};
  if (fs::exists(out.path, unknown)) {
    out.bytes = fs::file_size(out.path, unknown);
    return out;
  }
  out.path = folder / (file + ".index.json");
  if (!fs::exists(out.path, unknown)) {
    user_error<FileError>(
        fn, fmt::format("\"{}\" has neither {} nor {}.index.json", folder.string(), file, file));
  }
  const nlohmann::json index = json_of_file(fn, out.path);
  std::set<std::string> parts;
  const JsonPart map = JsonPart(index, out.path.string())["weight_map"];
  if (!map.content().is_object()) map.fail("is no object");
  for (const auto& [tensor, part] : map.content().items())
    parts.insert(JsonPart(part, map.place()).text());
  for (const std::string& part : parts) {
    const uint64_t size = fs::file_size(folder / fs::path(part), unknown);
    out.bytes += unknown ? 0 : size;  // reading it says what is wrong
  }
  return out;
}

Activation read_activation(Settings& s, std::string_view name) {
  const std::string& kind = s.text(name);
  if (kind == "silu" || kind == "swish") return Activation::Silu;
  if (kind == "gelu") return Activation::Gelu;
  if (kind == "gelu_new" || kind == "gelu_pytorch_tanh" || kind == "gelu_fast")
    return Activation::GeluTanh;
  if (kind == "quick_gelu") return Activation::QuickGelu;
  if (kind == "relu") return Activation::Relu;
  s.fail(name, fmt::format("is an activation that is not supported: \"{}\"", kind));
}

}  // namespace tg::models
