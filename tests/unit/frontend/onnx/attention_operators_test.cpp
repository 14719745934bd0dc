// Attention and what stands around it, against numbers computed by hand. Queries of 0 see all keys
// alike, and values that are the unit matrix show the shares themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "builders.h"
#include "tg/error.h"
#include "tg/random.h"

namespace tg::onnx {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

constexpr float kHalf = 0.5F, kThird = 1.0F / 3;

auto close_to(const std::vector<float>& expected) { return Pointwise(FloatNear(1e-5F), expected); }

Tensor floats(const std::vector<float>& values, const Shape& shape) {
  return Tensor(values, shape);
}

Tensor whole_numbers(const std::vector<int64_t>& values) { return Tensor(values); }

// Attention whose output is the shares of the keys: one head, `queries` for `keys`.
std::vector<std::optional<Tensor>> showing_shares(int64_t queries, int64_t keys,
                                                  int64_t batch = 1) {
  return {Tensor::zeros({batch, 1, queries, 2}), Tensor::ones({batch, 1, keys, 2}),
          Tensor::eye(keys).reshape({1, 1, keys, keys}).expand({batch, 1, keys, keys})};
}

TEST(OnnxAttention, HeadsOfKeysAreSharedByThoseOfQueries) {
  manual_seed(3);
  const Tensor q = Tensor::randn({2, 4, 3, 8}).realize(), k = Tensor::randn({2, 2, 5, 8}).realize(),
               v = Tensor::randn({2, 2, 5, 6}).realize();
  const Tensor expected = q.scaled_dot_product_attention(k, v, {.enable_gqa = true});
  EXPECT_THAT(numbers(OneNode("Attention", {q, k, v}, 23).run()), close_to(numbers(expected)));
  const auto packed = [](const Tensor& t) { return t.permute({0, 2, 1, 3}).flatten(2); };
  OneNode three("Attention", {packed(q), packed(k), packed(v)}, 24);
  three.integer("q_num_heads", 4).integer("kv_num_heads", 2);
  EXPECT_THAT(numbers(three.run()), close_to(numbers(packed(expected))));
}

TEST(OnnxAttention, CausalQueriesStandBehindThePast) {
  auto inputs = showing_shares(2, 3);
  inputs[1] = Tensor::ones({1, 1, 2, 2});
  inputs[2] = floats({0, 1, 0, 0, 0, 1}, {1, 1, 2, 3});
  inputs.insert(inputs.end(),
                {std::nullopt, Tensor::ones({1, 1, 1, 2}) * 2, floats({1, 0, 0}, {1, 1, 1, 3})});
  OneNode node("Attention", inputs, 25, "", 3);
  node.integer("is_causal", 1);
  EXPECT_THAT(numbers(node.run()), close_to({kHalf, kHalf, 0, kThird, kThird, kThird}));
  EXPECT_THAT(numbers(node.run(1)), ElementsAre(2, 2, 1, 1, 1, 1));
  EXPECT_THAT(numbers(node.run(2)), ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1));
}

TEST(OnnxAttention, AMaskThatIsShorterThanTheKeysLeavesTheirEndOut) {
  auto inputs = showing_shares(2, 3);
  inputs.emplace_back(Tensor({{true, true}, {false, true}}));
  EXPECT_THAT(numbers(OneNode("Attention", inputs, 25).run()),
              close_to({kHalf, kHalf, 0, 0, 1, 0}));
  inputs.back() = Tensor({{0.0F, std::log(3.0F)}, {0.0F, 0.0F}});
  EXPECT_THAT(numbers(OneNode("Attention", inputs, 25).run()),
              close_to({0.25F, 0.75F, 0, kHalf, kHalf, 0}));
}

TEST(OnnxAttention, AQueryWithoutKeysIsZero) {
  auto inputs = showing_shares(2, 2);
  inputs.emplace_back(Tensor({{false, false}, {true, false}}));
  OneNode node("Attention", inputs, 25, "", 4);
  node.integer("qk_matmul_output_mode", 3);
  EXPECT_THAT(numbers(node.run()), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(numbers(node.run(3)), ElementsAre(0, 0, 1, 0));
  const float nothing = -std::numeric_limits<float>::infinity();
  inputs.back() = Tensor({{nothing, nothing}, {0.0F, nothing}});
  EXPECT_THAT(numbers(OneNode("Attention", inputs, 25).run()), ElementsAre(0, 0, 1, 0));
}

// Two queries that end where the keys in use do: of 3 keys in the first sample, of 1 in the second.
TEST(OnnxAttention, EachSampleHasItsOwnNumberOfKeys) {
  auto inputs = showing_shares(2, 3, 2);
  inputs.insert(inputs.end(), {std::nullopt, std::nullopt, std::nullopt, whole_numbers({3, 1})});
  EXPECT_THAT(numbers(OneNode("Attention", inputs, 24).run()),
              close_to({kThird, kThird, kThird, kThird, kThird, kThird, 1, 0, 0, 1, 0, 0}));
  OneNode causal("Attention", inputs, 24);
  causal.integer("is_causal", 1);
  EXPECT_THAT(numbers(causal.run()),
              close_to({kHalf, kHalf, 0, kThird, kThird, kThird, 0, 0, 0, 1, 0, 0}));
}

TEST(OnnxAttention, WindowsEndOnBothSides) {
  OneNode left("Attention", showing_shares(3, 3), 25);
  left.integer("left_window_size", 1);
  EXPECT_THAT(numbers(left.run()),
              close_to({kThird, kThird, kThird, kThird, kThird, kThird, 0, kHalf, kHalf}));
  OneNode right("Attention", showing_shares(3, 3), 25);
  right.integer("left_window_size", 0).integer("right_window_size", 1);
  EXPECT_THAT(numbers(right.run()), close_to({kHalf, kHalf, 0, 0, kHalf, kHalf, 0, 0, 1}));
}

// One query of 2 and two keys of 3 and −1: the scores are 6 and −2, with a scale of 0.5 half.
TEST(OnnxAttention, EveryStageOfTheScoresCanBeAnOutput) {
  const std::vector<std::optional<Tensor>> inputs = {
      floats({2}, {1, 1, 1, 1}), floats({3, -1}, {1, 1, 2, 1}), Tensor::ones({1, 1, 2, 1}),
      Tensor({{0.5F, 1.0F}})};
  const auto stage = [&](int64_t mode) {
    OneNode node("Attention", inputs, 25, "", 4);
    node.real("scale", 0.5F).real("softcap", 2).integer("qk_matmul_output_mode", mode);
    return numbers(node.run(3));
  };
  const float first = 2 * std::tanh(1.5F), second = 2 * std::tanh(-0.5F);
  EXPECT_THAT(stage(0), close_to({3, -1}));
  EXPECT_THAT(stage(1), close_to({first, second}));
  EXPECT_THAT(stage(2), close_to({first + 0.5F, second + 1}));
  const float share = 1 / (1 + std::exp(second + 1 - first - 0.5F));
  EXPECT_THAT(stage(3), close_to({share, 1 - share}));
}

// In float16 the scores 2048 and 2048.5 are one number.
TEST(OnnxAttention, SharesAreComputedInTheirOwnPrecision) {
  const std::vector<std::optional<Tensor>> inputs = {floats({1}, {1, 1, 1, 1}),
                                                     floats({2048, 2048.5F}, {1, 1, 2, 1}),
                                                     Tensor::eye(2).reshape({1, 1, 2, 2})};
  const float share = 1 / (1 + std::exp(0.5F));
  EXPECT_THAT(numbers(OneNode("Attention", inputs, 23).run()),
              Pointwise(FloatNear(1e-3F), {share, 1 - share}));
  OneNode half("Attention", inputs, 23);
  half.integer("softmax_precision", 10);
  EXPECT_THAT(numbers(half.run()), ElementsAre(kHalf, kHalf));
  EXPECT_EQ(half.run().dtype(), DType::Float32);
}

// A subgraph of one node that multiplies by a number.
void multiplied_by(file::Node& node, const std::string& name, const std::vector<float>& factors) {
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(5);
  file::Graph& graph = *a->mutable_g();
  graph.set_name(name);
  graph.add_input()->set_name("x");
  graph.add_output()->set_name("y");
  add_floats(graph, "factors", {static_cast<int64_t>(factors.size())}, factors);
  add_node(graph, "Mul", {"x", "factors"}, {"y"});
}

TEST(OnnxAttention, SubgraphsOfFlexAttentionChangeScoresAndShares) {
  const float score = std::log(3.0F);
  OneNode node("FlexAttention",
               {floats({1}, {1, 1, 1, 1}), floats({score, score}, {1, 1, 2, 1}),
                Tensor::eye(2).reshape({1, 1, 2, 2})},
               26, "ai.onnx.preview");
  EXPECT_THAT(numbers(node.run()), close_to({kHalf, kHalf}));
  multiplied_by(node.node(), "score_mod", {1, 0});
  EXPECT_THAT(numbers(node.run()), close_to({0.75F, 0.25F}));
  multiplied_by(node.node(), "prob_mod", {2, -4});
  EXPECT_THAT(numbers(node.run()), close_to({1.5F, -1}));
}

// A cosine of 0 and a sine of 1 turn (a, b) to (−b, a).
TEST(OnnxAttention, RotaryEmbeddingTurnsPairs) {
  const Tensor x = floats({1, 2, 3, 4}, {1, 1, 1, 4});
  const auto quarter = [](int64_t half) {
    return std::pair(Tensor::zeros({1, 1, half}), Tensor::ones({1, 1, half}));
  };
  const auto [zero, one] = quarter(2);
  EXPECT_THAT(numbers(OneNode("RotaryEmbedding", {x, zero, one}, 23).run()),
              ElementsAre(-3, -4, 1, 2));
  OneNode alternate("RotaryEmbedding", {x, zero, one}, 23);
  alternate.integer("interleaved", 1);
  EXPECT_THAT(numbers(alternate.run()), ElementsAre(-2, 1, -4, 3));
  const auto [few_zeros, few_ones] = quarter(1);
  OneNode part("RotaryEmbedding", {x, few_zeros, few_ones}, 23);
  part.integer("rotary_embedding_dim", 2);
  EXPECT_THAT(numbers(part.run()), ElementsAre(-2, 1, 3, 4));
}

// Two places of two heads; the second stands at position 0, which is not turned.
TEST(OnnxAttention, RotaryEmbeddingLooksPositionsUp) {
  const Tensor x = floats({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 4});
  const Tensor cos = floats({1, 0}, {2, 1}), sin = floats({0, 1}, {2, 1});
  OneNode node("RotaryEmbedding", {x, cos, sin, Tensor(std::vector<int64_t>{1, 0}, Shape{1, 2})},
               23);
  node.integer("num_heads", 2);
  EXPECT_THAT(numbers(node.run()), ElementsAre(-2, 1, -4, 3, 5, 6, 7, 8));
}

TEST(OnnxAttention, CachesAreWrittenFromEachSamplesPlaceOn) {
  const Tensor cache = Tensor::zeros({2, 4, 1}), update = floats({1, 2, 3, 4}, {2, 2, 1});
  EXPECT_THAT(numbers(OneNode("TensorScatter", {cache, update}, 24).run()),
              ElementsAre(1, 2, 0, 0, 3, 4, 0, 0));
  EXPECT_THAT(numbers(OneNode("TensorScatter", {cache, update, whole_numbers({2, 1})}, 24).run()),
              ElementsAre(0, 0, 1, 2, 0, 3, 4, 0));
  OneNode circular("TensorScatter", {cache, update, whole_numbers({3, 5})}, 24);
  circular.text("mode", "circular");
  EXPECT_THAT(numbers(circular.run()), ElementsAre(2, 0, 0, 1, 0, 3, 4, 0));
}

TEST(OnnxAttention, CausalConvolutionsContinueTheirPast) {
  const Tensor x = floats({1, 1, 2}, {1, 1, 3}), weight = floats({1, 2, 3}, {1, 1, 3});
  OneNode fresh("CausalConvWithState", {x, weight}, 27, "", 2);
  EXPECT_THAT(numbers(fresh.run()), ElementsAre(3, 5, 9));
  EXPECT_THAT(numbers(fresh.run(1)), ElementsAre(1, 2));
  OneNode going_on("CausalConvWithState", {x, weight, Tensor({-10.0F}), floats({4, 5}, {1, 1, 2})},
                   27, "", 2);
  EXPECT_THAT(numbers(going_on.run()), ElementsAre(7, 0, -1));
  going_on.text("activation", "silu");
  EXPECT_THAT(numbers(going_on.run()),
              close_to({7 / (1 + std::exp(-7.0F)), 0, -1 / (1 + std::exp(1.0F))}));
}

// Keys 1, 2, values 3, 5, queries 1, decay ½, rate ½, sizes of 1: the states are the outputs.
TEST(OnnxAttention, LinearAttentionHasFourRules) {
  const Tensor ones = Tensor::ones({1, 2, 1}), keys = floats({1, 2}, {1, 2, 1}),
               values = floats({3, 5}, {1, 2, 1});
  const std::optional<Tensor> decay = ones * -std::log(2.0F), rate = ones * 0.5F, none;
  const auto rule = [&](const std::string& name, bool gated, bool delta) {
    OneNode node(
        "LinearAttention",
        {ones, keys, values, floats({4}, {1, 1, 1, 1}), gated ? decay : none, delta ? rate : none},
        27, "", 2);
    node.integer("q_num_heads", 1).integer("kv_num_heads", 1).text("update_rule", name);
    std::vector<float> out = numbers(node.run());
    out.push_back(numbers(node.run(1)).at(0));
    return out;
  };
  EXPECT_THAT(rule("linear", false, false), close_to({7, 17, 17}));
  EXPECT_THAT(rule("gated", true, false), close_to({5, 12.5F, 12.5F}));
  EXPECT_THAT(rule("delta", false, true), close_to({3.5F, 1.5F, 1.5F}));
  EXPECT_THAT(rule("gated_delta", true, true), close_to({2.5F, 3.75F, 3.75F}));
}

TEST(OnnxAttention, LinearAttentionSharesHeadsOfKeys) {
  const Tensor queries = floats({1, 2, 3, 4}, {1, 1, 4}), keys = floats({1, 10}, {1, 1, 2}),
               values = floats({2, 3}, {1, 1, 2});
  OneNode node("LinearAttention", {queries, keys, values}, 27, "", 2);
  node.integer("q_num_heads", 4).integer("kv_num_heads", 2).text("update_rule", "linear");
  EXPECT_THAT(numbers(node.run()), close_to({2, 4, 90, 120}));
  node.real("scale", 0.5F);
  EXPECT_THAT(numbers(node.run()), close_to({1, 2, 45, 60}));
}

TEST(OnnxAttention, WhatBelongsTogetherIsAskedFor) {
  const auto problem = [](const OneNode& node) -> std::string {
    try {
      node.run();
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "none";
  };
  auto inputs = showing_shares(1, 2);
  inputs.insert(inputs.end(), {std::nullopt, Tensor::ones({1, 1, 1, 2})});
  EXPECT_THAT(problem(OneNode("Attention", inputs, 23)),
              HasSubstr("past keys and values belong together"));
  EXPECT_THAT(problem(OneNode("Attention",
                              {Tensor::ones({1, 3, 1, 2}), Tensor::ones({1, 2, 1, 2}),
                               Tensor::ones({1, 2, 1, 2})},
                              23)),
              HasSubstr("no multiple of those of keys"));
  const Tensor x = Tensor::ones({1, 1, 1});
  OneNode linear("LinearAttention", {x, x, x}, 27);
  linear.integer("q_num_heads", 1).integer("kv_num_heads", 1);
  EXPECT_THAT(problem(linear), HasSubstr("decay is missing"));
}

}  // namespace
}  // namespace tg::onnx
