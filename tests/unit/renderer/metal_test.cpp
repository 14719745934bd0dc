// Metal source of the hand-written kernels with vectors of at most four lanes, kept as files in
// golden/*.metal, and read by a host compiler through a stand-in for metal_stdlib. A change of the
// renderer shows as a change of text; where it is meant, copy the file that the failure names over
// the old one. What the text computes is checked where kernels are executed, in tests/emulator.
#include <gtest/gtest.h>

#include <algorithm>

#include "elementwise_cases.h"
#include "kernels.h"
#include "support/check.h"
#include "support/source_dir.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

constexpr MetalMachine kMetalMachine = {};

/// p0[4] and p2[4]: lanes moved by shuffle, extract and stack, every third element gathered.
LinearKernel four_lane_moves() {
  Lines add;
  const UOp x = load_lanes(param(1, {24}, dtypes::float32), index_of(0), 4);
  const UOp y = load_lanes(param(1, {24}, dtypes::float32), ramp(index_of(2), 4, 3), 4);
  const std::vector<int64_t> mixed = {0, 1, 6, 7}, low = {1, 0};
  const UOp both = make(Op::Shuffle, {x, y}, mixed);
  const UOp pair = make(Op::Shuffle, {x, y}, low);
  const UOp last = make(Op::Extract, {both}, {{3}});
  const UOp stacked = make(Op::Stack, {last, make(Op::Extract, {x}, {{2}}), f32(5), last + f32(1)});
  add(store_lanes(param(0, {8}, dtypes::float32), index_of(0), both));
  add(store_lanes(param(0, {8}, dtypes::float32), index_of(4), stacked));
  add(store_lanes(param(2, {2}, dtypes::float32), index_of(0), pair));
  return add.finish("four_lane_moves", {kWrite, kRead, kWrite});
}

/// p0 bool [8] = (p1 < p2) != p3, p4 int64 [8] = p0 ? p5 : 1; masks of three widths meet.
LinearKernel four_lane_masks() {
  Lines add;
  const UOp r = add(chunk_loop(2, 0));
  const UOp at = r * index_of(4);
  const UOp x = load_lanes(param(1, {8}, dtypes::float32), at, 4),
            y = load_lanes(param(2, {8}, dtypes::float32), at, 4);
  const UOp m = ne(lt(x, y), load_lanes(param(3, {8}, dtypes::bool_), at, 4));
  add(store_lanes(param(0, {8}, dtypes::bool_), at, m));
  const UOp one = fill_lanes(Scalar::of_int(1, dtypes::int64), 4);
  const UOp wide = load_lanes(param(5, {8}, dtypes::int64), at, 4);
  add(store_lanes(param(4, {8}, dtypes::int64), at, where(m, wide, one)));
  add(close_loop(r));
  return add.finish("four_lane_masks", {kWrite, kRead, kRead, kRead, kWrite, kRead}, 2);
}

std::vector<LinearKernel> metal_kernels() {
  return {masked_axpy(4),
          row_sum(4),
          small_matmul(4),
          fibonacci(),
          row_argmax(),
          gather_scatter(4),
          staged_reverse(Space::Scratch, 0),
          staged_reverse(Space::Reg, 0),
          odd_only(),
          four_lane_masks(),
          four_lane_moves(),
          floor_division(),
          shifted(),
          lane_reductions(4),
          half_increment(4),
          reversed_by_work_items(),
          wrapping_sums(),
          async_copied_rows(),
          unit_product(*find_matrix_unit("m8n8k8_f16")),
          unit_product(*find_matrix_unit("m8n8k8_f32"))};
}

std::string metal_text(const LinearKernel& k) { return render_metal(k, kMetalMachine); }

std::filesystem::path here() { return test::source_dir() / "tests/unit/renderer"; }

// Errors of a host compiler that reads `text`; empty if it accepts it.
std::string host_errors(const std::string& text) {
  const std::string folder = (here() / "metal_stand_in").string();
  const ProcessResult r =
      run_process({"g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "-Wno-attributes",
                   "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unknown-pragmas",
                   "-Wno-non-template-friend", "-I", folder, "-x", "c++", "-"},
                  {.input = text});
  return r.ok() ? "" : r.describe() + "\n" + r.errors.substr(0, 4000);
}

class MetalGolden : public ::testing::TestWithParam<int> {
 public:
  static LinearKernel kernel(int i) { return metal_kernels()[static_cast<size_t>(i)]; }
};

TEST_P(MetalGolden, TextIsUnchanged) {
  const LinearKernel k = kernel(GetParam());
  const std::string text = metal_text(k);
  const std::filesystem::path path = here() / "golden" / (k.name + ".metal");
  const auto kept = try_read_file(path);
  if (kept && *kept == text) return;
  const std::filesystem::path actual = std::filesystem::temp_directory_path() / (k.name + ".metal");
  write_file(actual, text);
  ADD_FAILURE() << "the text of " << k.name << " differs from " << path << "; it is now in "
                << actual;
}

TEST_P(MetalGolden, IsReadByAHostCompiler) {
  if (!find_program("g++")) GTEST_SKIP() << "needs g++";
  const std::string text = metal_text(kernel(GetParam()));
  EXPECT_EQ(host_errors(text), "") << text;
}

TEST_P(MetalGolden, UsesNothingOfOtherDialects) {
  const std::string text = metal_text(kernel(GetParam()));
  for (const char* word : {"__builtin", "vector_size", "__global", "__local", "convert_",
                           "restrict", ".s0", "i64", "double", "float3 ", "float3(", "float8"})
    EXPECT_EQ(text.find(word), std::string::npos) << word << " in\n" << text;
}

INSTANTIATE_TEST_SUITE_P(All, MetalGolden,
                         ::testing::Range(0, static_cast<int>(metal_kernels().size())),
                         [](const auto& info) { return MetalGolden::kernel(info.param).name; });

// ---- every elementwise op, in all dtypes in one text
std::vector<Op> elementwise_ops() {
  std::vector<Op> out;
  for (const auto& [op, t] : all_groups()) {
    if (std::ranges::find(out, op) == out.end()) out.push_back(op);
  }
  return out;
}

class MetalElementwise : public ::testing::TestWithParam<Op> {};

TEST_P(MetalElementwise, IsReadByAHostCompiler) {
  if (!find_program("g++")) GTEST_SKIP() << "needs g++";
  std::string text = "#include <metal_stdlib>\n";
  int kernels = 0;
  for (const Group& g : all_groups()) {
    if (g.first != GetParam() || g.second == dtypes::float64) continue;
    for (const Case& c : cases_of(g)) {
      if (c.lanes > 4 || c.to == dtypes::float64) continue;
      text += fmt::format("namespace {} {{\n{}}}\n", case_name(c), metal_text(kernel_of(c)));
      ++kernels;
    }
  }
  ASSERT_GT(kernels, 0);
  EXPECT_EQ(host_errors(text), "") << text;
}

INSTANTIATE_TEST_SUITE_P(All, MetalElementwise, ::testing::ValuesIn(elementwise_ops()),
                         [](const auto& info) { return std::string(op_name(info.param)); });

// ---- single rules
TEST(RenderMetal, GivesEqualTextForEqualKernels) {
  EXPECT_EQ(metal_text(row_sum(4)), metal_text(row_sum(4)));
}

TEST(RenderMetal, BeginsWithTheLibraryAndItsNamespace) {
  const std::string text = metal_text(fibonacci());
  EXPECT_EQ(text.find("#include <metal_stdlib>\n"), 0u);
  EXPECT_NE(text.find("using namespace metal;\n"), std::string::npos);
}

TEST(RenderMetal, TurnsFastMathAndContractionOff) {
  const std::string text = metal_text(fibonacci());
  EXPECT_NE(text.find("#pragma METAL fp math_mode(safe)\n"), std::string::npos);
  EXPECT_NE(text.find("#pragma METAL fp contract(off)\n"), std::string::npos);
}

TEST(RenderMetal, NumbersBuffersBySlotAndTheArgumentsBehindThem) {
  const std::string text = metal_text(masked_axpy(4));
  for (const char* part : {"device float* p0 [[buffer(0)]]", "device const float* p1 [[buffer(1)]]",
                           "device const float* p2 [[buffer(2)]]",
                           "constant masked_axpy_arguments& arguments [[buffer(3)]]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(RenderMetal, GivesASlotWithoutAParameterAnEmptyPlace) {
  LinearKernel k = fibonacci();
  k.params.push_back(kRead);
  EXPECT_NE(metal_text(k).find("device const char* p1 [[buffer(1)]]"), std::string::npos);
}

TEST(RenderMetal, ListsTheVariablesInOrderWithTheEndLast) {
  const std::string text = metal_text(fibonacci());
  EXPECT_NE(text.find("struct fibonacci_arguments {\n  long n_steps_0;\n  long end;\n};"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("const long n_steps_0 = arguments.n_steps_0;"), std::string::npos);
}

TEST(RenderMetal, StatesTheSizeOfAGroup) {
  EXPECT_NE(metal_text(row_sum(4)).find("[[max_total_threads_per_threadgroup(1)]]\nkernel void"),
            std::string::npos);
  EXPECT_NE(metal_text(reversed_by_work_items())
                .find("[[max_total_threads_per_threadgroup(8)]]\nkernel void"),
            std::string::npos);
}

TEST(RenderMetal, LetsGroupsShareOutTheLaunch) {
  EXPECT_NE(
      metal_text(row_sum(4)).find("for (long r0 = group; r0 < arguments.end; r0 += groups) {"),
      std::string::npos);
}

TEST(RenderMetal, TellsWorkItemsApartByDivisionOfTheirNumber) {
  const std::string text = metal_text(reversed_by_work_items());
  EXPECT_NE(text.find("const int r1 = work_item / 4;"), std::string::npos) << text;
  EXPECT_NE(text.find("const int r2 = work_item % 4;"), std::string::npos) << text;
}

TEST(RenderMetal, NarrowsIndicesThatFit) {
  const std::string text = metal_text(row_sum(4));
  EXPECT_NE(text.find("const int at0 = (int)r0;"), std::string::npos) << text;
}

TEST(RenderMetal, KeepsWideIndicesThatDoNotFit) {
  Lines add;
  const UOp r = add(chunk_loop(4, 0));
  const UOp at = r * index_of(int64_t{1} << 31);
  const UOp x = load_lanes(param(1, {int64_t{4} << 31}, dtypes::float32), at, 1);
  add(store_lanes(param(0, {4}, dtypes::float32), r, x));
  add(close_loop(r));
  const std::string text = metal_text(add.finish("far", {kWrite, kRead}, 4));
  EXPECT_EQ(text.find("(int)r0"), std::string::npos) << text;
}

TEST(RenderMetal, MeetsOnceMoreBeforeTheNextRound) {
  const std::string text = metal_text(reversed_by_work_items()),
                    barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
  const size_t first = text.find(barrier);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find(barrier, first + 1), std::string::npos) << text;
}

TEST(RenderMetal, DeclaresScratchInTheBodyAndNamesItsSpaceInPointers) {
  const std::string text = metal_text(staged_reverse(Space::Scratch, 0));
  EXPECT_NE(text.find("  alignas(64) threadgroup float a5[12];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("*(threadgroup float4*)("), std::string::npos) << text;
}

TEST(RenderMetal, NamesTheSpaceOfRegistersInPointersOnly) {
  const std::string text = metal_text(staged_reverse(Space::Reg, 0));
  EXPECT_NE(text.find("  alignas(64) float a5[12];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("*(thread float4*)("), std::string::npos) << text;
}

TEST(RenderMetal, ReadsPackedVectorsWhereNoAlignmentIsProven) {
  EXPECT_NE(metal_text(small_matmul(4)).find("float4(*(const device packed_float4*)(p2"),
            std::string::npos);
  EXPECT_NE(metal_text(row_sum(4)).find("*(const device float4*)(p1"), std::string::npos);
}

TEST(RenderMetal, WritesPackedVectorsWhereNoAlignmentIsProven) {
  EXPECT_NE(metal_text(small_matmul(4)).find("*(device packed_float4*)(p0 + at1) = packed_float4("),
            std::string::npos)
      << metal_text(small_matmul(4));
}

TEST(RenderMetal, CallsFmaForFusedProducts) {
  EXPECT_NE(metal_text(small_matmul(4)).find("fma("), std::string::npos);
}

TEST(RenderMetal, MakesMasksOfComparisonsAndBoolsOfMasks) {
  const std::string text = metal_text(four_lane_masks());
  EXPECT_NE(text.find("-int4(x0 < x1)"), std::string::npos) << text;
  EXPECT_NE(text.find("bool4("), std::string::npos) << text;
}

TEST(RenderMetal, LetsIntegersWrapByUnsignedNumbers) {
  const std::string text = metal_text(wrapping_sums());
  EXPECT_NE(text.find("add_int("), std::string::npos) << text;
  EXPECT_NE(text.find("as_type<int4>(as_type<uint4>(a) * as_type<uint4>(b))"), std::string::npos)
      << text;
}

TEST(RenderMetal, ConvertsHalfByTheNativeTypeAndKeepsItsBits) {
  const std::string text = metal_text(half_increment(4));
  EXPECT_NE(text.find("float4(as_type<half4>(x))"), std::string::npos) << text;
  EXPECT_NE(text.find("device ushort* p0"), std::string::npos) << text;
}

TEST(RenderMetal, HasNoVectorsOfMoreThanFourLanes) {
  EXPECT_THROW(metal_text(row_sum(8)), InternalError);
}

TEST(RenderMetal, WritesTheKernelOfTheDocumentation) {
  const auto page = try_read_file(test::source_dir() / "docs/metal.md");
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("```cpp\n" + metal_text(reversed_by_work_items()) + "```"),
            std::string::npos);
}

// ---- refusals
LinearKernel with_arrays(int n) {
  Lines add;
  UOp sum = f32(0);
  for (int i = 1; i < n; ++i)
    sum = sum + load_lanes(param(i, {1}, dtypes::float32), index_of(0), 1);
  add(store_lanes(param(0, {1}, dtypes::float32), index_of(0), sum));
  std::vector<ParamUse> uses(static_cast<size_t>(n), kRead);
  uses[0] = kWrite;
  return add.finish("many", uses);
}

TEST(MetalRefuses, NothingThatItCanSpell) {
  for (const LinearKernel& k : metal_kernels())
    EXPECT_EQ(metal_refuses(k, kMetalMachine), "") << k.name;
}

TEST(MetalRefuses, MoreBuffersThanAKernelTakes) {
  EXPECT_EQ(metal_refuses(with_arrays(30), kMetalMachine), "");
  const std::string reason = metal_refuses(with_arrays(31), kMetalMachine);
  EXPECT_NE(reason.find("32 buffers"), std::string::npos) << reason;
  EXPECT_NE(reason.find("at most 31"), std::string::npos) << reason;
  EXPECT_NE(metal_text(with_arrays(30)).find("arguments [[buffer(30)]]"), std::string::npos);
  EXPECT_THROW(metal_text(with_arrays(31)), DeviceError);
}

TEST(MetalRefuses, MoreScratchThanTheDeviceHas) {
  const LinearKernel k = staged_reverse(Space::Scratch, 5000);
  EXPECT_EQ(metal_refuses(k, kMetalMachine), "");
  const std::string reason = metal_refuses(k, {.local_bytes = 16 << 10});
  EXPECT_NE(reason.find(fmt::format("{}", k.scratch_bytes)), std::string::npos) << reason;
  EXPECT_NE(reason.find("16384"), std::string::npos) << reason;
}

TEST(MetalRefuses, MoreVariablesThanTheArgumentsHold) {
  LinearKernel k = fibonacci();
  k.vars.resize(511, k.vars[0]);
  EXPECT_EQ(metal_refuses(k, kMetalMachine), "");
  k.vars.push_back(k.vars[0]);
  EXPECT_EQ(metal_refuses(k, kMetalMachine),
            "has 512 variables, and a Metal kernel is given fewer than 512");
}

TEST(MetalRefuses, DoublePrecision) {
  const std::string reason = metal_refuses(masks(), kMetalMachine);
  EXPECT_NE(reason.find("float64"), std::string::npos) << reason;
}

}  // namespace
}  // namespace tg::testing
