// What the tests of encoders share: a folder with a tiny BERT, its modules, and a tokenizer of the
// words w0 to w47 that puts w1 before a text and w2 behind it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/file.h"
#include "support/source_dir.h"

namespace tg::models {

class WordEncoder {
 public:
  explicit WordEncoder(const std::string& family = "bert") : folder_("word_encoder") {
    namespace fs = std::filesystem;
    fs::copy(test::source_dir() / "tests/reference/text_encoders" / family, folder_.path(),
             fs::copy_options::recursive);
    nlohmann::json words;
    for (int i = 0; i < 48; ++i) words["w" + std::to_string(i)] = i;
    write("tokenizer.json",
          nlohmann::json{{"model", {{"type", "WordLevel"}, {"vocab", words}, {"unk_token", "w0"}}},
                         {"pre_tokenizer", {{"type", "Whitespace"}}},
                         {"post_processor",
                          {{"type", "BertProcessing"}, {"sep", {"w2", 2}}, {"cls", {"w1", 1}}}}}
              .dump());
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  void write(const std::string& name, const std::string& text) const {
    write_file(folder_.path() / name, text);
  }

 private:
  TempDir folder_;
};

}  // namespace tg::models
