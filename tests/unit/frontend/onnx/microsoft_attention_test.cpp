// Attention of com.microsoft in all its forms, and the rotation by places. Expected values come
// from small numbers by hand or from the tensors' own functions; where ONNX Runtime has a rule of
// its own, a comment says that its results were taken. Other operators:
// microsoft_operators_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "microsoft_node.h"
#include "tg/error.h"
#include "tg/random.h"

namespace tg::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor random(const Shape& shape) { return Tensor::randn(shape).realize(); }

// ---- Attention. Queries and keys are 0 and values the unit vectors, so that the result is the
// softmax of what is added to the scores.
OneNode mask_weights(int64_t length, const std::optional<Tensor>& mask,
                     const std::optional<Tensor>& bias = {}) {
  const Tensor unit = Tensor::eye(length);
  const Tensor weight = Tensor::cat({Tensor::zeros({length, 2 * length}), unit}, 1);
  OneNode node = microsoft_node(
      "Attention",
      {unit.unsqueeze(0).realize(), weight.realize(), Tensor::zeros({3 * length}), mask, {}, bias});
  return node.integer("num_heads", 1);
}

TEST(OnnxMicrosoftAttention, MasksOfEveryFormHideKeys) {
  EXPECT_THAT(values_of(mask_weights(3, Tensor({2})).run()),
              near({0.5F, 0.5F, 0, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0}));
  EXPECT_THAT(values_of(mask_weights(3, Tensor({3, 1})).run()),
              near({0, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0, 0.5F, 0.5F}));
  EXPECT_THAT(values_of(mask_weights(3, Tensor({{1, 0, 7}})).run()),
              near({0.5F, 0, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0, 0.5F}));
  const Tensor each = Tensor({{1, 0, 0}, {0, 1, 1}, {1, 1, -1}}).unsqueeze(0).realize();
  EXPECT_THAT(values_of(mask_weights(3, each).run()),
              near({1, 0, 0, 0, 0.5F, 0.5F, 0.5F, 0.5F, 0}));
  EXPECT_THROW(mask_weights(3, Tensor({{1, 0}})).run(), ArgumentError);
}

TEST(OnnxMicrosoftAttention, FilterValueAndBiasAreAddedToTheScores) {
  OneNode filter = mask_weights(2, Tensor({{1, 0}}));
  filter.real("mask_filter_value", -std::log(3.0));
  EXPECT_THAT(values_of(filter.run()), near({0.75F, 0.25F, 0.75F, 0.25F}));
  const Tensor bias =
      Tensor({{0.0F, std::log(3.0F)}, {std::log(4.0F), 0.0F}}).reshape({1, 1, 2, 2}).realize();
  EXPECT_THAT(values_of(mask_weights(2, {}, bias).run()), near({0.25F, 0.75F, 0.8F, 0.2F}));
}

TEST(OnnxMicrosoftAttention, OrderHidesMoreThanTheMaskAndLessThanAnInfiniteOne) {
  OneNode plain = mask_weights(3, {});
  EXPECT_THAT(values_of(plain.integer("unidirectional", 1).run()),
              near({1, 0, 0, 0.5F, 0.5F, 0, 1 / 3.0F, 1 / 3.0F, 1 / 3.0F}));
  OneNode both = mask_weights(3, Tensor({{0, 1, 1}}));
  EXPECT_THAT(values_of(both.integer("unidirectional", 1).run()),
              near({1, 0, 0, 0, 1, 0, 0, 0.5F, 0.5F}));
  // As ONNX Runtime 1.32 does: rows whose keys are all hidden fall back on the later ones.
  OneNode infinite = mask_weights(3, Tensor({{0, 0, 1}}));
  infinite.integer("unidirectional", 1).real("mask_filter_value", -INFINITY);
  EXPECT_THAT(values_of(infinite.run()), near({0, 0.5F, 0.5F, 0, 0, 1, 0, 0, 1}));
}

TEST(OnnxMicrosoftAttention, PastStandsBeforeTheKeysAndComesBackAsPresent) {
  const Tensor unit = Tensor::eye(2), weight = Tensor::cat({Tensor::zeros({2, 4}), unit}, 1);
  const Tensor past = Tensor({{0.0F, 0.0F}, {10.0F, 20.0F}}).reshape({2, 1, 1, 1, 2}).realize();
  OneNode node = microsoft_node(
      "Attention", {unit.unsqueeze(0).realize(), weight.realize(), Tensor::zeros({6}), {}, past},
      2);
  const auto out = node.integer("num_heads", 1).integer("unidirectional", 1).all();
  EXPECT_THAT(values_of(out[0]), near({5.5F, 10, 11 / 3.0F, 7}));
  EXPECT_EQ(out[1].shape(), (Shape{2, 1, 1, 3, 2}));
  EXPECT_THAT(values_of(out[1]), ElementsAre(0, 0, 0, 0, 0, 0, 10, 20, 1, 0, 0, 1));
}

Tensor two_heads(const Tensor& t) {
  return t.reshape({t.size(0), t.size(1), 2, t.size(2) / 2}).permute({0, 2, 1, 3});
}

// Attention of two heads, [batch, length, …] as the tensors' own function has it.
Tensor two_head_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  return two_heads(q)
      .scaled_dot_product_attention(two_heads(k), two_heads(v))
      .permute({0, 2, 1, 3})
      .flatten(2);
}

TEST(OnnxMicrosoftAttention, ValuesMayHaveASizeOfTheirOwn) {
  manual_seed(3);
  const Tensor x = random({2, 3, 4}), w = random({4, 14}), b = random({14});
  OneNode node = microsoft_node("Attention", {x, w, b});
  node.integer("num_heads", 2).list("qkv_hidden_sizes", {4, 4, 6});
  const auto parts = (x.matmul(w) + b).split({4, 4, 6}, 2);
  const Tensor expected = two_head_attention(parts[0], parts[1], parts[2]);
  EXPECT_THAT(values_of(node.run()), like(expected));
  // The default scale is 1/√2, so the queries of this one are √2 · 3 times as large.
  node.real("scale", 3);
  EXPECT_THAT(values_of(node.run()),
              like(two_head_attention(parts[0] * (3 * std::sqrt(2.0)), parts[1], parts[2]), 1e-3F));
}

// ---- MultiHeadAttention
TEST(OnnxMultiHeadAttention, BiasIsAddedToQueriesKeysAndValues) {
  manual_seed(4);
  const Tensor q = random({2, 3, 4}), k = random({2, 5, 4}), v = random({2, 5, 6}),
               b = random({14});
  OneNode node = microsoft_node("MultiHeadAttention", {q, k, v, b}, 3);
  const auto out = node.integer("num_heads", 2).all();
  const Tensor bk = k + b[Slice(4, 8)], bv = v + b[Slice(8, 14)];
  EXPECT_THAT(values_of(out[0]), like(two_head_attention(q + b[Slice(0, 4)], bk, bv)));
  EXPECT_THAT(values_of(out[1]), like(two_heads(bk)));
  EXPECT_THAT(values_of(out[2]), like(two_heads(bv)));
}

TEST(OnnxMultiHeadAttention, PackedFormsAreTheSameNumbers) {
  manual_seed(5);
  const Tensor q = random({1, 3, 4}), k = random({1, 3, 4}), v = random({1, 3, 4});
  const auto apart = [](const Tensor& t) { return t.reshape({1, 3, 2, 2}); };
  const Tensor expected = two_head_attention(q, k, v);
  const Tensor three = Tensor::stack({apart(q), apart(k), apart(v)}, 3).realize();
  EXPECT_THAT(
      values_of(microsoft_node("MultiHeadAttention", {three}).integer("num_heads", 2).run()),
      like(expected));
  const Tensor two = Tensor::stack({apart(k), apart(v)}, 3).realize();
  EXPECT_THAT(
      values_of(microsoft_node("MultiHeadAttention", {q, two}).integer("num_heads", 2).run()),
      like(expected));
  // Heads of a cache that are apart already: the bias is of the queries alone.
  const Tensor b = random({12});
  OneNode cache =
      microsoft_node("MultiHeadAttention", {q, two_heads(k).realize(), two_heads(v).realize(), b});
  EXPECT_THAT(values_of(cache.integer("num_heads", 2).run()),
              like(two_head_attention(q + b[Slice(0, 4)], k, v)));
}

TEST(OnnxMultiHeadAttention, MasksAndPastDecideWhichKeysCount) {
  const Tensor q = Tensor::zeros({1, 2, 1}), k = Tensor::zeros({1, 3, 1}),
               v = Tensor({3.0F, 6.0F, 12.0F}).reshape({1, 3, 1}).realize();
  const auto with_mask = [&](const Tensor& mask) {
    OneNode node = microsoft_node("MultiHeadAttention", {q, k, v, {}, mask});
    return values_of(node.integer("num_heads", 1).run());
  };
  EXPECT_THAT(with_mask(Tensor({2})), near({4.5F, 4.5F}));
  EXPECT_THAT(with_mask(Tensor({{1, 0, 1}})), near({7.5F, 7.5F}));
  // ONNX Runtime counts from the first key and lets the last query see all.
  OneNode ordered = microsoft_node("MultiHeadAttention", {q, k, v});
  EXPECT_THAT(values_of(ordered.integer("num_heads", 1).integer("unidirectional", 1).run()),
              near({3, 7}));
  const Tensor past = Tensor({9.0F}).reshape({1, 1, 1, 1}).realize();
  OneNode later = microsoft_node("MultiHeadAttention",
                                 {q,
                                  Tensor::zeros({1, 2, 1}),
                                  Tensor({{1.0F}, {2.0F}}).unsqueeze(0).realize(),
                                  {},
                                  {},
                                  {},
                                  Tensor::zeros({1, 1, 1, 1}),
                                  past},
                                 4);
  const auto out = later.integer("num_heads", 1).integer("unidirectional", 1).all();
  EXPECT_THAT(values_of(out[0]), near({5, 4}));
  EXPECT_THAT(values_of(out[2]), ElementsAre(9, 1, 2));
  EXPECT_EQ(out[3].shape(), (Shape{1, 1, 2, 3}));
}

// ---- GroupQueryAttention. Queries and keys are 0 unless stated: the result is a mean of values.
OneNode grouped(const Inputs& inputs, int64_t heads = 1, int64_t pairs = 1, size_t outputs = 1) {
  OneNode node = microsoft_node("GroupQueryAttention", inputs, outputs);
  node.integer("num_heads", heads).integer("kv_num_heads", pairs);
  return node;
}

Tensor column(const std::vector<float>& values, int64_t batch = 1) {
  return Tensor(values).reshape({batch, -1, 1}).realize();
}

TEST(OnnxGroupQueryAttention, EachSampleHasAPastOfItsOwnLength) {
  const Tensor none = Tensor::zeros({2, 1, 1}), past = Tensor::zeros({2, 1, 2, 1}),
               values = Tensor({1.0F, 2.0F, 1.0F, 2.0F}).reshape({2, 1, 2, 1}).realize();
  const auto out =
      grouped({none, none, column({10, 10}, 2), past, values, Tensor({2, 1}), 3}, 1, 1, 3).all();
  EXPECT_THAT(values_of(out[0]), near({13 / 3.0F, 5.5F}));
  EXPECT_THAT(values_of(out[2]), ElementsAre(1, 2, 10, 1, 10, 0));
}

TEST(OnnxGroupQueryAttention, SeveralNewKeysGoBehindThePastInALargerBuffer) {
  const Tensor none = Tensor::zeros({1, 2, 1}), past = Tensor::zeros({1, 1, 5, 1}),
               values = Tensor({3.0F, 9.0F, 9.0F, 9.0F, 9.0F}).reshape({1, 1, 5, 1}).realize();
  const auto out =
      grouped({none, none, column({5, 10}), past, values, Tensor({2}), 3}, 1, 1, 3).all();
  EXPECT_THAT(values_of(out[0]), near({4, 6}));
  EXPECT_THAT(values_of(out[2]), ElementsAre(3, 5, 10, 0, 0));
}

TEST(OnnxGroupQueryAttention, HeadsOfKeysServeSeveralQueriesAndMayBePacked) {
  const Tensor values = Tensor({7.0F, 8.0F}).reshape({1, 1, 2}).realize();
  const Inputs rest{{}, {}, Tensor({0}), 1};
  Inputs apart{Tensor::zeros({1, 1, 4}), Tensor::zeros({1, 1, 2}), values};
  apart.insert(apart.end(), rest.begin(), rest.end());
  EXPECT_THAT(values_of(grouped(apart, 4, 2).run()), ElementsAre(7, 7, 8, 8));
  Inputs packed{Tensor::cat({Tensor::zeros({1, 1, 6}), values}, 2).realize(), {}, {}};
  packed.insert(packed.end(), rest.begin(), rest.end());
  EXPECT_THAT(values_of(grouped(packed, 4, 2).run()), ElementsAre(7, 7, 8, 8));
}

TEST(OnnxGroupQueryAttention, WindowAndSinkTakeKeysAway) {
  const Tensor none = Tensor::zeros({1, 3, 1});
  const Inputs inputs{none, none, column({3, 5, 10}), {}, {}, Tensor({2}), 3};
  EXPECT_THAT(values_of(grouped(inputs).run()), near({3, 4, 6}));
  EXPECT_THAT(values_of(grouped(inputs).integer("local_window_size", 2).run()), near({3, 4, 7.5F}));
  EXPECT_THAT(values_of(grouped(inputs).integer("causal", 0).run()), near({6, 6, 6}));
  EXPECT_THAT(values_of(grouped(inputs).integer("smooth_softmax", 1).run()),
              near({1.5F, 8 / 3.0F, 4.5F}));
  Inputs sunk = inputs;
  sunk.resize(11);
  sunk.emplace_back(Tensor({std::log(3.0F)}));
  EXPECT_THAT(values_of(grouped(sunk).run()), near({0.75F, 1.6F, 3}));
}

TEST(OnnxGroupQueryAttention, SoftcapBendsTheScaledScoresBeforeTheBias) {
  const Tensor q = column({0, 2}), k = column({1, -1}), v = column({1, 0});
  Inputs inputs{q, k, v, {}, {}, Tensor({1}), 2, {}, {}, {}};
  inputs.emplace_back(Tensor({{0.0F, 0.0F}, {0.0F, 1.0F}}).reshape({1, 1, 2, 2}).realize());
  OneNode node = grouped(inputs);
  node.real("softcap", 1.5).real("scale", 0.5);
  const double up = 1.5 * std::tanh(1 / 1.5), weight = 1 / (1 + std::exp(1 - 2 * up));
  EXPECT_THAT(values_of(node.run()), near({1, static_cast<float>(weight)}));
}

TEST(OnnxGroupQueryAttention, QueriesAndKeysAreTurnedByTheirPlaces) {
  manual_seed(6);
  const Tensor q = random({2, 1, 4}), k = random({2, 1, 4}), cosines = random({9, 2}),
               sines = random({9, 2}), past = random({2, 1, 3, 4});
  const auto turned = [&](const Tensor& x, const Tensor& places) {
    return microsoft_node("RotaryEmbedding", {x, places, cosines, sines}).run();
  };
  // One sample has 3 keys before the new one, the other 1.
  const Tensor places({{3}, {1}}), lengths({3, 1});
  const auto out = grouped({q, k, k, past, past, lengths, 4, cosines, sines}, 1, 1, 2)
                       .integer("do_rotary", 1)
                       .all();
  const auto still =
      grouped({turned(q, places), turned(k, places), k, past, past, lengths, 4}, 1, 1, 2).all();
  EXPECT_THAT(values_of(out[0]), like(still[0]));
  EXPECT_THAT(values_of(out[1]), like(still[1]));
  const Tensor named({{7}, {2}});
  EXPECT_THAT(values_of(grouped({q, k, k, past, past, lengths, 4, cosines, sines, named}, 1, 1, 2)
                            .integer("do_rotary", 1)
                            .all()[1][{Slice(), 0, 1}][1]),
              like(turned(k, named)[{1, 0}]));
}

TEST(OnnxGroupQueryAttention, QuantisedCachesAreRefused) {
  const Tensor none = Tensor::zeros({1, 1, 1});
  OneNode node = grouped({none, none, none, {}, {}, Tensor({0}), 1});
  node.text("k_quant_type", "PER_TENSOR");
  try {
    node.run();
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("k_quant_type is not supported"));
  }
}

TEST(OnnxMicrosoftAttention, RotaryEmbeddingTurnsHalvesOrNeighbours) {
  // A quarter turn of the first pair and none of the second, at place 1.
  const Tensor cosines({{1.0F, 1.0F}, {0.0F, 1.0F}}), sines({{0.0F, 0.0F}, {1.0F, 0.0F}});
  const Tensor x = Tensor({{1.0F, 2.0F, 3.0F, 4.0F}, {1.0F, 2.0F, 3.0F, 4.0F}}).unsqueeze(0);
  const auto node = [&](const Tensor& places) {
    return microsoft_node("RotaryEmbedding", {x.realize(), places, cosines, sines});
  };
  const Tensor each(std::vector<int64_t>{1, 0}, {1, 2}), first(std::vector<int64_t>{0});
  EXPECT_THAT(values_of(node(each).run()), ElementsAre(-3, 2, 1, 4, 1, 2, 3, 4));
  EXPECT_THAT(values_of(node(each).integer("interleaved", 1).run()),
              ElementsAre(-2, 1, 3, 4, 1, 2, 3, 4));
  EXPECT_THAT(values_of(node(first).run()), ElementsAre(1, 2, 3, 4, -3, 2, 1, 4));
  // Heads of 8 of which 4 are turned.
  const Tensor wide = Tensor::cat({x[{Slice(), Slice(0, 1)}], Tensor::full({1, 1, 4}, 9.0F)}, 2);
  OneNode part = microsoft_node("RotaryEmbedding",
                                {wide.realize(), Tensor(std::vector<int64_t>{1}), cosines, sines});
  part.integer("num_heads", 1).integer("rotary_embedding_dim", 4);
  EXPECT_THAT(values_of(part.run()), ElementsAre(-3, 2, 1, 4, 9, 9, 9, 9));
}

}  // namespace
}  // namespace tg::onnx
