// The listings of docs/work-items.md are what the compiler makes of the kernels that the page
// names.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "codegen/lower.h"
#include "schedule/schedule.h"
#include "support/source_dir.h"
#include "support/tensors.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

Target small_groups_target() {
  Target t;
  t.max_group_size = 64;
  t.ops.set();
  t.dtypes.set();
  return t;
}

UOp only_kernel(const UOp& root) {
  const std::vector<UOp> roots = {root};
  return make_schedule(roots, small_groups_target()).items.back().kernel;
}

void expect_on_page(const UOp& kernel, const KernelSchedule& s,
                    const Target& target = small_groups_target()) {
  std::ifstream in(test::source_dir().string() + "/docs/work-items.md");
  std::stringstream page;
  page << in.rdbuf();
  const std::string listing = print(lower(kernel, s, target).ops);
  EXPECT_NE(page.str().find("```\n" + listing + "```"), std::string::npos)
      << "the page should have\n"
      << listing;
}

const std::vector<int64_t> kAlongRow = {1};

UOp sums_of_eight_rows(Dim n) {
  std::mt19937_64 rng;
  test::Leaves leaves;
  return only_kernel(reduce(leaves.add(test::random_tensor(rng, {8, n}, DType::Float32)),
                            ReduceOp::Add, kAlongRow));
}

TEST(WorkItemsPage, ShowsTheSumsOfRows) {
  const UOp kernel = sums_of_eight_rows(100);
  KernelSchedule s = plain_schedule(kernel);
  opt_group(s, 1, 4);
  opt_thread(s, 1);
  expect_on_page(kernel, s);
}

TEST(WorkItemsPage, ShowsTheSumsOfRowsByShuffles) {
  const UOp kernel = sums_of_eight_rows(100);
  KernelSchedule s = plain_schedule(kernel);
  opt_group(s, 1, 4);
  opt_thread(s, 1);
  Target t = small_groups_target();
  t.subgroup_size = 4;
  expect_on_page(kernel, s, t);
}

TEST(WorkItemsPage, ShowsStepsInFlight) {
  const UOp kernel = sums_of_eight_rows(64);
  KernelSchedule s = plain_schedule(kernel);
  opt_tile(s, 1, 4, 0, Tail::None);
  opt_unroll(s, 1, 4, Tail::None);
  opt_local(s, 0, 8, Tail::None);
  UOp load;
  for (const Node* n : toposort(kernel)) load = n->op == Op::Load ? UOp::share(n) : load;
  opt_stage(s, {load, 1, 3});
  Target t = small_groups_target();
  t.async_copy_bytes = 16;
  expect_on_page(kernel, s, t);
}

TEST(WorkItemsPage, ShowsASoftmax) {
  std::mt19937_64 rng;
  test::Leaves leaves;
  const UOp x = leaves.add(test::random_tensor(rng, {8, 12}, DType::Float32));
  const UOp e = exp2(x - expand(reduce(x, ReduceOp::Max, kAlongRow), {8, 12}));
  const UOp kernel = only_kernel(e / expand(reduce(e, ReduceOp::Add, kAlongRow), {8, 12}));
  KernelSchedule s = plain_schedule(kernel);
  for (int b = 0; b < static_cast<int>(s.bases.size()); ++b) {
    if (s.bases[static_cast<size_t>(b)].role == Role::Red) opt_group(s, b, 4);
  }
  opt_local(s, 1, 4);
  opt_thread(s, 1);
  expect_on_page(kernel, s);
}

TEST(WorkItemsPage, ShowsAProductByAMatrixUnit) {
  std::mt19937_64 rng;
  test::Leaves leaves;
  const UOp x = leaves.add(test::random_tensor(rng, {16, 32, 1}, DType::Float16));
  const UOp w = leaves.add(test::random_tensor(rng, {1, 32, 8}, DType::Float16));
  const UOp product =
      cast(expand(x, {16, 32, 8}), DType::Float32) * cast(expand(w, {16, 32, 8}), DType::Float32);
  const UOp kernel = only_kernel(reduce(product, ReduceOp::Add, kAlongRow));
  KernelSchedule s = plain_schedule(kernel);
  const MatrixUnit* unit = find_matrix_unit("m16n8k16_f16");
  opt_matrix(s, *unit, {0, 1, 2});
  Target t = small_groups_target();
  t.subgroup_size = 32;
  t.matrix_units = {unit};
  expect_on_page(kernel, s, t);
}

}  // namespace
}  // namespace tg
