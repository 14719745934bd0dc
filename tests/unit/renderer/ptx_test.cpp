// PTX of hand-written kernels. The texts of some are kept as files in golden/*.ptx: a change of the
// renderer shows as a change of text; where it is meant, copy the file that the failure names over
// the old one. That an assembler takes all of them: tests/unit/backends/cuda; what they compute:
// tests/emulator/ptx.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "kernels.h"
#include "renderer/ptx.h"
#include "renderer/ptx_ops.h"
#include "renderer/ptx_target.h"
#include "support/check.h"
#include "support/source_dir.h"
#include "support/text.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

const PtxMachine kPtxMachine = {.arch = "sm_80", .local_bytes = 163 << 10};

std::string ptx_text(const LinearKernel& k) { return render_ptx(k, kPtxMachine); }

std::vector<LinearKernel> kept_kernels() {
  return {masked_axpy(4),
          row_sum(4),
          fibonacci(),
          gather_scatter(4),
          odd_only(),
          reversed_by_work_items(),
          floor_division(),
          lane_reductions(4),
          async_copied_rows(),
          half_increment(4),
          unit_product(*find_matrix_unit("m16n8k16_f16"))};
}

class PtxGolden : public ::testing::TestWithParam<int> {
 public:
  static LinearKernel kernel(int i) { return kept_kernels()[static_cast<size_t>(i)]; }
};

TEST_P(PtxGolden, TextIsUnchanged) {
  const LinearKernel k = kernel(GetParam());
  const std::string text = ptx_text(k);
  const std::filesystem::path path =
      test::source_dir() / "tests/unit/renderer/golden" / (k.name + ".ptx");
  const auto kept = try_read_file(path);
  if (kept && *kept == text) return;
  const std::filesystem::path actual = std::filesystem::temp_directory_path() / (k.name + ".ptx");
  write_file(actual, text);
  ADD_FAILURE() << "the text of " << k.name << " differs from " << path << "; it is now in "
                << actual;
}

INSTANTIATE_TEST_SUITE_P(All, PtxGolden,
                         ::testing::Range(0, static_cast<int>(kept_kernels().size())),
                         [](const auto& info) { return PtxGolden::kernel(info.param).name; });

// What a kernel of one chunk that stores `v` to p0 becomes; p1 to p3 are read.
std::string text_of_store(const UOp& v) {
  Lines add;
  add(store_lanes(param(0, {64}, v.dtype()), index_of(0), v));
  return ptx_text(add.finish("one", {kWrite, kRead, kRead, kRead}));
}
UOp loaded(int slot, DType t, int64_t at = 0) {
  return load_lanes(param(slot, {64}, t), index_of(at), 1);
}
bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(RenderPtx, WritesTheKernelOfTheDocumentation) {
  const auto page = try_read_file(test::source_dir() / "docs/cuda.md");
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("```\n" + ptx_text(reversed_by_work_items()) + "```"), std::string::npos);
}

TEST(RenderPtx, GivesEqualTextForEqualKernels) {
  EXPECT_EQ(ptx_text(row_sum()), ptx_text(row_sum()));
}

TEST(RenderPtx, TakesTheParametersOfCudaC) {
  const std::string text = ptx_text(fibonacci());
  EXPECT_TRUE(contains(text,
                       ".visible .entry fibonacci(\n"
                       "  .param .u64 .ptr .global .align 64 p0,\n"
                       "  .param .u64 n_steps_0,\n"
                       "  .param .u64 end\n)\n.maxntid 1\n"))
      << text;
}

TEST(RenderPtx, LetsGroupsShareOutTheLaunch) {
  const std::string text = ptx_text(row_sum());
  EXPECT_TRUE(contains(text, "add.s64 %r0, %r0, %groups;\n")) << text;
  EXPECT_TRUE(contains(text, "setp.ge.s64 %m0, %r0, %end;\n  @%m0 bra done0;")) << text;
}

TEST(RenderPtx, StatesTheLeastVersionThatKnowsTheProcessor) {
  const auto head = [](const char* arch) {
    const std::string text = render_ptx(row_sum(), {.arch = arch});
    return text.substr(0, text.find("\n.address_size"));
  };
  EXPECT_EQ(head("sm_75"), ".version 6.3\n.target sm_75");
  EXPECT_EQ(head("sm_80"), ".version 7.0\n.target sm_80");
  EXPECT_EQ(head("sm_89"), ".version 7.8\n.target sm_89");
  EXPECT_EQ(head("sm_90"), ".version 7.8\n.target sm_90");
  EXPECT_EQ(head("sm_90a"), ".version 8.0\n.target sm_90a");
  EXPECT_THROW(render_ptx(row_sum(), {.arch = "sm_70"}), InternalError);
}

TEST(RenderPtx, StatesTheVersionThatAMatrixUnitNeeds) {
  const LinearKernel k = unit_product(*find_matrix_unit("m16n8k8_f16"));
  EXPECT_TRUE(render_ptx(k, {.arch = "sm_75"}).starts_with(".version 6.5\n"));
}

TEST(RenderPtx, NamesTheNewestKnownProcessorThatIsNotNewer) {
  EXPECT_EQ(ptx_arch(75), "sm_75");
  EXPECT_EQ(ptx_arch(90), "sm_90");
  EXPECT_EQ(ptx_arch(99), "sm_90");
  EXPECT_EQ(ptx_arch(999), "sm_121");
  EXPECT_THROW(ptx_arch(70), DeviceError);
}

TEST(RenderPtx, SpellsEveryRoundingSoThatNothingIsFused) {
  for (const LinearKernel& k : all_kernels()) {
    const std::string text = ptx_text(k);
    for (const char* loose :
         {"add.f32", "add.f64", "mul.f32", "mul.f64", ".ftz", ".approx", "div.f"})
      EXPECT_FALSE(contains(text, loose)) << loose << " in " << k.name;
  }
  EXPECT_TRUE(contains(ptx_text(small_matmul()), "fma.rn.f32 "));
}

TEST(RenderPtx, MakesGatesThePredicatesOfAccesses) {
  const std::string text = ptx_text(masked_axpy(4));
  EXPECT_TRUE(contains(text, "@%m1_0 ld.global.nc.f32 %x0_0, [%to0];")) << text;
  EXPECT_TRUE(contains(text, "@%m1_3 st.global.f32 [%to2+12], ")) << text;
  EXPECT_EQ(text.find("bra done"), text.rfind("bra done")) << "only the launch branches";
}

TEST(RenderPtx, ReadsAlignedVectorsInOneAccess) {
  EXPECT_TRUE(
      contains(ptx_text(row_sum(4)), "ld.global.nc.v4.f32 {%x0_0, %x0_1, %x0_2, %x0_3}, ["));
  EXPECT_TRUE(contains(ptx_text(streamed_rows()), "st.global.v4.f32 [%to1+48], {"));
}

TEST(RenderPtx, ReadsPastTheCoherentCacheOnlyWhatNobodyWrites) {
  const std::string text = ptx_text(gather_scatter(4));
  EXPECT_TRUE(contains(text, "ld.global.nc.f32 ")) << text;
  EXPECT_TRUE(contains(text, "ld.global.f32 ")) << "p3 is read and written\n" << text;
}

TEST(RenderPtx, SharesOneAddressAmongPlacesAKnownDistanceApart) {
  const std::string text = ptx_text(lane_moves());
  EXPECT_FALSE(contains(text, "mad.wide")) << text;
  EXPECT_TRUE(contains(text, "[%p1+44]")) << "2 + 3 · 3 is element 11\n" << text;
}

TEST(RenderPtx, ComputesAddressesAgainInEveryBody) {
  Lines add;
  const UOp x = add(param(1, {64}, dtypes::float32)), y = add(param(0, {64}, dtypes::float32));
  for (int64_t id = 0; id < 2; ++id) {
    const UOp i = add(loop(8, id));
    add(store_lanes(y, i, load_lanes(x, i, 1)));
    add(close_loop(i));
  }
  const std::string text = ptx_text(add.finish("twice", {kWrite, kRead}));
  EXPECT_TRUE(contains(text, "mad.wide.s32 %to0, %r0, 4, %p1;")) << text;
  EXPECT_TRUE(contains(text, "mad.wide.s32 %to2, %r1, 4, %p1;")) << text;
}

TEST(RenderPtx, KeepsArraysAtKnownPlacesInRegisters) {
  Lines add;
  const std::vector<int64_t> arg = {3, static_cast<int64_t>(Space::Reg), 2};
  const UOp array = add(make(Op::Alloc, {}, arg, dtypes::float32));
  const UOp stored = add(store_lanes(array, index_of(1), loaded(1, dtypes::float32)));
  const UOp ready = add(make(Op::After, {array, stored}));
  add(store_lanes(param(0, {1}, dtypes::float32), index_of(0), load_lanes(ready, index_of(1), 1)));
  const std::string text = ptx_text(add.finish("kept", {kWrite, kRead}));
  EXPECT_FALSE(contains(text, ".local")) << text;
  EXPECT_TRUE(contains(text, "mov.f32 %a3r0_1, %x0;\n  mov.f32 %x1, %a3r0_1;")) << text;
}

TEST(RenderPtx, PutsArraysAtComputedPlacesIntoLocalMemory) {
  const std::string text = ptx_text(staged_reverse(Space::Reg, 0));
  EXPECT_TRUE(contains(text, ".local .align 64 .b8 a5[48];")) << text;
  EXPECT_TRUE(contains(text, "ld.local.f32 ")) << text;
}

TEST(RenderPtx, MeetsOnceMoreBeforeTheNextRound) {
  const std::string text = ptx_text(reversed_by_work_items());
  EXPECT_LT(text.find("bar.sync 0;"), text.rfind("bar.sync 0;")) << text;
}

TEST(RenderPtx, AsksForMoreSharedMemoryAtTheLaunch) {
  const LinearKernel big = staged_reverse(Space::Scratch, 20000);
  const std::string text = ptx_text(big);
  EXPECT_TRUE(contains(text, ".extern .shared .align 64 .b8 scratch[];")) << text;
  EXPECT_TRUE(contains(text, "mov.u32 %a5, scratch;")) << text;
}

TEST(RenderPtx, GivesALoneWorkItemItsOwnMemoryWhereScratchDoesNotFit) {
  EXPECT_FALSE(contains(ptx_text(staged_reverse(Space::Scratch, 60000)), ".shared"));
}

TEST(RenderPtx, RefusesAGroupWhoseScratchDoesNotFit) {
  LinearKernel k = reversed_by_work_items();
  k.scratch_bytes = kPtxMachine.local_bytes + 64;
  EXPECT_THROW(ptx_text(k), InternalError);
}

TEST(RenderPtx, CopiesCarriesThatReadEachOther) {
  const std::string text = ptx_text(fibonacci());
  EXPECT_TRUE(contains(text, "mov.b64 %acc0, %acc1;\n  mov.b64 %acc1, %v0;")) << text;
}

TEST(RenderPtx, SkipsLoopsThatMayNotRun) {
  EXPECT_TRUE(contains(ptx_text(fibonacci()), "setp.ge.s32 ")) << ptx_text(fibonacci());
  const std::string sure = ptx_text(lane_moves());
  EXPECT_FALSE(contains(sure, "bra ")) << sure;
}

TEST(RenderPtx, ShiftsInsteadOfDividingByAPowerOfTwo) {
  const std::string text = ptx_text(floor_division());
  EXPECT_TRUE(contains(text, "shr.s32 ")) << text;
  EXPECT_FALSE(contains(text, "div.")) << text;
  EXPECT_FALSE(contains(text, "rem.")) << text;
}

// The quotient's two or one instructions, as the assembler would compute them.
class DivisionByConstants : public ::testing::TestWithParam<int64_t> {};

TEST_P(DivisionByConstants, IsExactForAllIndices) {
  const int64_t d = GetParam();
  PtxBlock b(DType::Int32);
  ptx_divide_index(b, "%q", true, "%x", d);
  uint64_t magic = 0;
  int shift = 0;
  ASSERT_EQ(std::sscanf(b.text().c_str(), "  mul.hi.u32 %%t0, %%x, %lu;\n  shr.u32 %%q, %%t0, %d;",
                        &magic, &shift),
            2)
      << b.text();
  ASSERT_LT(magic, uint64_t{1} << 32);
  const auto check = [&](int64_t x) {
    if (x < 0 || x >= int64_t{1} << 31) return;
    ASSERT_EQ(static_cast<int64_t>((static_cast<uint64_t>(x) * magic >> 32) >> shift), x / d) << x;
  };
  const int64_t last = (int64_t{1} << 31) / d;
  for (int64_t k = 0; k < 2000; ++k) {
    const int64_t multiple = (last * k / 1999) * d;
    for (int64_t x : {multiple - 1, multiple, multiple + 1}) check(x);
  }
  check((int64_t{1} << 31) - 1);
}

INSTANTIATE_TEST_SUITE_P(All, DivisionByConstants,
                         ::testing::Values(3, 5, 6, 7, 9, 10, 11, 12, 13, 28, 100, 127, 129, 641,
                                           1000, 4097, 65535, 65537, 1000003, 1073741823,
                                           1073741825, 2147483647));

TEST(RenderPtx, ExtendsIntegersOf8BitsAfterArithmetic) {
  const UOp a = loaded(1, dtypes::int8), b = loaded(2, dtypes::int8);
  EXPECT_TRUE(contains(text_of_store(a + b), "add.s16 %t0, %x0, %x1;\n  cvt.s16.s8 %v0, %t0;"));
  const UOp c = loaded(1, dtypes::uint8), d = loaded(2, dtypes::uint8);
  EXPECT_TRUE(contains(text_of_store(c + d), "add.u16 %t0, %x0, %x1;\n  and.b16 %v0, %t0, 255;"));
  EXPECT_FALSE(contains(text_of_store(c & d), "255"));
}

TEST(RenderPtx, ConvertsHalfByInstructions) {
  const std::string text = ptx_text(half_increment(4));
  EXPECT_TRUE(contains(text, "cvt.f32.f16 ")) << text;
  EXPECT_TRUE(contains(text, "cvt.rn.f16.f32 ")) << text;
}

TEST(RenderPtx, MultipliesFragmentsByTheUnitsInstruction) {
  const auto unit = [](const char* name) {
    return ptx_text(unit_product(*find_matrix_unit(name)));
  };
  EXPECT_TRUE(contains(unit("m16n8k16_bf16"),
                       "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                       "{%v0_0, %v0_1, %v0_2, %v0_3}, {%t"));
  EXPECT_TRUE(contains(unit("m16n8k8_f16"), "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "));
  EXPECT_TRUE(contains(unit("m16n8k8_tf32"), "cvt.rna.tf32.f32 "));
  EXPECT_TRUE(contains(unit("m16n8k16_f16"), "mov.b32 %t2, {%x0_0, %x0_1};"))
      << unit("m16n8k16_f16");
  EXPECT_THROW(unit("m8n8k8_f32"), InternalError);
}

TEST(RenderPtx, GivesIndicesThatFitTheirSize) {
  Lines add;
  const UOp r = add(chunk_loop(int64_t{1} << 33, 0));
  add(store_lanes(param(0, {int64_t{1} << 33}, dtypes::uint8), r, constant(1, dtypes::uint8)));
  add(close_loop(r));
  const std::string text = ptx_text(add.finish("far", {kWrite}, int64_t{1} << 33));
  EXPECT_TRUE(contains(text, "mad.lo.s64 %to0, %r0, 1, %p0;")) << text;
}

// A cast that changes nothing is its operand, which may be a literal that was put into a register.
TEST(RenderPtx, DeclaresEachRegisterOnce) {
  for (const int lanes : {1, 4}) {
    Lines add;
    const UOp at = index_of(0), zero = index_of(0);
    const UOp lane = lanes == 1 ? index_of(3) : ramp(zero, lanes);
    const UOp number = cast(lane, dtypes::int32);
    const UOp less = lt(number, splat(constant(2, dtypes::int32), lanes));
    add(store_lanes(param(0, {4}, dtypes::int32), at,
                    where(less, number, number * splat(constant(5, dtypes::int32), lanes))));
    const std::string text = ptx_text(add.finish("casts", {kWrite}));
    std::set<std::string> declared;
    for (const std::string_view line : split(text, '\n')) {
      if (line.find(".reg ") == std::string_view::npos) continue;
      for (const std::string_view name : split(line.substr(line.find('%')), ','))
        EXPECT_TRUE(declared.insert(std::string(name.substr(name.find('%')))).second) << text;
    }
    EXPECT_GE(declared.size(), 2U);
  }
}
TEST(RenderPtx, LeavesOutWhatNoEffectNeeds) {
  Lines add;
  const UOp x = add(loaded(1, dtypes::float32));
  add(x * f32(0.5));
  add(store_lanes(param(0, {4}, dtypes::float32), index_of(0), x));
  EXPECT_FALSE(contains(ptx_text(add.finish("unused", {kWrite, kRead})), "mul."));
}

class UndecomposedPtx : public ::testing::TestWithParam<Op> {};

TEST_P(UndecomposedPtx, IsRefusedByName) {
  try {
    text_of_store(make(GetParam(), {loaded(1, dtypes::float32)}));
    FAIL() << "nothing was thrown";
  } catch (const InternalError& e) {
    EXPECT_TRUE(contains(e.what(), op_name(GetParam()))) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, UndecomposedPtx, ::testing::Values(Op::Exp2, Op::Log2, Op::Sin),
                         [](const auto& info) { return std::string(op_name(info.param)); });

TEST(RenderPtx, RefusesArithmeticOnSmallFloats) {
  const UOp x = loaded(1, dtypes::bfloat16);
  EXPECT_THROW(text_of_store(x + x), InternalError);
}

}  // namespace
}  // namespace tg::testing
