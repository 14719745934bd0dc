// The hand-written kernels on the CPU device against the interpreter: same inputs, same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../renderer/kernels.h"
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/llvm_library.h"
#include "runtime/device.h"
#include "support/options.h"
#include "support/subprocess.h"

namespace tg::testing {
namespace {

struct Memory {
  DType dtype = DType::Void;
  std::vector<char> bytes;
};

// Small whole numbers, so that sums are exact in any order; indices are −1 … 9, bools 0 and 1.
std::vector<Memory> inputs_of(const LinearKernel& k) {
  std::vector<Memory> out(k.params.size());
  for (const UOp& u : k.ops) {
    if (!u.is(Op::Param)) continue;
    Memory& m = out[static_cast<size_t>(u.arg(0))];
    m.dtype = u.dtype();
    const auto size = static_cast<size_t>(dtype_size(m.dtype));
    m.bytes.assign(static_cast<size_t>(u.numel()) * size, 0);
    for (int64_t i = 0; i < u.numel(); ++i) {
      const int64_t v = is_bool(m.dtype) ? i * 7 % 3 % 2 : (i * 7 + u.arg(0) * 3) % 11 - 1;
      const uint64_t raw = Scalar::of_int(v, m.dtype).to_memory();
      std::memcpy(m.bytes.data() + static_cast<size_t>(i) * size, &raw, size);
    }
  }
  return out;
}

std::vector<Memory> run_on(Device& d, const LinearKernel& k, int64_t var) {
  std::vector<Memory> memory = inputs_of(k);
  std::vector<Allocation> held;
  std::vector<void*> buffers;
  for (const Memory& m : memory) {
    held.push_back(d.allocator().allocate(static_cast<int64_t>(m.bytes.size())));
    d.allocator().copy_in(held.back(), m.bytes.data(), static_cast<int64_t>(m.bytes.size()));
    buffers.push_back(held.back().data);
  }
  const std::vector<int64_t> vars(k.vars.size(), var);
  d.compile({&k, 1})[0].program->launch(buffers, vars);
  d.synchronize();
  for (size_t i = 0; i < memory.size(); ++i) {
    d.allocator().copy_out(memory[i].bytes.data(), held[i],
                           static_cast<int64_t>(memory[i].bytes.size()));
    d.allocator().free(held[i]);
  }
  return memory;
}

class CpuKernel : public ::testing::TestWithParam<int> {};

void expect_equal(const std::vector<Memory>& got, const std::vector<Memory>& want) {
  for (size_t slot = 0; slot < want.size(); ++slot) {
    const auto size = static_cast<size_t>(dtype_size(want[slot].dtype));
    for (size_t i = 0; i * size < want[slot].bytes.size(); ++i) {
      uint64_t a = 0, b = 0;
      std::memcpy(&a, got[slot].bytes.data() + i * size, size);
      std::memcpy(&b, want[slot].bytes.data() + i * size, size);
      ASSERT_EQ(a, b) << "parameter " << slot << ", element " << i << ": got "
                      << Scalar::from_memory(a, want[slot].dtype).str() << ", want "
                      << Scalar::from_memory(b, want[slot].dtype).str();
    }
  }
}

TEST_P(CpuKernel, GivesTheBytesOfTheInterpreter) {
  const LinearKernel k = all_kernels()[static_cast<size_t>(GetParam())];
  for (int64_t var : {0, 1, 10}) {
    SCOPED_TRACE(k.name);
    expect_equal(run_on(device("CPU"), k, var), run_on(device("INTERP"), k, var));
    if (k.vars.empty()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuKernel,
                         ::testing::Range(0, static_cast<int>(all_kernels().size())),
                         [](const auto& info) {
                           return all_kernels()[static_cast<size_t>(info.param)].name;
                         });

using Setting = std::pair<const char*, const char*>;  // C compiler or version of LLVM, architecture

class CpuSetting : public ::testing::TestWithParam<Setting> {};

TEST_P(CpuSetting, RunsAllKernelsLikeTheInterpreter) {
  const auto [compiler, arch] = GetParam();
  Options o = options();
  const std::string name = compiler;
  o.clang = !name.starts_with("llvm-");
  (o.clang ? o.cc : o.llvm) = o.clang ? name : name.substr(5);
  o.arch = arch;
  const OptionsScope scope(o);
  if (!(o.clang ? find_program(compiler).has_value() : cpu::find_llvm().has_value()))
    GTEST_SKIP() << compiler << " is not installed";
  cpu::CpuDevice d;
  std::vector<LinearKernel> kernels = all_kernels();
  for (const int64_t bytes : {16, 32}) {  // parts of lines; some rows start where none may
    kernels.push_back(streamed_rows(bytes, 18));
    kernels.back().name += std::to_string(bytes);
  }
  d.compile(kernels);
  for (const LinearKernel& k : kernels) {
    SCOPED_TRACE(k.name);
    expect_equal(run_on(d, k, 10), run_on(device("INTERP"), k, 10));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CpuSetting,
    ::testing::Values(Setting{"clang-19", "native"}, Setting{"clang-19", "generic"},
                      Setting{"clang-14", "native"}, Setting{"clang-14", "generic"},
                      Setting{"gcc", "native"}, Setting{"gcc", "generic"},
                      Setting{"llvm-15", "native"}, Setting{"llvm-15", "generic"},
                      Setting{"llvm-16", "native"}, Setting{"llvm-16", "generic"},
                      Setting{"llvm-19", "native"}, Setting{"llvm-19", "generic"}),
    [](const auto& info) {
      std::string name = std::string(info.param.first) + "_" + info.param.second;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST(CpuKernels, OfOneCallCompileTogetherAndKeepTheirOrder) {
  const std::vector<LinearKernel> kernels = all_kernels();
  const auto compiled = device("CPU").compile(kernels);
  ASSERT_EQ(compiled.size(), kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_NE(compiled[i].source.find(kernels[i].name + "("), std::string::npos);
    EXPECT_TRUE(compiled[i].program);
  }
}

TEST(CpuKernels, ThatAreEqualShareOneProgram) {
  const std::vector<LinearKernel> twice = {row_sum(), row_sum()};
  const auto first = device("CPU").compile(twice), second = device("CPU").compile({&twice[0], 1});
  EXPECT_EQ(first[0].program.get(), first[1].program.get());
  EXPECT_EQ(first[0].program.get(), second[0].program.get());
}

TEST(CpuKernels, ComputeKnownNumbers) {
  const auto fib = run_on(device("CPU"), fibonacci(), 50);
  int64_t number = 0;
  std::memcpy(&number, fib[0].bytes.data(), 8);
  EXPECT_EQ(number, 12586269025);
  const auto floor = run_on(device("CPU"), floor_division(), 0);
  std::memcpy(&number, floor[0].bytes.data(), 8);
  EXPECT_EQ(number, -3 * 1000 + 2 * 100);
}

}  // namespace
}  // namespace tg::testing
