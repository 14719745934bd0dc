// Loops, carried values, ifs, chunks in the interpreter.
#include "interp_run.h"

namespace tg {
namespace {

using test::internal_error;
using test::LinearBuilder;
using test::run;

class InterpExtent : public testing::TestWithParam<int64_t> {};

TEST_P(InterpExtent, LoopRunsOverItsExtent) {
  const int64_t n = GetParam();
  LinearBuilder k;
  UOp to = k.out(DType::Int64, n);
  UOp i = k.loop(n, 1);
  k.store(to, i, k.add(cast(i, DType::Int64)));
  k.end(i);
  std::vector<int64_t> out(static_cast<size_t>(n), -1);
  run(k.kernel(), {}, out);
  for (int64_t j = 0; j < n; ++j) EXPECT_EQ(out[static_cast<size_t>(j)], j);
}

TEST_P(InterpExtent, CarrySums) {
  const int64_t n = GetParam();
  LinearBuilder k;
  UOp to = k.out(DType::Int64, 1), init = k.c(Scalar::of_int(100, DType::Int64));
  UOp i = k.loop(n, 1);
  UOp sum = k.carry(i, init, 2);
  UOp wide = k.add(cast(i, DType::Int64));
  UOp next = k.add(sum + wide);
  UOp sums = k.carried(k.end(i, {next}), 0);
  k.store(to, k.c(0), sums);
  std::vector<int64_t> out(1);
  run(k.kernel(), {}, out);
  EXPECT_EQ(out[0], 100 + n * (n - 1) / 2);
}

TEST_P(InterpExtent, TwoCarriesChangePlacesAtOnce) {
  const int64_t n = GetParam();
  LinearBuilder k;
  UOp to = k.out(DType::Int64, 2), one = k.c(Scalar::of_int(1, DType::Int64)),
      zero = k.c(Scalar::of_int(0, DType::Int64));
  UOp i = k.loop(n, 1);
  UOp a = k.carry(i, zero, 2), b = k.carry(i, one, 3);
  UOp sum = k.add(a + b);
  UOp e = k.end(i, {b, sum});
  UOp fa = k.carried(e, 0), fb = k.carried(e, 1);
  k.store(to, k.c(0), fa);
  k.store(to, k.c(1), fb);
  std::vector<int64_t> out(2);
  run(k.kernel(), {}, out);
  int64_t x = 0, y = 1;
  for (int64_t j = 0; j < n; ++j)
    x = std::exchange(y, static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y)));
  EXPECT_EQ(out, (std::vector<int64_t>{x, y}));
}

TEST_P(InterpExtent, VariableIsAnExtent) {
  const int64_t n = GetParam();
  LinearBuilder k;
  UOp to = k.out(DType::Int32, 100), v = k.var("interp_test_n", 0, 100);
  UOp i = k.loop(v, 1);
  k.store(to, i, k.c(Scalar::of_int(1, DType::Int32)));
  k.end(i);
  std::vector<int32_t> out(100, 0);
  run(k.kernel(), {n}, out);
  for (int64_t j = 0; j < 100; ++j) EXPECT_EQ(out[static_cast<size_t>(j)], j < n) << j;
}

INSTANTIATE_TEST_SUITE_P(Extents, InterpExtent, testing::Values(0, 1, 2, 3, 7, 67));

TEST(InterpLoops, LoopsNestAndInnerCarriesStartAgain) {
  LinearBuilder k;
  UOp from = k.in(DType::Int32, 12), to = k.out(DType::Int32, 3),
      zero = k.c(Scalar::of_int(0, DType::Int32));
  UOp four = k.c(4), i = k.loop(3, 1);
  UOp row = k.add(i * four);
  UOp j = k.loop(four, 2);
  UOp acc = k.carry(j, zero, 3);
  UOp at = k.add(row + j);
  UOp next = k.add(acc + k.load(from, at));
  k.store(to, i, k.carried(k.end(j, {next}), 0));
  k.end(i);
  std::vector<int32_t> in = {1, 2, 3, 4, 10, 20, 30, 40, 5, 5, 5, 5}, out(3);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out, (std::vector<int32_t>{10, 100, 20}));
}

TEST(InterpLoops, IfRunsItsBodyOnlyWhenTrue) {
  LinearBuilder k;
  UOp to = k.out(DType::Int32, 5), two = k.c(2), one = k.c(Scalar::of_int(1, DType::Int32));
  UOp i = k.loop(5, 1);
  UOp odd = k.add(cast(k.add(mod(i, two)), DType::Bool));
  UOp branch = k.add(make(Op::If, {odd}, {{9}}));
  k.store(to, i, one);
  k.add(make(Op::EndIf, {branch}));
  k.end(i);
  std::vector<int32_t> out(5, 0);
  run(k.kernel(), {}, out);
  EXPECT_EQ(out, (std::vector<int32_t>{0, 1, 0, 1, 0}));
}

LinearKernel squares(int64_t chunks) {
  LinearBuilder k("squares");
  UOp to = k.out(DType::Int64, chunks);
  UOp i = k.chunk_loop(chunks, 1);
  k.store(to, i, k.add(cast(k.add(i * i), DType::Int64)));
  k.end(i);
  return k.kernel();
}

TEST(InterpChunks, OneGoAndEverySplitAgree) {
  const LinearKernel kernel = squares(13);
  const interp::Code code = interp::decode(kernel);
  std::vector<int64_t> whole(13);
  void* p = whole.data();
  interp::execute(code, {&p, 1}, {});
  for (int64_t cut = 0; cut <= 13; ++cut) {
    std::vector<int64_t> parts(13);
    p = parts.data();
    interp::execute(code, {&p, 1}, {}, cut, 13);
    interp::execute(code, {&p, 1}, {}, 0, cut);
    EXPECT_EQ(parts, whole) << cut;
  }
}

TEST(InterpChunks, OnlyTheAskedChunksRun) {
  const LinearKernel kernel = squares(5);
  std::vector<int64_t> out(5, -1);
  void* p = out.data();
  interp::execute(interp::decode(kernel), {&p, 1}, {}, 2, 4);
  EXPECT_EQ(out, (std::vector<int64_t>{-1, -1, 4, 9, -1}));
}

TEST(InterpChunks, ChunksOutsideTheKernelAreRefused) {
  const LinearKernel kernel = squares(5);
  const interp::Code code = interp::decode(kernel);
  std::vector<int64_t> out(9);
  void* p = out.data();
  EXPECT_THROW(interp::execute(code, {&p, 1}, {}, 0, 6), InternalError);
  EXPECT_THROW(interp::execute(code, {&p, 1}, {}, -1, 2), InternalError);
  EXPECT_THROW(interp::execute(code, {&p, 1}, {}, 3, 2), InternalError);
}

TEST(InterpChunks, CarryOverChunksIsRefused) {
  LinearBuilder k;
  UOp zero = k.c(0), i = k.chunk_loop(4, 1);
  k.carry(i, zero, 2);
  EXPECT_NE(internal_error([&] { interp::decode(k.kernel()); }).find("a carry over chunks"),
            std::string::npos);
}

TEST(InterpChunks, ChunksWithoutARangeAreRefused) {
  LinearBuilder k;
  k.kernel().chunks = 4;
  EXPECT_THROW(interp::decode(k.kernel()), InternalError);
}

TEST(InterpVars, ValueOutsideTheBoundsIsRefused) {
  LinearBuilder k;
  k.var("interp_test_m", 1, 8);
  const interp::Code code = interp::decode(k.kernel());
  const std::vector<int64_t> low = {0}, high = {9}, good = {8};
  EXPECT_THROW(interp::execute(code, {}, low), InternalError);
  EXPECT_THROW(interp::execute(code, {}, high), InternalError);
  EXPECT_NO_THROW(interp::execute(code, {}, good));
}

TEST(InterpVars, WrongNumberOfArgumentsIsRefused) {
  LinearBuilder k;
  k.var("interp_test_m", 1, 8);
  k.in(DType::Int32, 1);
  const interp::Code code = interp::decode(k.kernel());
  void* p = nullptr;
  const std::vector<int64_t> one = {1};
  EXPECT_THROW(interp::execute(code, {&p, 1}, {}), InternalError);
  EXPECT_THROW(interp::execute(code, {}, one), InternalError);
}

}  // namespace
}  // namespace tg
