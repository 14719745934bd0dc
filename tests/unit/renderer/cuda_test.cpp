// CUDA C of the hand-written kernels, kept as files in golden/*.cu. A change of the renderer shows
// as a change of text; where it is meant, copy the file that the failure names over the old one.
// That NVRTC compiles them: tests/unit/backends/cuda.
#include <gtest/gtest.h>

#include <functional>

#include "kernels.h"
#include "support/check.h"
#include "support/source_dir.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

constexpr CudaMachine kCudaMachine = {.local_bytes = 163 << 10, .has_async_copy = true};

std::vector<LinearKernel> cuda_kernels() {
  std::vector<LinearKernel> all = all_kernels();
  all.push_back(reversed_by_work_items());
  all.push_back(wrapping_sums());
  all.push_back(async_copied_rows());
  for (const LinearKernel& k : unit_products(16)) all.push_back(k);
  return all;
}

std::string cuda_text(const LinearKernel& k) { return render_cuda(k, kCudaMachine); }

class CudaGolden : public ::testing::TestWithParam<int> {
 public:
  static LinearKernel kernel(int i) { return cuda_kernels()[static_cast<size_t>(i)]; }
};

TEST_P(CudaGolden, TextIsUnchanged) {
  const LinearKernel k = kernel(GetParam());
  const std::string text = cuda_text(k);
  const std::filesystem::path path =
      test::source_dir() / "tests/unit/renderer/golden" / (k.name + ".cu");
  const auto kept = try_read_file(path);
  if (kept && *kept == text) return;
  const std::filesystem::path actual = std::filesystem::temp_directory_path() / (k.name + ".cu");
  write_file(actual, text);
  ADD_FAILURE() << "the text of " << k.name << " differs from " << path << "; it is now in "
                << actual;
}

TEST_P(CudaGolden, NeedsNoHeaderAndNothingOfGnuC) {
  const std::string text = cuda_text(kernel(GetParam()));
  for (const char* word :
       {"#include", "vector_size", "__builtin_convertvector", "){", "__builtin_shufflevector"})
    EXPECT_EQ(text.find(word), std::string::npos) << word << " in\n" << text;
}

INSTANTIATE_TEST_SUITE_P(All, CudaGolden,
                         ::testing::Range(0, static_cast<int>(cuda_kernels().size())),
                         [](const auto& info) { return CudaGolden::kernel(info.param).name; });

// A processor has 65,536 registers for its work-items.
TEST(RenderCuda, AsksForTwoGroupsWhereTheirSumsLeaveRoom) {
  const auto groups_of = [](int64_t group_size, int sums) {
    LinearKernel k;
    k.group_size = group_size;
    const UOp loop = make(Op::Range, {index_const(8)}, {{0}});
    for (int i = 0; i < sums; ++i)
      k.ops.push_back(make(Op::Carry, {loop, constant(0.0, DType::Float32)}, {{i}}));
    return cuda_groups_at_once(k);
  };
  EXPECT_EQ(groups_of(128, 64), 1) << "small groups are many anyway";
  EXPECT_EQ(groups_of(256, 64), 2);
  EXPECT_EQ(groups_of(256, 100), 1) << "sums would be spilled";
  EXPECT_EQ(groups_of(192, 100), 2);
  EXPECT_EQ(groups_of(512, 10), 1);
}

TEST(RenderCuda, GivesEqualTextForEqualKernels) {
  EXPECT_EQ(cuda_text(row_sum()), cuda_text(row_sum()));
}

TEST(RenderCuda, RefusesUnitsThatCudaDoesNotHave) {
  EXPECT_THROW(cuda_text(unit_product(*find_matrix_unit("m8n8k8_f32"))), InternalError);
}

TEST(RenderCuda, StatesTheSizeOfABlock) {
  EXPECT_NE(cuda_text(row_sum()).find("__launch_bounds__(1) row_sum("), std::string::npos);
  EXPECT_NE(
      cuda_text(reversed_by_work_items()).find("__launch_bounds__(8) reversed_by_work_items("),
      std::string::npos);
}

TEST(RenderCuda, LetsBlocksShareOutTheLaunch) {
  EXPECT_NE(cuda_text(row_sum()).find("for (i64 r0 = blockIdx.x; r0 < end; r0 += gridDim.x) {"),
            std::string::npos);
}

TEST(RenderCuda, TakesArraysThenVariablesThenTheNumberOfChunks) {
  EXPECT_NE(
      cuda_text(fibonacci()).find("fibonacci(i64* __restrict__ p0, i64 n_steps_0, i64 end) {"),
      std::string::npos)
      << cuda_text(fibonacci());
  EXPECT_NE(cuda_text(row_sum()).find(
                "row_sum(f32* __restrict__ p0, const f32* __restrict__ p1, i64 end) {"),
            std::string::npos);
}

TEST(RenderCuda, TakesAPlainAddressForASlotThatItDoesNotUse) {
  Lines add;
  add(store_lanes(param(1, {1}, dtypes::float32), index_of(0), f32(1)));
  const std::string text = cuda_text(add.finish("one", {kRead, kWrite}));
  EXPECT_NE(text.find("one(void* p0, f32* __restrict__ p1, i64 end)"), std::string::npos) << text;
}

TEST(RenderCuda, MeetsOnceMoreBeforeTheNextRound) {
  const std::string text = cuda_text(reversed_by_work_items()), barrier = "__syncthreads();";
  const size_t first = text.find(barrier);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find(barrier, first + 1), std::string::npos) << text;
}

TEST(RenderCuda, DeclaresSharedMemoryUpToWhatAKernelMayDeclare) {
  const LinearKernel small = staged_reverse(Space::Scratch, 0);
  EXPECT_EQ(cuda_dynamic_bytes(small, kCudaMachine), 0);
  EXPECT_NE(cuda_text(small).find("__shared__ __align__(64) f32 a5[12]"), std::string::npos);
}

TEST(RenderCuda, AsksForMoreSharedMemoryAtTheLaunch) {
  const LinearKernel big = staged_reverse(Space::Scratch, 20000);
  EXPECT_EQ(cuda_dynamic_bytes(big, kCudaMachine), big.scratch_bytes);
  const std::string text = cuda_text(big);
  EXPECT_NE(text.find("extern __shared__ __align__(64) char scratch[];"), std::string::npos);
  EXPECT_NE(text.find("f32* a5 = (f32*)(scratch + 0);"), std::string::npos) << text;
}

TEST(RenderCuda, GivesALoneWorkItemItsOwnMemoryWhereScratchDoesNotFit) {
  const LinearKernel huge = staged_reverse(Space::Scratch, 60000);
  EXPECT_EQ(cuda_dynamic_bytes(huge, kCudaMachine), 0);
  EXPECT_EQ(cuda_text(huge).find("__shared__"), std::string::npos);
}

TEST(RenderCuda, RefusesAGroupWhoseScratchDoesNotFit) {
  LinearKernel k = reversed_by_work_items();
  k.scratch_bytes = kCudaMachine.local_bytes + 64;
  EXPECT_THROW(cuda_text(k), InternalError);
}

TEST(RenderCuda, FusesOnlyWhereTheOperationSaysSo) {
  const std::string text = cuda_text(small_matmul());
  EXPECT_NE(text.find("= fused(f32x8(x2), x1, acc1);"), std::string::npos) << text;
  EXPECT_NE(text.find("acc0 + x0 * x1"), std::string::npos) << text;
}

TEST(RenderCuda, LetsIntegersWrapByUnsignedNumbers) {
  const std::string text = cuda_text(wrapping_sums());
  EXPECT_NE(text.find("add_i32("), std::string::npos) << text;
  EXPECT_NE(text.find("mul_i32x4("), std::string::npos) << text;
  EXPECT_NE(text.find("bits<i32x4>(bits<u32x4>(a) * bits<u32x4>(b))"), std::string::npos) << text;
}

TEST(RenderCuda, ConvertsHalfByInstructionsThatAHostCanReplace) {
  const std::string text = cuda_text(half_increment());
  const size_t guard = text.find("#ifndef TG_EMULATED\nFN f32 f32_of_half(u16 x)");
  EXPECT_NE(guard, std::string::npos) << text;
  EXPECT_NE(text.find("cvt.rn.f16.f32"), std::string::npos);
}

TEST(RenderCuda, KeepsInstructionsOfTheDeviceBehindTheGuard) {
  for (const LinearKernel& k : cuda_kernels()) {
    std::string text = cuda_text(k);
    for (size_t at; (at = text.find("#ifndef TG_EMULATED")) != std::string::npos;)
      text.erase(at, text.find("#endif", at) + 6 - at);
    for (const char* word : {"asm", "_rn(", "truncf", "sqrtf"})
      EXPECT_EQ(text.find(word), std::string::npos) << word << " in " << k.name;
  }
}

TEST(RenderCuda, ReadsAlignedVectorsInOneAccess) {
  Lines add;
  const UOp x = load_lanes(param(1, {4}, dtypes::float32), index_of(0), 4, {}, 16);
  add(store_lanes(param(0, {4}, dtypes::float32), index_of(0), x, {}, Combine::Set, 16));
  const std::string text = cuda_text(add.finish("copy", {kWrite, kRead}));
  EXPECT_NE(text.find("= *(const f32x4*)(p1);"), std::string::npos) << text;
  EXPECT_NE(text.find("*(f32x4*)(p0) = x0;"), std::string::npos) << text;
}

TEST(RenderCuda, GivesIndicesThatFitTheirSize) {
  EXPECT_NE(cuda_text(row_sum()).find("const i32 at0 = (i32)r0;"), std::string::npos)
      << cuda_text(row_sum());
  Lines add;
  const UOp r = add(chunk_loop(int64_t{1} << 33, 0));
  add(store_lanes(param(0, {int64_t{1} << 33}, dtypes::uint8), r, constant(1, dtypes::uint8)));
  add(close_loop(r));
  const std::string text = cuda_text(add.finish("far", {kWrite}, int64_t{1} << 33));
  EXPECT_EQ(text.find("i32)"), std::string::npos) << text;
}

TEST(RenderCuda, WritesTheKernelOfTheDocumentation) {
  const auto page = try_read_file(test::source_dir() / "docs/cuda.md");
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("```c\n" + cuda_text(reversed_by_work_items()) + "```"), std::string::npos);
}

// A vector of four floats at `index`, without alignment from the code generator.
bool is_one_access(const std::function<UOp(Lines&)>& index) {
  Lines add;
  const UOp r = add(chunk_loop(64, 0));
  const UOp x = load_lanes(param(1, {4096}, dtypes::float32), index(add), 4);
  add(store_lanes(param(0, {4096}, dtypes::float32), r * index_of(4), x));
  add(close_loop(r));
  return cuda_text(add.finish("one", {kWrite, kRead}, 64)).find("*(const f32x4*)(p1") !=
         std::string::npos;
}
UOp chunk(Lines& add) { return add(chunk_loop(64, 0)); }

TEST(RenderCuda, ProvesAlignmentOfMultiplesOfTheVector) {
  EXPECT_TRUE(is_one_access([](Lines&) { return index_of(0); }));
  EXPECT_TRUE(is_one_access([](Lines& add) { return chunk(add) * index_of(4); }));
  EXPECT_TRUE(
      is_one_access([](Lines& add) { return chunk(add) * index_of(-12) + index_of(1024); }));
  EXPECT_TRUE(
      is_one_access([](Lines& add) { return mod(chunk(add) * index_of(8), index_of(12)); }));
  EXPECT_TRUE(
      is_one_access([](Lines& add) { return idiv(chunk(add) * index_of(16), index_of(4)); }));
}

TEST(RenderCuda, LeavesElementsWhereTheVectorMayLieAcross) {
  EXPECT_FALSE(is_one_access([](Lines&) { return index_of(2); }));
  EXPECT_FALSE(is_one_access([](Lines& add) { return chunk(add); }));
  EXPECT_FALSE(is_one_access([](Lines& add) { return chunk(add) * index_of(6); }));
  EXPECT_FALSE(is_one_access([](Lines& add) { return chunk(add) * index_of(4) + index_of(1); }));
  EXPECT_FALSE(
      is_one_access([](Lines& add) { return mod(chunk(add) * index_of(8), index_of(10)); }));
  EXPECT_FALSE(
      is_one_access([](Lines& add) { return idiv(chunk(add) * index_of(8), index_of(4)); }));
  EXPECT_FALSE(
      is_one_access([](Lines& add) { return idiv(chunk(add) * index_of(12), index_of(3)); }));
}

TEST(RenderCuda, DeclaresVectorsOnlyForKernelsThatHaveThem) {
  EXPECT_EQ(cuda_text(reversed_by_work_items()).find("Vec"), std::string::npos);
  EXPECT_NE(cuda_text(row_sum()).find("struct alignas"), std::string::npos);
}

}  // namespace
}  // namespace tg::testing
