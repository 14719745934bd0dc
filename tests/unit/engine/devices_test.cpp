// No launch gets an array of another device: plans, what is bound to them, and what a captured call
// is given are refused with both devices named; and two devices compute side by side in one call.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include "engine/capture.h"
#include "engine/plan.h"
#include "engine/realize.h"
#include "engine/recorder.h"
#include "runtime/buffer.h"
#include "support/device_graph.h"
#include "support/forbidden_device.h"
#include "support/same_numbers.h"
#include "uop/devices.h"

namespace tg {
namespace {

UOp named_buffer(const char* as, const char* memory) {
  const auto storage = make_ref<Buffer>(device(memory), int64_t{16});
  return buffer({4}, DType::Float32, device_id(as), storage.get());
}

template <typename F>
std::string device_error(F&& f) {
  try {
    f();
  } catch (const DeviceError& e) {
    return e.what();
  }
  return "no DeviceError";
}

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

TEST(PlacedArrays, AStoredMaskIsMadeWhereItIsRead) {
  const OptionsScope scope(test::default_on("CPU"));
  Leaves leaves;
  const std::vector<UOp> roots = {masked(leaves.on(kElsewhere, ones()))};
  for (const Device* d : kernel_devices(roots)) EXPECT_EQ(d->name(), kElsewhere);
  expect_evaluated(roots, leaves.contents);
}

TEST(PlacedArrays, EachDeviceHasAMaskOfItsOwn) {
  Leaves leaves;
  const UOp here = leaves.on(default_device(), ones()), there = leaves.on(kElsewhere, ones());
  expect_evaluated({masked(here), masked(there), mask()}, leaves.contents);
}

TEST(PlacedArrays, ScattersOfPatternsAreMadeWhereTheyAreRead) {
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

TEST(PlacedArrays, AStoredVariableIsMadeThere) {
  Leaves leaves;
  const UOp x = leaves.on(kElsewhere, ones());
  const UOp v = contiguous(cast(bind(variable("placed", 0, 9), 4), DType::Float32));
  expect_evaluated({x * expand(reshape(v, {1, 1}), {4, 5})}, leaves.contents);
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

TEST(PlacedArrays, MemoryUnderAnotherDevicesNameIsRefused) {
  const UOp x = named_buffer("INTERP", "NULL");
  EXPECT_EQ(
      device_error([&] { realize(std::vector<UOp>{x + x}); }),
      "realize: an array of shape [4] is called one of INTERP, but its memory is that of NULL. "
      "Hint: move it with to().");
}

TEST(PlacedArrays, APlanWhoseKernelTakesAnArrayOfAnotherDeviceIsRefused) {
  const UOp x = named_buffer("INTERP", "INTERP");
  Plan plan = *plan_for(canonicalise(std::vector<UOp>{x + x}).sink);
  EXPECT_NO_THROW(check_devices(plan));
  plan.homes[0] = &device("NULL");
  const std::string message = device_error([&] { check_devices(plan); });
  EXPECT_EQ(
      message,
      "realize: a kernel on INTERP takes an array of shape [4] that lives on NULL. Hint: move "
      "it with to().");
}

TEST(PlacedArrays, ACapturedCallIsGivenThoseOfTheDeviceThatItWasCapturedOn) {
  const UOp x = named_buffer("INTERP", "INTERP");
  auto* input = static_cast<Buffer*>(x.node()->resource);
  std::unique_ptr<CapturedGraph> graph;
  {
    Recorder recorder(Recorder::Mode::Record);
    realize(std::vector<UOp>{x + x});
    Buffer* const inputs[] = {input};
    graph = std::make_unique<CapturedGraph>(recorder, inputs, std::span<Buffer* const>());
  }
  Buffer* const same[] = {input};
  EXPECT_NO_THROW(graph->replay(same, {}));
  const UOp other = named_buffer("NULL", "NULL");
  Buffer* const away[] = {static_cast<Buffer*>(other.node()->resource)};
  EXPECT_EQ(
      device_error([&] { graph->replay(away, {}); }),
      "TinyJit: argument 0 lives on NULL, but was captured on INTERP. Hint: move it with to().");
}

// Masks, counters and their storage, on both sides of a copy and in one call.
TEST(PlacedArrays, TwoDevicesComputeInOneCall) {
  const OptionsScope scope(test::forbidden_default());
  std::vector<Tensor> results;
  const Tensor mask = (Tensor::arange(17) * Tensor::arange(17) % 5).eq(1).contiguous();
  for (const char* name : {"INTERP", "CPU"}) {
    const Tensor x = Tensor::arange(17, {.device = name}).cast(DType::Float32);
    results.push_back(mask.where(x, x.roll(3)).cumsum(0));
  }
  results.push_back(mask.where(results[0].to("CPU"), results[1].flip({0})));
  Tensor::realize(results);
  EXPECT_EQ(results[0].device(), "INTERP");
  EXPECT_EQ(results[1].device(), "CPU");
  EXPECT_EQ(results[2].device(), "CPU");
  EXPECT_EQ(results[0].to_vector<float>(), results[1].to_vector<float>());
  const auto a = results[1].to_vector<float>(), got = results[2].to_vector<float>();
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], i * i % 5 == 1 ? a[i] : a[a.size() - 1 - i]) << i;
}

TEST(PlacedArrays, ThePlanOfAGraphIsThatOfTheDefaultDevice) {
  for (const char* name : {"INTERP", "CPU", "INTERP"}) {
    const OptionsScope scope(test::default_on(name));
    const Tensor x = (Tensor::arange(6) * 3).contiguous();
    x.realize();
    EXPECT_EQ(x.device(), name);
    EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{0, 3, 6, 9, 12, 15}));
  }
}

TEST(PlacedArrays, CapturedCallsKeepTwoDevicesApart) {
  const OptionsScope scope(test::forbidden_default());
  auto f = jit([](const Tensor& x, const Tensor& y) {
    const Tensor mask = (Tensor::arange(5) % 2).eq(0);
    return std::vector<Tensor>{mask.where(x, 0.0f), mask.where(y, x.to("CPU"))};
  });
  for (int k = 1; k < 5; ++k) {
    const Tensor x = Tensor::full({5}, k, {.dtype = DType::Float32, .device = "INTERP"}).realize(),
                 y = Tensor::full({5}, -k, {.dtype = DType::Float32, .device = "CPU"}).realize();
    const std::vector<Tensor> out = f(x, y);
    const float v = static_cast<float>(k);
    EXPECT_EQ(out[0].device(), "INTERP");
    EXPECT_EQ(out[1].device(), "CPU");
    EXPECT_EQ(out[0].to_vector<float>(), (std::vector<float>{v, 0, v, 0, v}));
    EXPECT_EQ(out[1].to_vector<float>(), (std::vector<float>{-v, v, -v, v, -v}));
  }
}

TEST(DeviceNumbers, BeyondThoseOfNodesAreRefused) {
  EXPECT_EQ(device_id_of(65535), 65535);
  EXPECT_EQ(device_error([] { device_id_of(65536 + 3); }),
            "device: too many names are in use: the device is number 65539 of at most 65535. Hint: "
            "use the device before so many variables get names.");
}

}  // namespace
}  // namespace tg
