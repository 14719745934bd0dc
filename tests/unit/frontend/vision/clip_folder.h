// What the tests of CLIP share: two tiny ones, "first" and "later", and what `transformers` makes
// of them (tests/reference/clip, made by make_clip.py there).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/file.h"
#include "tg/state.h"

namespace tg::models {

inline std::filesystem::path clip_reference(const std::string& name) {
  return std::filesystem::path(TG_SOURCE_DIR) / "tests/reference/clip" / name;
}

/// What is expected of one of them.
class ClipReference {
 public:
  explicit ClipReference(const std::string& name)
      : tensors_(nn::load(clip_reference(name) / "expected.safetensors")) {}

  const Tensor& at(const std::string& name) const { return tensors_.at(name); }
  std::vector<std::vector<int32_t>> texts() const {
    std::vector<std::vector<int32_t>> out;
    const auto tokens = at("tokens").to_vector<int32_t>();
    auto next = tokens.begin();
    for (const int32_t length : at("lengths").to_vector<int32_t>()) {
      out.emplace_back(next, next + length);
      next += length;
    }
    return out;
  }
  std::vector<Tensor> pictures() const {
    std::vector<Tensor> out;
    for (int64_t i = 0; i < at("image_vectors").size(0); ++i)
      out.push_back(at("picture." + std::to_string(i)));
    return out;
  }

 private:
  nn::StateDict tensors_;
};

/// A copy of one of them, to change.
class ClipCopy {
 public:
  explicit ClipCopy(const std::string& name) : folder_("clip") {
    std::filesystem::copy(clip_reference(name), folder_.path());
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path file(const std::string& name) const { return path() / name; }
  /// Changes a member of a file of JSON, "/text_config/hidden_act"; null removes it.
  void set(const std::string& name, const std::string& pointer, const nlohmann::json& value) const {
    nlohmann::json content = nlohmann::json::parse(read_file(file(name)));
    const nlohmann::json::json_pointer at(pointer);
    if (value.is_null()) {
      content[at.parent_pointer()].erase(at.back());
    } else {
      content[at] = value;
    }
    write_file(file(name), content.dump());
  }

 private:
  TempDir folder_;
};

}  // namespace tg::models
