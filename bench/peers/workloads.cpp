// Single expressions as a user writes them; each call builds its graph again.
#include "workloads.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>

#include "runtime/device.h"
#include "support/check.h"
#include "support/options.h"
#include "tg/jit.h"

namespace tg::peers {
namespace {

constexpr int kTinyCalls = 100;  // in one sample; shapes.py divides by it

using Sizes = std::span<const int64_t>;
using Expression = std::function<Tensor()>;

// What a call does: it computes an expression, or it is more than one and says itself how.
struct Kind {
  size_t sizes;
  std::function<Expression(Sizes)> expression;
  std::function<Call(Sizes)> call;
};
Kind expression(size_t sizes, std::function<Expression(Sizes)> make) {
  return {sizes, std::move(make), {}};
}
Kind call(size_t sizes, std::function<Call(Sizes)> make) { return {sizes, {}, std::move(make)}; }

// What the numbers of gpu/shapes.py mean; 1 is tf32, which is float32 under an option.
DType gemm_dtype(int64_t kind) {
  switch (kind) {
    case 0:
    case 1:
      if (options().allow_tf32 == (kind == 1)) return dtypes::float32;
      user_error<ArgumentError>("peer_worker",
                                kind == 1 ? "not part of this comparison: tf32 products"
                                          : "not part of this comparison: exact products",
                                "Hint: ALLOW_TF32 chooses between them.");
    case 2:
      return dtypes::float16;
    case 3:
      return dtypes::bfloat16;
    default:
      user_error<ArgumentError>("peer_worker", fmt::format("no kind of products: {}", kind));
  }
}

Expression gemm(Sizes n) {
  const DType t = gemm_dtype(n[0]);
  return [a = data({n[1], n[1]}).cast(t).realize(), b = data({n[1], n[1]}).cast(t).realize()] {
    return a.matmul(b);
  };
}

Expression copy(Sizes n) {
  return [x = data({n[0]})] { return x.clone(); };
}

Expression matmul(Sizes n) {
  return [a = data({n[0], n[0]}), b = data({n[0], n[0]})] { return a.matmul(b); };
}

Expression gemv(Sizes n) {
  return [a = data({n[0], n[0]}), b = data({n[0]})] { return a.matmul(b); };
}

Expression chain(Sizes n) {
  return [x = data({n[0]})] { return (x * 2 + 1).relu() * x.sigmoid() + (-(x * x)).exp(); };
}

Expression sum(Sizes n) {
  return [x = data({n[0]})] { return x.sum(); };
}

Expression sum_axis(Sizes n) {
  return [x = data({n[0], n[1]}), axis = n[2]] { return x.sum({.axis = axis}); };
}

Expression softmax(Sizes n) {
  return [x = data({n[0], n[1]})] { return x.softmax(); };
}

Expression layer_norm(Sizes n) {
  return [x = data({n[0], n[1]}), weight = data({n[1]}), bias = data({n[1]})] {
    return x.layer_norm({.weight = &weight, .bias = &bias});
  };
}

Expression transpose(Sizes n) {
  return [x = data({n[0], n[1]})] { return x.transpose().contiguous(); };
}

Expression conv(Sizes n) {
  return [x = data({n[0], n[1], n[2], n[2]}), w = data({n[1], n[1], 3, 3})] {
    return x.conv2d(w, {.padding = {1}});
  };
}

Call tiny(Sizes n) {
  return [x = data({n[0]})] {
    for (int i = 0; i < kTinyCalls; ++i) finish(x + 1);
  };
}

Expression small_kernel(Sizes n) {
  return [x = data({n[0]})] { return x * 3 + x.exp(); };
}

Expression trivial(Sizes n) {
  return [size = n[0]] { return Tensor(std::vector<float>(size_t(size), 1.0f)) + 1; };
}

Call called_twice(Call call) {
  call();
  call();
  return call;
}

const std::map<std::string_view, Kind>& kinds() {
  static const std::map<std::string_view, Kind> table = {
      {"matmul", expression(1, matmul)},
      {"gemm", expression(2, gemm)},
      {"gemv", expression(1, gemv)},
      {"copy", expression(1, copy)},
      {"chain", expression(1, chain)},
      {"sum", expression(1, sum)},
      {"sum_axis", expression(3, sum_axis)},
      {"softmax", expression(2, softmax)},
      {"layer_norm", expression(2, layer_norm)},
      {"transpose", expression(2, transpose)},
      {"conv", expression(3, conv)},
      {"tiny", call(1, tiny)},
      {"small_kernel", expression(1, small_kernel)},
      {"trivial", expression(1, trivial)},
      {"resnet18", call(1, [](Sizes n) { return resnet18(n[0]); })},
      {"gpt2_prefill", call(1, [](Sizes n) { return gpt2_prefill(n[0]); })},
      {"gpt2_step", call(1, [](Sizes n) { return gpt2_step(n[0]); })},
      {"mnist_step", call(1, [](Sizes n) { return mnist_step(n[0]); })},
      {"mnist_captured", call(1, [](Sizes n) { return captured_mnist_step(n[0]); })},
      // On the NULL device a first step is graph, schedule and lowering, and nothing else.
      {"mnist_compile", call(1, [](Sizes n) { return mnist_step(n[0]); })},
      {"mnist_later_step", call(1, [](Sizes n) { return called_twice(mnist_step(n[0])); })},
      {"mnist_first_step", call(1, [](Sizes n) { return mnist_step(n[0]); })}};
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

namespace {

const Kind& find_kind(std::string_view name, Sizes sizes) {
  const auto found = kinds().find(name);
  if (found == kinds().end() || found->second.sizes != sizes.size()) {
    user_error<ArgumentError>(
        "peer_worker",
        fmt::format("not part of this comparison: {} of {} sizes", name, sizes.size()));
  }
  return found->second;
}

}  // namespace

Call prepare(std::string_view kind, Sizes sizes) {
  const Kind& k = find_kind(kind, sizes);
  if (k.call) return k.call(sizes);
  return [expression = k.expression(sizes)] { finish(expression()); };
}

Call prepare_many(int64_t times, std::string_view kind, Sizes sizes) {
  const Kind& k = find_kind(kind, sizes);
  if (k.call) {
    return [call = k.call(sizes), times] {
      for (int64_t i = 0; i < times; ++i) call();
    };
  }
  const auto step =
      std::make_shared<TinyJit<Expression>>(k.expression(sizes), JitOptions{.alias_outputs = true});
  return [step, times] {
    for (int64_t i = 0; i < times; ++i) (*step)();
    device(default_device()).synchronize();
  };
}

double once(std::string_view kind, std::span<const int64_t> sizes) {
  using Clock = std::chrono::steady_clock;
  const Call call = prepare(kind, sizes);
  const Clock::time_point begin = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace tg::peers
