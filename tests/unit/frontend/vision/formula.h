// What the tests of networks for pictures share: tensors whose elements follow from their names, as
// tests/reference/make_vision.py makes them, and what other libraries made of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/models/vision.h"
#include "tg/nn.h"

namespace tg::models {

inline std::filesystem::path vision_reference() {
  return test::source_dir() / "tests/reference/vision";
}

inline const nlohmann::json& network_reference() {
  static const nlohmann::json content =
      nlohmann::json::parse(read_file(vision_reference() / "networks.json"));
  return content;
}

/// Multiples of 2^-23 in [-1, 1): splitmix64 (Steele et al., 2014) from the FNV-1a hash of the
/// name.
inline std::vector<double> formula_numbers(std::string_view name, int64_t count) {
  uint64_t seed = 0xCBF29CE484222325;
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t z = seed + static_cast<uint64_t>(i + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    out.push_back(static_cast<double>((z ^ (z >> 31)) >> 40) / (1 << 23) - 1);
  }
  return out;
}

/// The value of a network's tensor of this name.
inline Tensor formula_tensor(std::string_view name, const Shape& shape) {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  const double fan = static_cast<double>(count) / static_cast<double>(shape[0]);
  const double spread = std::sqrt((shape.size() == 4 ? 6 : 3) / fan);
  std::vector<float> values;
  for (const double u : formula_numbers(name, count)) {
    double v = u * spread;
    if (name.ends_with("running_var")) {
      v = 1 + 0.5 * u;
    } else if (shape.size() == 1) {
      v = name.ends_with(".weight") ? 0.8 + 0.2 * u : 0.1 * u;
    } else if (shape[0] == 1) {
      v = 0.5 * u;
    }
    values.push_back(static_cast<float>(v));
  }
  return {values, shape};
}

/// Gives every tensor of the network its value.
inline void fill_by_formula(ImageNetwork& network) {
  nn::StateDict values;
  for (const auto& [name, tensor] : nn::state_dict(network))
    values.emplace(name, formula_tensor(name, tensor.shape()));
  nn::load_state_dict(network, values);
}

/// The pictures that the references were made from: [count, 3, size, size].
inline Tensor formula_pictures(int64_t size, int64_t count = 2) {
  const auto numbers = formula_numbers("input", count * 3 * size * size);
  return {std::vector<float>(numbers.begin(), numbers.end()), {count, 3, size, size}};
}

/// No element differs by more than `share` of the largest of those wanted.
inline void expect_close(const Tensor& got, const nlohmann::json& wanted, double share) {
  const auto values = got.to_vector<float>();
  const auto reference = wanted.get<std::vector<double>>();
  ASSERT_EQ(values.size(), reference.size());
  double worst = 0, largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(std::isfinite(values[i]));
    worst = std::max(worst, std::abs(values[i] - reference[i]));
    largest = std::max(largest, std::abs(reference[i]));
  }
  testing::Test::RecordProperty("largest_difference", testing::PrintToString(worst / largest));
  EXPECT_LT(worst, share * largest);
}

}  // namespace tg::models
