// Every elementwise op in every dtype through LLVM, of each version that is installed, against the
// op record's evaluation: for this processor, and for the plain one, which lacks half the
// instructions.
#include "../../renderer/elementwise_cases.h"
#include "../../renderer/masked_cases.h"
#include "backends/cpu/llvm_compiler.h"
#include "backends/cpu/object_code.h"
#include "backends/cpu/target.h"
#include "support/guarded_memory.h"
#include "support/options.h"

namespace tg::testing {
namespace {

struct Setting {
  const char* version;
  const char* arch;
};

// Compiles `kernel` and hands its entry to `run`.
template <typename Run>
void with_entry(const cpu::LlvmCompiler& compiler, const LinearKernel& kernel, Run&& run) {
  const std::string object = compiler.compile(compiler.render({&kernel, 1}), kernel.name);
  const cpu::CodeRef code = cpu::load_object(object, kernel.name);
  run(reinterpret_cast<Entry*>(code->symbol(kernel.name)));
}

// Calls `run` with a compiler of each setting that can be had here.
template <typename Run>
void in_all_settings(Run&& run) {
  for (const Setting& s :
       {Setting{"19", "native"}, {"19", "generic"}, {"16", "native"}, {"15", "generic"}}) {
    SCOPED_TRACE(fmt::format("LLVM {}, {}", s.version, s.arch));
    Options o = options();
    o.llvm = s.version;
    const OptionsScope scope(o);
    const auto file = cpu::find_llvm();
    if (file) run(cpu::LlvmCompiler(*file, cpu::detect_target(s.arch)));
  }
}

class LlvmElementwise : public ::testing::TestWithParam<Group> {};

TEST_P(LlvmElementwise, EqualsTheRecordsEvaluation) {
  if (!cpu::find_llvm()) GTEST_SKIP() << "no libLLVM";
  in_all_settings([](const cpu::LlvmCompiler& compiler) {
    for (const Case& c : cases_of(GetParam())) {
      if (c.lanes == 8) continue;
      with_entry(compiler, kernel_of(c), [&](Entry* entry) { check(entry, c, 20240117); });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, LlvmElementwise, ::testing::ValuesIn(all_groups()),
                         [](const auto& info) {
                           return fmt::format("{}_{}", op_name(info.param.first),
                                              dtype_name(info.param.second));
                         });

class LlvmMaskedMemory : public ::testing::TestWithParam<DType> {};

TEST_P(LlvmMaskedMemory, TouchesOnlyWhatTheMaskAllows) {
  if (!cpu::find_llvm()) GTEST_SKIP() << "no libLLVM";
  in_all_settings([](const cpu::LlvmCompiler& compiler) {
    for (const LinearKernel& k : masked_kernels(GetParam()))
      with_entry(compiler, k, [&](Entry* entry) { check_masked(entry, k, GetParam()); });
  });
}

INSTANTIATE_TEST_SUITE_P(All, LlvmMaskedMemory, ::testing::ValuesIn(stored_dtypes()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

// p0[i] = v·(−x) + v·(−w)·(−x) of v = p1[i], w = p1[i + 8], x = p2[0].
LinearKernel negated_uniform_products() {
  constexpr int kLanes = 8;
  const UOp r = chunk_loop(1, 0), in = param(1, {2 * kLanes}, dtypes::float32);
  const UOp minus = constant(-1, dtypes::float32);
  const UOp x = load_lanes(param(2, {1}, dtypes::float32), index_of(0), 1);
  const UOp by = splat(x * minus, kLanes), v = load_lanes(in, r, kLanes),
            w = load_lanes(in, r + index_of(kLanes), kLanes);
  const UOp sum = fma(v, by, v * (w * splat(minus, kLanes)) * by);
  return chunk_kernel("negated_uniform_products", r,
                      {store_lanes(param(0, {kLanes}, dtypes::float32), r, sum)}, 0, 3);
}

TEST(LlvmProducts, OfANegatedUniformValue) {
  if (!cpu::find_llvm()) GTEST_SKIP() << "no libLLVM";
  const LinearKernel k = negated_uniform_products();
  in_all_settings([&](const cpu::LlvmCompiler& compiler) {
    // LLVM 19 reads freed memory where −x itself is in every lane: mostly, but not always, it dies.
    const std::string text = compiler.render({&k, 1});
    EXPECT_NE(text.find("insertelement <8 x float> poison, float %x"), std::string::npos) << text;
    with_entry(compiler, k, [&](Entry* entry) {
      std::vector<float> in(16), out(8), x = {3}, want(8);
      for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * i);
      for (size_t i = 0; i < want.size(); ++i) want[i] = in[i] * (in[i + 8] - 1) * x[0];
      const std::vector<void*> buffers = {out.data(), in.data(), x.data()};
      entry(buffers.data(), nullptr, 0, k.chunks, nullptr);
      EXPECT_EQ(out, want);
    });
  });
}

// p0[k] = p1[start + k·step], where p2[k] if it is gated.
LinearKernel steps_kernel(DType t, int lanes, int64_t step, int64_t start, bool gated) {
  const UOp r = chunk_loop(1, 0), at = r * index_of(lanes);
  const UOp gate = gated ? load_lanes(param(2, {lanes}, dtypes::bool_), at, lanes) : UOp{};
  const UOp x = load_lanes(param(1, {kMasked * 8}, t), ramp(at + index_const(start), lanes, step),
                           lanes, gate);
  return chunk_kernel(fmt::format("steps_x{}", lanes), r,
                      {store_lanes(param(0, {lanes}, t), at, x)}, 0, 3);
}

// The array ends, on both sides, where the elements do that are asked for: lanes `left_out` at
// either end are masked, and their elements lie on forbidden pages.
void check_steps(const cpu::LlvmCompiler& compiler, DType t, int lanes, int64_t step,
                 int left_out) {
  const auto size = static_cast<size_t>(dtype_size(t));
  const int64_t span = std::abs(step) * (lanes - 1 - 2 * left_out) + 1;
  const int64_t start = (step < 0 ? span - 1 : 0) - left_out * step;
  const LinearKernel k = steps_kernel(t, lanes, step, start, left_out > 0);
  std::vector<uint8_t> mask(static_cast<size_t>(lanes), 1);
  for (int i = 0; i < left_out; ++i) mask[static_cast<size_t>(i)] = mask.end()[-1 - i] = 0;
  for (const test::Flush flush : {test::Flush::Front, test::Flush::Back}) {
    test::GuardedMemory in(static_cast<size_t>(span) * size, flush);
    for (size_t b = 0; b < in.size(); ++b)
      in.data()[b] = static_cast<std::byte>(is_bool(t) ? b % 3 % 2 : b * 37 % 120 + 1);
    std::vector<std::byte> out(static_cast<size_t>(lanes) * size), want(out.size());
    for (int i = left_out; i < lanes - left_out; ++i)
      std::memcpy(want.data() + static_cast<size_t>(i) * size,
                  in.data() + static_cast<size_t>(start + i * step) * size, size);
    with_entry(compiler, k, [&](Entry* entry) {
      const std::vector<void*> buffers = {out.data(), in.data(), mask.data()};
      entry(buffers.data(), nullptr, 0, k.chunks, nullptr);
    });
    EXPECT_EQ(out, want) << "lanes " << lanes << ", step " << step << ", masked " << left_out;
  }
}

class LlvmSteps : public ::testing::TestWithParam<DType> {};

TEST_P(LlvmSteps, AreLoadedAsVectorsThatTouchNothingElse) {
  if (!cpu::find_llvm()) GTEST_SKIP() << "no libLLVM";
  in_all_settings([](const cpu::LlvmCompiler& compiler) {
    for (const int lanes : {4, 16})
      for (const int64_t step : {0, 2, 3, 4, 5, -1, -2})
        for (const int left_out : {0, 1}) check_steps(compiler, GetParam(), lanes, step, left_out);
  });
}

INSTANTIATE_TEST_SUITE_P(All, LlvmSteps,
                         ::testing::Values(DType::Float32, DType::Float64, DType::Float16,
                                           DType::Int8, DType::Bool),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

}  // namespace
}  // namespace tg::testing
