// OpenCL C of the hand-written kernels, kept as files in golden/*.cl, and read by clang's OpenCL
// front end where there is one. A change of the renderer shows as a change of text; where it is
// meant, copy the file that the failure names over the old one.
#include <gtest/gtest.h>

#include "kernels.h"
#include "support/check.h"
#include "support/source_dir.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

constexpr OpenClMachine kOpenClMachine = {.local_bytes = 16 << 10, .has_fma = true};

std::vector<LinearKernel> opencl_kernels() {
  std::vector<LinearKernel> all = all_kernels();
  all.push_back(reversed_by_work_items());
  all.push_back(wrapping_sums());
  return all;
}

std::string opencl_text(const LinearKernel& k) { return render_opencl(k, kOpenClMachine); }

class OpenClGolden : public ::testing::TestWithParam<int> {
 public:
  static LinearKernel kernel(int i) { return opencl_kernels()[static_cast<size_t>(i)]; }
};

TEST_P(OpenClGolden, TextIsUnchanged) {
  const LinearKernel k = kernel(GetParam());
  const std::string text = opencl_text(k);
  const std::filesystem::path path =
      test::source_dir() / "tests/unit/renderer/golden" / (k.name + ".cl");
  const auto kept = try_read_file(path);
  if (kept && *kept == text) return;
  const std::filesystem::path actual = std::filesystem::temp_directory_path() / (k.name + ".cl");
  write_file(actual, text);
  ADD_FAILURE() << "the text of " << k.name << " differs from " << path << "; it is now in "
                << actual;
}

// What clang-19 says of a text, or nothing if it is OpenCL C; `skip` says why it was not asked.
std::string complaints(const std::string& text, std::string& skip) {
  const std::vector<std::string> command = {"clang-19",
                                            "-x",
                                            "cl",
                                            "-cl-std=CL1.2",
                                            "-Xclang",
                                            "-finclude-default-header",
                                            "-fsyntax-only",
                                            "-Wall",
                                            "-Wextra",
                                            "-Werror",
                                            "-Wno-unused-variable",
                                            "-Wno-unused-parameter",
                                            "--target=spir64-unknown-unknown",
                                            "-"};
  if (!find_program(command[0])) {
    skip = "needs clang-19, which reads OpenCL C";
    return {};
  }
  const ProcessResult empty = run_process(command, {.input = ""});
  if (!empty.ok()) {
    skip = "this clang-19 has no OpenCL headers: " + empty.errors;
    return {};
  }
  const ProcessResult r = run_process(command, {.input = text});
  return r.ok() ? std::string() : "refused: " + r.errors.substr(0, 4000);
}

TEST_P(OpenClGolden, IsOpenClC) {
  std::string skip;
  EXPECT_EQ(complaints(opencl_text(kernel(GetParam())), skip), "");
  if (!skip.empty()) GTEST_SKIP() << skip;
}

TEST_P(OpenClGolden, UsesNothingOfGnuC) {
  const std::string text = opencl_text(kernel(GetParam()));
  for (const char* word : {"__builtin", "vector_size", "typedef", "union", "){", "i64", "f32x"})
    EXPECT_EQ(text.find(word), std::string::npos) << word << " in\n" << text;
}

INSTANTIATE_TEST_SUITE_P(All, OpenClGolden,
                         ::testing::Range(0, static_cast<int>(opencl_kernels().size())),
                         [](const auto& info) { return OpenClGolden::kernel(info.param).name; });

class OpenClHalf : public ::testing::TestWithParam<int> {};

TEST_P(OpenClHalf, IsConvertedByTheExtensionWhereThereIsOne) {
  const LinearKernel k = half_increment(GetParam());
  const std::string native = render_opencl(k, {.has_half = true}), decomposed = opencl_text(k);
  const std::string n = GetParam() == 1 ? "" : std::to_string(GetParam());
  EXPECT_NE(native.find("#pragma OPENCL EXTENSION cl_khr_fp16 : enable"), std::string::npos);
  EXPECT_NE(native.find("convert_float" + n + "(as_half" + n + "(h))"), std::string::npos)
      << native;
  EXPECT_NE(native.find("as_ushort" + n + "(convert_half" + n + "_rte(x))"), std::string::npos)
      << native;
  EXPECT_EQ(native.find("0x38800000"), std::string::npos) << native;
  EXPECT_EQ(decomposed.find("cl_khr_fp16"), std::string::npos);
  EXPECT_NE(decomposed.find("0x38800000"), std::string::npos) << decomposed;
  std::string skip;
  EXPECT_EQ(complaints(native, skip), "");
  if (!skip.empty()) GTEST_SKIP() << skip;
}

INSTANTIATE_TEST_SUITE_P(Lanes, OpenClHalf, ::testing::Values(1, 4, 8, 16));

TEST(RenderOpenCl, GivesEqualTextForEqualKernels) {
  EXPECT_EQ(opencl_text(row_sum()), opencl_text(row_sum()));
}

TEST(RenderOpenCl, StatesTheSizeOfAGroup) {
  EXPECT_NE(opencl_text(row_sum()).find("reqd_work_group_size(1, 1, 1)"), std::string::npos);
  EXPECT_NE(opencl_text(reversed_by_work_items()).find("reqd_work_group_size(8, 1, 1)"),
            std::string::npos);
}

TEST(RenderOpenCl, LetsGroupsShareOutTheLaunch) {
  EXPECT_NE(opencl_text(row_sum()).find(
                "for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {"),
            std::string::npos);
}

TEST(RenderOpenCl, TellsWorkItemsApartByDivisionOfTheirNumber) {
  const std::string text = opencl_text(reversed_by_work_items());
  EXPECT_NE(text.find("const long r1 = get_local_id(0) / 4;"), std::string::npos) << text;
  EXPECT_NE(text.find("const long r2 = get_local_id(0) % 4;"), std::string::npos) << text;
}

TEST(RenderOpenCl, GivesIndicesThatFitThirtyTwoBitsWhereThoseAreCheaper) {
  const std::string text = render_opencl(reversed_by_work_items(), {.narrow_index = true});
  EXPECT_NE(text.find("const int at0 = (int)r0;"), std::string::npos) << text;
  EXPECT_NE(text.find("const int r1 = get_local_id(0) / 4;"), std::string::npos) << text;
  EXPECT_EQ(text.find("const long"), std::string::npos) << text;
}

// 2^20 rows of 2^12 elements: the last has an index of 32 bits and a sign.
TEST(RenderOpenCl, KeepsIndicesWideThatDoNotFitThirtyTwoBits) {
  const auto row_of = [](Dim rows) {
    Lines add;
    const UOp g = add(chunk_loop(rows, 0));
    const UOp at = add(g * index_of(1 << 12));
    add(store_lanes(param(0, {rows, 1 << 12}, dtypes::float32), at,
                    load_lanes(param(1, {rows, 1 << 12}, dtypes::float32), at, 1)));
    add(close_loop(g));
    return render_opencl(add.finish("rows", {kWrite, kRead}, rows), {.narrow_index = true});
  };
  EXPECT_EQ(row_of(1 << 20).find("(int)"), std::string::npos);
  EXPECT_NE(row_of(1 << 18).find("(int)"), std::string::npos);
}

TEST(RenderOpenCl, MeetsOnceMoreBeforeTheNextRound) {
  const std::string text = opencl_text(reversed_by_work_items()),
                    barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
  const size_t first = text.find(barrier);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find(barrier, first + 1), std::string::npos) << text;
}

TEST(RenderOpenCl, MovesScratchThatIsTooLargeToGlobalMemory) {
  const LinearKernel small = staged_reverse(Space::Scratch, 0),
                     big = staged_reverse(Space::Scratch, 5000);
  EXPECT_EQ(opencl_scratch_bytes(small, kOpenClMachine), 0);
  EXPECT_NE(opencl_text(small).find("__local float a5[12]"), std::string::npos);
  EXPECT_EQ(opencl_scratch_bytes(big, kOpenClMachine), big.scratch_bytes);
  EXPECT_NE(opencl_text(big).find("__global char* scratch"), std::string::npos);
  EXPECT_EQ(opencl_text(big).find("__local"), std::string::npos);
}

TEST(RenderOpenCl, FusesOnlyWhereTheMachineDoes) {
  const LinearKernel k = small_matmul();
  EXPECT_NE(render_opencl(k, {.has_fma = true}).find("fma("), std::string::npos);
  EXPECT_EQ(render_opencl(k, {.has_fma = false}).find("fma("), std::string::npos);
  EXPECT_NE(opencl_text(k).find("#pragma OPENCL FP_CONTRACT OFF"), std::string::npos);
}

TEST(RenderOpenCl, LetsIntegersWrapByUnsignedNumbers) {
  const std::string text = opencl_text(wrapping_sums());
  EXPECT_NE(text.find("add_int("), std::string::npos) << text;
  EXPECT_NE(text.find("mul_int4("), std::string::npos) << text;
  EXPECT_NE(text.find("as_int4(as_uint4(a) * as_uint4(b))"), std::string::npos) << text;
}

TEST(RenderOpenCl, HasNoVectorsOfMoreThanSixteenLanes) {
  Lines add;
  const UOp x = load_lanes(param(1, {32}, dtypes::int8), index_of(0), 32);
  add(store_lanes(param(0, {32}, dtypes::int8), index_of(0), x));
  EXPECT_THROW(opencl_text(add.finish("wide", {kWrite, kRead})), InternalError);
}

TEST(RenderOpenCl, WritesTheKernelOfTheDocumentation) {
  const auto page = try_read_file(test::source_dir() / "docs/opencl.md");
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("```c\n" + opencl_text(reversed_by_work_items()) + "```"),
            std::string::npos);
}

TEST(RenderC, RefusesWorkItems) {
  const LinearKernel k = reversed_by_work_items();
  EXPECT_THROW(render_c({&k, 1}), InternalError);
}

}  // namespace
}  // namespace tg::testing
