// What no operand gives a device is stored where it is read, whatever the default device is, and a
// kernel is never given an array of another device.
#include "engine/placement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/plan.h"
#include "support/device_graph.h"
#include "support/same_numbers.h"
#include "tg/error.h"
#include "uop/device_id.h"

namespace tg {
namespace {

constexpr const char* kElsewhere = "INTERP";  // the default device is another one

struct Leaves {
  BufferContents contents;
  UOp on(const std::string& name, const TensorValue& v) {
    const UOp u = test::device_leaf(device(name), v);
    contents.emplace(u.node(), v);
    return u;
  }
};

void expect_evaluated(const std::vector<UOp>& roots, const BufferContents& contents) {
  const std::vector<TensorValue> got = test::realized_values(roots),
                                 want = evaluate(roots, contents);
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(test::same_numbers(got[i], want[i])) << "root " << i;
}

// Devices of the kernels that compute `roots`.
std::vector<Device*> kernel_devices(const std::vector<UOp>& roots) {
  return plan_for(canonicalise(roots).sink)->devices;
}

TensorValue ones() { return TensorValue::of({4, 5}, DType::Float32, std::vector<double>(20, 1.0)); }
// Stored wherever it is used.
UOp mask() {
  return contiguous(
      lt(iota({4, 5}, 1, DType::Int32), full({4, 5}, Scalar::of_int(3, DType::Int32))));
}
UOp masked(const UOp& x) { return where(mask(), x, const_like(x, 0.0)); }

TEST(Placement, AStoredMaskIsMadeWhereItIsRead) {
  ASSERT_NE(default_device(), kElsewhere);
  Leaves leaves;
  const std::vector<UOp> roots = {masked(leaves.on(kElsewhere, ones()))};
  for (const Device* d : kernel_devices(roots)) EXPECT_EQ(d->name(), kElsewhere);
  expect_evaluated(roots, leaves.contents);
}

TEST(Placement, EachDeviceHasAMaskOfItsOwn) {
  Leaves leaves;
  const UOp here = leaves.on(default_device(), ones()), there = leaves.on(kElsewhere, ones());
  expect_evaluated({masked(here), masked(there), mask()}, leaves.contents);
}

TEST(Placement, ScattersOfPatternsAreMadeWhereTheyAreRead) {
  Leaves leaves;
  const UOp x = leaves.on(kElsewhere, ones());
  const Shape shape = {4, 5};
  const UOp i = iota(shape, 1, DType::Int32);
  const UOp base = full(shape, Scalar::of_int(0, DType::Float32));
  const UOp counts =
      scatter(base, idiv(i, const_like(i, int64_t{2})), cast(i, DType::Float32), 1, Combine::Add);
  const std::vector<UOp> roots = {x + counts};
  for (const Device* d : kernel_devices(roots)) EXPECT_EQ(d->name(), kElsewhere);
  expect_evaluated(roots, leaves.contents);
}

TEST(Placement, AStoredVariableIsCopiedThere) {
  Leaves leaves;
  const UOp x = leaves.on(kElsewhere, ones());
  const UOp v = contiguous(cast(bind(variable("placed", 0, 9), 4), DType::Float32));
  expect_evaluated({x * expand(reshape(v, {1, 1}), {4, 5})}, leaves.contents);
}

TEST(Placement, NothingChangesOnOneDevice) {
  Leaves leaves;
  const std::vector<UOp> roots = {masked(leaves.on(default_device(), ones()))};
  EXPECT_EQ(placed(roots, device_id(default_device())), roots);
}

// Random graphs elsewhere: no kernel runs on the default device, and the numbers are right.
class RandomPlacement : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomPlacement, AllIsComputedWhereTheDataIs) {
  Leaves leaves;
  test::RandomGraphOptions o;
  o.make_leaf = [&](const TensorValue& v) { return leaves.on(kElsewhere, v); };
  const test::RandomGraph g = test::random_graph(GetParam(), o);
  std::vector<UOp> there;
  for (const UOp& r : g.roots) {
    if (r.device() != 0) there.push_back(r);
  }
  if (there.empty()) return expect_evaluated(g.roots, leaves.contents);
  for (const Device* d : kernel_devices(there)) EXPECT_EQ(d->name(), kElsewhere);
  expect_evaluated(g.roots, leaves.contents);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlacement, testing::Range<uint64_t>(1, 120));

TEST(Placement, AKernelIsRefusedAnArrayOfAnotherDevice) {
  Device &here = device(default_device()), &there = device(kElsewhere);
  EXPECT_NO_THROW(check_home("realize", here, here));
  try {
    check_home("realize", here, there);
    FAIL() << "no error";
  } catch (const DeviceError& e) {
    EXPECT_EQ(
        std::string(e.what()),
        fmt::format("realize: a kernel of {} would be given an array of {}. Hint: move what it "
                    "computes with to one device by to().",
                    here.name(), there.name()));
  }
}

// A buffer that says it is on one device, with storage on another.
TEST(Placement, StorageThatIsNotWhereItSaysIsRefused) {
  Leaves leaves;
  const UOp there = leaves.on(kElsewhere, ones());
  const UOp lies =
      buffer({4, 5}, DType::Float32, device_id(default_device()), there.node()->resource);
  const std::vector<UOp> roots = {lies + const_like(lies, 1.0)};
  std::vector<UOp> realized;
  EXPECT_THROW(realize(roots, realized), DeviceError);
}

}  // namespace
}  // namespace tg
