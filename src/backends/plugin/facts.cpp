// See facts.h.
#include "backends/plugin/facts.h"

#include <bit>
#include <cstring>

#include "runtime/c_language.h"
#include "support/check.h"
#include "support/text.h"
#include "target/matrix_unit.h"

namespace tg::plugin {
namespace {

constexpr size_t kLongestList = 4096;
constexpr int64_t kKib = 1 << 10, kTib = int64_t{1} << 40;

tg_facts defaults() {
  const Target t;
  tg_facts f{};
  f.struct_size = sizeof f;
  f.vector_bytes = t.vector_bytes;
  f.vector_registers = t.vector_registers;
  f.l1_ways = t.l1_ways;
  f.l1_bytes = t.l1_bytes;
  f.l2_bytes = t.l2_bytes;
  f.l3_bytes = t.l3_bytes;
  f.threads = t.threads;
  f.fma_latency = t.fma_latency;
  f.flops_per_second = t.flops_per_second;
  f.bytes_per_second = t.bytes_per_second;
  f.launch_seconds = t.launch_seconds;
  f.arch = "generic";
  f.ops = "*";
  f.dtypes = "*";
  f.subgroup_size = t.subgroup_size;
  f.matrix_units = "";
  f.triple = "x86_64-unknown-linux-gnu";
  return f;
}

class Checker {
 public:
  explicit Checker(const Plugin& plugin) : plugin_(plugin) {}

  // Written so that NaN is outside.
  template <typename T>
  void range(const char* name, T value, T low, T high) const {
    if (!(value >= low && value <= high))
      plugin_.fail("facts", fmt::format("{} is {}, not in {} to {}", name, value, low, high));
  }
  std::string text(const char* name, const char* value) const {
    if (value == nullptr) plugin_.fail("facts", fmt::format("{} is NULL", name));
    const size_t length = strnlen(value, kLongestList + 1);
    if (length > kLongestList)
      plugin_.fail("facts", fmt::format("{} is longer than {} bytes", name, kLongestList));
    return {value, length};
  }
  [[noreturn]] void fail(const char* name, const std::string& what) const {
    plugin_.fail("facts", fmt::format("{} is {}", name, what));
  }
  [[noreturn]] void unknown(const char* list, std::string_view word) const {
    plugin_.fail("facts", fmt::format("{} names \"{}\", which is none", list, clean_text(word)));
  }

 private:
  const Plugin& plugin_;
};

void check_numbers(const tg_facts& f, const Checker& check) {
  check.range("vector_bytes", f.vector_bytes, 4, 256);
  if (!std::has_single_bit(static_cast<uint32_t>(f.vector_bytes)))
    check.fail("vector_bytes", fmt::format("{}, not a power of two", f.vector_bytes));
  check.range("vector_registers", f.vector_registers, 1, 1024);
  check.range("l1_ways", f.l1_ways, 1, 64);
  check.range("l1_bytes", f.l1_bytes, kKib, kTib);
  check.range("l2_bytes", f.l2_bytes, kKib, kTib);
  check.range("l3_bytes", f.l3_bytes, kKib, kTib);
  check.range("threads", f.threads, 1, 65536);
  check.range("fma_latency", f.fma_latency, 1, 1000);
  check.range("flops_per_second", f.flops_per_second, 1.0, 1e18);
  check.range("bytes_per_second", f.bytes_per_second, 1.0, 1e18);
  check.range("launch_seconds", f.launch_seconds, 1e-9, 1.0);
  check.range("has_fma", f.has_fma, 0, 1);
  check.range("has_masked_access", f.has_masked_access, 0, 1);
  check.range("max_bytes", f.max_bytes, int64_t{0}, INT64_MAX);
  check.range("max_buffers", f.max_buffers, 0, INT32_MAX);
  check.range("max_kernels", f.max_kernels, 0, INT32_MAX);
  check.range("has_half_casts", f.has_half_casts, 0, 1);
  check.range("has_rounding", f.has_rounding, 0, 1);
  check.range("max_group_size", f.max_group_size, int64_t{0}, int64_t{65536});
  check.range("subgroup_size", f.subgroup_size, int64_t{1}, int64_t{1024});
  check.range("local_bytes", f.local_bytes, int64_t{0}, INT64_MAX);
  check.range("compile_seconds", f.compile_seconds, 0.0, 100.0);
  check.range("max_groups", f.max_groups, int64_t{0}, INT64_MAX);
  check.range("async_copy_bytes", f.async_copy_bytes, int64_t{0}, int64_t{16});
  if (f.async_copy_bytes != 0 && f.async_copy_bytes != 4 && f.async_copy_bytes != 8 &&
      f.async_copy_bytes != 16)
    check.fail("async_copy_bytes", fmt::format("{}, not 0, 4, 8 or 16", f.async_copy_bytes));
}

Target target_of(const tg_facts& f) {
  Target t;
  t.vector_bytes = f.vector_bytes;
  t.vector_registers = f.vector_registers;
  t.l1_ways = f.l1_ways;
  t.l1_bytes = f.l1_bytes;
  t.l2_bytes = f.l2_bytes;
  t.l3_bytes = f.l3_bytes;
  t.threads = f.threads;
  t.fma_latency = f.fma_latency;
  t.flops_per_second = f.flops_per_second;
  t.bytes_per_second = f.bytes_per_second;
  t.launch_seconds = f.launch_seconds;
  t.has_fma = f.has_fma != 0;
  t.has_masked_access = f.has_masked_access != 0;
  t.max_group_size = f.max_group_size;
  t.subgroup_size = f.subgroup_size;
  t.local_bytes = f.local_bytes;
  t.max_groups = f.max_groups;
  t.max_arrays = f.max_buffers;
  t.compile_seconds = f.compile_seconds;
  t.async_copy_bytes = f.async_copy_bytes;
  return t;
}

// The ops of the library's renderers are known; a compiler of the plug-in's own names its ops.
void set_rendered(Target& t, int32_t source) {
  set_c_language(t);
  t.ops.set(static_cast<size_t>(Op::SubgroupShuffle),
            t.subgroup_size > 1 && (source == TG_SOURCE_CUDA || source == TG_SOURCE_METAL));
}

int find_dtype(std::string_view word) {
  for (int i = 0; i < kNumDTypes; ++i) {
    if (dtype_name(static_cast<DType>(i)) == word) return i;
  }
  return -1;
}

void set_listed(Target& t, const tg_facts& f, const Checker& check) {
  const auto fill = [&](const char* name, const char* list, auto& bits, auto find) {
    const std::string text = check.text(name, list);
    for (const std::string_view word : split(text, ' ')) {
      if (word.empty()) continue;
      if (word == "*") {
        bits.set();
        continue;
      }
      const int found = find(word);
      if (found < 0) check.unknown(name, word);
      bits.set(static_cast<size_t>(found));
    }
  };
  fill("ops", f.ops, t.ops, [](std::string_view w) { return find_op(w); });
  const std::vector<std::string_view> words = split(f.ops, ' ');
  const bool shuffles = std::ranges::find(words, op_name(Op::SubgroupShuffle)) != words.end();
  t.ops.set(static_cast<size_t>(Op::SubgroupShuffle), shuffles);
  fill("dtypes", f.dtypes, t.dtypes, find_dtype);
}

void set_units(Target& t, const tg_facts& f, const Checker& check) {
  const std::string text = check.text("matrix_units", f.matrix_units);
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const MatrixUnit* unit = find_matrix_unit(word);
    if (unit == nullptr) check.unknown("matrix_units", word);
    if (t.subgroup_size != unit->lanes()) {
      check.fail("matrix_units", fmt::format("{}, of subgroups of {} work-items instead of {}",
                                             word, unit->lanes(), t.subgroup_size));
    }
    t.matrix_units.push_back(unit);
  }
}

}  // namespace

Facts facts_of(const Plugin& plugin, void* device) {
  tg_facts f = defaults();
  plugin.call("facts", "", [&](tg_message* m) { return plugin.table().facts(device, &f, m); });
  const Checker check(plugin);
  check_numbers(f, check);
  const int32_t source = plugin.table().source;
  if (f.max_group_size > 0 && (source == TG_SOURCE_C || source == TG_SOURCE_LLVM)) {
    check.fail("max_group_size", fmt::format("{}, but only TG_SOURCE_LINEAR, TG_SOURCE_CUDA, "
                                             "TG_SOURCE_METAL and TG_SOURCE_OPENCL have work-items",
                                             f.max_group_size));
  }
  if (f.async_copy_bytes > 0 &&
      (f.max_group_size == 0 || (source != TG_SOURCE_LINEAR && source != TG_SOURCE_CUDA))) {
    check.fail(
        "async_copy_bytes",
        fmt::format(
            "{}, but only work-items of TG_SOURCE_LINEAR and TG_SOURCE_CUDA copy asynchronously",
            f.async_copy_bytes));
  }
  Facts out;
  out.target = target_of(f);
  out.target.arch = check.text("arch", f.arch);
  out.max_bytes = f.max_bytes;
  out.max_buffers = f.max_buffers;
  out.max_kernels = f.max_kernels;
  if (source == TG_SOURCE_LINEAR) {
    set_listed(out.target, f, check);
  } else {
    set_rendered(out.target, source);
  }
  if (source == TG_SOURCE_METAL) {
    out.target.dtypes.reset(static_cast<size_t>(DType::Float64));
    out.metal.buffers = f.max_buffers > 0 ? f.max_buffers + 1 : INT32_MAX;
  }
  out.opencl = {.local_bytes = f.local_bytes > 0 ? f.local_bytes : INT64_MAX,
                .has_fma = f.has_fma != 0,
                .narrow_index = f.max_group_size > 0,
                .has_half = f.has_half_casts != 0};
  if (f.max_group_size > 0 && source != TG_SOURCE_OPENCL) set_units(out.target, f, check);
  out.cuda.has_async_copy = f.async_copy_bytes > 0;
  if (f.local_bytes > 0) out.cuda.local_bytes = out.metal.local_bytes = f.local_bytes;
  if (source == TG_SOURCE_LLVM) {
    out.llvm = {.triple = check.text("triple", f.triple),
                .vector_bits = f.vector_bytes * 8,
                .has_half_casts = f.has_half_casts != 0,
                .has_rounding = f.has_rounding != 0,
                .has_fma = f.has_fma != 0,
                .has_masked_access = f.has_masked_access != 0};
    out.max_kernels = 1;
  }
  return out;
}

}  // namespace tg::plugin
