// Expressions that are reduced, and computed again for each result: kept for a row if they take
// long, complete before they are copied, and left alone where the results are made of others.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/repeated_terms.h"
#include "support/kernel_values.h"

namespace tg {
namespace {

// Whole numbers for whole numbers, in a dozen operations.
UOp polynomial(const UOp& x) {
  const auto n = [](double v) { return constant(v, DType::Float32); };
  UOp sum = x;
  for (const double c : {1, 2, -1}) sum = sum * n(0.5) * x + x + n(c);
  return sum * n(8);
}

struct Rows {
  Dim rows, columns;
  bool same = true;  // results are made of what is added up

  UOp row() const { return range(rows, 0); }
  UOp reduced() const { return range(columns, 3); }
  // Of x[i, at], where the row's largest element is `most`.
  UOp term(const UOp& at, const UOp& most) const {
    return polynomial(load(param(1, {rows, columns}, DType::Float32), {{row(), at}}) - most);
  }
  UOp most() const {
    const UOp k = range(columns, 2);
    return reduce_ranges(load(param(1, {rows, columns}, DType::Float32), {{row(), k}}),
                         ReduceOp::Max, {{k}});
  }
  UOp own() const { return term(reduced(), most()); }
  // p0[i, j] = f(x[i, j] − max x[i]) − Σ f(x[i, k] − max x[i])
  UOp kernel() const {
    const UOp j = range(columns, 1);
    const UOp sum = reduce_ranges(own(), ReduceOp::Add, {{reduced()}});
    const UOp first = same ? term(j, most()) : term(j, most() + constant(1.0, DType::Float32));
    const std::vector<UOp> at = {row(), j};
    const UOp root =
        end(store_at(param(0, {rows, columns}, DType::Float32), at, first - sum), at);
    return sink(std::span(&root, 1));
  }
};

int64_t products(const UOp& kernel, const KernelSchedule& s, const Target& t) {
  const auto is_product = [](const UOp& u) { return u.is(Op::Mul) && is_float(u.dtype()); };
  return std::ranges::count_if(lower(kernel, s, t).ops, is_product);
}

TEST(RepeatedTerms, AreKeptForARow) {
  const Target target = test::processor();
  for (const Dim columns : {64, 37, 200}) {
    const UOp kernel = Rows{6, columns}.kernel();
    const KernelSchedule s = choose_schedule(kernel, target);
    EXPECT_TRUE(test::has_option(s, "STAGE(p1,1)")) << opts_text(s);
    test::expect_values(kernel, s, target);
    KernelSchedule without = plain_schedule(kernel);
    for (const Opt& o : s.opts) {
      if (o.kind != Opt::Kind::Stage) apply_opt(without, o);
    }
    EXPECT_LT(products(kernel, s, target), products(kernel, without, target));
  }
}

TEST(RepeatedTerms, OfShortRowsStayInRegisters) {
  const UOp kernel = Rows{6, 16}.kernel();
  const KernelSchedule s = choose_schedule(kernel, test::processor());
  EXPECT_TRUE(s.stages.empty()) << opts_text(s);
  test::expect_values(kernel, s, test::processor());
}

TEST(RepeatedTerms, AreFoundWhereResultsAreMadeOfThem) {
  const Rows rows{4, 32}, others{4, 32, false};
  const auto found = [](const Rows& r, int64_t operations) {
    const UOp kernel = r.kernel();
    const KernelSchedule s = plain_schedule(kernel);
    const UOp reduce = reduce_ranges(r.own(), ReduceOp::Add, {{r.reduced()}});
    return repeated_term(kernel, s, reduce, operations);
  };
  EXPECT_EQ(found(rows, 8), rows.own());
  EXPECT_FALSE(found(rows, 100)) << "quickly computed";
  EXPECT_FALSE(found(others, 8)) << "of another number";
}

// Σ over k of f(x[i, k] − x[i, j]) has no row that all results j share, although f(x[i, j] − x[i,
// j]) is there.
TEST(RepeatedTerms, AreNoTermsOfTheResultsThemselves) {
  const Dim n = 32;
  const UOp i = range(4, 0), j = range(n, 1), k = range(n, 3);
  const UOp x = param(1, {4, n}, DType::Float32);
  const auto f = [&](const UOp& at) { return polynomial(load(x, {{i, at}}) - load(x, {{i, j}})); };
  const UOp reduce = reduce_ranges(f(k), ReduceOp::Add, {{k}});
  const UOp root = end(store_at(param(0, {4, n}, DType::Float32), std::vector{i, j}, f(j) + reduce),
                       std::vector{i, j});
  const UOp kernel = sink(std::span(&root, 1));
  EXPECT_FALSE(repeated_term(kernel, plain_schedule(kernel), reduce, 1));
  test::expect_values(kernel, choose_schedule(kernel, test::processor()), test::processor());
}

TEST(RepeatedTerms, AreCopiedWhenTheirSumsAreComplete) {
  const Rows rows{4, 32};
  const UOp kernel = rows.kernel();
  KernelSchedule s = plain_schedule(kernel);
  opt_stage(s, {rows.own(), 0});
  EXPECT_EQ(test::refusal(kernel, s, test::processor()),
            "STAGE: the operand is made of a sum that is not complete there.");
  KernelSchedule inside = plain_schedule(kernel);
  opt_stage(inside, {rows.own(), 1});
  test::expect_values(kernel, inside, test::processor());
}

}  // namespace
}  // namespace tg
