// Values that meet at one place, by every reduction, against loops; and their gradients, at ties
// and zeros too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "tg/autograd.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

constexpr std::array kAllReductions = {ScatterReduction::Sum, ScatterReduction::Mean,
                                       ScatterReduction::Prod, ScatterReduction::Max,
                                       ScatterReduction::Min};

struct ScatterProblem {
  int64_t rows, columns, places;
  std::vector<int64_t> index;  // [rows, places]
  Doubles base, src;           // [rows, columns], [rows, places]
};

ScatterProblem random_scatter(uint32_t seed) {
  std::mt19937 r(seed);
  const auto whole = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(r);
  };
  ScatterProblem p{.rows = whole(1, 4), .columns = whole(1, 9), .places = whole(0, 20)};
  for (int64_t i = 0; i < p.rows * p.columns; ++i)
    p.base.push_back(static_cast<double>(whole(-3, 4)));
  for (int64_t i = 0; i < p.rows * p.places; ++i) {
    p.index.push_back(whole(0, p.columns - 1));
    p.src.push_back(static_cast<double>(whole(-3, 4)));
  }
  return p;
}

double reduced(const Doubles& v, ScatterReduction how) {
  double all = v.front();
  for (size_t i = 1; i < v.size(); ++i) {
    if (how == ScatterReduction::Prod)
      all *= v[i];
    else if (how == ScatterReduction::Max || how == ScatterReduction::Min)
      all = how == ScatterReduction::Max ? std::max(all, v[i]) : std::min(all, v[i]);
    else
      all += v[i];
  }
  return how == ScatterReduction::Mean ? all / static_cast<double>(v.size()) : all;
}

Doubles scattered_by_loops(const ScatterProblem& p, ScatterReduction how, bool include_self) {
  Doubles out;
  for (int64_t row = 0; row < p.rows; ++row) {
    for (int64_t column = 0; column < p.columns; ++column) {
      const double self = p.base[static_cast<size_t>(row * p.columns + column)];
      Doubles met;
      if (include_self) met.push_back(self);
      for (int64_t k = 0; k < p.places; ++k) {
        const auto at = static_cast<size_t>(row * p.places + k);
        if (p.index[at] == column) met.push_back(p.src[at]);
      }
      out.push_back(met.empty() ? self : reduced(met, how));
    }
  }
  return out;
}

TEST(ScatterReduce, AgreesWithLoops) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    const ScatterProblem p = random_scatter(seed);
    const Tensor index(p.index, {p.rows, p.places});
    for (const DType t : {dtypes::float32, dtypes::int32}) {
      const Tensor base = Tensor(p.base, {p.rows, p.columns}).cast(t),
                   src = Tensor(p.src, {p.rows, p.places}).cast(t);
      for (const ScatterReduction how : kAllReductions) {
        for (const bool include_self : {true, false}) {
          SCOPED_TRACE(fmt::format("seed {}, {}, reduction {}, include_self {}", seed,
                                   dtype_name(t), static_cast<int>(how), include_self));
          Doubles want = scattered_by_loops(p, how, include_self);
          if (t == dtypes::int32)
            for (double& v : want) v = std::floor(v);
          expect_values(base.scatter_reduce(1, index, src, how, include_self), {p.rows, p.columns},
                        want);
        }
      }
    }
  }
}

TEST(ScatterReduce, TakesANumberAndLeavesOutPlacesOutside) {
  const Tensor x{1.f, 2.f, 3.f}, index{0, 7, 2, 0};
  expect_values(x.scatter_reduce(0, index, 2, ScatterReduction::Prod), {3}, {4, 2, 6});
}

// Zeros and equal values are where rules of products and extremes go wrong.
TEST(ScatterReduce, ProductsHaveTheirSlopesAtZeros) {
  const Tensor x(Doubles{2, 0, 0, 5}), v(Doubles{3, 0, 4, 0, 0, 7}), index{0, 0, 1, 2, 2, 3};
  const auto slopes = x.scatter_reduce(0, index, v, ScatterReduction::Prod).sum().gradient({x, v});
  expect_values(slopes[0], {4}, {0, 4, 0, 7});
  expect_values(slopes[1], {6}, {0, 6, 0, 0, 0, 5});
}

TEST(ScatterReduce, EqualExtremesShareTheSlope) {
  const Tensor x(Doubles{2, 5, 1}), v(Doubles{2, 3, 5, 5, 0}), index{0, 1, 1, 1, 2};
  const auto largest = x.scatter_reduce(0, index, v, ScatterReduction::Max).sum().gradient({x, v});
  expect_values(largest[0], {3}, {0.5, 1.0 / 3, 1});
  expect_values(largest[1], {5}, {0.5, 0, 1.0 / 3, 1.0 / 3, 0});
  const auto least =
      x.scatter_reduce(0, index, v, ScatterReduction::Min, false).sum().gradient({x, v});
  expect_values(least[0], {3}, {0, 0, 0});
  expect_values(least[1], {5}, {1, 1, 0, 0, 1});
}

TEST(ScatterReduce, MeansHaveTheSlopeOfTheirCount) {
  const Tensor x(Doubles{2, 5}), v(Doubles{2, 3}), index{0, 0};
  const auto slopes = x.scatter_reduce(0, index, v, ScatterReduction::Mean).sum().gradient({x, v});
  expect_values(slopes[0], {2}, {1.0 / 3, 1});
  expect_values(slopes[1], {2}, {1.0 / 3, 1.0 / 3});
}

}  // namespace
}  // namespace tg
