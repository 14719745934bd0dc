// Every kernel runs, and every value is stored, where what it is made of lives: whatever is chosen
// to be stored. What lives nowhere (masks, counters) is on the device of the kernels that read it.
#include <gtest/gtest.h>

#include "support/effort.h"
#include "support/random_graph.h"
#include "support/run_schedule.h"
#include "support/same_numbers.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/text.h"
#include "uop/devices.h"

namespace tg {
namespace {

constexpr uint64_t kDeviceGraphs = test::trials(60);

DeviceId first() { return device_id("FIRST"); }
DeviceId second() { return device_id("SECOND"); }

// Every elementwise operation and every reduction is a kernel of its own.
FusionOptions storing_all(DeviceId home = 0) { return {.fuse = false, .home = home}; }
// The same, but kernels may be merged.
bool store_each(const Node*, bool, void*) { return true; }
FusionOptions merging_all(DeviceId home) { return {.override_choice = store_each, .home = home}; }

UOp on(DeviceId d, const Shape& shape, DType t = DType::Float32) {
  return buffer(shape, t, d, nullptr);
}

// The items that run on a device.
int64_t count_on(const Schedule& s, DeviceId d) {
  return std::ranges::count(s.items, d, &ScheduleItem::device);
}

// No array is touched by kernels of two devices; of a copy only what it reads may be elsewhere.
void expect_one_device_an_array(const Schedule& s) {
  std::vector<DeviceId> home(s.buffers.size(), 0);
  for (size_t b = 0; b < home.size(); ++b) {
    if (s.buffers[b].external) home[b] = s.buffers[b].node->device;
  }
  for (const ScheduleItem& item : s.items) {
    EXPECT_NE(item.device, 0) << print(item.kernel);
    for (size_t k = 0; k < (item.kernel ? item.buffers.size() : 1); ++k) {
      DeviceId& h = home[static_cast<size_t>(item.buffers[k])];
      if (h == 0) h = item.device;
      EXPECT_EQ(h, item.device) << "array " << k << " of\n"
                                << (item.kernel ? print(item.kernel) : "a copy");
    }
  }
}

// What joins pieces makes: rows of `a` before `at`, of `b` from there on.
UOp joined_rows(const UOp& a, const UOp& b, Dim at) {
  const UOp i = iota(a.shape_vec(), 0, DType::Int64);
  return where(lt(i, const_like(i, at)), a, b);
}

TEST(Devices, AStoredMaskIsWhereItIsRead) {
  const UOp x = on(first(), {8, 17});
  const UOp root = reduce(joined_rows(x, flip(x, {{0}}), 5), ReduceOp::Add, {{1}});
  const Schedule s = make_schedule(std::span(&root, 1), Target{}, storing_all());
  ASSERT_GE(s.items.size(), 3u) << "the mask was not stored";
  EXPECT_EQ(count_on(s, first()), std::ssize(s.items));
}

TEST(Devices, AMaskThatTwoReadIsStoredOnEach) {
  const UOp x = on(first(), {8, 17}), y = on(second(), {8, 17});
  const std::vector<UOp> roots = {joined_rows(x, flip(x, {{0}}), 5),
                                  joined_rows(y, flip(y, {{0}}), 5)};
  const Schedule s = make_schedule(roots, Target{}, storing_all());
  EXPECT_EQ(count_on(s, first()), count_on(s, second()));
  EXPECT_EQ(count_on(s, first()) + count_on(s, second()), std::ssize(s.items));
  expect_one_device_an_array(s);
}

TEST(Devices, ACopyReadsWhereItsSourceLives) {
  const UOp x = on(first(), {8, 17});
  const UOp there = copy_to(joined_rows(x, flip(x, {{0}}), 5), second());
  const UOp root = joined_rows(there, flip(there, {{0}}), 5);
  const Schedule s = make_schedule(std::span(&root, 1), Target{}, storing_all());
  EXPECT_GE(count_on(s, first()), 2);
  EXPECT_GE(count_on(s, second()), 3);
  expect_one_device_an_array(s);
}

TEST(Devices, ACopyOfWhatLivesNowhereIsMadeThere) {
  const UOp i = iota({8, 17}, 1, DType::Int32);
  const UOp root = copy_to(i * i, second()) + on(second(), {8, 17}, DType::Int32);
  const Schedule s = make_schedule(std::span(&root, 1), Target{}, storing_all());
  EXPECT_EQ(count_on(s, second()), std::ssize(s.items));
  for (const ScheduleItem& item : s.items) EXPECT_TRUE(item.kernel) << "a copy";
  const UOp alone = copy_to(i, second());
  const Schedule t = make_schedule(std::span(&alone, 1), Target{}, storing_all(first()));
  ASSERT_EQ(t.items.size(), 1u);
  EXPECT_EQ(t.items[0].device, second());
}

TEST(Devices, RootsThatLiveNowhereAreMadeAtHome) {
  const UOp i = iota({8, 17}, 1, DType::Int32),
            constant = full({3}, Scalar::of_int(4, DType::Int32));
  const UOp x = on(second(), {8, 17}, DType::Int32);
  const std::vector<UOp> roots = {i * i, constant, x + i * i};
  const Schedule s = make_schedule(roots, Target{}, storing_all(first()));
  expect_one_device_an_array(s);
  EXPECT_EQ(count_on(s, first()), 2);
  EXPECT_EQ(s.buffers[static_cast<size_t>(s.results[0])].node->device, first());
  EXPECT_EQ(s.buffers[static_cast<size_t>(s.results[2])].node->device, second());
}

TEST(Devices, ARootAtHomeIsComputedOnceForAllThatReadItThere) {
  const UOp i = iota({8, 17}, 1, DType::Int32), square = i * i * i * i * i;
  const std::vector<UOp> roots = {square, on(first(), {8, 17}, DType::Int32) + square};
  const Schedule s = make_schedule(roots, Target{}, {.home = first()});
  const auto result = s.results[0];
  EXPECT_TRUE(std::ranges::any_of(s.items, [&](const ScheduleItem& item) {
    return std::ranges::find(item.buffers, result) != item.buffers.end() &&
           std::ranges::find(item.buffers, s.results[1]) != item.buffers.end();
  })) << "nobody reads the root";
}

TEST(Devices, VariablesAreValuesOfTheDeviceThatReadsThem) {
  const UOp n = variable("n", 1, 100);
  const UOp value = cast(n * index_const(3) + index_const(1), DType::Float32);
  const UOp x = on(first(), {5});
  const UOp root = x + expand(reshape(contiguous(value), {1}), {5});
  const Schedule s = make_schedule(std::span(&root, 1), Target{}, storing_all());
  EXPECT_GE(s.items.size(), 2u);
  EXPECT_EQ(count_on(s, first()), std::ssize(s.items));
  for (const ScheduleItem& item : s.items) {
    for (const Node* k : toposort(item.kernel)) EXPECT_EQ(k->device, 0) << print(item.kernel);
  }
}

TEST(Devices, AnIndexIsNeverStoredHoweverManyReadIt) {
  const UOp n = variable("n", 1, 100) * index_const(3) + index_const(1);
  std::vector<UOp> roots;
  for (Dim d = 1; d <= 20; ++d) {
    const UOp i = iota({d, 17}, 1, DType::Index), x = on(first(), {d, 17});
    const UOp size = expand(reshape(n, {1, 1}), {d, 17});
    roots.push_back(where(lt(i, size), x, const_like(x, 0.0)));
  }
  for (const FusionOptions& options : {FusionOptions{}, storing_all(), merging_all(0)}) {
    const Schedule s = make_schedule(roots, Target{}, options);
    EXPECT_EQ(count_on(s, first()), std::ssize(s.items));
    for (const ScheduledBuffer& b : s.buffers) EXPECT_NE(b.node->dtype, DType::Index);
  }
}

TEST(Devices, StoresTakeWhatLivesNowhere) {
  const UOp x = on(first(), {8}, DType::Int32);
  const UOp i = iota({8}, 0, DType::Int32);
  const UOp root = after(x, {{store(x, contiguous(i * i))}}) + i;
  const Schedule s = make_schedule(std::span(&root, 1), Target{}, storing_all());
  EXPECT_EQ(count_on(s, first()), std::ssize(s.items));
}

TEST(Devices, CopiesOfOldVersionsStayWhereTheyAre) {
  const UOp x = on(first(), {8, 8});
  const UOp now = after(x, {{store(x, permute(x, {{1, 0}}))}});
  const std::vector<UOp> roots = {now + x, x * permute(now, {{1, 0}})};
  const Schedule s = make_schedule(roots, Target{});
  EXPECT_FALSE(s.version_copies.empty());
  EXPECT_EQ(count_on(s, first()), std::ssize(s.items));
}

// Every other element along the last axis, the others 0.
UOp half_of(const UOp& x) {
  if (x.ndim() == 0) return x;
  const UOp i = iota(x.shape_vec(), x.ndim() - 1, DType::Int32);
  const UOp odd = ne(mod(i, const_like(i, int64_t{2})), const_like(i, int64_t{0}));
  return where(odd, x, const_like(x, int64_t{0}));
}

class RandomDevices : public testing::TestWithParam<bool> {};

TEST_P(RandomDevices, HoldAllThatIsStored) {
  const uint64_t begin = test::first_seed();
  for (uint64_t seed = begin; seed < begin + kDeviceGraphs && !testing::Test::HasFailure();
       ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BufferContents contents;
    test::RandomGraphOptions o{
        .max_ops = 24, .max_rank = 3, .max_extent = 4, .max_elements = 48, .stores = GetParam()};
    o.make_leaf = [&](const TensorValue& v) {
      const UOp leaf = buffer(v.shape, v.dtype, first(), nullptr);
      contents.emplace(leaf.node(), v);
      return leaf;
    };
    test::RandomGraph g = test::random_graph(seed, o);
    for (UOp& root : g.roots) root = half_of(root);
    const std::vector<TensorValue> want = evaluate(g.roots, contents);
    for (const FusionOptions& options : {storing_all(first()), merging_all(first())}) {
      const Schedule s = make_schedule(g.roots, Target{}, options);
      EXPECT_EQ(count_on(s, first()), std::ssize(s.items)) << print(sink(g.roots));
      const auto got = test::run_schedule(s, g.roots, contents);
      for (size_t r = 0; r < want.size(); ++r)
        EXPECT_TRUE(test::same_numbers(got[r], want[r])) << print(sink(g.roots));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(With, RandomDevices, testing::Bool(),
                         [](const auto& info) { return info.param ? "Stores" : "NoStores"; });

}  // namespace
}  // namespace tg
