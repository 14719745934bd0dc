// See safetensors_index.h.
#include "nn/format/safetensors_index.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "nn/format/archive.h"
#include "support/check.h"

namespace tg::nn {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxIndex = 100'000'000;
constexpr int kMaxDepth = 8;  // the map is two deep
constexpr std::string_view kWeightMap = "weight_map";

[[noreturn]] void fail_index(const std::string& file, std::string_view problem) {
  user_error<FileError>("load_sharded", fmt::format("\"{}\" {}", file, problem));
}

}  // namespace

std::map<std::string, std::set<std::string>> parse_safetensors_index(const ByteSource& index) {
  if (index.size() > kMaxIndex) fail_index(index.name(), fmt::format("has {} bytes", index.size()));
  const std::string text = index.read_all();
  const auto check = [&](int depth, json::parse_event_t event, json&) {
    const bool opens =
        event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    if (opens && depth > kMaxDepth) fail_index(index.name(), "is nested too deeply");
    return true;
  };
  json content;
  try {
    content = json::parse(text.begin(), text.end(), check);
  } catch (const json::parse_error& e) {
    fail_index(index.name(), fmt::format("is not JSON at byte {}", e.byte));
  } catch (const json::exception&) {
    fail_index(index.name(), "has a number that is out of range");
  }
  const auto map = content.is_object() ? content.find(kWeightMap) : content.end();
  if (map == content.end() || !map->is_object()) fail_index(index.name(), "has no object \"weight_map\"");
  std::map<std::string, std::set<std::string>> files;
  for (const auto& [name, file] : map->items()) {
    if (!file.is_string()) fail_index(index.name(), fmt::format("names no file for \"{}\"", name));
    const auto& file_name = file.get_ref<const std::string&>();
    if (!is_harmless_path(file_name))
      fail_index(index.name(), fmt::format("names a file outside its folder: \"{}\"", file_name));
    files[file_name].insert(name);
  }
  return files;
}

}  // namespace tg::nn
