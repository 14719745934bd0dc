// GGUF files of each architecture and of several kinds of quantised weights give what
// `transformers` makes of the weights' values: tests/reference/language_models/gguf
// (make_language_models.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support/source_dir.h"
#include "unit/frontend/language/expect_reference.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

fs::path gguf_folder() { return test::source_dir() / "tests/reference/language_models/gguf"; }

std::vector<std::string> gguf_names() {
  std::set<std::string> out;
  for (const auto& e : fs::directory_iterator(gguf_folder()))
    if (e.path().extension() == ".gguf") out.insert(e.path().stem().string());
  return {out.begin(), out.end()};
}

class GgufFiles : public testing::TestWithParam<std::string> {};

TEST_P(GgufFiles, GiveWhatTheirValuesGive) {
  expect_reference(gguf_folder() / (GetParam() + ".gguf"),
                   gguf_folder() / (GetParam() + ".safetensors"));
}

INSTANTIATE_TEST_SUITE_P(All, GgufFiles, testing::ValuesIn(gguf_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tg::models
