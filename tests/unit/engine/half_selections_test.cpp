// Minima, maxima and selections of half numbers: compilers know instructions for them that the
// processor may lack, and rules for NaN that are not ours.
#include <gtest/gtest.h>

#include <cmath>

#include "support/device_graph.h"
#include "support/same_numbers.h"

namespace tg {
namespace {

struct Selection {
  const char* name;
  UOp (*of)(const UOp& x, const UOp& y);
};

const Selection kSelections[] = {
    {"Maximum", [](const UOp& x, const UOp& y) { return maximum(x, y); }},
    {"Minimum", [](const UOp& x, const UOp& y) { return minimum(x, y); }},
    {"AboveZero",
     [](const UOp& x, const UOp&) {
       return where(lt(const_like(x, 0.0), x), x, const_like(x, 0.0));
     }},
    {"NotBelowZero",
     [](const UOp& x, const UOp&) {
       return where(lt(x, const_like(x, 0.0)), const_like(x, 0.0), x);
     }},
    {"BelowZero",
     [](const UOp& x, const UOp&) {
       return where(lt(x, const_like(x, 0.0)), x, const_like(x, 0.0));
     }},
    {"Smaller", [](const UOp& x, const UOp& y) { return where(lt(x, y), x, y); }},
    {"NotSmaller", [](const UOp& x, const UOp& y) { return where(lt(x, y), y, x); }},
};

class HalfSelections : public testing::TestWithParam<Selection> {};

// One number, a few behind a vector, and rows.
TEST_P(HalfSelections, AreThoseOfTheEvaluator) {
  Device& d = device("CPU");
  for (const Dim n : {1, 3, 16, 35}) {
    BufferContents contents;
    const auto leaf = [&](int step) {
      std::vector<double> numbers;
      for (Dim i = 0; i < n; ++i)
        numbers.push_back(i % 7 == 6 ? NAN : static_cast<double>(i * step % 9 - 4) / 4);
      const TensorValue v = TensorValue::of({n}, DType::Float16, numbers);
      const UOp u = test::device_leaf(d, v);
      contents.emplace(u.node(), v);
      return u;
    };
    const std::vector<UOp> roots = {GetParam().of(leaf(5), leaf(7))};
    EXPECT_TRUE(test::same_numbers(test::realized_values(roots)[0], evaluate(roots, contents)[0]))
        << n << " numbers";
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, HalfSelections, testing::ValuesIn(kSelections),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tg
