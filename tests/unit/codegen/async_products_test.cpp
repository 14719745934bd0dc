// Products by units that read their factors from scratch by themselves: the schedules that are
// chosen give the values of the plain one, run by the interpreter, which reads the copies by the
// layout and finds what is written too early; and each wait and barrier of such a kernel is missed
// where it is taken out.
#include <gtest/gtest.h>

#include <functional>
#include <unordered_map>

#include "codegen/heuristics.h"
#include "rewrite/verify.h"
#include "support/kernel_values.h"
#include "support/product_kernels.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

Target target_with(std::vector<const MatrixUnit*> units) {
  Target t = test::graphics_processor();
  t.local_bytes = 227 << 10;
  t.async_copy_bytes = 16;
  t.matrix_units = std::move(units);
  t.dtypes.reset(static_cast<size_t>(DType::Float16));
  t.dtypes.reset(static_cast<size_t>(DType::BFloat16));
  return t;
}

std::vector<UOp> loads_of(const UOp& kernel) {
  std::vector<UOp> loads;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Load) loads.push_back(UOp::share(n));
  }
  return loads;
}

int64_t count(const LinearKernel& k, Op op) {
  return std::ranges::count_if(k.ops, [&](const UOp& u) { return u.is(op); });
}

struct Case {
  const char* unit;
  int kind;
  Dim m, n, k;
};

std::string text_of(const Case& c) {
  return std::string(c.unit) + "_" + test::Products::name_of(c.kind) + "_" + std::to_string(c.m) +
         "_" + std::to_string(c.n) + "_" + std::to_string(c.k);
}

test::ZooKernel kernel_of(const Case& c, uint64_t seed) {
  const DType t = find_matrix_unit(c.unit)->input;
  return test::Products(seed).sized(c.kind, t, t, c.m, c.n, c.k);
}

class AsyncProducts : public testing::TestWithParam<Case> {};

TEST_P(AsyncProducts, GiveTheValuesOfThePlainSchedule) {
  const Case& c = GetParam();
  const Target target = target_with({find_matrix_unit(c.unit)});
  const test::ZooKernel z = kernel_of(c, test::first_seed());
  const UOp ast = decompose(z.ast, target);
  const KernelSchedule s = choose_schedule(ast, target);
  SCOPED_TRACE(opts_text(s));
  ASSERT_TRUE(s.unit);
  const LinearKernel linear = lower(ast, s, target);
  EXPECT_GT(count(linear, Op::MmaAsync), 0);
  EXPECT_EQ(count(linear, Op::Mma), 0);
  EXPECT_GT(count(linear, Op::AsyncCopy), 0);
  const bool whole_columns = c.n % find_matrix_unit(c.unit)->n == 0;
  EXPECT_EQ(count(linear, Op::SubgroupShuffle) > 0, whole_columns) << "stores are exchanged";
  test::expect_values(linear, z);
}

INSTANTIATE_TEST_SUITE_P(All, AsyncProducts,
                         testing::Values(Case{"m64n64k16_f16", 0, 64, 64, 512},
                                         Case{"m64n64k16_bf16", 1, 128, 64, 384},
                                         Case{"m64n64k16_bf16", 2, 64, 128, 384},
                                         Case{"m64n64k16_f16", 3, 64, 64, 384},
                                         Case{"m64n128k16_f16", 0, 64, 128, 384},
                                         Case{"m64n128k16_bf16", 1, 40, 136, 384},
                                         Case{"m64n256k16_bf16", 0, 128, 256, 384},
                                         Case{"m64n64k16_f16", 0, 72, 80, 384}),
                         [](const auto& info) { return text_of(info.param); });

TEST(AsyncProductsOf, OneStepAreWaitedForAtOnce) {
  const Case c{"m64n64k16_f16", 0, 128, 128, 64};
  const MatrixUnit& unit = *find_matrix_unit(c.unit);
  const Target target = target_with({&unit});
  const test::ZooKernel z = kernel_of(c, 5);
  const UOp ast = decompose(z.ast, target);
  KernelSchedule s = plain_schedule(ast);
  opt_matrix(s, unit, {0, 1, 2});
  opt_unroll(s, 2, 4, Tail::None);
  opt_thread(s, 2);
  for (const UOp& load : loads_of(ast)) opt_stage(s, {load, 2, 1});
  const LinearKernel linear = lower(ast, s, target);
  EXPECT_EQ(count(linear, Op::MmaAsync), 4);
  test::expect_values(linear, z);
}

// The fastest of several is chosen: of few results that with the smallest tiles.
TEST(AsyncProductsOf, FewResultsHaveNarrowUnits) {
  Target target =
      target_with({find_matrix_unit("m64n256k16_bf16"), find_matrix_unit("m64n128k16_bf16"),
                   find_matrix_unit("m64n64k16_bf16")});
  target.threads = 132;
  const auto chosen = [&](Dim n) {
    const test::ZooKernel z = kernel_of({"m64n64k16_bf16", 0, n, n, 512}, 1);
    return choose_schedule(decompose(z.ast, target), target).unit->unit->n;
  };
  EXPECT_EQ(chosen(256), 64);
  EXPECT_EQ(chosen(2048), 256);
}

// ---- what is refused

using test::refusal;

class RefusedAsyncProducts : public testing::Test {
 protected:
  std::string refused(Dim k, bool staged) {
    const Case c{"m64n64k16_f16", 0, 128, 128, k};
    const test::ZooKernel z = kernel_of(c, 5);
    const UOp ast = decompose(z.ast, target_);
    KernelSchedule s = plain_schedule(ast);
    if (k > 64) opt_tile(s, 2, 64, 2, Tail::Mask);
    opt_matrix(s, unit_, {0, 1, 2});
    if (k >= 64) opt_unroll(s, 2, 4, Tail::None);
    opt_thread(s, 2);
    for (const UOp& load : loads_of(ast)) {
      if (staged) opt_stage(s, {load, k > 64 ? 3 : 2, 1});
    }
    return refusal(ast, s, target_);
  }

  const MatrixUnit& unit_ = *find_matrix_unit("m64n64k16_f16");
  const Target target_ = target_with({&unit_});
};

#define TG_EXPECT_SAYS(text, what) \
  EXPECT_NE((text).find(what), std::string::npos) << "it says: " << (text)

TEST_F(RefusedAsyncProducts, ReadCopies) {
  TG_EXPECT_SAYS(refused(64, false), "TC: the unit reads its factors from copies");
}
TEST_F(RefusedAsyncProducts, HaveWholeRows) {
  TG_EXPECT_SAYS(refused(16, true), "TC: a factor is no whole number of rows");
}
TEST_F(RefusedAsyncProducts, AddUpNoTermsBehindTheLast) {
  TG_EXPECT_SAYS(refused(72, true), "TC: the unit would add up terms behind the last");
}

// ---- what a kernel cannot do without

class BrokenAsyncProducts : public testing::Test {
 protected:
  BrokenAsyncProducts() {
    const Case c{"m64n64k16_f16", 0, 64, 64, 512};
    const Target target = target_with({find_matrix_unit(c.unit)});
    z_ = kernel_of(c, 3);
    const UOp ast = decompose(z_.ast, target);
    linear_ = lower(ast, choose_schedule(ast, target), target);
  }

  // What running says, with each op replaced by what `change` makes of it: empty for none.
  std::string broken(const std::function<UOp(const UOp&)>& change) {
    LinearKernel k = linear_;
    k.ops.clear();
    std::unordered_map<const Node*, UOp> now;
    for (const UOp& u : linear_.ops) {
      std::vector<UOp> src;
      for (const UOp& s : u.srcs()) {
        const auto it = now.find(s.node());
        if (it == now.end()) {
          src.push_back(s);
        } else if (it->second) {
          src.push_back(it->second);
        }
      }
      const UOp same = src == u.srcs() ? u : with_sources(u, src);
      const UOp changed = change(same);
      now.emplace(u.node(), changed);
      if (changed) k.ops.push_back(changed);
    }
    try {
      verify_linear(k.ops);
      test::run_linear(k, z_.params);
    } catch (const InternalError& e) {
      return e.what();
    }
    return {};
  }
  static UOp with_sources(const UOp& u, const std::vector<UOp>& src) {
    return make(u.op(), src, u.arg(), u.dtype());
  }
  static UOp waiting_for(const UOp& wait, int64_t batches) {
    return make(wait.op(), wait.srcs(), {{batches, wait.arg(1)}});
  }

  test::ZooKernel z_;
  LinearKernel linear_;
};

TEST_F(BrokenAsyncProducts, AreWholeAsTheyAre) {
  EXPECT_EQ(broken([](const UOp& u) { return u; }), "");
}
TEST_F(BrokenAsyncProducts, ReadNothingThatHasNotArrived) {
  TG_EXPECT_SAYS(broken([](const UOp& u) {
                   return u.is(Op::AsyncWait) && u.arg(0) == 1 ? waiting_for(u, 2) : u;
                 }),
                 "is being copied");
}
TEST_F(BrokenAsyncProducts, NeedTheirBarrier) {
  TG_EXPECT_SAYS(broken([](const UOp& u) { return u.is(Op::Barrier) ? UOp{} : u; }), "barrier");
}
TEST_F(BrokenAsyncProducts, AreNotOverwrittenWhileTheyRun) {
  TG_EXPECT_SAYS(broken([](const UOp& u) {
                   return u.is(Op::MmaWait) && u.arg(0) == 1 ? waiting_for(u, 2) : u;
                 }),
                 "is being copied");
}
TEST_F(BrokenAsyncProducts, AreWaitedForBeforeTheirResultsAreUsed) {
  TG_EXPECT_SAYS(
      broken([](const UOp& u) { return u.is(Op::MmaWait) && u.arg(0) == 0 ? UOp{} : u; }),
      "mma_wait");
}

}  // namespace
}  // namespace tg
