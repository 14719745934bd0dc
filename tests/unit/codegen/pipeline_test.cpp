// The table of passes: what it promises of each, and that the page shows it as it is.
#include "codegen/pipeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rewrite/verify.h"
#include "support/file.h"
#include "support/kernel_zoo.h"
#include "support/options.h"
#include "support/same_numbers.h"
#include "support/source_dir.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

TEST(KernelPasses, AreThoseOfThePage) {
  std::string rows;
  for (const KernelPass& p : kernel_passes())
    rows +=
        fmt::format("| `{}` | {} | {} |\n", p.name, p.purpose, p.optional ? "left out" : "runs");
  const std::string page = read_file(test::source_dir().string() + "/docs/kernel-facts.md");
  EXPECT_NE(page.find("| --- | --- | --- |\n" + rows + "<!-- end -->\n"), std::string::npos)
      << rows;
}

Target that_has_all() {
  Target t;
  t.ops.set();
  t.dtypes.set();
  return t;
}

std::vector<TensorValue> flat(std::vector<TensorValue> arrays) {
  for (TensorValue& a : arrays) a.shape = {a.numel()};
  return arrays;
}

class PassesOnZoo : public testing::TestWithParam<int> {};

TEST_P(PassesOnZoo, MakeEqualKernels) {
  const test::ZooKernel z = test::Zoo(7).make(GetParam());
  std::vector<TensorValue> want = z.params;
  evaluate_ranged(z.ast, want);
  UOp kernel = z.ast;
  for (const KernelPass& pass : kernel_passes()) {
    SCOPED_TRACE(pass.name);
    kernel = pass.run(kernel, that_has_all());
    ASSERT_NO_THROW(verify_ranged(kernel));
    std::vector<TensorValue> got = z.params;
    ASSERT_NO_THROW(evaluate_ranged(kernel, got));
    EXPECT_TRUE(test::same_numbers(flat(got)[0], flat(want)[0])) << z.name;
  }
  EXPECT_EQ(run_kernel_passes(z.ast, that_has_all()), kernel);
}

TEST_P(PassesOnZoo, AreLeftOutWithoutOptimisation) {
  Options o = options();
  o.noopt = true;
  const OptionsScope scope(o);
  const UOp ast = test::Zoo(7).make(GetParam()).ast;
  UOp kernel = ast;
  for (const KernelPass& pass : kernel_passes())
    if (!pass.optional) kernel = pass.run(kernel, that_has_all());
  EXPECT_EQ(run_kernel_passes(ast, that_has_all()), kernel);
}

INSTANTIATE_TEST_SUITE_P(All, PassesOnZoo, testing::Range(0, test::Zoo::kKinds));

}  // namespace
}  // namespace tg
