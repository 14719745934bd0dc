// What the tests of Whisper share: a folder with a tiny one, which hears a second at a time, and
// what `transformers` makes of it (tests/reference/speech, made by make_speech.py there).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/state.h"

namespace tg::models {

class TinyWhisper {
 public:
  TinyWhisper() : folder_("tiny_whisper") {
    namespace fs = std::filesystem;
    fs::copy(reference(), folder_.path(), fs::copy_options::recursive);
  }
  static std::filesystem::path reference() {
    return test::source_dir() / "tests/reference/speech/whisper";
  }
  static nn::StateDict expected() { return nn::load(reference() / "expected.safetensors"); }
  static std::vector<int32_t> numbers(const Tensor& t) { return t.to_vector<int32_t>(); }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  /// Changes a member of a file of JSON; null removes it.
  void set(const std::string& name, const std::string& key, const nlohmann::json& value) const {
    nlohmann::json c = nlohmann::json::parse(read_file(file(name)));
    if (value.is_null()) {
      c.erase(key);
    } else {
      c[key] = value;
    }
    write_file(file(name), c.dump());
  }

 private:
  TempDir folder_;
};

}  // namespace tg::models
