// Quantised elements against values that the Python package gguf 0.19 computes from the same bytes:
// two blocks a type, made by a formula, with scales that are finite.
#include <gtest/gtest.h>

#include <bit>

#include "dtype/convert.h"
#include "nn/format/ggml_type.h"
#include "nn_test_util.h"
#include "tg/state.h"

namespace tg::nn {
namespace {

struct Case {
  const char* name;
  uint32_t type;
  int64_t elements, bytes;      // of a block
  std::vector<int64_t> halves;  // places of float16 numbers
  std::vector<double> samples;  // see kPlaces
  double weighted;              // sum of element i times (i mod 13) - 6
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"Q4_0", 2, 32, 18, {0}, {-5.25, 0.75, -0.75, -0.75, -1.5, 1.0, -1.0, 3.5, -2.0}, 4.25},
      {"Q4_1", 3, 32, 20, {0, 2}, {12.5, 3.5, 8.0, 1.25, 8.75, -2.0, -2.0, -6.5, 0.0}, -119.5},
      {"Q5_0", 6, 32, 22, {0}, {3.75, -8.25, 2.25, 10.5, -10.5, 3.0, 5.0, 2.0, -4.0}, -5.5},
      {"Q5_1", 7, 32, 24, {0, 2}, {15.5, 24.5, 5.0, 24.5, 11.0, -4.0, -8.0, -15.5, -9.5}, -656.75},
      {"Q8_0",
       8,
       32,
       34,
       {0},
       {84.75, -53.25, 77.25, -95.25, -78.75, 21.0, 27.0, -7.0, 2.0},
       -1096.75},
      {"Q2_K",
       10,
       256,
       84,
       {80, 82},
       {24.75, 24.75, -7.5, -12.0, -6.25, -0.0, -0.0, -0.0, -2.0},
       -919.0},
      {"Q3_K",
       11,
       256,
       110,
       {108},
       {60.75, 60.75, -40.5, 1.5, 0.0, -64.0, -64.0, -0.0, 11.0},
       -3026.5},
      {"Q4_K",
       12,
       256,
       144,
       {0, 2},
       {60.0, 15.0, -33.5, -16.0, 216.5, -0.0, -208.0, -168.0, -100.0},
       18145.25},
      {"Q5_K",
       13,
       256,
       176,
       {0, 2},
       {240.0, 195.0, 799.0, 68.0, 173.0, -0.0, -208.0, -168.0, -450.0},
       22035.25},
      {"Q6_K",
       14,
       256,
       210,
       {208},
       {-1073.25, -914.25, 409.5, -1559.25, 1930.5, 768.0, 576.0, 240.0, -13.0},
       83537.75},
      {"IQ4_NL",
       20,
       32,
       18,
       {0},
       {-78.0, 9.75, -7.5, -7.5, -16.5, 11.0, -12.5, 52.0, -26.5},
       231.0},
      {"IQ4_XS",
       23,
       256,
       136,
       {0},
       {48.75, -84.75, 560.25, 536.25, 400.5, -2.0, 254.0, 245.0, -490.0},
       33087.5},
      {"IQ3_XXS",
       18,
       256,
       98,
       {0},
       {-36.75, 68.25, 26.25, -21.75, 127.875, -47.5, -66.5, 4.5, 34.5},
       -12994.625},
      {"IQ3_S",
       21,
       256,
       110,
       {0},
       {-14.25, 42.75, 42.75, -33.75, -78.75, -72.5, -72.5, 62.5, -13.5},
       -1289.5},
      {"IQ2_S",
       22,
       256,
       82,
       {0},
       {-14.25, 14.25, -6.75, -20.25, -3.75, -14.5, 45.3125, 7.8125, -26.5625},
       2454.75},
      {"TQ1_0", 34, 256, 54, {52}, {-0.75, -0.75, 0.0, 0.0, 0.0, -0.0, -0.5, -0.0, 0.5}, -65.5},
      {"TQ2_0", 35, 256, 66, {64}, {1.5, 1.5, 1.5, 1.5, 0.75, 0.5, 0.5, 0.5, 0.5}, -11.75},
      {"MXFP4",
       39,
       32,
       17,
       {},
       {7.052966104933725e-38, 5.877471754111438e-39, -1.7632415262334313e-38,
        1.7632415262334313e-38, 3.5264830524668625e-38, -1.0, -0.5, -1.5, -1.0},
       -2.0},
      {"NVFP4",
       40,
       64,
       36,
       {},
       {-0.12890625, 0.0322265625, -0.9375, -864.0, -0.5625, 256.0, 256.0, 0.0, -0.65625},
       -5086.2958984375},
      {"Q1_0", 41, 128, 18, {0}, {0.75, -0.75, 0.75, 0.75, -0.75, 0.5, 0.5, -0.5, -0.5}, -11.25},
  };
  return all;
}

// Of the two blocks of a case, as the samples were computed.
std::vector<uint8_t> blocks_of(const Case& c) {
  std::vector<uint8_t> out;
  for (int64_t k = 0; k < 2; ++k) {
    std::vector<uint8_t> block;
    for (int64_t i = 0; i < c.bytes; ++i)
      block.push_back(static_cast<uint8_t>(i * i * 7 + i * 37 + 11 + k * 101));
    double value = 0.75 - 1.25 * static_cast<double>(k);
    for (const int64_t at : c.halves) {
      const uint64_t bits = float_to_bits(value, DType::Float16);
      block[static_cast<size_t>(at)] = static_cast<uint8_t>(bits & 0xff);
      block[static_cast<size_t>(at) + 1] = static_cast<uint8_t>(bits >> 8);
      value += 0.5;
    }
    if (std::string_view(c.name) == "MXFP4") block[0] = k == 0 ? 1 : 126;
    out.insert(out.end(), block.begin(), block.end());
  }
  return out;
}

TEST(Ggml, EveryQuantisedTypeGivesTheReferencesFloats) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const int64_t n = c.elements, count = 2 * n;
    const auto got = ggml_tensor(Tensor(blocks_of(c)), count, c.type).to_vector<float>();
    ASSERT_EQ(static_cast<int64_t>(got.size()), count);
    const std::vector<int64_t> places = {0, 1,     n / 2 - 1,     n / 2,    n - 1,
                                         n, n + 5, n + n / 2 + 1, 2 * n - 1};
    for (size_t i = 0; i < places.size(); ++i)
      EXPECT_FLOAT_EQ(got[static_cast<size_t>(places[i])], static_cast<float>(c.samples[i]))
          << places[i];
    double weighted = 0;
    for (size_t i = 0; i < got.size(); ++i)
      weighted += double{got[i]} * (static_cast<double>(i % 13) - 6);
    EXPECT_NEAR(weighted, c.weighted, 1e-5 * std::max(1.0, std::abs(c.weighted)));
  }
}

TEST(Ggml, TypesHaveTheSizesOfTheReference) {
  for (const Case& c : cases()) {
    const auto layout = ggml_layout(c.type);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->name, c.name);
    EXPECT_EQ(layout->elements, c.elements);
    EXPECT_EQ(layout->bytes, c.bytes);
  }
}

TEST(Ggml, TypesOfNumbersKeepTheirDtype) {
  const Tensor t = ggml_tensor(Tensor(std::vector<uint8_t>{1, 0, 255, 255, 9}), 2, 25);
  EXPECT_EQ(t.dtype(), DType::Int16);
  EXPECT_EQ(t.to_vector<int>(), (std::vector<int>{1, -1}));
}

TEST(Ggml, NoBlocksGiveNoElements) {
  EXPECT_EQ(ggml_tensor(Tensor(std::vector<uint8_t>{}), 0, 8).shape(), (Shape{0}));
}

TEST(Ggml, WrongArgumentsAreErrors) {
  const Tensor bytes(std::vector<uint8_t>(34));
  EXPECT_EQ(argument_error_of([&] { ggml_tensor(bytes, 32, 16); }),
            "ggml_tensor: GGML type '16' is not supported!.");
  EXPECT_EQ(argument_error_of([&] { ggml_tensor(bytes, 32, -1); }),
            "ggml_tensor: GGML type '-1' is not supported!.");
  EXPECT_EQ(argument_error_of([&] { ggml_tensor(bytes, 33, 8); }),
            "ggml_tensor: 33 elements of Q8_0 are no whole number of blocks of 32.");
  EXPECT_EQ(argument_error_of([&] { ggml_tensor(bytes, 64, 8); }),
            "ggml_tensor: 64 elements of Q8_0 take 34 bytes each 32, there are 34 bytes.");
  EXPECT_EQ(argument_error_of([&] { ggml_tensor(bytes.cast(DType::Int8), 32, 8); }),
            "ggml_tensor: the bytes must be uint8 of shape [n], not int8 [34].");
}

}  // namespace
}  // namespace tg::nn
