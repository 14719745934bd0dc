// Language models of each family give what `transformers` gives, which made the folders in
// tests/reference/language_models (make_language_models.py there). What is wrong with a file is in
// hostile_test.cpp, how texts are made in generate_test.cpp.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support/source_dir.h"
#include "unit/frontend/language/expect_reference.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

fs::path reference_folder() { return test::source_dir() / "tests/reference/language_models"; }

std::vector<std::string> families() {
  std::set<std::string> out;
  for (const auto& e : fs::directory_iterator(reference_folder()))
    if (fs::exists(e.path() / "config.json")) out.insert(e.path().filename().string());
  return {out.begin(), out.end()};
}

class Families : public testing::TestWithParam<std::string> {};

TEST_P(Families, GiveTheLogitsAndTheTextOfTheirLibrary) {
  const fs::path folder = reference_folder() / GetParam();
  expect_reference(folder, folder / "expected.safetensors");
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(families()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tg::models
