// Which sums become FMA, that the value is the same where nothing is rounded, and that targets
// without the instruction keep what they have.
#include "codegen/decompose/fuse_products.h"

#include <gtest/gtest.h>

#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

Target with_fma(bool has) {
  Target t;
  t.ops.set();
  t.has_fma = has;
  return t;
}

struct Form {
  const char* name;
  UOp (*of)(const UOp& a, const UOp& b, const UOp& c);
  int fused;
};

const Form kForms[] = {
    {"ProductAndSum", [](const UOp& a, const UOp& b, const UOp& c) { return a * b + c; }, 1},
    {"SumAndProduct", [](const UOp& a, const UOp& b, const UOp& c) { return c + a * b; }, 1},
    {"Difference", [](const UOp& a, const UOp& b, const UOp& c) { return c - a * b; }, 1},
    {"DifferenceOfNumbers", [](const UOp& a, const UOp& b, const UOp&) { return a - b; }, 0},
    {"TwoProducts", [](const UOp& a, const UOp& b, const UOp& c) { return a * b + b * c; }, 1},
    {"Chain", [](const UOp& a, const UOp& b, const UOp& c) { return (a * b + c) * b + a; }, 2},
    {"ProductOfTwoSums",
     [](const UOp& a, const UOp& b, const UOp& c) { return (a * b + c) * (a * b + a); }, 2},
    {"ProductAndItsFraction",
     [](const UOp& a, const UOp& b, const UOp&) { return a * b - trunc(a * b); }, 0},
    {"ProductThatIsCompared",
     [](const UOp& a, const UOp& b, const UOp& c) { return where(lt(a * b, c), c - a * b, c); }, 0},
    {"ProductAlone", [](const UOp& a, const UOp& b, const UOp&) { return a * b; }, 0},
};

UOp kernel_of(const Form& f, DType t) {
  const UOp i = range(8, 0);
  const std::vector<UOp> at = {i};
  const auto x = [&](int slot) { return load(param(slot, {8}, t), at); };
  const UOp root = end(store_at(param(0, {8}, t), at, f.of(x(1), x(2), x(3))), at);
  return sink(std::span(&root, 1));
}

int count(const UOp& kernel, Op op) {
  int n = 0;
  for (const Node* u : toposort(kernel)) n += u->op == op;
  return n;
}

TensorValue result(const UOp& kernel, DType t) {
  std::vector<TensorValue> params = {TensorValue::zeros({8}, t)};
  for (int p = 1; p < 4; ++p) {
    TensorValue v = TensorValue::zeros({8}, t);
    for (int64_t i = 0; i < 8; ++i) v.set(i, Scalar::of_int((i * p * 5) % 11 - 5, t));
    params.push_back(v);
  }
  evaluate_ranged(kernel, params);
  return params[0];
}

TEST(FuseProducts, MakesOneOperationOfAProductInASum) {
  for (const Form& f : kForms) {
    for (const DType t : {DType::Float32, DType::Float64}) {
      const UOp plain = kernel_of(f, t), fused = fuse_products(plain, with_fma(true));
      EXPECT_EQ(count(fused, Op::Fma), f.fused) << f.name;
      EXPECT_EQ(result(fused, t), result(plain, t)) << f.name;
    }
  }
}

TEST(FuseProducts, LeavesTargetsWithoutTheInstructionAlone) {
  const UOp plain = kernel_of(kForms[0], DType::Float32);
  EXPECT_EQ(fuse_products(plain, with_fma(false)), plain);
  Target lacks = with_fma(true);
  lacks.ops.reset(static_cast<size_t>(Op::Fma));
  EXPECT_EQ(fuse_products(plain, lacks), plain);
}

TEST(FuseProducts, LeavesIntegersAlone) {
  const UOp plain = kernel_of(kForms[0], DType::Int32);
  EXPECT_EQ(fuse_products(plain, with_fma(true)), plain);
}

// Another kernel may add what this one stores, as it was rounded.
TEST(FuseProducts, LeavesProductsThatAreStored) {
  const UOp i = range(8, 0);
  const std::vector<UOp> at = {i};
  const auto array = [](int slot) { return param(slot, {8}, DType::Float32); };
  const UOp product = load(array(2), at) * load(array(3), at), c = load(array(4), at);
  const auto fused = [&](const UOp& sum) {
    const std::vector<UOp> stores = {end(store_at(array(0), at, product), at),
                                     end(store_at(array(1), at, sum), at)};
    return count(fuse_products(sink(stores), with_fma(true)), Op::Fma);
  };
  EXPECT_EQ(fused(product + c), 0);
  EXPECT_EQ(fused(c - product), 0);
  EXPECT_EQ(fused(c * c + product), 1) << "the other product is not stored";
  EXPECT_EQ(fused(load(array(2), at) * c + c), 1);
}

TEST(FuseProducts, TakesTheProductThatIsRounded) {
  const UOp i = range(8, 0);
  const std::vector<UOp> at = {i};
  const auto element = [&](int slot) { return load(param(slot, {8}, DType::Float32), at); };
  const UOp a = element(1), b = element(2), scaled = element(3) * const_like(a, 0x1p-24);
  for (const UOp& sum : {scaled + a * b, a * b + scaled}) {
    const UOp root = end(store_at(param(0, {8}, DType::Float32), at, sum), at);
    const UOp fused = fuse_products(sink(std::span(&root, 1)), with_fma(true));
    for (const Node* n : toposort(fused)) {
      if (n->op == Op::Fma) {
        EXPECT_EQ(UOp::share(n), fma(a, b, scaled));
      }
    }
    EXPECT_EQ(count(fused, Op::Fma), 1);
  }
}

// What stands twice is fused twice, with indices of its own.
TEST(FuseProducts, TreatsEqualExpressionsAlike) {
  const std::vector<UOp> ij = {range(8, 0), range(8, 1)};
  const auto value = [&](const UOp& i) {
    const UOp x = cast(i, DType::Float32);
    return x * const_like(x, 0.47368421052631576) - const_like(x, 0.5);
  };
  const UOp less = lt(value(ij[0]), value(ij[1]));
  const UOp root = end(store_at(param(0, {8, 8}, DType::Bool), ij, less), ij);
  EXPECT_EQ(count(fuse_products(sink(std::span(&root, 1)), with_fma(true)), Op::Fma), 2);
}

}  // namespace
}  // namespace tg
