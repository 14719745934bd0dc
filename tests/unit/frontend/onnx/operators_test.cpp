// Operators that ONNX's test data of version 17 do not have: those of later versions and of
// com.microsoft, against the same computed by hand or by the tensors' own functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "builders.h"
#include "frontend/onnx/table.h"
#include "tg/error.h"
#include "tg/random.h"

namespace tg::onnx {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

TEST(OnnxOperators, RowsAreSortedAndHaveVersions) {
  const auto rows = all_operators();
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LT(rows[i - 1]->name, rows[i]->name);
  for (const Operator* row : rows) {
    EXPECT_FALSE(row->since.empty()) << row->name;
    EXPECT_TRUE(std::is_sorted(row->since.begin(), row->since.end())) << row->name;
  }
}

TEST(OnnxOperators, ReductionsTakeAxesAsInputFromVersion18On) {
  const OneNode mean("ReduceMean",
                     {Tensor({{1.0F, 3.0F}, {5.0F, 7.0F}}), Tensor(std::vector<int64_t>{1})});
  EXPECT_THAT(numbers(mean.run()), ElementsAre(2, 6));
}

TEST(OnnxOperators, BitwiseOperatorsWorkOnIntegers) {
  const Tensor a({12, 10}), b({10, 6});
  EXPECT_THAT(numbers(OneNode("BitwiseAnd", {a, b}).run()), ElementsAre(8, 2));
  EXPECT_THAT(numbers(OneNode("BitwiseXor", {a, b}).run()), ElementsAre(6, 12));
}

TEST(OnnxOperators, GroupNormalizationHasANumberAGroupOrAChannel) {
  const Tensor x = Tensor::arange(8).reshape({1, 4, 2}).cast(DType::Float32);
  const Tensor expected = x.group_norm(2);
  OneNode groups("GroupNormalization", {x, Tensor::full({2}, 2.0F), Tensor::zeros({2})}, 18);
  add_integer(groups.node(), "num_groups", 2);
  EXPECT_THAT(numbers(groups.run()), Pointwise(FloatNear(1e-5F), numbers(expected * 2)));
  OneNode channels("GroupNormalization", {x, Tensor::full({4}, 2.0F), Tensor::zeros({4})}, 21);
  add_integer(channels.node(), "num_groups", 2);
  EXPECT_THAT(numbers(channels.run()), Pointwise(FloatNear(1e-5F), numbers(expected * 2)));
}

TEST(OnnxOperators, GeluIsExactUnlessTheTanhFormIsNamed) {
  const Tensor x({-1.0F, 0.5F, 2.0F});
  EXPECT_THAT(numbers(OneNode("Gelu", {x}, 20).run()),
              Pointwise(FloatNear(1e-6F), numbers(x.gelu(GeluForm::Erf))));
  EXPECT_THAT(numbers(OneNode("FastGelu", {x}, 18, "com.microsoft").run()),
              Pointwise(FloatNear(1e-6F), numbers(x.gelu())));
  EXPECT_THAT(
      numbers(OneNode("BiasGelu", {x, Tensor({1.0F, 1.0F, 1.0F})}, 18, "com.microsoft").run()),
      Pointwise(FloatNear(1e-6F), numbers((x + 1).gelu(GeluForm::Erf))));
}

TEST(OnnxOperators, FusedMatMulTransposesAndScales) {
  const Tensor a({{1.0F, 2.0F}}), b({{3.0F, 4.0F}, {5.0F, 6.0F}});
  OneNode product("FusedMatMul", {a, b}, 18, "com.microsoft");
  add_integer(product.node(), "transB", 1);
  auto* alpha = product.node().add_attribute();
  alpha->set_name("alpha");
  alpha->set_type(1);
  alpha->set_f(0.5F);
  EXPECT_THAT(numbers(product.run()), ElementsAre(5.5F, 8.5F));
}

TEST(OnnxOperators, SkipLayerNormalizationAddsBeforeItNormalises) {
  const Tensor x({{1.0F, 2.0F, 4.0F}}), skip({{0.5F, 0.0F, -1.0F}}), scale({1.0F, 2.0F, 3.0F}),
      shift({0.1F, 0.2F, 0.3F});
  const OneNode norm("SkipLayerNormalization", {x, skip, scale, shift}, 18, "com.microsoft");
  EXPECT_THAT(
      numbers(norm.run()),
      Pointwise(FloatNear(1e-5F),
                numbers((x + skip).layer_norm({.weight = &scale, .bias = &shift, .eps = 1e-12}))));
}

TEST(OnnxOperators, AttentionIsThatOfTheTensors) {
  manual_seed(5);
  const Tensor x = Tensor::randn({2, 3, 4}).realize(), w = Tensor::randn({4, 24}).realize(),
               b = Tensor::randn({24}).realize();
  OneNode attention("Attention", {x, w, b}, 18, "com.microsoft");
  add_integer(attention.node(), "num_heads", 2);
  const auto parts = (x.matmul(w) + b).chunk(3, 2);
  const auto heads = [](const Tensor& t) { return t.reshape({2, 3, 2, 4}).permute({0, 2, 1, 3}); };
  const Tensor expected = heads(parts[0])
                              .scaled_dot_product_attention(heads(parts[1]), heads(parts[2]))
                              .permute({0, 2, 1, 3})
                              .reshape({2, 3, 8});
  EXPECT_THAT(numbers(attention.run()), Pointwise(FloatNear(1e-4F), numbers(expected)));
}

TEST(OnnxOperators, MatMulNBitsUnpacksBlocksOfFourBits) {
  // One column of 16 weights: q = 8 + (i % 4), scale 0.5, so the weights are 0, 0.5, 1, 1.5, ….
  std::vector<uint8_t> packed;
  for (int i = 0; i < 16; i += 2)
    packed.push_back(static_cast<uint8_t>((8 + i % 4) | (8 + (i + 1) % 4) << 4));
  OneNode product("MatMulNBits", {Tensor::ones({1, 16}), Tensor(packed, {1, 1, 8}), Tensor({0.5F})},
                  18, "com.microsoft");
  add_integer(product.node(), "K", 16);
  add_integer(product.node(), "N", 1);
  add_integer(product.node(), "block_size", 16);
  EXPECT_THAT(numbers(product.run()), ElementsAre(12));
}

TEST(OnnxOperators, CentersAreCroppedOrPadded) {
  const Tensor x({{1.0F, 2.0F, 3.0F, 4.0F}});
  EXPECT_THAT(numbers(OneNode("CenterCropPad", {x, Tensor(std::vector<int64_t>{3, 2})}).run()),
              ElementsAre(0, 0, 2, 3, 0, 0));
}

TEST(OnnxOperators, Col2ImAddsTheWindowsUp) {
  // Two windows of two elements over three places: the middle one is in both.
  const Tensor x = Tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}).reshape({1, 2, 2});
  const OneNode image("Col2Im",
                      {x, Tensor(std::vector<int64_t>{3}), Tensor(std::vector<int64_t>{2})});
  EXPECT_THAT(numbers(image.run()), ElementsAre(1, 5, 4));
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(OnnxOperators, RemaindersOfFloatsHaveTheDivisorsSignFromVersion28On) {
  const Tensor a({5.5F, -5.5F, 5.5F, -4.0F, 3.0F, -3.0F, 1.0F, kInfinity}),
      b({2.0F, 2.0F, -2.0F, 2.0F, kInfinity, kInfinity, 0.0F, 2.0F});
  const std::vector<float> rest = numbers(OneNode("Mod", {a, b}, 28).run());
  EXPECT_THAT(std::vector<float>(rest.begin(), rest.begin() + 6),
              ElementsAre(1.5F, 0.5F, -0.5F, 0, 3, kInfinity));
  EXPECT_TRUE(std::isnan(rest[6]) && std::isnan(rest[7]));
  const auto zeros =
      numbers(OneNode("Mod", {Tensor({4.0F, -4.0F}), Tensor({-2.0F, 2.0F})}, 28).run());
  EXPECT_THAT(zeros, ElementsAre(0, 0));
  EXPECT_TRUE(std::signbit(zeros[0]) && !std::signbit(zeros[1]));
  EXPECT_THROW(OneNode("Mod", {a, b}, 13).run(), ArgumentError);
}

TEST(OnnxOperators, ShiftsByMoreThanAllBitsLeaveTheSign) {
  const auto shifted = [](const std::string& direction, const Tensor& x, const Tensor& count) {
    OneNode node("BitShift", {x, count}, 28);
    return numbers(node.text("direction", direction).run());
  };
  const Tensor x({-8, -8, -8, 8, 8}), count({1, 32, -1, 32, 1});
  EXPECT_THAT(shifted("RIGHT", x, count), ElementsAre(-4, -1, -1, 0, 4));
  EXPECT_THAT(shifted("LEFT", x, count), ElementsAre(-16, 0, 0, 0, 16));
  const Tensor bytes(std::vector<uint8_t>{200, 200, 200}), counts(std::vector<uint8_t>{1, 8, 7});
  EXPECT_THAT(shifted("RIGHT", bytes, counts), ElementsAre(100, 0, 1));
}

TEST(OnnxOperators, RunningProductsGoBothWays) {
  const Tensor x({1.0F, 2.0F, 3.0F}), axis(std::vector<int64_t>{0}, Shape{});
  EXPECT_THAT(numbers(OneNode("CumProd", {x, axis}, 26).run()), ElementsAre(1, 2, 6));
  OneNode before("CumProd", {x, axis}, 26);
  EXPECT_THAT(numbers(before.integer("exclusive", 1).run()), ElementsAre(1, 1, 2));
  EXPECT_THAT(numbers(before.integer("reverse", 1).run()), ElementsAre(6, 3, 1));
}

TEST(OnnxOperators, BitCastKeepsTheBits) {
  OneNode node("BitCast", {Tensor({1.0F, -2.0F})}, 26);
  const Tensor bits = node.integer("to", 6).run();
  EXPECT_EQ(bits.dtype(), DType::Int32);
  EXPECT_EQ(bits.to_vector<int32_t>(), (std::vector<int32_t>{0x3F800000, -0x40000000}));
  OneNode wider("BitCast", {Tensor({1.0F})}, 26);
  EXPECT_THROW(wider.integer("to", 7).run(), ArgumentError);
}

TEST(OnnxOperators, SwishScalesItsGate) {
  const Tensor x({-1.0F, 2.0F}), y({3.0F, 5.0F});
  OneNode swish("Swish", {x}, 24), gated("SwiGLU", {x, y}, 28);
  const std::vector<float> expected = numbers(x * (x * 0.5F).sigmoid());
  EXPECT_THAT(numbers(swish.real("alpha", 0.5F).run()), Pointwise(FloatNear(1e-6F), expected));
  EXPECT_THAT(numbers(gated.real("alpha", 0.5F).run()),
              Pointwise(FloatNear(1e-6F), {3 * expected[0], 5 * expected[1]}));
  EXPECT_THROW(OneNode("SwiGLU", {x, Tensor({3.0F})}, 28).run(), ArgumentError);
}

TEST(OnnxOperators, BlocksGoToChannelsInTwoOrders) {
  const Tensor x = Tensor::arange(8).cast(DType::Float32).reshape({1, 2, 2, 2});
  OneNode columns("SpaceToDepth", {x}, 28), depth("SpaceToDepth", {x}, 28);
  EXPECT_THAT(numbers(columns.integer("blocksize", 2).text("mode", "CRD").run()),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(numbers(depth.integer("blocksize", 2).run()), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
}

TEST(OnnxOperators, ReductionsOfSmallFloatsDoNotOverflowInside) {
  const Tensor x = Tensor::full({4, 100}, 300.0F, {.dtype = DType::Float16});
  const auto reduced = [&](const std::string& op) { return numbers(OneNode(op, {x}, 18).run()); };
  EXPECT_THAT(reduced("ReduceL2"), ElementsAre(6000));
  EXPECT_THAT(reduced("ReduceLogSum"), ElementsAre(FloatNear(11.695F, 0.01F)));
  EXPECT_THAT(reduced("ReduceSumSquare"), ElementsAre(kInfinity));
  EXPECT_EQ(OneNode("ReduceL2", {x}, 18).run().dtype(), DType::Float16);
}

TEST(OnnxOperators, ReductionsOverNoAxesStillChangeTheElements) {
  const Tensor x({-2.0F, 3.0F});
  OneNode square("ReduceSumSquare", {x}, 18), length("ReduceL1", {x}, 18);
  EXPECT_THAT(numbers(square.integer("noop_with_empty_axes", 1).run()), ElementsAre(4, 9));
  EXPECT_THAT(numbers(length.integer("noop_with_empty_axes", 1).run()), ElementsAre(2, 3));
  EXPECT_THAT(numbers(OneNode("ReduceL1", {Tensor(-2.0F)}, 18).run()), ElementsAre(2));
  EXPECT_THAT(numbers(OneNode("ReduceLogSumExp", {Tensor::zeros({0})}, 18).run()),
              ElementsAre(-kInfinity));
}

TEST(OnnxOperators, QuantisationNamesItsPrecisionAndBlocks) {
  // The quotient is 2.50075, which float16 rounds to 2.5, and that to 2.
  const auto half = [](float v) { return Tensor({v}).cast(DType::Float16).realize(); };
  OneNode own("QuantizeLinear", {half(5004), half(2001)}, 25);
  EXPECT_THAT(numbers(own.run()), ElementsAre(2));
  EXPECT_THAT(numbers(own.integer("precision", 1).run()), ElementsAre(3));
  const OneNode limited("QuantizeLinear", {half(60000), half(1), Tensor(std::vector<int16_t>{0})},
                        25);
  EXPECT_THAT(numbers(limited.run()), ElementsAre(32767));
  const Tensor x({2.0F, 4.0F, 8.0F}), scales({2.0F, 4.0F});
  OneNode blocks("QuantizeLinear", {x, scales}, 25);
  EXPECT_THAT(numbers(blocks.integer("axis", 0).integer("block_size", 2).run()),
              ElementsAre(1, 2, 2));
  OneNode back("DequantizeLinear", {Tensor(std::vector<uint8_t>{1, 2, 2}), scales}, 25);
  back.integer("axis", 0).integer("block_size", 2).integer("output_dtype", 10);
  EXPECT_THAT(numbers(back.run()), ElementsAre(2, 4, 8));
  EXPECT_EQ(back.run().dtype(), DType::Float16);
}

TEST(OnnxOperators, CastsToFloatsOf8BitsSaturateUnlessToldNotTo) {
  const Tensor x({1000.0F, -kInfinity, 17.0F, 300.0F});
  const auto cast_to = [&](int64_t to, int64_t saturate) {
    OneNode node("Cast", {x}, 25);
    return numbers(node.integer("to", to).integer("saturate", saturate).run());
  };
  EXPECT_THAT(cast_to(17, 1), ElementsAre(448, -448, 16, 288));
  EXPECT_THAT(cast_to(18, 1), ElementsAre(240, -240, 16, 240));
  EXPECT_THAT(cast_to(19, 1), ElementsAre(1024, -57344, 16, 320));
  EXPECT_THAT(cast_to(19, 0), ElementsAre(1024, -kInfinity, 16, 320));
  EXPECT_TRUE(std::isnan(cast_to(17, 0)[0]));
}

TEST(OnnxOperators, QuantisationToFloatsOf8BitsGoesBack) {
  OneNode node("QuantizeLinear", {Tensor({100.0F, -7.0F, 9000.0F}), Tensor({2.0F})}, 25);
  const Tensor small = node.integer("output_dtype", 17).run();
  EXPECT_EQ(small.dtype(), DType::Fp8E4M3);
  EXPECT_THAT(numbers(small), ElementsAre(48, -3.5F, 448));
  EXPECT_THAT(numbers(OneNode("DequantizeLinear", {small.realize(), Tensor({2.0F})}, 25).run()),
              ElementsAre(96, -7, 896));
}

TEST(OnnxOperators, CastsToUnknownTypesNameThem) {
  OneNode node("Cast", {Tensor({1.0F})}, 25);
  node.integer("to", 24).text("round_mode", "up");
  try {
    node.run();
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a cast to FLOAT8E8M0 is not supported"));
  }
}

TEST(OnnxOperators, RangesOfSmallFloatsAreExactUntilTheEnd) {
  const auto half = [](float x) { return Tensor(x).cast(DType::Float16); };
  OneNode node("Range", {half(2046), half(2052), half(1)}, 27);
  EXPECT_THAT(numbers(node.integer("stash_type", 1).run()),
              ElementsAre(2046, 2047, 2048, 2048, 2050, 2052));
}

TEST(OnnxOperators, DeformedWindowsReadBetweenTheElements) {
  const Tensor x = Tensor::arange(9).cast(DType::Float32).reshape({1, 1, 3, 3});
  std::vector<float> offsets(2 * 9, 0.0F), mask(9, 1.0F);
  offsets[0] = 0.5F;        // rows of the first place
  offsets[9 + 1] = -0.25F;  // columns of the second one
  offsets[9 + 8] = 2;       // outside
  mask[4] = 10;
  const OneNode node("DeformConv",
                     {x, Tensor({2.0F}).reshape({1, 1, 1, 1}), Tensor(offsets, {1, 2, 3, 3}),
                      Tensor({1.0F}), Tensor(mask, {1, 1, 3, 3})},
                     22);
  EXPECT_THAT(numbers(node.run()), ElementsAre(4, 2.5F, 5, 7, 81, 11, 13, 15, 1));
}

TEST(OnnxOperators, DeformableConvolutionWithoutOffsetsIsAConvolution) {
  manual_seed(7);
  const Tensor x = Tensor::randn({2, 4, 6, 5}).realize(), w = Tensor::randn({6, 2, 3, 2}).realize();
  OneNode node("DeformConv", {x, w, Tensor::zeros({2, 2 * 3 * 2 * 2, 3, 4})}, 22);
  node.integer("group", 2).integer("offset_group", 2).list("strides", {2, 2});
  node.list("pads", {1, 2, 0, 1}).list("dilations", {1, 1});
  EXPECT_THAT(
      numbers(node.run()),
      Pointwise(FloatNear(1e-4F),
                numbers(x.conv2d(w, {.groups = 2, .stride = {2, 2}, .padding = {1, 0, 2, 1}}))));
}

TEST(OnnxOperators, MaximaOfRegionsAreRoundedOutwards) {
  const Tensor x = Tensor::arange(16).cast(DType::Float32).reshape({1, 1, 4, 4});
  const Tensor rois({{0.0F, 0.0F, 0.0F, 2.0F, 2.0F}, {0.0F, 6.0F, 6.0F, 9.0F, 9.0F}});
  OneNode node("MaxRoiPool", {x, rois}, 22);
  EXPECT_THAT(numbers(node.list("pooled_shape", {2, 2}).run()),
              ElementsAre(5, 6, 9, 10, 0, 0, 0, 0));
}

TEST(OnnxOperators, RegionsHaveAsManySamplesAsElements) {
  const Tensor x = Tensor::arange(16).cast(DType::Float32).reshape({1, 1, 4, 4});
  const Tensor rois({{0.0F, 0.0F, 1.0F, 1.0F}, {0.0F, 0.0F, 4.0F, 2.0F}}),
      batch(std::vector<int64_t>{0, 0});
  EXPECT_THAT(numbers(OneNode("RoiAlign", {x, rois, batch}, 16).run()), ElementsAre(0, 3.5F));
  OneNode most("RoiAlign", {x, rois, batch}, 16);
  EXPECT_THAT(numbers(most.text("mode", "max").run()), ElementsAre(0, 7));
}

TEST(OnnxOperators, CubicSamplesFollowACubic) {
  const Tensor x = Tensor({0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F}).reshape({1, 1, 1, 6});
  // Halfway between two elements the near one counts 0.59375, the far one −0.09375.
  const auto sampled = [&](const Tensor& image, float at, const std::string& edge) {
    OneNode node("GridSample", {image, Tensor({at, 0.0F}).reshape({1, 1, 1, 2})}, 20);
    node.integer("align_corners", 1).text("mode", "cubic").text("padding_mode", edge);
    return numbers(node.run()).at(0);
  };
  EXPECT_NEAR(sampled(x, 0, "zeros"), 0.59375F, 1e-5F);
  EXPECT_NEAR(sampled(x, 0.4F, "zeros"), -0.09375F, 1e-5F);
  const Tensor slope = Tensor({1.0F, 2.0F, 4.0F}).reshape({1, 1, 1, 3});
  // At −0.5, the neighbours are −2, −1, 0 and 1.
  EXPECT_NEAR(sampled(slope, -1.5F, "zeros"), 0.59375F * 1 - 0.09375F * 2, 1e-5F);
  EXPECT_NEAR(sampled(slope, -1.5F, "border"), 1 - 0.09375F, 1e-5F);
  EXPECT_NEAR(sampled(slope, -1.5F, "reflection"), 0.59375F * 3 - 0.09375F * 6, 1e-5F);
}

TEST(OnnxOperators, HalfOfTheFrequenciesGoBackToRealNumbers) {
  const Tensor x({{1.0F, 4.0F, 2.0F, 3.0F, 5.0F}});
  const auto length = [](int64_t n) { return Tensor(std::vector<int64_t>{n}, Shape{}); };
  OneNode node("DFT", {x.rfft(1), length(5), length(1)}, 20);
  node.integer("onesided", 1).integer("inverse", 1);
  EXPECT_EQ(node.run().shape(), (Shape{1, 5, 1}));
  EXPECT_THAT(numbers(node.run()), Pointwise(FloatNear(1e-4F), numbers(x)));
}

TEST(OnnxOperators, RowsOfZerosAreNotDividedByTheirNorm) {
  const OneNode node("LpNormalization", {Tensor({{3.0F, 4.0F}, {0.0F, 0.0F}})}, 22);
  EXPECT_THAT(numbers(node.run()), Pointwise(FloatNear(1e-6F), {0.6F, 0.8F, 0.0F, 0.0F}));
}

TEST(OnnxOperators, TraditionalOperatorsPickAndCompare) {
  const Tensor x({{1.0F, 2.0F, 3.0F}, {4.0F, 5.0F, 6.0F}});
  const Tensor places(std::vector<int64_t>{2, 0});
  EXPECT_THAT(numbers(OneNode("ArrayFeatureExtractor", {x, places}, 18, "ai.onnx.ml").run()),
              ElementsAre(3, 1, 6, 4));
  OneNode larger("Binarizer", {x}, 18, "ai.onnx.ml");
  EXPECT_THAT(numbers(larger.real("threshold", 3).run()), ElementsAre(0, 0, 0, 1, 1, 1));
}

TEST(OnnxOperators, OperandsOfDifferentDtypesAreAnErrorThatNamesTheNode) {
  const OneNode sum("Add", {Tensor({1.0F}), Tensor({1})});
  try {
    sum.run();
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(
        error.what(),
        "onnx::Model: node \"Add#0\" (Add, version 18): the operands have different dtypes.");
  }
}

}  // namespace
}  // namespace tg::onnx
