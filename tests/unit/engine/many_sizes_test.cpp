// One compiled kernel serves elementwise work of every size and shape: what is compiled, that the
// values are right around the ends of tiles and chunks, and in captured calls.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <cmath>
#include <thread>

#include "engine/counters.h"
#include "engine/plan.h"
#include "support/options.h"

namespace tg {
namespace {

class ManySizes : public testing::Test {
 protected:
  ManySizes() : scope_(on_cpu()) {}
  static Options on_cpu() {
    Options o = options();
    o.device = "CPU";
    return o;
  }

  static float at(int64_t i) { return static_cast<float>(i % 1001) - 500; }
  static Tensor numbers(const Shape& shape) {
    int64_t n = 1;
    for (const int64_t d : shape) n *= d;
    std::vector<float> values(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(i)] = at(i);
    return {std::span<const float>(values), shape};
  }
  static Tensor expression(const Tensor& x) { return (x * 3 + 1).relu(); }
  static void expect_values(const Tensor& y) {
    const std::vector<float> values = y.to_vector<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      const float want = std::max(0.0f, at(static_cast<int64_t>(i)) * 3 + 1);
      ASSERT_EQ(values[i], want) << "element " << i << " of " << values.size();
    }
  }

 private:
  const OptionsScope scope_;
};

TEST_F(ManySizes, AreCompiledOnce) {
  clear_caches();
  expression(numbers({100})).realize();
  reset_counters();
  for (const Shape& shape : {Shape{7}, Shape{4096}, Shape{33, 5}, Shape{2, 3, 4}, Shape{100'000}})
    expect_values(expression(numbers(shape)));
  EXPECT_EQ(counters().compiled, 0);
  EXPECT_EQ(counters().kernels, 5);
}

TEST_F(ManySizes, BeyondTheCacheAreCompiledOnceMore) {
  constexpr int64_t kLarge = 24 << 20;  // 96 MiB, more than half of a last level that a test meets
  clear_caches();
  expression(numbers({100})).realize();
  reset_counters();
  for (const int64_t n : {kLarge, kLarge + 5}) {
    const Tensor y = expression(Tensor::full({n}, 2.0f).contiguous().realize()).realize();
    EXPECT_EQ(y[-1].item<float>(), 7.0f);
  }
  // The array, the expression, and the element that is read.
  EXPECT_LE(counters().compiled, 4);
}

TEST_F(ManySizes, AreRightAroundTheEndsOfTilesAndChunks) {
  for (const int64_t whole : {16, 64, 4096, 8192, 65536}) {
    for (const int64_t n : {whole - 1, whole, whole + 1}) expect_values(expression(numbers({n})));
  }
  for (int64_t n = 2; n < 68; ++n) expect_values(expression(numbers({n})));
}

TEST_F(ManySizes, NameTheirWorkBySize) {
  const Tensor x = numbers({64, 32});
  x.realize();
  GlobalCounters::reset();
  expression(x).realize();
  EXPECT_EQ(GlobalCounters::read().bytes, 2 * 64 * 32 * 4);
}

TEST_F(ManySizes, AreRightInCapturedCalls) {
  TinyJit twice([](const Tensor& x) { return expression(x).realize(); });
  for (int call = 0; call < 4; ++call) expect_values(twice(numbers({777})));
  TinyJit other([](const Tensor& x) { return expression(x).realize(); });
  for (int call = 0; call < 4; ++call) expect_values(other(numbers({5000})));
}

TEST_F(ManySizes, ShareABatch) {
  std::vector<Tensor> results;
  for (const int64_t n : {5, 300, 4097, 20'000}) results.push_back(expression(numbers({n})));
  reset_counters();
  Tensor::realize(results);
  EXPECT_LE(counters().compiled, 1);
  EXPECT_EQ(counters().kernels, 4);
  EXPECT_EQ(counters().launches, 1);
  for (const Tensor& y : results) expect_values(y);
}

TEST_F(ManySizes, AreCompiledOnceByManyThreads) {
  clear_caches();
  reset_counters();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      const OptionsScope scope(on_cpu());
      for (int64_t n = 10 + t; n < 200; n += 31) expect_values(expression(numbers({n})));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(counters().compiled, 1);
}

}  // namespace
}  // namespace tg
