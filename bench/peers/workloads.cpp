// Single expressions as a user writes them; each call builds its graph anew.
#include "workloads.h"

#include <fmt/format.h>

#include <chrono>
#include <map>

#include "runtime/device.h"
#include "support/check.h"

namespace tg::peers {
namespace {

constexpr int kTinyCalls = 100;  // in one sample; shapes.py divides by it

struct Kind {
  size_t sizes;
  std::function<Call(std::span<const int64_t>)> make;
};

Call finishing(std::function<Tensor()> expression) {
  return [expression = std::move(expression)] { finish(expression()); };
}

Call matmul(std::span<const int64_t> n) {
  return finishing([a = data({n[0], n[0]}), b = data({n[0], n[0]})] { return a.matmul(b); });
}

Call gemv(std::span<const int64_t> n) {
  return finishing([a = data({n[0], n[0]}), b = data({n[0]})] { return a.matmul(b); });
}

Call chain(std::span<const int64_t> n) {
  return finishing(
      [x = data({n[0]})] { return (x * 2 + 1).relu() * x.sigmoid() + (-(x * x)).exp(); });
}

Call sum(std::span<const int64_t> n) {
  return finishing([x = data({n[0]})] { return x.sum(); });
}

Call sum_axis(std::span<const int64_t> n) {
  return finishing([x = data({n[0], n[1]}), axis = n[2]] { return x.sum({.axis = axis}); });
}

Call softmax(std::span<const int64_t> n) {
  return finishing([x = data({n[0], n[1]})] { return x.softmax(); });
}

Call layer_norm(std::span<const int64_t> n) {
  return finishing([x = data({n[0], n[1]}), weight = data({n[1]}), bias = data({n[1]})] {
    return x.layer_norm({.weight = &weight, .bias = &bias});
  });
}

Call transpose(std::span<const int64_t> n) {
  return finishing([x = data({n[0], n[1]})] { return x.transpose().contiguous(); });
}

Call conv(std::span<const int64_t> n) {
  return finishing([x = data({n[0], n[1], n[2], n[2]}), w = data({n[1], n[1], 3, 3})] {
    return x.conv2d(w, {.padding = {1}});
  });
}

Call tiny(std::span<const int64_t> n) {
  return [x = data({n[0]})] {
    for (int i = 0; i < kTinyCalls; ++i) finish(x + 1);
  };
}

Call small_kernel(std::span<const int64_t> n) {
  return finishing([x = data({n[0]})] { return x * 3 + x.exp(); });
}

Call trivial(std::span<const int64_t> n) {
  return finishing([size = n[0]] { return Tensor(std::vector<float>(size_t(size), 1.0f)) + 1; });
}

Call called_twice(Call call) {
  call();
  call();
  return call;
}

const std::map<std::string_view, Kind>& kinds() {
  static const std::map<std::string_view, Kind> table = {
      {"matmul", {1, matmul}},
      {"gemv", {1, gemv}},
      {"chain", {1, chain}},
      {"sum", {1, sum}},
      {"sum_axis", {3, sum_axis}},
      {"softmax", {2, softmax}},
      {"layer_norm", {2, layer_norm}},
      {"transpose", {2, transpose}},
      {"conv", {3, conv}},
      {"tiny", {1, tiny}},
      {"small_kernel", {1, small_kernel}},
      {"trivial", {1, trivial}},
      {"resnet18", {1, [](auto n) { return resnet18(n[0]); }}},
      {"gpt2_prefill", {1, [](auto n) { return gpt2_prefill(n[0]); }}},
      {"mnist_step", {1, [](auto n) { return mnist_step(n[0]); }}},
      {"mnist_captured", {1, [](auto n) { return captured_mnist_step(n[0]); }}},
      // On the NULL device a first step is graph, schedule and lowering, and nothing else.
      {"mnist_compile", {1, [](auto n) { return mnist_step(n[0]); }}},
      {"mnist_later_step", {1, [](auto n) { return called_twice(mnist_step(n[0])); }}},
      {"mnist_first_step", {1, [](auto n) { return mnist_step(n[0]); }}}};
  return table;
}

}  // namespace

Tensor data(const Shape& shape) {
  return Tensor::uniform(shape, {.low = -1.0, .high = 1.0}).realize();
}

void finish(const Tensor& result) {
  result.realize();
  device(default_device()).synchronize();
}

Call prepare(std::string_view kind, std::span<const int64_t> sizes) {
  const auto found = kinds().find(kind);
  if (found == kinds().end() || found->second.sizes != sizes.size()) {
    user_error<ArgumentError>(
        "peer_worker",
        fmt::format("not part of this comparison: {} of {} sizes", kind, sizes.size()));
  }
  return found->second.make(sizes);
}

double once(std::string_view kind, std::span<const int64_t> sizes) {
  using Clock = std::chrono::steady_clock;
  const Call call = prepare(kind, sizes);
  const Clock::time_point begin = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace tg::peers
