// Operators of com.microsoft without attention (microsoft_attention_test.cpp). Expected values come
// from small numbers by hand or from the tensors' own functions. Operators of the standard:
// operators_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "microsoft_node.h"
#include "tg/error.h"

namespace tg::onnx {
namespace {

using testing::ElementsAre;

// ---- sums and normalisations
TEST(OnnxMicrosoft, SkipNormalisationsHaveMeanInverseDeviationAndSum) {
  const Tensor x({{1.0F, 2.0F}}), skip({{1.0F, 4.0F}}), scale({1.0F, 10.0F}), shift({1.0F, 1.0F}),
      bias({1.0F, 1.0F});
  const auto centred =
      microsoft_node("SkipLayerNormalization", {x, skip, scale, shift, bias}, 4).all();
  EXPECT_THAT(values_of(centred[0]), near({0, 11}));
  EXPECT_THAT(values_of(centred[1]), near({5}));
  EXPECT_THAT(values_of(centred[2]), near({0.5F}));
  EXPECT_THAT(values_of(centred[3]), ElementsAre(3, 7));
  const auto simple = microsoft_node("SkipSimplifiedLayerNormalization", {x, skip, scale}, 4).all();
  EXPECT_THAT(values_of(simple[2]), near({1 / std::sqrt(20.0F)}));
  EXPECT_THAT(values_of(simple[0]), near({2 / std::sqrt(20.0F), 60 / std::sqrt(20.0F)}));
  EXPECT_THAT(values_of(simple[1]), ElementsAre(0));
  EXPECT_THAT(values_of(simple[3]), ElementsAre(2, 6));
}

TEST(OnnxMicrosoft, EmbedLayerNormalizationCountsWordsAndTakesPositions) {
  const Tensor words({{1.0F, 0.0F}, {2.0F, 0.0F}}), places({{0.0F, 10.0F}, {0.0F, 20.0F}}),
      segments({{100.0F, 0.0F}}), scale({1.0F, 1.0F}), shift({0.0F, 0.0F});
  const Tensor ids({{1, 0}}), zeros({{0, 0}}), mask({{0, 0}}), at({{1, 1}});
  Inputs inputs{ids, zeros, words, places, segments, scale, shift, mask};
  const auto plain = microsoft_node("EmbedLayerNormalization", inputs, 3).all();
  EXPECT_THAT(values_of(plain[0]), near({1, -1, 1, -1}));
  EXPECT_THAT(values_of(plain[1]), ElementsAre(0));
  EXPECT_THAT(values_of(plain[2]), ElementsAre(102, 10, 101, 20));
  inputs[7] = Tensor({{1, 0}});
  inputs.emplace_back(at);
  const auto placed = microsoft_node("EmbedLayerNormalization", inputs, 3).all();
  EXPECT_THAT(values_of(placed[1]), ElementsAre(1));
  EXPECT_THAT(values_of(placed[2]), ElementsAre(102, 20, 101, 20));
}

TEST(OnnxMicrosoft, FusedOperatorsEndWithAnActivation) {
  const Tensor x = Tensor({1.0F, 2.0F, 3.0F}).reshape({1, 1, 3}).realize(),
               w = Tensor({1.0F, -1.0F}).reshape({1, 1, 2}).realize(),
               z = Tensor({3.0F, -2.0F}).reshape({1, 1, 2}).realize();
  OneNode conv = microsoft_node("FusedConv", {x, w, Tensor({0.5F}), z});
  EXPECT_THAT(values_of(conv.text("activation", "Relu").run()), ElementsAre(2.5F, 0));
  OneNode gemm = microsoft_node(
      "FusedGemm",
      {Tensor({{1.0F, 2.0F}}), Tensor({{1.0F, 0.0F}, {0.0F, -1.0F}}), Tensor({1.0F, 1.0F})});
  gemm.real("alpha", 2).real("beta", 0.5).real("activation_alpha", 0.1);
  EXPECT_THAT(values_of(gemm.text("activation", "LeakyRelu").run()), near({2.5F, -0.35F}));
  OneNode odd = microsoft_node("FusedConv", {x, w});
  EXPECT_THROW(odd.text("activation", "Odd").run(), ArgumentError);
}

TEST(OnnxMicrosoft, FusedMatMulTakesRowsFromTheFirstAxis) {
  // Row r of batch b is x[r][b].
  const Tensor x = Tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}).reshape({2, 3, 1}).realize();
  const Tensor y = Tensor({1.0F, 10.0F, 100.0F}).reshape({3, 1, 1}).realize();
  OneNode product = microsoft_node("FusedMatMul", {x, y});
  EXPECT_THAT(values_of(product.integer("transBatchA", 1).run()),
              ElementsAre(1, 4, 20, 50, 300, 600));
}

TEST(OnnxMicrosoft, BiasesOfDiffusionModels) {
  const Tensor x = Tensor({1.0F, 2.0F, 3.0F, 4.0F}).reshape({1, 1, 4}).realize(),
               b({1.0F, 0.0F, 0.0F, 0.0F});
  EXPECT_THAT(values_of(microsoft_node("BiasAdd", {x, b, x}).run()), ElementsAre(3, 4, 6, 8));
  EXPECT_THAT(values_of(microsoft_node("BiasSplitGelu", {x, b}).run()),
              like(Tensor({2.0F, 2.0F}) * Tensor({3.0F, 4.0F}).gelu(GeluForm::Erf)));
}

TEST(OnnxMicrosoft, MatMulNBitsTakesTwoAndEightBitsAndBlocksOfRows) {
  const auto product = [](const Inputs& inputs, int64_t bits) {
    OneNode node = microsoft_node("MatMulNBits", inputs);
    node.integer("K", 32).integer("N", 1).integer("block_size", 16).integer("bits", bits);
    return values_of(node.run());
  };
  const Tensor x = Tensor::ones({1, 32}), scales({0.5F, 2.0F});
  // 0b11100100 holds 0, 1, 2, 3: 4 · 6 in each block, less 16 times the zero points 2, or 1 and 3.
  const std::vector<uint8_t> quarters(8, 0b11100100), bytes(32, 130), zero{0b1101};
  EXPECT_THAT(product({x, Tensor(quarters, {1, 2, 4}), scales}, 2), ElementsAre(-4 - 16));
  EXPECT_THAT(product({x, Tensor(quarters, {1, 2, 4}), scales, Tensor(zero)}, 2),
              ElementsAre(4 - 48));
  EXPECT_THAT(product({x, Tensor(bytes, {1, 2, 16}), scales}, 8), ElementsAre(16 + 64));
  const Tensor second = Tensor::ones({32}, DType::Int32).realize();
  EXPECT_THAT(product({x, Tensor(bytes, {1, 2, 16}), scales, {}, second, Tensor({1.0F})}, 8),
              ElementsAre(129));
}

// ---- quantised numbers
Tensor byte(uint8_t value) { return Tensor(std::vector<uint8_t>{value}, Shape{}); }
Tensor bytes_of(const std::vector<uint8_t>& values, const Shape& shape) {
  return Tensor(values, shape);
}

TEST(OnnxMicrosoftQuantised, PoolsRoundHalvesToEvenAndSaturate) {
  // Two channels of two elements, zero point 10: means 1.5 and 2.5 are 2 steps each, from 1 on.
  const Tensor scale(1.0F), x = bytes_of({11, 12, 12, 13}, {1, 2, 1, 2});
  const Inputs inputs{x, scale, byte(10), scale, byte(1)};
  EXPECT_THAT(values_of(microsoft_node("QLinearGlobalAveragePool", inputs).run()),
              ElementsAre(3, 3));
  OneNode last =
      microsoft_node("QLinearGlobalAveragePool", inputs);  // now two elements of channels 1 and 2
  EXPECT_THAT(values_of(last.integer("channels_last", 1).run()), ElementsAre(3, 3));
  const Tensor tiny(0.001F);
  EXPECT_THAT(
      values_of(
          microsoft_node("QLinearGlobalAveragePool", {x, scale, byte(12), tiny, byte(1)}).run()),
      ElementsAre(0, 255));
  OneNode pool = microsoft_node(
      "QLinearAveragePool", {bytes_of({11, 12, 16}, {1, 3, 1}), scale, byte(10), scale, byte(1)});
  pool.list("kernel_shape", {2}).integer("channels_last", 1);
  EXPECT_THAT(values_of(pool.run()), ElementsAre(3, 5));
}

TEST(OnnxMicrosoftQuantised, FunctionsAreOfTheNumbersThatAreMeant) {
  const Tensor x = bytes_of({8, 10, 14}, {1, 3}), half(0.5F), fine(1.0F / 256);
  const std::vector<float> meant{-1, 0, 2};
  const auto steps = [](const Tensor& t) { return (t * 256).round(); };
  EXPECT_THAT(values_of(microsoft_node("QLinearSigmoid", {x, half, byte(10), fine, byte(0)}).run()),
              like(steps(Tensor(meant).sigmoid())));
  OneNode leaky = microsoft_node("QLinearLeakyRelu", {x, half, byte(10), half, byte(3)});
  EXPECT_THAT(values_of(leaky.real("alpha", 0.5).run()), ElementsAre(2, 3, 7));
  OneNode soft = microsoft_node("QLinearSoftmax", {x, half, byte(10), fine, byte(0)});
  EXPECT_THAT(values_of(soft.integer("opset", 13).run()), like(steps(Tensor(meant).softmax())));
  // Before version 13 the axes from `axis` on are one.
  OneNode whole = microsoft_node(
      "QLinearSoftmax", {bytes_of({10, 10, 10, 10}, {1, 2, 2}), half, byte(10), fine, byte(0)});
  EXPECT_THAT(values_of(whole.integer("opset", 11).integer("axis", 1).run()),
              ElementsAre(64, 64, 64, 64));
}

TEST(OnnxMicrosoftQuantised, OperandsKeepTheirScales) {
  const Tensor half(0.5F), one(1.0F), a = bytes_of({4, 6}, {2}), b = bytes_of({3, 9}, {2});
  OneNode joined =
      microsoft_node("QLinearConcat", {half, byte(1), a, half, byte(2), b, one, byte(0)});
  EXPECT_THAT(values_of(joined.integer("axis", 0).run()), ElementsAre(3, 5, 7, 19));
  const OneNode chosen = microsoft_node(
      "QLinearWhere", {Tensor({true, false}), a, half, byte(2), b, one, byte(0), half, byte(1)});
  EXPECT_THAT(values_of(chosen.run()), ElementsAre(3, 19));
}

}  // namespace
}  // namespace tg::onnx
