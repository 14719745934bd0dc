// Which work there is, and how it is called: as it stands, many times in a row, or once in a fresh
// process. What it does is in products.cpp, streams.cpp, models.cpp and vision.cpp.
#include "workloads.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "kinds.h"
#include "runtime/device.h"
#include "support/check.h"
#include "tg/jit.h"

namespace tg::peers {
namespace {

constexpr int kTinyCalls = 100;  // in one sample; shapes.py divides by it

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

Kinds all_kinds() {
  Kinds all = {{"tiny", call(1, tiny)},
               {"small_kernel", expression(1, small_kernel)},
               {"trivial", expression(1, trivial)}};
  for (Kinds part : {products(), streams(), networks(), vision()}) all.merge(part);
  return all;
}

const Kind& find_kind(std::string_view name, Sizes sizes) {
  static const Kinds kinds = all_kinds();
  const auto found = kinds.find(name);
  if (found == kinds.end() || found->second.sizes != sizes.size()) {
    user_error<ArgumentError>(
        "peer_worker",
        fmt::format("not part of this comparison: {} of {} sizes", name, sizes.size()));
  }
  return found->second;
}

}  // namespace

Tensor data(const Shape& shape) {
  return Tensor::uniform(shape, {.low = -1.0, .high = 1.0}).realize();
}

void finish(const Tensor& result) { finish_all({result}); }

void finish_all(const std::vector<Tensor>& results) {
  Tensor::realize(results);
  device(default_device()).synchronize();
}

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
