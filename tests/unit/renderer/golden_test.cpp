// The text of the hand-written kernels, kept as files beside this one: a change of the renderer
// shows as a change of text. Where it is meant, copy the file that the failure names over the old
// one.
#include <gtest/gtest.h>

#include <regex>

#include "kernels.h"
#include "support/check.h"
#include "support/source_dir.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

class Golden : public ::testing::TestWithParam<int> {
 public:
  static LinearKernel kernel(int i) { return all_kernels()[static_cast<size_t>(i)]; }
};

TEST_P(Golden, TextIsUnchanged) {
  const LinearKernel k = kernel(GetParam());
  const std::string text = render_c({&k, 1});
  const std::filesystem::path path =
      test::source_dir() / "tests/unit/renderer/golden" / (k.name + ".c");
  const auto kept = try_read_file(path);
  if (kept && *kept == text) return;
  const std::filesystem::path actual = std::filesystem::temp_directory_path() / (k.name + ".c");
  write_file(actual, text);
  ADD_FAILURE() << "the text of " << k.name << " differs from " << path << "; it is now in "
                << actual;
}

INSTANTIATE_TEST_SUITE_P(All, Golden, ::testing::Range(0, static_cast<int>(all_kernels().size())),
                         [](const auto& info) { return Golden::kernel(info.param).name; });

class GoldenCode : public ::testing::TestWithParam<CompilerCase> {};

TEST_P(GoldenCode, CompilesWithoutWarnings) {
  const auto& [name, compiler, flag] = GetParam();
  if (!find_program(compiler)) GTEST_SKIP() << compiler << " is not installed";
  for (const LinearKernel& k : all_kernels()) {
    const Compiled code(render_c({&k, 1}), compiler, {flag, "-O1"});
    EXPECT_TRUE(code.ok()) << k.name << ": " << code.errors();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, GoldenCode,
    ::testing::Values(CompilerCase{"clang_19_native", "clang-19", "-march=native"},
                      CompilerCase{"clang_14_generic", "clang-14", "-march=x86-64"},
                      CompilerCase{"gcc_native", "gcc", "-march=native"},
                      CompilerCase{"gcc_generic", "gcc", "-march=x86-64"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Render, GivesEqualTextForEqualKernels) {
  const LinearKernel a = row_sum(), b = row_sum();
  EXPECT_EQ(render_c({&a, 1}), render_c({&b, 1}));
}

TEST(Render, SharesTypesAndHelpersBetweenKernels) {
  const std::vector<LinearKernel> two = {row_sum(), lane_reductions()};
  const std::string text = render_c(two);
  const std::string typedef_line = "typedef f32 f32x8 ";
  const size_t first = text.find(typedef_line);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(typedef_line, first + 1), std::string::npos);
}

TEST(Render, FusesAProductIntoTheSumThatUsesItOnce) {
  const LinearKernel k = small_matmul();
  EXPECT_NE(render_c({&k, 1}).find("acc0 = acc0 + x0 * x1;"), std::string::npos);
}

TEST(Render, UsesNoHeaderAndNoMathLibrary) {
  for (const LinearKernel& k : all_kernels()) {
    const std::string text = render_c({&k, 1});
    EXPECT_EQ(text.find("#include"), std::string::npos) << k.name;
    const std::regex builtin("__builtin_elementwise_fma\\(");
    const std::string rest = std::regex_replace(text, builtin, "");
    EXPECT_EQ(rest.find("fma("), std::string::npos) << k.name;
  }
}

TEST(Render, LeavesOutWhatNoEffectNeeds) {
  Lines add;
  const UOp r = add(chunk_loop(4, 0));
  const UOp x = add(load_lanes(param(1, {4}, dtypes::float32), r, 1));
  add(x * f32(12345));
  add(store_lanes(param(0, {4}, dtypes::float32), r, x));
  add(close_loop(r));
  const LinearKernel k = add.finish("unused", {kWrite, kRead}, 4);
  EXPECT_EQ(render_c({&k, 1}).find("12345"), std::string::npos);
}

TEST(Render, WritesFloorDivisionAsPlainDivisionOnlyWhereItIs) {
  const LinearKernel k = floor_division();
  const std::string text = render_c({&k, 1});
  EXPECT_NE(text.find("floor_div_i64(at0, 4)"), std::string::npos) << text;
  EXPECT_NE(text.find("r0 / 4"), std::string::npos) << text;
}

TEST(Render, MarksOnlyReadParametersConst) {
  const LinearKernel k = gather_scatter();
  const std::string text = render_c({&k, 1});
  EXPECT_NE(text.find("const f32* restrict p1"), std::string::npos);
  EXPECT_NE(text.find(", f32* restrict p3"), std::string::npos);
}

TEST(Render, UsesAlignedTypesOnlyForProvenAlignment) {
  const LinearKernel aligned = row_sum(), unknown = small_matmul();
  EXPECT_NE(render_c({&aligned, 1}).find("f32x8_a*"), std::string::npos);
  EXPECT_EQ(render_c({&unknown, 1}).find("f32x8_a*"), std::string::npos);
}

class Undecomposed : public ::testing::TestWithParam<Op> {};

TEST_P(Undecomposed, IsRefusedByName) {
  Lines add;
  const UOp x = load_lanes(param(1, {4}, dtypes::float32), index_of(0), 4);
  add(store_lanes(param(0, {4}, dtypes::float32), index_of(0), make(GetParam(), {x})));
  const LinearKernel k = add.finish("undecomposed", {kWrite, kRead});
  EXPECT_FALSE(c_supports(GetParam()));
  try {
    render_c({&k, 1});
    FAIL() << "nothing was thrown";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find(op_name(GetParam())), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Undecomposed, ::testing::Values(Op::Exp2, Op::Log2, Op::Sin),
                         [](const auto& info) { return std::string(op_name(info.param)); });

TEST(Render, RefusesArithmeticOnSmallFloats) {
  Lines add;
  const UOp x = load_lanes(param(1, {4}, dtypes::bfloat16), index_of(0), 4);
  add(store_lanes(param(0, {4}, dtypes::bfloat16), index_of(0), x + x));
  const LinearKernel k = add.finish("small_float", {kWrite, kRead});
  EXPECT_THROW(render_c({&k, 1}), InternalError);
}

}  // namespace
}  // namespace tg::testing
