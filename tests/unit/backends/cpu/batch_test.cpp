// Batches on the CPU: every chunk of every member runs once, whatever the number of threads, and
// gives the bytes of a launch alone.
#include <gtest/gtest.h>

#include <thread>

#include "backends/cpu/program.h"
#include "runtime/device.h"
#include "support/check.h"
#include "support/linear_builder.h"
#include "support/options.h"

namespace tg {
namespace {

using test::LinearBuilder;

// counts[chunk] += 1, in so many chunks; `flops` is what the launch claims to cost.
LinearKernel counting(int64_t chunks, double flops) {
  LinearBuilder k("counting_" + std::to_string(chunks) + "_" + std::to_string(int64_t(flops)));
  const UOp counts = k.param(DType::Int32, {chunks}, true, true);
  const UOp one = k.c(Scalar::of_int(1, DType::Int32));
  const UOp chunk = k.chunk_loop(chunks, 0);
  k.store(counts, chunk, k.add(k.load(counts, chunk) + one));
  k.end(chunk);
  k.kernel().flops = flops;
  return k.kernel();
}

// Kernels with memory of their own, launched together.
class Batch {
 public:
  void add(const LinearKernel& k) { kernels_.push_back(k); }

  void launch(int times) {
    Device& cpu = device("CPU");
    const std::vector<CompiledKernel> compiled = cpu.compile(kernels_);
    counts_.clear();
    pointers_.clear();
    for (const LinearKernel& k : kernels_) counts_.emplace_back(static_cast<size_t>(k.chunks), 0);
    for (std::vector<int32_t>& c : counts_) pointers_.push_back(c.data());
    std::vector<Call> calls;
    for (size_t i = 0; i < kernels_.size(); ++i)
      calls.push_back({compiled[i].program.get(), {&pointers_[i], 1}, {}});
    for (int t = 0; t < times; ++t) cpu.launch(calls);
  }

  void expect_counts(int32_t want) const {
    for (size_t i = 0; i < counts_.size(); ++i) {
      for (size_t c = 0; c < counts_[i].size(); ++c)
        ASSERT_EQ(counts_[i][c], want) << "chunk " << c << " of " << kernels_[i].name;
    }
  }

 private:
  std::vector<LinearKernel> kernels_;
  std::vector<std::vector<int32_t>> counts_;
  std::vector<void*> pointers_;
};

Options with_threads(int n) {
  Options o = options();
  o.threads = n;
  return o;
}

class CpuBatch : public testing::TestWithParam<int> {
 protected:
  CpuBatch() : scope_(with_threads(GetParam())) {}

 private:
  const OptionsScope scope_;
};

TEST_P(CpuBatch, OfTinyKernelsRunsEachOnce) {
  Batch b;
  for (int64_t i = 1; i <= 5; ++i) b.add(counting(i, 100));
  b.launch(3);
  b.expect_counts(3);
}
TEST_P(CpuBatch, OfUnlikeKernelsRunsEachChunkOnce) {
  Batch b;
  const double second = device("CPU").target().flops_per_second;
  // Chunks that are shorter and longer than the unit of time in which work is handed out.
  for (const auto& [chunks, seconds] : {std::pair{int64_t{1}, 50e-6},
                                        {7, 3e-6},
                                        {1000, 40e-6},
                                        {3, 200e-6},
                                        {1, 0.1e-6},
                                        {4096, 1e-6},
                                        {2, 0.0}})
    b.add(counting(chunks, seconds * second));
  b.launch(20);
  b.expect_counts(20);
}
TEST_P(CpuBatch, OfHundredsOfKernelsRunsEachOnce) {
  Batch b;
  const double second = device("CPU").target().flops_per_second;
  for (int64_t i = 0; i < 300; ++i)
    b.add(counting(1 + i % 5, static_cast<double>(i % 11) * 1e-6 * second));
  b.launch(10);
  b.expect_counts(10);
}
TEST_P(CpuBatch, OfNoKernelsIsNothing) { device("CPU").launch(std::span<const Call>{}); }
TEST_P(CpuBatch, WithAWrongArgumentListRunsNothing) {
  const LinearKernel k = counting(3, 1e6);
  const CompiledKernel compiled = device("CPU").compile({&k, 1})[0];
  std::vector<int32_t> counts(3);
  void* p = counts.data();
  const std::vector<Call> calls = {{compiled.program.get(), {&p, 1}, {}},
                                   {compiled.program.get(), {}, {}}};
  EXPECT_THROW(device("CPU").launch(calls), InternalError);
  EXPECT_EQ(counts, std::vector<int32_t>(3));
}
// One of them has the pool, the others run inline.
TEST_P(CpuBatch, MayBeLaunchedByThreadsSideBySide) {
  const double second = device("CPU").target().flops_per_second;
  std::vector<Batch> batches(3);
  for (Batch& b : batches) {
    for (int64_t i = 1; i <= 20; ++i) b.add(counting(i, 10e-6 * second));
  }
  std::vector<std::thread> threads;
  for (Batch& b : batches) {
    threads.emplace_back([&b] {
      const OptionsScope scope(with_threads(GetParam()));
      b.launch(10);
    });
  }
  for (std::thread& t : threads) t.join();
  for (const Batch& b : batches) b.expect_counts(10);
}
INSTANTIATE_TEST_SUITE_P(Threads, CpuBatch, testing::Values(1, 2, 3, 8));

TEST(CpuProgram, ChunksBelongToOneUnitOfTimeEach) {
  const double second = device("CPU").target().flops_per_second;
  for (int64_t chunks : {1, 2, 7, 64, 1001}) {
    for (double seconds : {0.0, 1e-7, 3.3e-6, 1e-3}) {
      const LinearKernel k = counting(chunks, seconds * second);
      const CompiledKernel compiled = device("CPU").compile({&k, 1})[0];
      const auto& program = static_cast<const cpu::CpuProgram&>(*compiled.program);
      std::vector<int32_t> counts(static_cast<size_t>(chunks));
      void* p = counts.data();
      const Call call{compiled.program.get(), {&p, 1}, {}};
      const cpu::CpuProgram::Share all = program.share_of(call);
      ASSERT_GE(all.units, 1);
      // In uneven pieces, the last first.
      for (int64_t end = all.units, length = 1; end > 0; end -= length, length = length * 2 + 1) {
        length = std::min(length, end);
        program.run_units(call, all, end - length, end);
      }
      EXPECT_EQ(counts, std::vector<int32_t>(static_cast<size_t>(chunks), 1))
          << chunks << " chunks in " << all.units << " units";
    }
  }
}

}  // namespace
}  // namespace tg
