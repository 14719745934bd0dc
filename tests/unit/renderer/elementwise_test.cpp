// Every elementwise op in every dtype: the generated C against the op record's evaluation. The
// kernels of a case share one translation unit. Then what op by op does not show: vectors beside
// scalars that are expressions.
#include "elementwise_cases.h"
#include "kernels.h"

namespace tg::testing {
namespace {

class RenderedElementwise : public ::testing::TestWithParam<std::tuple<CompilerCase, Group>> {};

TEST_P(RenderedElementwise, EqualsTheRecordsEvaluation) {
  const auto& [with, group] = GetParam();
  if (!find_program(with.compiler)) GTEST_SKIP() << with.compiler << " is not installed";
  std::vector<LinearKernel> kernels;
  for (const Case& c : cases_of(group)) kernels.push_back(kernel_of(c));
  const std::string source = render_c(kernels);
  const Compiled code(source, with.compiler, {with.flag, "-O1"});
  ASSERT_TRUE(code.ok()) << code.errors() << source;
  for (const Case& c : cases_of(group)) check(code.entry("k_" + case_name(c)), c, 20240117);
}

INSTANTIATE_TEST_SUITE_P(
    Of, RenderedElementwise,
    ::testing::Combine(::testing::Values(CompilerCase{"clang_native", "clang-19", "-march=native"},
                                         CompilerCase{"gcc_generic", "gcc", "-mtune=generic"}),
                       ::testing::ValuesIn(all_groups())),
    [](const auto& info) {
      const Group& group = std::get<1>(info.param);
      return fmt::format("{}_{}_{}", std::get<0>(info.param).name, op_name(group.first),
                         dtype_name(group.second));
    });

// p0[i] = (i < 16 ? p1[0] : 0) < p1[i], eight elements at a time: one scalar for all lanes.
LinearKernel above_a_uniform_choice(DType t) {
  const UOp r = chunk_loop(4, 0), at = r * index_of(8), in = param(1, {32}, t);
  const UOp choice = where(lt(r, index_of(2)), load_lanes(in, index_of(0), 1), constant(0, t));
  const UOp above = lt(splat(choice, 8), load_lanes(in, at, 8));
  return chunk_kernel("above_a_uniform_choice", r,
                      {store_lanes(param(0, {32}, dtypes::bool_), at, above)}, 0, 2);
}

template <typename T>
void check_uniform_choice(DType t, const CompilerCase& with) {
  SCOPED_TRACE(dtype_name(t));
  const LinearKernel k = above_a_uniform_choice(t);
  const std::string source = render_c(std::vector{k});
  const Compiled code(source, with.compiler, {with.flag, "-O1"});
  ASSERT_TRUE(code.ok()) << code.errors() << source;
  std::vector<T> in(32);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>((i * 7 + 5) % 11);
  std::vector<uint8_t> out(32, 2), want(32);
  for (size_t i = 0; i < in.size(); ++i) want[i] = (i < 16 ? in[0] : T{0}) < in[i] ? 1 : 0;
  const std::vector<void*> buffers = {out.data(), in.data()};
  code.entry(k.name)(buffers.data(), nullptr, 0, k.chunks, nullptr);
  EXPECT_EQ(out, want);
}

class UniformChoice : public ::testing::TestWithParam<CompilerCase> {};

TEST_P(UniformChoice, ComparesWithAVector) {
  if (!find_program(GetParam().compiler)) GTEST_SKIP() << GetParam().compiler << " is missing";
  check_uniform_choice<int32_t>(dtypes::int32, GetParam());
  check_uniform_choice<uint32_t>(dtypes::uint32, GetParam());
  check_uniform_choice<int64_t>(dtypes::int64, GetParam());
  check_uniform_choice<uint64_t>(dtypes::uint64, GetParam());
  check_uniform_choice<float>(dtypes::float32, GetParam());
  check_uniform_choice<double>(dtypes::float64, GetParam());
}

INSTANTIATE_TEST_SUITE_P(By, UniformChoice,
                         ::testing::Values(CompilerCase{"clang_native", "clang-19",
                                                        "-march=native"},
                                           CompilerCase{"gcc_generic", "gcc", "-mtune=generic"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tg::testing
