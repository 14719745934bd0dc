// Random graphs of all operations, with in-place stores and sizes that are variables, the gradients
// of random graphs of floats, and kernels of more arrays than some devices bind. Their numbers are
// small integers, so that results are exact in any order; gradients have quotients and a tolerance.
#include <fmt/format.h>

#include "autodiff/gradient.h"
#include "suite.h"
#include "support/device_graph.h"
#include "tg/error.h"

namespace tg::conformance {
namespace {

test::RandomGraph on_device(uint64_t seed, Device& d, test::RandomGraphOptions limits) {
  limits.make_leaf = [&](const TensorValue& v) { return test::device_leaf(d, v); };
  return test::random_graph(seed, std::move(limits));
}

std::vector<DType> dtypes_of(const Target& target) {
  std::vector<DType> out;
  for (const DType t : test::RandomGraphOptions{}.dtypes) {
    if (lacks(target, t).empty()) out.push_back(t);
  }
  return out;
}

void add_random(Suite& suite, const Settings& s, const char* name, uint64_t count, bool stores,
                bool variables) {
  const std::vector<DType> types = dtypes_of(device(s.device).target());
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t seed = s.seed * 100'000 + i;
    suite.graphs.push_back(
        {fmt::format("random.{}.seed{}", name, seed), {}, [=](Device& d) {
           test::RandomGraph g =
               on_device(seed, d, {.stores = stores, .variables = variables, .dtypes = types});
           return Graph{std::move(g.roots), std::move(g.contents)};
         }});
  }
}

// The gradients of the sum of the first root for all leaves that it depends on; every op of these
// graphs has one.
std::vector<UOp> gradients(const test::RandomGraph& g) {
  const UOp& y = g.roots[0];
  std::vector<UOp> targets;
  for (const UOp& leaf : g.leaves) {
    if (is_float(leaf.dtype())) targets.push_back(leaf);
  }
  if (targets.empty() || !is_float(y.dtype())) return {};
  std::vector<UOp> out = gradient(y, full(y.shape_vec(), Scalar::of_int(1, y.dtype())), targets);
  std::erase_if(out, [](const UOp& u) { return !u; });  // what the root does not depend on
  return out;
}

void add_gradients(Suite& suite, const Settings& s, uint64_t count) {
  uint64_t seed = s.seed * 100'000 + 50'000;
  for (uint64_t made = 0; made < count; ++seed) {
    const test::RandomGraphOptions limits{.zero_size = false, .dtypes = {DType::Float32}};
    if (gradients(test::random_graph(seed, limits)).empty()) continue;
    ++made;
    suite.graphs.push_back(
        {fmt::format("random.gradient.seed{}", seed), {1e-4, 1e-4}, [=](Device& d) {
           const test::RandomGraph g = on_device(seed, d, limits);
           Graph out{gradients(g), g.contents};
           out.roots.push_back(g.roots[0]);
           return out;
         }});
  }
}

// Forty arrays, `combine`d one after the other.
void add_many_arrays(Suite& suite, const char* name, UOp (*combine)(const UOp& a, const UOp& b)) {
  suite.graphs.push_back(
      {fmt::format("many_arrays.{}", name), {}, [=](Device& d) {
         Graph g;
         UOp all;
         for (int i = 0; i < 40; ++i) {
           const std::vector<double> numbers = {i * 1.0, 1, 2, i - 7.0, 4, i % 5 * 2.0};
           const TensorValue v = TensorValue::of({2, 3}, DType::Float32, numbers);
           const UOp x = test::device_leaf(d, v);
           g.contents.emplace(x.node(), v);
           all = all ? combine(all, x) : x;
         }
         g.roots = {all};
         return g;
       }});
}

UOp concatenated(const UOp& a, const UOp& b) {
  const Dim rows = a.dim(0), more = b.dim(0);
  return pad(a, {{0, more, 0, 0}}) + pad(b, {{rows, 0, 0, 0}});
}

UOp reduced_between(const UOp& a, const UOp& b) {
  return a + expand(reduce(b, ReduceOp::Max, {{int64_t{1}}}), b.shape_vec());
}

}  // namespace

void add_graph_cases(Suite& suite, const Settings& s) {
  const uint64_t unit = s.quick ? 16 : 100;
  add_random(suite, s, "pure", 2 * unit, false, false);
  add_random(suite, s, "in_place", unit, true, false);
  add_random(suite, s, "variable_sizes", unit, true, true);
  add_gradients(suite, s, unit);
  add_many_arrays(suite, "sum", [](const UOp& a, const UOp& b) { return a + b; });
  add_many_arrays(suite, "concatenation", concatenated);
  add_many_arrays(suite, "reductions", reduced_between);
}

}  // namespace tg::conformance
