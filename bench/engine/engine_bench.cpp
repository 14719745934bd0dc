// What the engine costs besides its kernels: captured calls, uncaptured ones, assignments, planning
// of memory. Budget: a captured call of one kernel on 1,024 floats 2 us.
#include <benchmark/benchmark.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include <random>

#include "schedule/memory_plan.h"

namespace tg {
namespace {

Tensor ones(int64_t n) { return Tensor(std::vector<float>(static_cast<size_t>(n), 1.f)); }

void captured_call(benchmark::State& state) {
  TinyJit f([](const Tensor& x) { return x * 2 + 1; });
  const Tensor x = ones(state.range(0));
  for (int i = 0; i < 3; ++i) f(x);
  for (auto _ : state) {
    Tensor y = f(x);
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK(captured_call)->Arg(1024)->Arg(65536);

void captured_call_into_the_same_storage(benchmark::State& state) {
  TinyJit f([](const Tensor& x) { return x * 2 + 1; }, {.alias_outputs = true});
  const Tensor x = ones(state.range(0));
  for (int i = 0; i < 3; ++i) f(x);
  for (auto _ : state) {
    Tensor y = f(x);
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK(captured_call_into_the_same_storage)->Arg(1024);

// `range` kernels in one captured call.
void captured_kernels(benchmark::State& state) {
  const int64_t kernels = state.range(0);
  TinyJit f([&](const Tensor& x) {
    Tensor y = x;
    for (int64_t i = 0; i < kernels; ++i) y = (y + 1).contiguous();
    return y;
  });
  const Tensor x = ones(1024);
  for (int i = 0; i < 3; ++i) f(x);
  for (auto _ : state) {
    Tensor y = f(x);
    benchmark::DoNotOptimize(y);
  }
  state.counters["launches"] = static_cast<double>(f.stats().launches);
}
BENCHMARK(captured_kernels)->Arg(100);

// A captured step of Adam over 20 parameters of about `range` floats: many small kernels that do
// not depend on each other.
void captured_adam(benchmark::State& state) {
  std::vector<Tensor> parameters;
  for (int64_t i = 0; i < 20; ++i) {
    const Tensor p = ones(state.range(0) + i).realize();
    p.is_param_();
    (p * p).sum().backward();
    p.grad().realize();
    parameters.push_back(p);
  }
  nn::Adam adam(parameters);
  TinyJit step([&] { adam.step(); });
  for (int i = 0; i < 3; ++i) step();
  for (auto _ : state) step();
  state.counters["launches"] = static_cast<double>(step.stats().launches);
  state.counters["kernels"] = static_cast<double>(step.stats().kernels);
}
BENCHMARK(captured_adam)->Arg(100)->Arg(1000)->Arg(4096)->Arg(16384)->Arg(65536);

void uncaptured_call(benchmark::State& state) {
  const Tensor x = ones(1024);
  for (auto _ : state) {
    Tensor y = (x * 2 + 1).realize();
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK(uncaptured_call);

void assignment(benchmark::State& state) {
  const Tensor x = ones(1024);
  for (auto _ : state) x.assign(x * 2).realize();
}
BENCHMARK(assignment);

void plan_memory_of(benchmark::State& state) {
  std::mt19937_64 rng(1);
  std::vector<Lifetime> values;
  for (int64_t i = 0; i < state.range(0); ++i) {
    const int first = static_cast<int>(i);
    values.push_back(
        {static_cast<int64_t>(rng() % 100000), first, first + static_cast<int>(rng() % 8)});
  }
  for (auto _ : state) benchmark::DoNotOptimize(plan_memory(values));
}
BENCHMARK(plan_memory_of)->Arg(100)->Arg(1000)->Arg(100000);

}  // namespace
}  // namespace tg

BENCHMARK_MAIN();
