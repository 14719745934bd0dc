// What a graph over several devices becomes: which bytes each device receives, and no copies where
// parts suffice. Values are compared with those of one device in tensor/shard_test.cpp.
#include "engine/partition.h"

#include <gtest/gtest.h>
#include <tg/ir/graph.h>
#include <tg/ir/text.h>
#include <tg/ir/walk.h>
#include <tg/tg.h>

#include <map>

#include "engine/all_reduce.h"
#include "engine/group_roots.h"
#include "support/options.h"
#include "support/symbol.h"
#include "uop/device_groups.h"
#include "uop/devices.h"

namespace tg {
namespace {

constexpr const char* kTwo = "CPU,CPU:1";
constexpr const char* kFour = "CPU,CPU:1,CPU:2,CPU:3";

// Bytes that each device gets from others when the value is computed.
std::map<std::string, int64_t> received(const Tensor& x) {
  const UOp root = graph_of(x);
  const GroupRoots roots(std::span(&root, 1));
  std::map<std::string, int64_t> out;
  for (const Node* n : toposort(roots.plain())) {
    EXPECT_FALSE(is_group(n->device)) << op_name(n->op);
    const bool crosses = n->op == Op::Copy && n->src()[0]->device != 0;
    if (crosses) out[symbol_name(n->device)] += UOp::share(n).numel() * dtype_size(n->dtype);
  }
  return out;
}

Tensor stored(const Shape& shape, const char* devices, int64_t axis) {
  const Tensor x = Tensor::rand(shape);
  return (axis < 0 ? x.shard(devices) : x.shard(devices, axis)).realize();
}

OptionsScope with_ring(int ring) {
  Options o = options();
  o.ring = ring;
  return OptionsScope(o);
}

TEST(Partition, PartsThatSufficeAreNotCopied) {
  const Tensor x = stored({8, 4}, kTwo, 0), w = stored({4, 6}, kTwo, -1), b = stored({6}, kTwo, -1);
  EXPECT_TRUE(received((x.matmul(w) + b).relu()).empty());
  EXPECT_TRUE(received(x.reshape({2, 4, 4}).permute({2, 0, 1}).sum({.axis = {0}})).empty());
  EXPECT_TRUE(received(Tensor::cat({x, x * 2}, 1)).empty());
}

TEST(Partition, AnotherAxisTakesWhatIsNotThere) {
  const Tensor x = stored({8, 8}, kFour, 0), y = stored({8, 8}, kFour, 1);
  // Of its two columns each device has those of its own rows: 3/4 of 8 · 2 floats come from others.
  for (const auto& [device, bytes] : received(x + y)) EXPECT_EQ(bytes, 8 * 2 * 4 * 3 / 4) << device;
  EXPECT_EQ(received(x + y).size(), 4U);
}

TEST(Partition, SlicesTakeTheirElementsOnly) {
  const Tensor x = stored({8, 8}, kFour, 0);
  const auto bytes = received(x[{Slice{2, 3}}] + 1);  // one row, of CPU:1
  EXPECT_EQ(bytes, (std::map<std::string, int64_t>{{"CPU", 32}, {"CPU:2", 32}, {"CPU:3", 32}}));
}

class AllReduces : public ::testing::TestWithParam<const char*> {};

TEST_P(AllReduces, RingsMoveTwoTimesNMinusOneOverNOfTheBytes) {
  const auto n = static_cast<int64_t>(split_devices(GetParam()).size());
  const OptionsScope ring = with_ring(2);
  const Tensor sum = stored({n, 120}, GetParam(), 0).sum({.axis = {0}});
  const auto bytes = received(sum);
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), n);
  for (const auto& [device, b] : bytes) EXPECT_EQ(b, 120 * 4 * 2 * (n - 1) / n) << device;
}

TEST_P(AllReduces, OneStepMovesNMinusOneTimesTheBytes) {
  const auto n = static_cast<int64_t>(split_devices(GetParam()).size());
  const OptionsScope ring = with_ring(0);
  const Tensor sum = stored({n, 120}, GetParam(), 0).sum({.axis = {0}});
  for (const auto& [device, b] : received(sum)) EXPECT_EQ(b, 120 * 4 * (n - 1)) << device;
}

TEST_P(AllReduces, GiveEachDeviceTheSameBitsEitherWay) {
  const auto devices = split_devices(GetParam());
  const auto n = static_cast<int64_t>(devices.size());
  for (const int64_t columns : {1, 2, 5, 120}) {
    const Tensor x = stored({n, columns}, GetParam(), 0);
    const auto want = x.to("CPU").cast(DType::Float64).sum({.axis = {0}}).to_vector<double>();
    for (const int way : {0, 2}) {
      const OptionsScope ring = with_ring(way);
      const Tensor sum = x.sum({.axis = {0}}).realize();
      const auto first = sum.to(devices[0]).to_vector<float>();
      for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(first[i], want[i], 1e-6);
      for (const std::string& d : devices) EXPECT_EQ(sum.to(d).to_vector<float>(), first) << d;
      const auto most = x.max({.axis = {0}}).to_vector<float>();
      EXPECT_EQ(most, x.to("CPU").max({.axis = {0}}).to_vector<float>());
    }
  }
}

TEST_P(AllReduces, MoveSmallFloatsAsSuchIfAskedTo) {
  const auto devices = split_devices(GetParam());
  const auto n = static_cast<int64_t>(devices.size());
  const Tensor x = Tensor::rand({n, 120}).cast(DType::BFloat16).shard(GetParam(), 0).realize();
  const auto want = x.to("CPU").cast(DType::Float32).sum({.axis = {0}}).to_vector<float>();
  for (const int way : {0, 2}) {
    for (const bool narrow : {false, true}) {
      Options o = options();
      o.ring = way, o.allreduce_cast = narrow;
      const OptionsScope scope(o);
      const Tensor sum = x.sum({.axis = {0}});
      const int64_t numbers = way == 0 ? 120 * (n - 1) : 120 * 2 * (n - 1) / n;
      for (const auto& [device, b] : received(sum)) EXPECT_EQ(b, numbers * (narrow ? 2 : 4));
      const auto first = sum.to(devices[0]).to_vector<float>();
      for (const std::string& d : devices) EXPECT_EQ(sum.to(d).to_vector<float>(), first) << d;
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(first[i], want[i], want[i] * static_cast<float>(n) / 256);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, AllReduces,
                         ::testing::Values("CPU,CPU:1", "CPU:1,CPU:2,CPU:3", kFour),
                         [](const auto& info) { return std::to_string(info.index + 2); });

TEST(AllReduce, GoesRoundWhereManyBytesPayForTheSteps) {
  const DeviceId two = device_id(kTwo), four = device_id(kFour);
  EXPECT_EQ(cheaper_all_reduce(four, 16), AllReduce::OneStep);
  EXPECT_EQ(cheaper_all_reduce(four, int64_t{1} << 28), AllReduce::Ring);
  EXPECT_EQ(cheaper_all_reduce(two, int64_t{1} << 28), AllReduce::OneStep);
}

TEST(Partition, GraphsOverGroupsPrintAndParse) {
  const Tensor x = Tensor::arange(8).shard(kTwo, 0) * 2;
  const std::string text = x.graph();
  EXPECT_NE(text.find("copy{0} %"), std::string::npos) << text;
  EXPECT_EQ(parse(text), graph_of(x));
}

}  // namespace
}  // namespace tg
