// Work-items in the interpreter: all of a group run up to a barrier before any goes on, whatever
// they do there is theirs or shared as its space says, and kernels that would go wrong on a machine
// whose work-items run together are refused.
#include <functional>
#include <map>

#include "interp_run.h"
#include "support/symbol.h"
#include "target/matrix_unit.h"

namespace tg::test {
namespace {

// Each work-item writes its number to scratch and reads its neighbour's.
LinearKernel rotation(int64_t groups, int64_t group_size, bool with_barrier) {
  LinearBuilder k("rotation");
  const UOp to = k.out(DType::Int64, groups * group_size),
            shared = k.scratch(0, DType::Int64, group_size);
  const UOp n = k.c(group_size), one = k.c(1);
  const UOp g = k.chunk_loop(groups, 1), t = k.work_item_range(group_size, 2);
  const UOp row = k.add(g * n), at = k.add(row + t);
  const UOp put = k.store(shared, t, k.add(cast(at, DType::Int64)));
  if (with_barrier) k.barrier(0, {put});
  const UOp full = k.add(after(shared, {{put}}));
  const UOp neighbour = k.add(mod(k.add(t + one), n));
  k.store(to, at, k.load(full, neighbour));
  k.end(t);
  k.end(g);
  return k.kernel();
}

// Each work-item brings its fragments of whole matrices and stores its part of a · b + 1.
LinearKernel unit_product(const MatrixUnit& unit, int64_t group_size) {
  LinearBuilder k("product");
  const auto lanes = [](const FragmentMap& m) { return static_cast<int>(m.registers()); };
  const UOp to = k.out(unit.sum, group_size * lanes(unit.c)),
            a = k.in(unit.input, group_size * lanes(unit.a)),
            b = k.in(unit.input, group_size * lanes(unit.b));
  const UOp one = k.splat(k.c(Scalar::of_double(1, unit.sum)), lanes(unit.c));
  const UOp g = k.chunk_loop(1, 1), t = k.work_item_range(group_size, 2);
  std::map<int64_t, UOp> places;  // by elements of a work-item
  const auto place = [&](const FragmentMap& m) {
    UOp& at = places[m.registers()];
    return at ? at : at = k.add(t * k.c(m.registers()));
  };
  const UOp x = k.load(a, place(unit.a), {}, lanes(unit.a));
  const UOp y = k.load(b, place(unit.b), {}, lanes(unit.b));
  const UOp z = k.add(make(Op::Mma, {x, y, one}, {{intern_symbol(unit.name)}}));
  k.store(to, place(unit.c), z);
  k.end(t);
  k.end(g);
  return k.kernel();
}

TEST(InterpUnits, MultiplyTheFragmentsOfEachSubgroup) {
  using enum MatrixAxis;
  const MatrixUnit& u = *find_matrix_unit("m8n8k8_f32");
  std::vector<float> a(128), b(128), c(128);
  const auto element = [](int64_t row, int64_t column, int64_t subgroup) {
    return static_cast<float>((row * 5 + column * 3 + subgroup) % 7 - 3);
  };
  for (int64_t l = 0; l < 64; ++l) {
    for (int64_t r = 0; r < 2; ++r) {
      const auto at = static_cast<size_t>(l * 2 + r);
      a[at] = element(u.a.index(M, l % 32, r), u.a.index(K, l % 32, r), l / 32);
      b[at] = element(u.b.index(K, l % 32, r), u.b.index(N, l % 32, r) + 1, l / 32);
    }
  }
  run(unit_product(u, 64), {}, c, a, b);
  for (int64_t l = 0; l < 64; ++l) {
    for (int64_t r = 0; r < 2; ++r) {
      float want = 1;
      const int64_t row = u.c.index(M, l % 32, r), column = u.c.index(N, l % 32, r);
      for (int64_t k = 0; k < 8; ++k)
        want += element(row, k, l / 32) * element(k, column + 1, l / 32);
      EXPECT_EQ(c[static_cast<size_t>(l * 2 + r)], want) << l << " " << r;
    }
  }
}

TEST(InterpUnits, AreRefusedWhereTheyCannotBe) {
  const MatrixUnit& u = *find_matrix_unit("m8n8k8_f32");
  const auto refusal = [&](const MatrixUnit& unit, int64_t group_size) {
    return internal_error([&] { interp::decode(unit_product(unit, group_size)); });
  };
  EXPECT_NE(refusal(u, 48).find("no whole number of subgroups"), std::string::npos);
  MatrixUnit other = u;
  other.name = "m8n8k8_f8";
  EXPECT_NE(refusal(other, 32).find("that nobody knows"), std::string::npos);
  other.name = "m8n8k8_f16";
  EXPECT_NE(refusal(other, 32).find("are not its unit's"), std::string::npos);
}

class InterpWorkItems : public testing::TestWithParam<std::pair<int64_t, int64_t>> {};

TEST_P(InterpWorkItems, SeeBehindABarrierWhatOthersWrote) {
  const auto [groups, group_size] = GetParam();
  std::vector<int64_t> out(static_cast<size_t>(groups * group_size), -1);
  run(rotation(groups, group_size, true), {}, out);
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t t = 0; t < group_size; ++t)
      EXPECT_EQ(out[static_cast<size_t>(g * group_size + t)],
                g * group_size + (t + 1) % group_size);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, InterpWorkItems,
                         testing::Values(std::pair{1, 2}, std::pair{1, 7}, std::pair{3, 4},
                                         std::pair{5, 64}, std::pair{2, 1}));

TEST(InterpWorkItemsMisuse, WhatAWorkItemYetToRunWritesIsNotThere) {
  std::vector<int64_t> out(4);
  const std::string m = internal_error([&] { run(rotation(1, 4, false), {}, out); });
  EXPECT_NE(m.find("never written"), std::string::npos) << m;
}

TEST(InterpWorkItemsMisuse, AMissingBarrierIsFoundThoughTheOrderHidesIt) {
  LinearBuilder k;
  const UOp to = k.out(DType::Int64, 4), both = k.param(DType::Int64, {4}, true, true);
  const UOp zero = k.c(0), g = k.chunk_loop(1, 1), t = k.work_item_range(4, 2);
  const UOp put = k.store(both, t, k.add(cast(t, DType::Int64)));
  k.store(to, t, k.load(k.add(after(both, {{put}})), zero));
  k.end(t);
  k.end(g);
  std::vector<int64_t> out(4), shared(4);
  const std::string m = internal_error([&] { run(k.kernel(), {}, out, shared); });
  EXPECT_NE(m.find("work-item 1 reads index 0 of parameter 1, which work-item 0 touched since"),
            std::string::npos)
      << m;
}

TEST(InterpWorkItems, OfTwoRangesCountTheInnermostFastest) {
  LinearBuilder k;
  const UOp to = k.out(DType::Int64, 6), three = k.c(3);
  const UOp g = k.chunk_loop(1, 1), y = k.work_item_range(2, 2), x = k.work_item_range(3, 3);
  const UOp at = k.add(k.add(y * three) + x);
  k.store(to, at, k.add(cast(at, DType::Int64)));
  k.end(x);
  k.end(y);
  k.end(g);
  std::vector<int64_t> out(6, -1);
  run(k.kernel(), {}, out);
  EXPECT_EQ(out, (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
}

// Σ over a loop that holds a barrier in each iteration: work-items go on where they stood.
TEST(InterpWorkItems, WaitInEveryIterationOfALoop) {
  LinearBuilder k;
  const UOp to = k.out(DType::Int64, 4), shared = k.scratch(0, DType::Int64, 4);
  const UOp zero = k.c(Scalar::of_int(0, DType::Int64)), n = k.c(4), steps = k.c(3);
  const UOp g = k.chunk_loop(1, 1), t = k.work_item_range(4, 2);
  const UOp i = k.loop(steps, 3), acc = k.carry(i, zero, 0);
  const UOp sum_of_both = k.add(t + i);
  const UOp put = k.store(k.add(after(shared, {{i}})), t, k.add(cast(sum_of_both, DType::Int64)));
  k.barrier(0, {put});
  const UOp got = k.load(k.add(after(shared, {{put}})), k.add(mod(sum_of_both, n)));
  const UOp next = k.add(acc + got);
  k.barrier(1);
  const UOp sum = k.carried(k.end(i, {next}), 0);
  k.store(to, t, sum);
  k.end(t);
  k.end(g);
  std::vector<int64_t> out(4), want(4, 0);
  run(k.kernel(), {}, out);
  for (int64_t work_item = 0; work_item < 4; ++work_item) {
    for (int64_t step = 0; step < 3; ++step)
      want[static_cast<size_t>(work_item)] += (work_item + step) % 4 + step;
  }
  EXPECT_EQ(out, want);
}

TEST(InterpWorkItems, HaveMemoryOfTheirOwn) {
  LinearBuilder k;
  const UOp to = k.out(DType::Int64, 4), own = k.own(0, DType::Int64, 1), zero = k.c(0);
  const UOp g = k.chunk_loop(1, 1), t = k.work_item_range(4, 2);
  const UOp put = k.store(own, zero, k.add(cast(t, DType::Int64)));
  k.barrier(0, {put});
  k.store(to, t, k.load(k.add(after(own, {{put}})), zero));
  k.end(t);
  k.end(g);
  std::vector<int64_t> out(4);
  run(k.kernel(), {}, out);
  EXPECT_EQ(out, (std::vector<int64_t>{0, 1, 2, 3}));
}

// Work-items 0 and 1 go through the if.
LinearKernel divergent() {
  LinearBuilder k("divergent");
  k.out(DType::Int64, 4);
  const UOp two = k.c(2);
  const UOp g = k.chunk_loop(1, 1), t = k.work_item_range(4, 2);
  const UOp branch = k.add(make(Op::If, {k.add(lt(t, two))}, {{3}}));
  k.barrier(0);
  k.add(make(Op::EndIf, {branch}));
  k.end(t);
  k.end(g);
  return k.kernel();
}

TEST(InterpWorkItemsMisuse, ABarrierThatSomeWorkItemsPassByIsFound) {
  std::vector<int64_t> out(4);
  const std::string m = internal_error([&] { run(divergent(), {}, out); });
  EXPECT_NE(m.find("a barrier that work-item 0 reaches and work-item 2 does not"),
            std::string::npos)
      << m;
}

TEST(InterpWorkItemsMisuse, OneElementOfTwoWorkItemsIsFound) {
  LinearBuilder k;
  const UOp to = k.out(DType::Int64, 1), zero = k.c(0);
  const UOp one = k.c(Scalar::of_int(1, DType::Int64));
  const UOp g = k.chunk_loop(1, 1), t = k.work_item_range(3, 2);
  k.store(to, zero, one);
  k.end(t);
  k.end(g);
  std::vector<int64_t> out(1);
  const std::string m = internal_error([&] { run(k.kernel(), {}, out); });
  EXPECT_NE(m.find("work-item 1 writes index 0 of parameter 0"), std::string::npos) << m;
}

TEST(InterpWorkItemsMisuse, ScratchOfTheGroupBeforeIsNotWritten) {
  LinearBuilder k;
  const UOp to = k.out(DType::Int64, 4), shared = k.scratch(0, DType::Int64, 2);
  const UOp one = k.c(1), two = k.c(2);
  const UOp g = k.chunk_loop(2, 1), t = k.work_item_range(2, 2);
  const UOp first = k.add(lt(g, one));
  const UOp put = k.store(shared, t, k.add(cast(t, DType::Int64)), first);
  k.barrier(0, {put});
  const UOp at = k.add(k.add(g * two) + t);
  k.store(to, at, k.load(k.add(after(shared, {{put}})), t));
  k.end(t);
  k.end(g);
  std::vector<int64_t> out(4);
  const std::string m = internal_error([&] { run(k.kernel(), {}, out); });
  EXPECT_NE(m.find("never written"), std::string::npos) << m;
}

TEST(InterpWorkItemsMisuse, WhatStandsInTheWrongPlaceIsRefused) {
  const auto refusal = [](const std::function<void(LinearBuilder&)>& build) {
    LinearBuilder k;
    build(k);
    return internal_error([&] { interp::decode(k.kernel()); });
  };
  const std::string outside = refusal([](LinearBuilder& k) { k.end(k.work_item_range(2, 1)); });
  EXPECT_NE(outside.find("not directly inside"), std::string::npos) << outside;
  const std::string lonely = refusal([](LinearBuilder& k) { k.barrier(0); });
  EXPECT_NE(lonely.find("outside the work-item ranges"), std::string::npos) << lonely;
  const std::string behind = refusal([](LinearBuilder& k) {
    const UOp g = k.chunk_loop(1, 1), t = k.work_item_range(2, 2);
    k.end(t);
    k.add(g + g);
    k.end(g);
  });
  EXPECT_NE(behind.find("behind the work-item ranges"), std::string::npos) << behind;
  const std::string wrong = refusal([](LinearBuilder& k) {
    const UOp g = k.chunk_loop(1, 1), t = k.work_item_range(2, 2);
    k.end(t);
    k.end(g);
    k.kernel().group_size = 3;
  });
  EXPECT_NE(wrong.find("not the product"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace tg::test
