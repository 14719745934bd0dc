// Where the examples of function records run, and the text of what they give.
#pragma once

#include <filesystem>

#include "support/file.h"
#include "unit/tensor/support/tensor_test.h"
#include "uop/shape.h"

namespace tg::testing {

/// In a folder of its own, since some examples write files.
class Example : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(folder_.path()); }
  void TearDown() override { std::filesystem::current_path(before_); }

 private:
  TempDir folder_{"example"};
  std::filesystem::path before_ = std::filesystem::current_path();
};

inline std::string shown(const Tensor& t) { return t.str(); }
inline std::string shown(std::string_view s) { return std::string(s); }
inline std::string shown(double v) { return fmt::format("{:g}", v); }
inline std::string shown(bool b) { return b ? "true" : "false"; }
template <std::integral T>
requires(!std::same_as<T, bool>) std::string shown(T v) { return std::to_string(v); }
inline std::string shown(const std::vector<SymInt>& sizes) {
  std::string out = "[";
  for (const SymInt& s : sizes) out += (out.size() == 1 ? "" : ",") + s.str();
  return out + "]";
}
template <std::integral T>
std::string shown(const std::vector<T>& v) {
  return format_shape(std::vector<int64_t>(v.begin(), v.end()));
}

}  // namespace tg::testing
