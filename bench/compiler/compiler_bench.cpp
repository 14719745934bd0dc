// Costs of the compiler's small parts: making, finding and freeing nodes, trying a rule,
// simplifying indices. Budgets: a new node 300 ns, a hit 150 ns, an attempt of a rule 30 ns. Google
// Benchmark prints JSON with --benchmark_format=json.
#include <benchmark/benchmark.h>

#include "rules/algebra.h"
#include "rules/valid.h"
#include "tg/ir/text.h"
#include "uop/shape.h"

namespace tg {
namespace {

UOp leaf(int slot) { return load(param(slot, {4}, DType::Float32), {{index_const(0)}}); }

void node_make_and_free(benchmark::State& state) {
  const UOp x = leaf(0);
  for (auto _ : state) {
    UOp y = sqrt(x);  // dies at once, so that each turn makes a node
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK(node_make_and_free);

void node_hit(benchmark::State& state) {
  const UOp x = leaf(0), kept = sqrt(x);
  for (auto _ : state) {
    UOp y = sqrt(x);
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK(node_hit);

void chain_of_100000_make_and_free(benchmark::State& state) {
  const UOp x = leaf(0);
  for (auto _ : state) {
    UOp y = x;
    for (int i = 0; i < 100000; ++i) y = sqrt(y);
    benchmark::DoNotOptimize(y);
  }
  state.SetItemsProcessed(state.iterations() * 100000);
}
BENCHMARK(chain_of_100000_make_and_free)->Unit(benchmark::kMillisecond);

void rule_attempt_that_fails(benchmark::State& state) {
  using namespace patterns;
  const Rule r = rule("xor-twice", (x ^ y) ^ y, x);
  const UOp a = constant(1, DType::Int32), b = constant(2, DType::Int32),
            c = constant(3, DType::Int32);
  const UOp n = (a ^ b) ^ c;
  for (auto _ : state) benchmark::DoNotOptimize(r.apply(n.node()));
}
BENCHMARK(rule_attempt_that_fails);

void simplify_a_value_graph(benchmark::State& state) {
  UOp v = leaf(0);
  for (int i = 0; i < 10000; ++i)
    v = maximum(v * leaf(1) + constant(i % 7, DType::Float32), leaf(0));
  for (auto _ : state) benchmark::DoNotOptimize(simplify(v));
  state.SetItemsProcessed(state.iterations() * 30000);
}
BENCHMARK(simplify_a_value_graph)->Unit(benchmark::kMillisecond);

// One coordinate of a pooling window's reshape.
void simplify_index_of_a_reshape(benchmark::State& state) {
  const Shape from = {512, 32, 12, 2, 12, 2};
  const std::vector<Dim> strides = strides_of(from);
  UOp flat = index_const(0);
  for (size_t i = 0; i < from.size(); ++i) {
    flat = flat + range(from[i], static_cast<int64_t>(i)) * index_const(strides[i]);
  }
  const UOp e = mod(idiv(flat, index_const(24)), index_const(24));
  for (auto _ : state) benchmark::DoNotOptimize(simplify_index(e));
}
BENCHMARK(simplify_index_of_a_reshape)->Unit(benchmark::kMicrosecond);

// Gate and index of one access of a padded 5×5 convolution.
void simplify_a_gated_access(benchmark::State& state) {
  auto k = [](int64_t v) { return index_const(v); };
  const UOp iy = range(28, 0) + range(5, 2) - k(2), ix = range(28, 1) + range(5, 3) - k(2);
  const UOp gate = (ge(iy, k(0)) & lt(iy, k(28))) & (ge(ix, k(0)) & lt(ix, k(28)));
  for (auto _ : state) {
    const UOp simple = simplify_gate(gate);
    benchmark::DoNotOptimize(simplify_under(simple, iy * k(28) + ix));
  }
}
BENCHMARK(simplify_a_gated_access)->Unit(benchmark::kMicrosecond);

void print_and_parse(benchmark::State& state) {
  UOp v = leaf(0);
  for (int i = 0; i < 1000; ++i) v = v * leaf(1) + leaf(2);
  for (auto _ : state) benchmark::DoNotOptimize(parse(print(v)));
  state.SetItemsProcessed(state.iterations() * 2000);
}
BENCHMARK(print_and_parse)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tg
