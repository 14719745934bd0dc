// What the heuristics make of kernels of ordinary sizes on a target with work-items: how many
// groups, how many work-items, how many barriers; and that the values stay right.
#include <gtest/gtest.h>

#include <functional>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "kernel/affine.h"
#include "rewrite/work_item_flow.h"
#include "schedule/schedule.h"
#include "support/kernel_values.h"
#include "support/run_linear.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/error.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

Target graphics_target() { return test::graphics_processor(); }

class Tensors {
 public:
  UOp leaf(const Shape& shape, DType t = DType::Float32, int lo = -3, int hi = 3) {
    return leaves_.add(test::random_tensor(rng_, shape, t, lo, hi));
  }
  // The last kernel that `root` needs.
  UOp kernel(const UOp& root, std::vector<TensorValue>& params) {
    const std::vector<UOp> roots = {root};
    const Schedule s = make_schedule(roots, graphics_target());
    const ScheduleItem& item = s.items.back();
    for (int b : item.buffers) {
      const Node* n = s.buffers[static_cast<size_t>(b)].node;
      const auto it = leaves_.contents.find(n);
      const Shape shape(n->shape().begin(), n->shape().end());
      params.push_back(it != leaves_.contents.end()
                           ? it->second
                           : test::random_tensor(rng_, shape, n->dtype, -3, 3));
    }
    return item.kernel;
  }

 private:
  std::mt19937_64 rng_{7};
  test::Leaves leaves_;
};

const std::vector<int64_t> kAlongRows = {1}, kAlongColumns = {0};

UOp row_sum(const UOp& x) { return reduce(x, ReduceOp::Add, kAlongRows); }
UOp row_max(const UOp& x) { return reduce(x, ReduceOp::Max, kAlongRows); }
UOp along(const UOp& row, Dim n) { return expand(row, {row.shape()[0], n}); }

UOp softmax_like(Tensors& t, Dim rows, Dim n) {
  const UOp x = t.leaf({rows, n});
  const UOp centred = x - along(row_max(x), n);
  return centred * along(row_sum(centred * centred), n);
}

// The first place of the maximum, as the largest of the negated places that have it.
UOp argmax_like(Tensors& t, Dim rows, Dim n) {
  const UOp x = t.leaf({rows, n});
  const UOp at = iota({rows, n}, 1, DType::Int32);
  const UOp is_max = ne(x, along(row_max(x), n)) ^ full({rows, n}, Scalar::of_int(1, DType::Bool));
  return row_max(
      where(is_max, at * int64_t{-1}, full({rows, n}, Scalar::of_int(-n, DType::Int32))));
}

UOp transposed(const UOp& x) { return permute(x, std::vector<int64_t>{1, 0}); }

// Of a [m, k] and b [n, k].
UOp products(const UOp& a, const UOp& b) {
  const Dim m = a.shape()[0], n = b.shape()[0], k = a.shape()[1];
  return reduce(expand(reshape(a, {m, 1, k}), {m, n, k}) * expand(reshape(b, {1, n, k}), {m, n, k}),
                ReduceOp::Add, std::vector<int64_t>{2});
}

UOp matmul(Tensors& t, Dim m, Dim k, Dim n) {
  return products(t.leaf({m, k}), transposed(t.leaf({k, n})));
}

UOp scattered(Tensors& t) {
  const UOp idx = expand(t.leaf({40, 1}, DType::Int32, 0, 9), {40, 96});
  return scatter(t.leaf({10, 96}), idx, t.leaf({40, 96}), 0, Combine::Add);
}

struct HeuristicsCase {
  const char* name;
  std::function<UOp(Tensors&)> root;
  int64_t groups, group_size;
  int barriers;
  int shuffling = barriers;  ///< barriers where subgroups shuffle values
};

const HeuristicsCase kHeuristicsCases[] = {
    {"AVectorAWorkItemOfALongAxis", [](Tensors& t) { return t.leaf({8192}) + int64_t{1}; }, 8, 256,
     0},
    {"AnOddLongAxis", [](Tensors& t) { return t.leaf({5003}) + int64_t{1}; }, 20, 256, 0},
    {"AShortAxisInsideALongOne",
     [](Tensors& t) {
       return t.leaf({300, 10}) + along(t.leaf({300, 1}), 10) * expand(t.leaf({1, 10}), {300, 10});
     },
     12, 250, 0},
    {"ASumOfAll", [](Tensors& t) { return reduce(t.leaf({20000}), ReduceOp::Add, kAlongColumns); },
     1, 1024, 3, 2},
    {"RowSums",
     [](Tensors& t) {
       return row_sum(t.leaf({24, 1000}));
     },
     24, 128, 2, 1},
    {"ShortRowSums",
     [](Tensors& t) {
       return row_sum(t.leaf({512, 10}));
     },
     2, 256, 0},
    {"OddRowMaxima",
     [](Tensors& t) {
       return row_max(t.leaf({7, 301}));
     },
     7, 64, 2, 1},
    {"ColumnSums",
     [](Tensors& t) {
       return reduce(t.leaf({300, 72}), ReduceOp::Add, kAlongColumns);
     },
     3, 192, 1},
    {"SumsOverOuterAndInnerAxes",
     [](Tensors& t) {
       return reduce(t.leaf({16, 6, 20, 20}), ReduceOp::Add, std::vector<int64_t>{0, 2, 3});
     },
     6, 200, 3},
    {"SumsOverAxesOfPrimeLength",
     [](Tensors& t) {
       return reduce(t.leaf({16, 6, 17, 19}), ReduceOp::Add, std::vector<int64_t>{0, 2, 3});
     },
     6, 247, 3},
    {"MeansThatAreSubtracted",
     [](Tensors& t) {
       const UOp parts = expand(reshape(row_sum(t.leaf({64, 8})), {64, 1, 1}), {64, 24, 36});
       return t.leaf({64, 24, 36}) - parts;
     },
     64, 27, 0},
    {"ManyShortRowsThatAreSubtracted",
     [](Tensors& t) {
       const UOp x = t.leaf({8192, 17});
       return x - along(row_sum(x), 17);
     },
     32, 256, 0},
    {"SoftmaxRows", [](Tensors& t) { return softmax_like(t, 5, 512); }, 5, 128, 4, 2},
    {"OddSoftmaxRows", [](Tensors& t) { return softmax_like(t, 3, 333); }, 3, 64, 4, 2},
    {"ArgmaxRows", [](Tensors& t) { return argmax_like(t, 6, 200); }, 6, 32, 4, 0},
    {"AProductOfWholeTiles", [](Tensors& t) { return matmul(t, 128, 32, 64); }, 2, 64, 2},
    {"AProductOfLargeTiles", [](Tensors& t) { return matmul(t, 256, 48, 128); }, 2, 256, 2},
    {"AProductWhoseLastStepIsShorter", [](Tensors& t) { return matmul(t, 64, 36, 64); }, 1, 128, 4},
    {"AProductOfOperandsThatAreComputed",
     [](Tensors& t) {
       const UOp a = t.leaf({64, 32}), b = t.leaf({64, 32});
       return products(a * a + int64_t{1}, b * int64_t{3});
     },
     1, 128, 2},
    {"AProductByATransposedOperand",
     [](Tensors& t) {
       return products(t.leaf({64, 32}), t.leaf({128, 32}));
     },
     2, 64, 2},
    {"AProductOfTransposedOperands",
     [](Tensors& t) {
       return products(transposed(t.leaf({32, 64})), t.leaf({64, 32}));
     },
     1, 128, 2},
    {"AProductOfOddSizes", [](Tensors& t) { return matmul(t, 70, 19, 51); }, 4, 256, 0},
    {"ATranspose",
     [](Tensors& t) {
       return transposed(t.leaf({64, 96})) + int64_t{1};
     },
     6, 256, 1},
    {"ATransposeOfOddSizes",
     [](Tensors& t) {
       return transposed(t.leaf({70, 51})) * t.leaf({51, 70});
     },
     6, 256, 1},
    {"ASumWithATranspose",
     [](Tensors& t) {
       const UOp x = t.leaf({40, 40});
       return x + transposed(x);
     },
     4, 256, 1},
    {"AScatterThatAdds", scattered, 3, 32, 0},
};

int64_t count_of(const LinearKernel& k, Op op) {
  return std::ranges::count_if(k.ops, [op](const UOp& u) { return u.is(op); });
}

class WorkItemsOf : public testing::TestWithParam<HeuristicsCase> {};

TEST_P(WorkItemsOf, AreAsManyAsTheKernelFills) {
  const HeuristicsCase& c = GetParam();
  Tensors t;
  std::vector<TensorValue> params;
  const UOp root = c.root(t);
  const UOp kernel = t.kernel(root, params);
  std::vector<TensorValue> want = params, got;
  evaluate_ranged(kernel, want);
  for (const bool shuffles : {false, true}) {
    Target target = graphics_target();
    target.ops.set(static_cast<size_t>(Op::SubgroupShuffle), shuffles);
    const KernelSchedule s = choose_schedule(kernel, target);
    SCOPED_TRACE(opts_text(s));
    const LinearKernel k = lower(kernel, s, target);
    ASSERT_NO_THROW(verify_linear(k.ops));
    ASSERT_NO_THROW(got = test::run_linear(k, params));
    for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(test::same_numbers(got[i], want[i]));
    EXPECT_EQ(k.chunks, c.groups);
    EXPECT_EQ(k.group_size, c.group_size);
    EXPECT_EQ(count_of(k, Op::Barrier), shuffles ? c.shuffling : c.barriers);
    EXPECT_TRUE(shuffles || count_of(k, Op::SubgroupShuffle) == 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, WorkItemsOf, testing::ValuesIn(kHeuristicsCases),
                         [](const auto& info) { return std::string(info.param.name); });

// A warp's accesses to memory are those of neighbours, on both sides of the tile.
TEST(WorkItemsOfTransposes, LoadAndStoreNeighbours) {
  Tensors t;
  std::vector<TensorValue> params;
  const UOp root = transposed(t.leaf({256, 256})) + int64_t{1};
  const UOp kernel = t.kernel(root, params);
  const LinearKernel k =
      lower(kernel, choose_schedule(kernel, graphics_target()), graphics_target());
  EXPECT_GT(k.scratch_bytes, 32 * 32 * 4) << "rows are padded";
  const auto neighbours = [&](const UOp& access) {
    const int lanes = access.is(Op::Load) ? access.lanes() : access.src(2).lanes();
    const Affine at = Affine::of(access.src(1));
    return std::ranges::any_of(at.terms, [&](const Affine::Term& term) {
      return term.coef == lanes && std::ranges::any_of(free_ranges(term.term), [](const UOp& r) {
               return is_work_item_range(r.node());
             });
    });
  };
  int accesses = 0;
  for (const UOp& u : k.ops) {
    if ((!u.is(Op::Load) && !u.is(Op::Store)) || !u.src(0).is(Op::Param)) continue;
    ++accesses;
    EXPECT_TRUE(neighbours(u)) << print_expr(u);
  }
  EXPECT_GT(accesses, 1);
}

// Three passes over a row of 1,333, of which each work-item has six elements: six loads.
TEST(WorkItemsOfRows, KeepTheirElementsInRegistersBetweenPasses) {
  Tensors t;
  std::vector<TensorValue> params;
  const UOp root = softmax_like(t, 3, 1333);
  const UOp kernel = t.kernel(root, params);
  const Target target = graphics_target();
  const LinearKernel k = lower(kernel, choose_schedule(kernel, target), target);
  EXPECT_EQ(k.group_size, 256);
  EXPECT_EQ(std::ranges::count_if(
                k.ops, [](const UOp& u) { return u.is(Op::Load) && u.src(0).is(Op::Param); }),
            6);
}

int64_t count_accesses(const LinearKernel& k, Op op, bool scratch, int lanes) {
  return std::ranges::count_if(k.ops, [&](const UOp& u) {
    if (!u.is(op)) return false;
    const Node* p = u.src_node(0);
    while (p->op == Op::After) p = p->src()[0];
    const int n = u.is(Op::Load) ? u.lanes() : u.src(2).lanes();
    return (p->op == Op::Alloc) == scratch && n == lanes;
  });
}

// A step of 16 of two operands of 128: two vectors of each for each of 256 work-items.
TEST(WorkItemsOfProducts, ShareTheCopyingOfEachStepByVectors) {
  Tensors t;
  std::vector<TensorValue> params;
  const UOp root = matmul(t, 128, 32, 128);
  const UOp kernel = t.kernel(root, params);
  const Target target = graphics_target();
  const LinearKernel k = lower(kernel, choose_schedule(kernel, target), target);
  EXPECT_EQ(k.group_size, 256);
  EXPECT_EQ(k.scratch_bytes, 2 * 128 * 16 * 4);
  EXPECT_EQ(count_accesses(k, Op::Load, false, 4), 4);
  EXPECT_EQ(count_accesses(k, Op::Load, false, 1), 0);
  EXPECT_EQ(count_accesses(k, Op::Store, true, 4), 4);
  EXPECT_EQ(count_accesses(k, Op::Store, true, 1), 0);
}

// Rows that are read across are padded, which counts.
TEST(WorkItemsOfProducts, AreNotCopiedWhereScratchIsTooSmallForPaddedRows) {
  Tensors t;
  std::vector<TensorValue> params;
  const UOp root = products(t.leaf({64, 32}), t.leaf({64, 32}));
  const UOp kernel = t.kernel(root, params);
  Target target = graphics_target();
  constexpr int64_t kUnpadded = 2 * 64 * 16 * 4;
  const int64_t wanted = lower(kernel, choose_schedule(kernel, target), target).scratch_bytes;
  ASSERT_GT(wanted, kUnpadded);
  for (int64_t room = kUnpadded; room < wanted; room += 64) {
    target.local_bytes = room;
    EXPECT_LE(lower(kernel, choose_schedule(kernel, target), target).scratch_bytes, room);
  }
}

TEST(WorkItemsOfProducts, AreNotCopiedWhereScratchIsTooSmall) {
  Tensors t;
  std::vector<TensorValue> params;
  const UOp root = matmul(t, 64, 64, 64);
  const UOp kernel = t.kernel(root, params);
  Target target = graphics_target();
  EXPECT_GT(lower(kernel, choose_schedule(kernel, target), target).scratch_bytes, 0);
  target.local_bytes = 1 << 10;
  EXPECT_EQ(lower(kernel, choose_schedule(kernel, target), target).scratch_bytes, 0);
}

TEST(WorkItemsOfRows, AreRefusedByTargetsThatHaveNone) {
  Tensors t;
  std::vector<TensorValue> params;
  const UOp root = row_sum(t.leaf({4, 64}));
  const UOp kernel = t.kernel(root, params);
  KernelSchedule s = plain_schedule(kernel);
  opt_group(s, 1, 8);
  Target target = graphics_target();
  EXPECT_NO_THROW(lower(kernel, s, target));
  target.max_group_size = 4;
  EXPECT_THROW(lower(kernel, s, target), ArgumentError);
  target.max_group_size = 0;
  EXPECT_THROW(lower(kernel, s, target), ArgumentError);
}

TEST(WorkItemsOfRows, AreRefusedWhereTheirScratchDoesNotFit) {
  Tensors t;
  std::vector<TensorValue> params;
  const UOp root = row_sum(t.leaf({4, 640}));
  const UOp kernel = t.kernel(root, params);
  KernelSchedule s = plain_schedule(kernel);
  opt_group(s, 1, 64);
  Target target = graphics_target();
  target.local_bytes = 128;
  EXPECT_NO_THROW(lower(kernel, s, target)) << "of a subgroup's sum there is one part";
  target.ops.reset(static_cast<size_t>(Op::SubgroupShuffle));
  EXPECT_THROW(lower(kernel, s, target), ArgumentError);
  EXPECT_NO_THROW(lower(kernel, choose_schedule(kernel, target), target));
}

// As the gradient of batch normalisation behind a pool: two sums that have an axis in common, which
// is shared out once.
TEST(WorkItemsOfRows, ShareAnAxisOfTwoReductionsOnce) {
  const UOp r = range(32, 0), i = range(40, 1), j = range(64, 2), k = range(10, 3);
  const UOp x = load(param(1, {32, 40, 64}, DType::Float32), {{r, i, j}}),
            y = load(param(2, {32, 10, 64}, DType::Float32), {{r, k, j}});
  const UOp sums =
      reduce_ranges(x, ReduceOp::Add, {{i, j}}) * reduce_ranges(y, ReduceOp::Max, {{k, j}});
  const UOp root = end(store_at(param(0, {32}, DType::Float32), {{r}}, sums), {{r}});
  const UOp kernel = sink(std::span(&root, 1));
  const KernelSchedule s = choose_schedule(kernel, graphics_target());
  EXPECT_TRUE(test::has_option(s, "GROUP(r")) << opts_text(s);
  test::expect_values(kernel, s, graphics_target());
}

}  // namespace
}  // namespace tg
