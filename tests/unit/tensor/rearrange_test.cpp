// Formulas of axes: against reshapes and permutes written by hand, and what is wrong with a
// formula.
#include "tg/symbolic.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

void expect_same(const Tensor& got, const Tensor& want) {
  expect_values(got, want.shape(), want.to_vector<double>());
}

TEST(Rearrange, SplitsOrdersAndMerges) {
  const Tensor x = counted({2, 6, 5});
  expect_same(x.rearrange("b (h w) c -> b c h w, h=2"),
              x.reshape({2, 2, 3, 5}).permute({0, 3, 1, 2}));
  expect_same(x.rearrange("b (h w) c->(c w)  (b h), w=3"),
              x.reshape({2, 2, 3, 5}).permute({3, 2, 0, 1}).reshape({15, 4}));
  expect_same(x.rearrange("a b c -> (a b c)"), x.flatten());
  expect_same(x.rearrange("(a z) b c -> b z a c, z=1"),
              x.reshape({2, 1, 6, 5}).permute({2, 1, 0, 3}));
}
TEST(Rearrange, KnowsDotsAndOnes) {
  const Tensor x = counted({2, 3, 4});
  expect_same(x.rearrange("ß höhe c -> c höhe ß"), x.permute({2, 1, 0}));
  expect_same(x.rearrange("a ... -> ... a"), x.permute({1, 2, 0}));
  expect_same(x.rearrange("... c -> c (...)"), x.permute({2, 0, 1}).reshape({4, 6}));
  expect_same(x.rearrange("a ... -> (a ...)"), x.flatten());
  expect_same(x.rearrange("a b c ... -> a 1 b ... c"), x.unsqueeze(1));
  expect_same(counted({2, 1}).rearrange("a 1 -> a"), counted({2}));
  expect_same(counted({3}).rearrange("(1 a) -> a () "), counted({3, 1}));
  expect_same(Tensor(5.0).rearrange("-> 1 1"), Tensor(5.0).reshape({1, 1}));
}
TEST(Rearrange, TakesEmptyTensors) {
  EXPECT_EQ(Tensor::zeros({0, 6}).rearrange("a (b c) -> c a b, b=2").shape(), (Shape{3, 0, 2}));
}
TEST(Rearrange, PassesGradients) {
  Random random(1);
  expect_gradients([](const auto& x) { return x[0].rearrange("a (b c) -> (c a) b, b=2"); },
                   {random.tensor({3, 4})});
}
TEST(Rearrange, KeepsAVariableSize) {
  const SymInt n = Variable("n", 1, 4).bind(3);
  const Tensor x = counted({4, 2, 2})[{Slice(0, n)}];
  EXPECT_EQ(x.rearrange("a b c -> a (c b)").to_vector<int>(),
            (std::vector<int>{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11}));
  EXPECT_EQ(error_of<ArgumentError>([&] { x.rearrange("(a d) b c -> a d b c, d=2"); }),
            "rearrange: axis 0 of shape [n,2,2] has a variable size.");
}

struct Wrong {
  const char* formula;
  const char* what;
};
TEST(Rearrange, SaysWhatIsWrongWithAFormula) {
  const Wrong cases[] = {
      {"a b", "needs one '->'"},
      {"a -> b -> a", "needs one '->'"},
      {"a ((b)) -> a b", "parentheses do not fit"},
      {"a b) -> a b", "parentheses do not fit"},
      {"(a b -> a b", "parentheses do not fit"},
      {"a b -> ...", "'...' stands on the right only"},
      {"a b c ... -> a b c ...", "does not fit"},
      {"a (b ...) -> a b ...", "'...' does not fit the axes"},
      {"a (...) -> a ...", "'...' does not fit the axes"},
      {"a b c d -> a b c d", "does not fit shape [2,6]"},
      {"a a -> a", "'a' stands twice on one side"},
      {"a b -> a a", "'a' stands twice on one side"},
      {"a b -> a c", "both sides must name the same axes"},
      {"a (b c) -> a b c", "the sizes of 'b' and 'c' are not given"},
      {"a (b c) -> a b c, b=4", "(b c) does not fit an axis of size 6"},
      {"a b -> a b, b=5", "(b) does not fit an axis of size 6"},
      {"a b -> a b, c=5", "'c=5' is no size of an axis"},
      {"a b -> a b, b=-1", "'b=-1' is no size of an axis"},
      {"a b -> a b, b=x", "'b=x' is no size of a name"},
      {"a b -> a b, b", "'b' is no size of a name"},
      {"a b -> a b,", "'' is no size of a name"},
      {"2b c -> 2b c", "'2b' is no name"},
      {"_b c -> _b c", "'_b' is no name"},
      {"...b c -> ...b c", "'...b' is no name"},
      {"b_ c -> b_ c", "'b_' is no name"},
      {"b* c -> b* c", "'b*' is no name"},
  };
  for (const Wrong& w : cases) {
    SCOPED_TRACE(w.formula);
    const std::string error = error_of<ArgumentError>([&] {
      counted({2, 6}).rearrange(w.formula);
    });
    EXPECT_NE(error.find(w.what), std::string::npos) << error;
    EXPECT_NE(error.find(std::string("\"") + w.formula + "\""), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace tg
