// Loads and stores in the interpreter: gates, gathers, combining, bounds, alignment, scratch.
#include <limits>

#include "interp_run.h"

namespace tg {
namespace {

using test::internal_error;
using test::LinearBuilder;
using test::run;

Scalar f32(double v) { return Scalar::of_double(v, DType::Float32); }
UOp flag(LinearBuilder& k, bool v) { return k.c(Scalar::of_int(v, DType::Bool)); }

class InterpIndex : public testing::TestWithParam<int64_t> {};

TEST_P(InterpIndex, LoadOutsideIsRefused) {
  LinearBuilder k("r_4");
  UOp from = k.in(DType::Float32, 4);
  k.load(from, k.c(GetParam()));
  std::vector<float> in(4);
  const std::string message = internal_error([&] { run(k.kernel(), {}, in); });
  EXPECT_EQ(message, "interp: load of index " + std::to_string(GetParam()) +
                         " (lane 0) outside parameter 0, which has 4 elements: kernel r_4, op 2.");
}

TEST_P(InterpIndex, StoreOutsideIsRefusedAndWritesNothing) {
  LinearBuilder k("r_4");
  UOp to = k.out(DType::Float32, 4);
  k.store(to, k.c(GetParam()), k.c(f32(1)));
  std::vector<float> out(4, 7);
  EXPECT_NE(internal_error([&] { run(k.kernel(), {}, out); }).find("store of index"),
            std::string::npos);
  EXPECT_EQ(out, std::vector<float>(4, 7));
}

TEST_P(InterpIndex, FalseGateLoadsZeroFromAnywhere) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 4), to = k.out(DType::Float32, 1);
  k.store(to, k.c(0), k.load(from, k.c(GetParam()), flag(k, false)));
  std::vector<float> in(4, 5), out(1, 9);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out[0], 0);
}

TEST_P(InterpIndex, FalseGateStoresNothing) {
  LinearBuilder k;
  UOp to = k.out(DType::Float32, 4);
  k.store(to, k.c(GetParam()), k.c(f32(1)), flag(k, false));
  std::vector<float> out(4, 7);
  run(k.kernel(), {}, out);
  EXPECT_EQ(out, std::vector<float>(4, 7));
}

TEST_P(InterpIndex, TrueGateStillChecks) {
  LinearBuilder k;
  UOp to = k.out(DType::Float32, 4);
  k.store(to, k.c(GetParam()), k.c(f32(1)), flag(k, true));
  std::vector<float> out(4, 7);
  EXPECT_THROW(run(k.kernel(), {}, out), InternalError);
}

TEST_P(InterpIndex, ScratchIsCheckedToo) {
  LinearBuilder k;
  UOp s = k.scratch(3, DType::Float32, 4);
  k.store(s, k.c(GetParam()), k.c(f32(1)));
  EXPECT_NE(internal_error([&] { run(k.kernel(), {}); }).find("outside scratch 3"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Outside, InterpIndex,
                         testing::Values(-1, 4, 5, 1000000, std::numeric_limits<int64_t>::min(),
                                         std::numeric_limits<int64_t>::max()));

TEST(InterpMemory, VectorThatCrossesTheEndIsRefused) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 6);
  k.load(from, k.c(4), {}, 4);
  std::vector<float> in(6);
  EXPECT_NE(internal_error([&] { run(k.kernel(), {}, in); }).find("load of index 6 (lane 2)"),
            std::string::npos);
}

TEST(InterpMemory, LaneMaskProtectsTheEnd) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 6), to = k.out(DType::Float32, 6), two = k.splat(k.c(2), 4);
  UOp mask = k.add(lt(k.ramp(k.c(0), 4), two));
  k.store(to, k.c(4), k.load(from, k.c(4), mask, 4), mask);
  std::vector<float> in = {1, 2, 3, 4, 5, 6}, out(6, 0);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 0, 5, 6}));
}

TEST(InterpMemory, VectorIndexGathers) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 8), to = k.out(DType::Float32, 4);
  k.store(to, k.c(0), k.load(from, k.ramp(k.c(7), 4, -2), {}, 4));
  std::vector<float> in = {0, 1, 2, 3, 4, 5, 6, 7}, out(4);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out, (std::vector<float>{7, 5, 3, 1}));
}

TEST(InterpMemory, VectorIndexScattersInLaneOrder) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 4), to = k.out(DType::Float32, 2);
  UOp v = k.load(from, k.c(0), {}, 4);
  UOp two = k.splat(k.c(2), 4), lanes = k.ramp(k.c(0), 4);
  k.store(to, k.add(mod(lanes, two)), v);
  std::vector<float> in = {1, 2, 3, 4}, out(2);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out, (std::vector<float>{3, 4}));
}

TEST(InterpMemory, CombiningScatterAddsDuplicates) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 4), to = k.param(DType::Float32, {2}, true, true);
  UOp v = k.load(from, k.c(0), {}, 4);
  UOp zero = k.splat(k.c(1), 4);
  k.store(to, zero, v, {}, Combine::Add);
  std::vector<float> in = {1, 2, 3, 4}, out = {10, 100};
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out, (std::vector<float>{10, 110}));
}

struct CombineCase {
  Combine combine;
  int32_t expected;
};
class InterpCombine : public testing::TestWithParam<CombineCase> {};
TEST_P(InterpCombine, MeetsWhatIsThere) {
  LinearBuilder k;
  UOp to = k.param(DType::Int32, {1}, true, true);
  k.store(to, k.c(0), k.c(Scalar::of_int(5, DType::Int32)), {}, GetParam().combine);
  std::vector<int32_t> out = {7};
  run(k.kernel(), {}, out);
  EXPECT_EQ(out[0], GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(All, InterpCombine,
                         testing::Values(CombineCase{Combine::Set, 5},
                                         CombineCase{Combine::Add, 12},
                                         CombineCase{Combine::Mul, 35},
                                         CombineCase{Combine::Max, 7}));

TEST(InterpMemory, ParameterOfRankZeroHasOneElement) {
  LinearBuilder k;
  UOp to = k.param(DType::Int32, {}, false, true);
  k.store(to, k.c(0), k.c(Scalar::of_int(5, DType::Int32)));
  std::vector<int32_t> out = {0};
  run(k.kernel(), {}, out);
  EXPECT_EQ(out[0], 5);
}

TEST(InterpMemory, EmptyParameterHasNoElement) {
  LinearBuilder k;
  UOp from = k.param(DType::Int32, {3, 0}, true, false);
  k.load(from, k.c(0));
  std::vector<int32_t> in = {0};
  EXPECT_THROW(run(k.kernel(), {}, in), InternalError);
}

TEST(InterpAlignment, TrueClaimPasses) {
  LinearBuilder k;
  UOp s = k.scratch(0, DType::Float32, 32), v = k.splat(k.c(f32(1)), 16);
  k.store(s, k.c(16), v, {}, Combine::Set, 64);
  EXPECT_NO_THROW(run(k.kernel(), {}));
}

TEST(InterpAlignment, UntrueClaimIsRefused) {
  LinearBuilder k;
  UOp s = k.scratch(0, DType::Float32, 32), v = k.splat(k.c(f32(1)), 4);
  k.store(s, k.c(2), v, {}, Combine::Set, 16);
  EXPECT_NE(internal_error([&] { run(k.kernel(), {}); }).find("claims an alignment of 16 bytes"),
            std::string::npos);
}

TEST(InterpAlignment, BuffersAddressCounts) {
  alignas(64) std::array<float, 32> memory{};
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 8);
  k.load(from, k.c(0), {}, 4, 16);
  const interp::Code code = interp::decode(k.kernel());
  void* good = memory.data() + 4;
  void* bad = memory.data() + 5;
  EXPECT_NO_THROW(interp::execute(code, {&good, 1}, {}));
  EXPECT_THROW(interp::execute(code, {&bad, 1}, {}), InternalError);
}

TEST(InterpScratch, HoldsWhatWasWritten) {
  LinearBuilder k;
  UOp to = k.out(DType::Float32, 4), s = k.scratch(0, DType::Float32, 4);
  UOp st = k.store(s, k.c(0), k.splat(k.c(f32(3)), 4));
  const std::vector<UOp> effects = {st};
  UOp done = k.add(after(s, effects));
  k.store(to, k.c(0), k.load(done, k.c(0), {}, 4));
  std::vector<float> out(4);
  run(k.kernel(), {}, out);
  EXPECT_EQ(out, std::vector<float>(4, 3));
}

TEST(InterpScratch, UnwrittenElementIsReported) {
  LinearBuilder k;
  UOp s = k.scratch(0, DType::Float32, 4);
  k.store(s, k.c(0), k.c(f32(3)));
  k.load(s, k.c(1));
  EXPECT_NE(internal_error([&] {
              run(k.kernel(), {});
            }).find("load of index 1 in scratch 0, which was never written"),
            std::string::npos);
}

TEST(InterpScratch, CombiningWithUnwrittenIsReported) {
  LinearBuilder k;
  UOp s = k.scratch(0, DType::Float32, 4);
  k.store(s, k.c(0), k.c(f32(3)), {}, Combine::Add);
  EXPECT_THROW(run(k.kernel(), {}), InternalError);
}

TEST(InterpScratch, EachCallStartsUnwritten) {
  LinearBuilder k;
  UOp s = k.scratch(0, DType::Float32, 1), zero = k.c(0), value = k.c(f32(3)), first = k.c(1);
  UOp i = k.chunk_loop(2, 1);
  UOp is_first = k.add(lt(i, first));
  k.store(s, zero, value, is_first);
  k.load(s, zero);
  k.end(i);
  const interp::Code code = interp::decode(k.kernel());
  EXPECT_NO_THROW(interp::execute(code, {}, {}));
  interp::execute(code, {}, {}, 0, 1);
  EXPECT_THROW(interp::execute(code, {}, {}, 1, 2), InternalError) << "chunk 1 leans on chunk 0";
}

}  // namespace
}  // namespace tg
