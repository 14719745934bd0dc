// What the tests of CLIP share: two tiny ones, "first" and "later", and what `transformers` makes
// of them (tests/reference/clip, made by make_clip.py there).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/folder_copy.h"
#include "support/source_dir.h"
#include "tg/state.h"

namespace tg::models {

inline std::filesystem::path clip_reference(const std::string& name) {
  return test::source_dir() / "tests/reference/clip" / name;
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
class ClipCopy : public test::FolderCopy {
 public:
  explicit ClipCopy(const std::string& name) : FolderCopy(clip_reference(name)) {}
};

}  // namespace tg::models
