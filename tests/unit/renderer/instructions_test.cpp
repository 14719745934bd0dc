// What the compilers make of the text: vector instructions where the kernel has vectors, and no
// call of a library.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels.h"
#include "support/symbol.h"

namespace tg::testing {
namespace {

std::string assembly_of(const LinearKernel& k, const std::string& compiler,
                        const std::string& arch) {
  const std::string source = render_c({&k, 1});
  const char* contract = compiler == "gcc" ? "-ffp-contract=fast" : "-ffp-contract=on";
  const ProcessResult r =
      run_process({compiler, "-O2", "-w", "-fwrapv", "-fno-strict-aliasing", "-fno-math-errno",
                   "-fno-trapping-math", contract, arch, "-fPIC", "-S", "-x", "c", "-", "-o", "-"},
                  {.input = source});
  return r.ok() ? r.output : r.errors;
}

int count(const std::string& text, std::string_view word) {
  int n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

/// p0 = op(p1), 16 floats.
LinearKernel unary(Op op, DType t) {
  Lines add;
  const UOp x = load_lanes(param(1, {16}, t), index_of(0), 16);
  add(store_lanes(param(0, {16}, t), index_of(0), make(op, {x})));
  return add.finish("unary", {kWrite, kRead});
}

/// p0 = max(p1, 0), 16 floats.
LinearKernel relu() {
  Lines add;
  const UOp x = load_lanes(param(1, {16}, dtypes::float32), index_of(0), 16);
  add(store_lanes(param(0, {16}, dtypes::float32), index_of(0), maximum(x, f32(0, 16))));
  return add.finish("relu", {kWrite, kRead});
}

// Of one compiler, by name.
class CompilerTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "looks for x86 instructions";
#endif
    if (!find_program(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
  }
};

class Instructions : public CompilerTest {};
/// Of those by clang: gcc keeps a comparison and a blend of a maximum.
class InstructionsByClang : public CompilerTest {};
/// Of those by clang 19: older compilers, and gcc, may take roots lane by lane.
class InstructionsByClang19 : public CompilerTest {};

TEST_P(Instructions, OfAProductInASumAreFused) {
  const std::string text = assembly_of(small_matmul(), GetParam(), "-march=x86-64-v3");
  EXPECT_GE(count(text, "vfmadd"), 2) << text;
  EXPECT_EQ(count(text, "vmulps") + count(text, "vmulss"), 0) << text;
}

TEST_P(InstructionsByClang, OfReluAreOneMaximumAVector) {
  const std::string text = assembly_of(relu(), GetParam(), "-march=x86-64-v3");
  EXPECT_EQ(count(text, "vmaxps"), 2) << text;
  EXPECT_EQ(count(text, "vcmp"), 0) << text;
}

TEST_P(Instructions, CallNoLibrary) {
  for (Op op : {Op::Sqrt, Op::Trunc}) {
    for (DType t : {dtypes::float32, dtypes::float64}) {
      for (const char* arch : {"-march=x86-64", "-march=x86-64-v3"}) {
        const std::string text = assembly_of(unary(op, t), GetParam(), arch);
        EXPECT_GE(count(text, "unary"), 1) << text;
        EXPECT_EQ(count(text, "call"), 0) << op_name(op) << " " << arch << text;
        EXPECT_EQ(count(text, "jmp\tsqrt") + count(text, "jmp\ttrunc"), 0) << text;
      }
    }
  }
}

TEST_P(InstructionsByClang19, OfAVectorSquareRootAreVectorOnes) {
  const std::string text =
      assembly_of(unary(Op::Sqrt, dtypes::float32), GetParam(), "-march=x86-64-v3");
  EXPECT_EQ(count(text, "vsqrtps"), 2) << text;
}

/// p0 += p1 · p2 of pairs: two of p1, and two of p2 for each lane.
LinearKernel dot(const MatrixUnit& unit) {
  Lines add;
  const auto all = [&](int slot, DType t, const FragmentMap& map) {
    const auto lanes = static_cast<int>(map.registers());
    return load_lanes(param(slot, {lanes}, t), index_of(0), lanes);
  };
  const UOp a = all(1, unit.input, unit.a), b = all(2, unit.second, unit.b),
            c = all(0, unit.sum, unit.c);
  add(store_lanes(param(0, {unit.n}, unit.sum), index_of(0),
                  make(Op::Mma, {a, b, c}, {{intern_symbol(unit.name)}})));
  return add.finish("dot", {{.read = true, .written = true}, kRead, kRead});
}

TEST(DotInstructions, AreOneForAVectorOfSums) {
  if (!find_program("clang-19")) GTEST_SKIP() << "clang-19 is not installed";
  const struct {
    const char *unit, *instruction, *feature;
  } kUnits[] = {{"m1n16k2_bf16", "vdpbf16ps", "-mavx512bf16"},
                {"m1n16k2_i16", "vpdpwssd", "-mavx512vnni"},
                {"m1n16k4_u8i8", "vpdpbusd", "-mavx512vnni"},
                {"m1n8k2_i16", "vpmaddwd", "-mavx2"}};
  for (const auto& [unit, instruction, feature] : kUnits) {
    const std::string source = render_llvm(dot(*find_matrix_unit(unit)), {});
    const ProcessResult r =
        run_process({"clang-19", "-O1", "-w", feature, "--target=x86_64-linux-gnu", "-S", "-x",
                     "ir", "-", "-o", "-"},
                    {.input = source});
    const std::string text = r.ok() ? r.output : r.errors;
    EXPECT_EQ(count(text, instruction), 1) << text;
    EXPECT_EQ(count(text, "call"), 0) << text;
  }
}

/// p0 = p1 · p2, of `groups` steps of the unit: the factors' rows are 1,000 elements apart.
LinearKernel tile_product(const MatrixUnit& unit, int64_t groups) {
  Lines add;
  const int pitch = 1000;
  const int64_t a_lanes = unit.a.registers(), b_lanes = unit.b.registers(), row = a_lanes / unit.m;
  const UOp zero = add(make(Op::Splat, {add(constant(0, unit.sum))}, {{unit.c.registers()}}));
  const UOp loop = add(range(groups, 0));
  const UOp sum = add(make(Op::Carry, {loop, zero}, {{0}}));
  const UOp at = add(loop * index_const(row));
  const auto factor = [&](int slot, DType t, int64_t lanes) {
    return add(make(Op::LoadRows, {add(param(slot, {64, pitch}, t)), at}, {{lanes, row, pitch}}));
  };
  const UOp a = factor(1, unit.input, a_lanes), b = factor(2, unit.second, b_lanes);
  const UOp next = add(make(Op::Mma, {a, b, sum}, {{intern_symbol(unit.name)}}));
  const UOp done = add(make(Op::End, {loop, next}, {{1}}));
  add(make(
      Op::Store,
      {add(param(0, {16, 16}, unit.sum)), add(index_const(0)), add(make(Op::Out, {done}, {{0}}))},
      {{0, 0}}));
  return add.finish("tiles", {{.written = true}, kRead, kRead});
}

TEST(TileInstructions, KeepSumsInRegisters) {
  if (!find_program("clang-19")) GTEST_SKIP() << "clang-19 is not installed";
  const struct {
    const char *unit, *instruction;
  } kUnits[] = {{"m16n16k32_bf16", "tdpbf16ps"},
                {"m16n16k64_i8", "tdpbssd"},
                {"m16n16k64_u8", "tdpbuud"},
                {"m16n16k64_u8i8", "tdpbusd"}};
  for (const auto& [unit, instruction] : kUnits) {
    const std::string source = render_llvm(tile_product(*find_matrix_unit(unit), 20), {});
    const ProcessResult r =
        run_process({"clang-19", "-O2", "-w", "-mamx-bf16", "-mamx-int8",
                     "--target=x86_64-linux-gnu", "-S", "-x", "ir", "-", "-o", "-"},
                    {.input = source});
    const std::string text = r.ok() ? r.output : r.errors;
    EXPECT_EQ(count(text, instruction), 1) << text;
    EXPECT_EQ(count(text, "tileloadd"), 3) << "two factors, and zeros\n" << text;
    EXPECT_EQ(count(text, "tilestored"), 1) << text;
    EXPECT_EQ(count(text, "call\t"), 0) << text;
  }
}

std::string name_of(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Instructions, ::testing::Values("clang-19", "clang-14", "gcc"),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, InstructionsByClang, ::testing::Values("clang-19", "clang-14"),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, InstructionsByClang19, ::testing::Values("clang-19"), name_of);

}  // namespace
}  // namespace tg::testing
