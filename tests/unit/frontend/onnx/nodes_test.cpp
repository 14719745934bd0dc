// The node and model tests that ONNX publishes (Debian: libonnx-testdata), compared as its own
// runner compares. Those that are not supported are in not_supported.txt, each with the reason: a
// test that begins to pass, or fails for another reason, fails here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "frontend/onnx/read.h"
#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/models/onnx.h"

namespace tg::onnx {
namespace {

namespace fs = std::filesystem;

const fs::path kData = "/usr/share/libonnx-testdata/data";
const fs::path kTable = test::source_dir() / "tests/unit/frontend/onnx/not_supported.txt";

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// "group/test: reason" on each line.
std::map<std::string, std::string> expected_failures() {
  std::map<std::string, std::string> out;
  std::ifstream stream(kTable);
  for (std::string line; std::getline(stream, line);) {
    const size_t colon = line.find(": ");
    if (!line.starts_with('#') && colon != std::string::npos)
      out[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return out;
}

std::vector<std::string> all_tests() {
  std::vector<std::string> out;
  for (const char* group : {"node", "simple", "pytorch-converted", "pytorch-operator"}) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(kData / group, missing))
      out.push_back(std::string(group) + "/" + entry.path().filename().string());
  }
  std::ranges::sort(out);
  return out;
}

Value read_file_value(const fs::path& file, const ValueInfo& info) {
  const std::string bytes = bytes_of(file);
  const FileKind kind = info.kind == "sequence"   ? FileKind::Sequence
                        : info.kind == "optional" ? FileKind::Optional
                                                  : FileKind::Tensor;
  return read_value(std::as_bytes(std::span(bytes)), kind, file.string());
}

void flatten(const std::string& name, const Value& value, const ValueInfo& info,
             std::map<std::string, Tensor>& out) {
  if (value.is_array()) {
    // NumPy has no bfloat16: the data are its bits.
    const Tensor t = value.tensor("");
    const bool bits = info.dtype == DType::BFloat16 && t.dtype() == DType::UInt16;
    out.emplace(name, bits ? t.bitcast(DType::BFloat16) : t);
  }
  if (!value.is_sequence()) return;
  for (size_t i = 0; i < value.items().size(); ++i)
    flatten(name + "." + std::to_string(i), value.items()[i], info, out);
}

std::map<std::string, Tensor> values_in(const fs::path& folder, const std::string& prefix,
                                        const std::vector<ValueInfo>& infos) {
  std::map<std::string, Tensor> out;
  for (size_t i = 0; i < infos.size(); ++i) {
    const fs::path file = folder / (prefix + "_" + std::to_string(i) + ".pb");
    if (fs::exists(file)) flatten(infos[i].name, read_file_value(file, infos[i]), infos[i], out);
  }
  return out;
}

// Empty if they are as close as ONNX's runner demands, |a − b| ≤ 1e-7 + 1e-3 · |b|.
std::string difference(const Tensor& got, const Tensor& wanted) {
  if (got.dtype() != wanted.dtype()) return "dtype " + std::string(dtype_name(got.dtype()));
  if (got.shape() != wanted.shape()) return "another shape";
  const auto a = got.cast(DType::Float64).to_vector<double>();
  const auto b = wanted.cast(DType::Float64).to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (!(std::fabs(a[i] - b[i]) <= 1e-7 + 1e-3 * std::fabs(b[i])))
      return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + ", not " +
             std::to_string(b[i]);
  }
  return "";
}

std::string run_data_set(const Model& model, const fs::path& folder) {
  const auto wanted = values_in(folder, "output", model.outputs());
  const auto got = model(values_in(folder, "input", model.inputs()));
  for (const auto& [name, value] : wanted) {
    if (!got.contains(name)) return "no output " + name;
    if (std::string problem = difference(got.at(name), value); !problem.empty())
      return name + ": " + problem;
  }
  if (got.size() != wanted.size()) return "more outputs than expected";
  return "";
}

// Empty if the test passes.
std::string run_test(const std::string& name) {
  try {
    const Model model = load(kData / name / "model.onnx");
    for (const auto& entry : fs::directory_iterator(kData / name)) {
      if (!entry.path().filename().string().starts_with("test_data_set_")) continue;
      if (std::string problem = run_data_set(model, entry.path()); !problem.empty()) return problem;
    }
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

constexpr size_t kShares = 16;

class OnnxNodes : public testing::TestWithParam<size_t> {};

TEST_P(OnnxNodes, PassOrAreListedWithTheirReason) {
  const std::vector<std::string> tests = all_tests();
  if (tests.empty()) GTEST_SKIP() << "the test data of ONNX are missing (Debian: libonnx-testdata)";
  const auto listed = expected_failures();
  size_t passed = 0, known = 0;
  for (size_t i = GetParam(); i < tests.size(); i += kShares) {
    const std::string problem = run_test(tests[i]);
    const auto found = listed.find(tests[i]);
    if (found == listed.end()) {
      EXPECT_EQ(problem, "") << tests[i];
      passed += problem.empty();
    } else {
      EXPECT_TRUE(problem.find(found->second) != std::string::npos)
          << tests[i] << " is listed with \"" << found->second << "\", but "
          << (problem.empty() ? "passes" : problem);
      ++known;
    }
  }
  RecordProperty("passed", static_cast<int>(passed));
  RecordProperty("listed", static_cast<int>(known));
}

INSTANTIATE_TEST_SUITE_P(Shares, OnnxNodes, testing::Range(size_t{0}, kShares));

TEST(OnnxNodesTable, NamesOnlyTestsThatExist) {
  const std::vector<std::string> tests = all_tests();
  if (tests.empty()) GTEST_SKIP() << "the test data of ONNX are missing (Debian: libonnx-testdata)";
  for (const auto& [name, reason] : expected_failures())
    EXPECT_TRUE(std::ranges::binary_search(tests, name)) << name;
}

}  // namespace
}  // namespace tg::onnx
