// Gathers, scatters and gradients whose places are computed: windows, strides, resampling. The
// numbers of the evaluator, on the CPU and on the interpreter, alone and beside what reads the same
// places.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "autodiff/gradient.h"
#include "support/device_graph.h"
#include "support/same_numbers.h"

namespace tg {
namespace {

struct Places {
  const char* name;
  Dim elements;
  UOp (*at)(const UOp& i);
};

UOp over(const UOp& i, int64_t c) { return idiv(i, const_like(i, c)); }
UOp rest(const UOp& i, int64_t c) { return mod(i, const_like(i, c)); }

const Places kPlaces[] = {
    {"Same", 19, [](const UOp& i) { return i; }},
    {"Backwards", 19, [](const UOp& i) { return i * int64_t{-1} + int64_t{18}; }},
    {"EveryThird", 17, [](const UOp& i) { return i * int64_t{3}; }},
    {"EachTwice", 68, [](const UOp& i) { return over(i, 2); }},
    {"Resampled", 70, [](const UOp& i) { return over(i * int64_t{5}, 9); }},
    {"ResampledToFewer", 21, [](const UOp& i) { return over(i * int64_t{9}, 4); }},
    {"Windows", 64, [](const UOp& i) { return over(i, 16) * int64_t{4} + rest(i, 16); }},
    {"WindowsByOne", 68, [](const UOp& i) { return over(i, 17) + rest(i, 17); }},
    {"WindowsApart", 64, [](const UOp& i) { return over(i, 8) * int64_t{8} + rest(i, 8); }},
    {"AgainAndAgain", 66, [](const UOp& i) { return rest(i, 6); }},
    {"OnePlace", 66, [](const UOp& i) { return i * int64_t{0} + int64_t{3}; }},
    {"Squares", 9, [](const UOp& i) { return i * i; }},
    {"ByThreeHalves", 96, [](const UOp& i) { return over(i * int64_t{2} + int64_t{1}, 3); }},
    {"By25Of16", 100, [](const UOp& i) { return over(i * int64_t{16} + int64_t{20}, 25); }},
    {"ByTwoThirds", 43, [](const UOp& i) { return over(i * int64_t{3} + int64_t{1}, 2); }},
    {"Twice", 90, [](const UOp& i) { return over(i + over(i, 2), 2); }},
};

// [rows, columns] in which one axis is scattered to, and what goes with it.
struct PlacesCase {
  Places places;
  bool rows;
  Combine combine;

  static constexpr Dim kPlacesThere = 67, kOthers = 18;
  int axis() const { return rows ? 0 : 1; }
  Shape shape(Dim along) const { return rows ? Shape{along, kOthers} : Shape{kOthers, along}; }
  UOp index() const { return places.at(iota(shape(places.elements), axis(), DType::Int32)); }
};

std::string name(const testing::TestParamInfo<PlacesCase>& info) {
  constexpr std::array kCombines = {"Set", "Add", "Mul", "Max"};
  return fmt::format("{}{}{}", info.param.places.name, info.param.rows ? "Rows" : "Columns",
                     kCombines[static_cast<size_t>(info.param.combine)]);
}

std::vector<PlacesCase> cases(std::span<const Combine> combines) {
  std::vector<PlacesCase> out;
  for (const Places& p : kPlaces) {
    for (const bool rows : {false, true}) {
      for (const Combine c : combines) out.push_back({p, rows, c});
    }
  }
  return out;
}
constexpr std::array kAdd = {Combine::Add};
constexpr std::array kAll = {Combine::Set, Combine::Add, Combine::Mul, Combine::Max};

TensorValue drawn_numbers(const Shape& shape, DType t, int lo, int hi) {
  std::mt19937_64 rng(7);
  TensorValue v = TensorValue::zeros(shape, t);
  for (int64_t i = 0; i < v.numel(); ++i)
    v.set(i,
          Scalar::of_int(lo + static_cast<int64_t>(rng() % static_cast<uint64_t>(hi - lo + 1)), t));
  return v;
}

void expect_evaluated_on(
    const std::string& device_name,
    const std::function<std::vector<UOp>(const std::function<UOp(TensorValue)>&)>& make) {
  Device& d = device(device_name);
  BufferContents contents;
  const std::vector<UOp> roots = make([&](TensorValue v) {
    const UOp leaf = test::device_leaf(d, v);
    contents.emplace(leaf.node(), std::move(v));
    return leaf;
  });
  const std::vector<TensorValue> got = test::realized_values(roots),
                                 want = evaluate(roots, contents);
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(test::same_numbers(got[i], want[i])) << "root " << i << " on " << device_name;
}

class ComputedPlaces : public testing::TestWithParam<PlacesCase> {};

// Products of ones and twos stay exact: at most 66 of them meet.
TEST_P(ComputedPlaces, TakeWhatIsScatteredThere) {
  const PlacesCase& c = GetParam();
  const int hi = c.combine == Combine::Mul ? 2 : 9, lo = c.combine == Combine::Mul ? 1 : -9;
  for (const char* where : {"CPU", "INTERP"}) {
    expect_evaluated_on(where, [&](const auto& leaf) {
      const UOp base =
          leaf(drawn_numbers(c.shape(PlacesCase::kPlacesThere), DType::Float64, lo, hi));
      const UOp v = leaf(drawn_numbers(c.shape(c.places.elements), DType::Float64, lo, hi));
      const UOp out = scatter(base, c.index(), v, c.axis(), c.combine);
      // Read where it was put: the sum of all, not of those so far.
      return std::vector<UOp>{out, gather(out, c.index(), c.axis()) + v};
    });
  }
}

class ComputedReads : public testing::TestWithParam<PlacesCase> {};

TEST_P(ComputedReads, GiveTheirGradientToWhatIsGathered) {
  const PlacesCase& c = GetParam();
  for (const char* where : {"CPU", "INTERP"}) {
    expect_evaluated_on(where, [&](const auto& leaf) {
      const UOp x = leaf(drawn_numbers(c.shape(PlacesCase::kPlacesThere), DType::Float32, -9, 9));
      const UOp dy = leaf(drawn_numbers(c.shape(c.places.elements), DType::Float32, -9, 9));
      const std::vector<UOp> targets = {x};
      return gradient(gather(x, c.index(), c.axis()), dy, targets);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, ComputedPlaces, testing::ValuesIn(cases(kAll)), name);
INSTANTIATE_TEST_SUITE_P(Cpu, ComputedReads, testing::ValuesIn(cases(kAdd)), name);

}  // namespace
}  // namespace tg
