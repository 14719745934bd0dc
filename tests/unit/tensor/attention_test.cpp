// Attention against loops over queries and keys: masks, heads that share keys, causal order, rows
// in which nothing counts; slopes; sizes that vary.
#include <cmath>

#include "tg/autograd.h"
#include "tg/symbolic.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

struct AttentionProblem {
  int64_t heads = 1, queries = 3, keys = 4, size = 2, out = 3, heads_per_key = 1;
  Doubles q, k, v, bias;  // bias [queries, keys]
};

AttentionProblem random_attention(Random& random, int64_t heads, int64_t heads_per_key) {
  AttentionProblem p{.heads = heads, .heads_per_key = heads_per_key};
  p.q = random.reals(heads * p.queries * p.size);
  p.k = random.reals(heads / heads_per_key * p.keys * p.size);
  p.v = random.reals(heads / heads_per_key * p.keys * p.out);
  p.bias = random.reals(p.queries * p.keys);
  return p;
}

Doubles attention_by_loops(const AttentionProblem& p, const Doubles& bias) {
  Doubles result;
  const auto at = [](const Doubles& x, int64_t i) { return x[static_cast<size_t>(i)]; };
  for (int64_t h = 0; h < p.heads; ++h) {
    const int64_t g = h / p.heads_per_key;
    for (int64_t i = 0; i < p.queries; ++i) {
      Doubles weights;
      double total = 0;
      for (int64_t j = 0; j < p.keys; ++j) {
        double score = 0;
        for (int64_t d = 0; d < p.size; ++d)
          score +=
              at(p.q, (h * p.queries + i) * p.size + d) * at(p.k, (g * p.keys + j) * p.size + d);
        score = score / std::sqrt(static_cast<double>(p.size)) + at(bias, i * p.keys + j);
        weights.push_back(std::exp(score));
        total += weights.back();
      }
      for (int64_t o = 0; o < p.out; ++o) {
        double sum = 0;
        for (int64_t j = 0; j < p.keys; ++j)
          sum += at(weights, j) / total * at(p.v, (g * p.keys + j) * p.out + o);
        result.push_back(sum);
      }
    }
  }
  return result;
}

struct Tensors {
  Tensor q, k, v, bias;
};
Tensors attention_inputs(const AttentionProblem& p) {
  const int64_t of_keys = p.heads / p.heads_per_key;
  return {Tensor(p.q, {p.heads, p.queries, p.size}), Tensor(p.k, {of_keys, p.keys, p.size}),
          Tensor(p.v, {of_keys, p.keys, p.out}), Tensor(p.bias, {p.queries, p.keys})};
}

Doubles causal_bias(const AttentionProblem& p) {
  Doubles out;
  for (int64_t i = 0; i < p.queries; ++i)
    for (int64_t j = 0; j < p.keys; ++j)
      out.push_back(j <= i ? 0 : -std::numeric_limits<double>::infinity());
  return out;
}

TEST(Attention, AgreesWithLoops) {
  Random random(1);
  for (const auto& [heads, per_key] : {std::pair{1, 1}, {4, 1}, {4, 2}, {6, 6}}) {
    const AttentionProblem p = random_attention(random, heads, per_key);
    const auto [q, k, v, bias] = attention_inputs(p);
    const Shape shape = {heads, p.queries, p.out};
    const bool gqa = per_key > 1;
    const Doubles none(p.bias.size(), 0);
    expect_values(q.scaled_dot_product_attention(k, v, {.enable_gqa = gqa}), shape,
                  attention_by_loops(p, none));
    expect_values(q.scaled_dot_product_attention(k, v, {.attn_mask = &bias, .enable_gqa = gqa}),
                  shape, attention_by_loops(p, p.bias));
    expect_values(q.scaled_dot_product_attention(k, v, {.is_causal = true, .enable_gqa = gqa}),
                  shape, attention_by_loops(p, causal_bias(p)));
  }
}
TEST(Attention, TakesAMaskOfWhatCounts) {
  Random random(2);
  const AttentionProblem p = random_attention(random, 2, 1);
  const auto [q, k, v, bias] = attention_inputs(p);
  const Tensor mask = bias > -1.0;
  Doubles masked;
  for (double b : p.bias) masked.push_back(b > -1 ? 0 : -std::numeric_limits<double>::infinity());
  expect_values(q.scaled_dot_product_attention(k, v, {.attn_mask = &mask}), {2, 3, 3},
                attention_by_loops(p, masked));
}
TEST(Attention, OfNothingIsZero) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const Tensor q({{1., 2.}, {3., 4.}}), mask({{true, false}, {false, false}});
  const Tensor bias({{0., kNever}, {kNever, kNever}});
  for (const Tensor* m : {&mask, &bias}) {
    expect_values(q.scaled_dot_product_attention(q, q, {.attn_mask = m}), {2, 2}, {1, 2, 0, 0});
  }
  const Tensor no_keys = Tensor::zeros({0, 2});
  EXPECT_EQ(q.scaled_dot_product_attention(no_keys, no_keys).shape(), (Shape{2, 2}));
}
TEST(Attention, TakesOneQuery) {
  Random random(3);
  const Tensor q = random.tensor({2}), k = random.tensor({4, 2}), v = random.tensor({4, 3});
  expect_values(q.scaled_dot_product_attention(k, v), {3},
                q.unsqueeze(0).scaled_dot_product_attention(k, v).to_vector<double>());
}
TEST(Attention, HasTheDtypeOfQueriesAndValues) {
  const Tensor half = Tensor({{1., 2.}}).cast(DType::Float16), whole({{1., 2.}});
  EXPECT_EQ(half.scaled_dot_product_attention(half, half).dtype(), DType::Float16);
  EXPECT_EQ(half.scaled_dot_product_attention(half, whole).dtype(), DType::Float32);
}
TEST(Attention, HasSlopes) {
  Random random(4);
  const AttentionProblem p = random_attention(random, 4, 2);
  const auto [q, k, v, bias] = attention_inputs(p);
  expect_gradients(
      [](const auto& x) {
        return x[0].scaled_dot_product_attention(x[1], x[2],
                                                 {.attn_mask = &x[3], .enable_gqa = true});
      },
      {q, k, v, bias});
  expect_gradients(
      [](const auto& x) {
        return x[0].scaled_dot_product_attention(x[1], x[2],
                                                 {.is_causal = true, .enable_gqa = true});
      },
      {q, k, v});
}
// Loops end at the diagonal then, in scores, weights and what weights are multiplied by.
TEST(Attention, SeesNoLaterKeyOfAnySize) {
  Random random(7);
  for (const auto& [queries, keys] : {std::pair{65, 65}, {7, 130}, {130, 7}, {96, 64}}) {
    AttentionProblem p{.heads = 2, .queries = queries, .keys = keys, .size = 16, .out = 24};
    p.q = random.reals(p.heads * queries * p.size);
    p.k = random.reals(p.heads * keys * p.size);
    p.v = random.reals(p.heads * keys * p.out);
    p.bias = random.reals(queries * keys);
    const auto [q, k, v, bias] = attention_inputs(p);
    expect_values(q.scaled_dot_product_attention(k, v, {.is_causal = true}),
                  {p.heads, queries, p.out}, attention_by_loops(p, causal_bias(p)));
  }
}
// A masked score may be anything: what is left has values and slopes as if it were not there.
TEST(Attention, HasFiniteSlopesWhereItIsMasked) {
  const Tensor mask({{true, false}, {false, false}});
  const Tensor q({{1., 1.}, {1., 1.}}), k({{1., 0.}, {4000., 4000.}}), v({{1., 2.}, {3., 4.}});
  const auto slopes =
      q.scaled_dot_product_attention(k, v, {.attn_mask = &mask}).sum().gradient({q, k, v});
  expect_values(slopes[0], {2, 2}, {0, 0, 0, 0});
  expect_values(slopes[1], {2, 2}, {0, 0, 0, 0});
  expect_values(slopes[2], {2, 2}, {1, 1, 0, 0});
}
TEST(Attention, DropsWeightsWhileTraining) {
  const Tensor q = Tensor::zeros({1, 1}), k = Tensor::zeros({1000, 1}), v = Tensor::ones({1000, 1});
  const AttentionOptions half = {.dropout_p = 0.5};
  EXPECT_NEAR(q.scaled_dot_product_attention(k, v, half).item<double>(), 1, 1e-5);
  const TrainingScope training;
  const double kept = q.scaled_dot_product_attention(k, v, half).item<double>();
  EXPECT_NE(kept, 1);
  EXPECT_NEAR(kept, 1, 0.2);
}
TEST(Attention, SeesTheKeysThatExist) {
  const SymInt n = Variable("n", 1, 4).bind(2);
  Random random(5);
  const Tensor q = random.tensor({1, 2}), k = random.tensor({4, 2}).realize();
  const Tensor few = k[{Slice(0, n)}];
  expect_values(q.scaled_dot_product_attention(few, few), {1, 2},
                q.scaled_dot_product_attention(k.shrink_to({2, -1}), k.shrink_to({2, -1}))
                    .to_vector<double>());
  const Tensor two = k.shrink_to({2, -1});
  const auto got = few.scaled_dot_product_attention(few, few, {.is_causal = true});
  const auto want = two.scaled_dot_product_attention(two, two, {.is_causal = true});
  expect_values(Tensor(got.to_vector<double>()), {4}, want.to_vector<double>());
}

}  // namespace
}  // namespace tg
