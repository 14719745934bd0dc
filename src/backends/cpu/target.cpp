// See target.h. Everything read from the system may be missing or nonsense; then the default of
// Target stays.
#include "backends/cpu/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "backends/cpu/archs.h"
#include "runtime/c_language.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/options.h"
#include "support/os/os.h"
#include "support/text.h"

namespace tg::cpu {
namespace {

constexpr double kClock = 3e9;

std::string first_line(const std::filesystem::path& path) {
  const auto text = try_read_file(path);
  return text ? std::string(trim(split(*text, '\n')[0])) : std::string();
}

// "32K", "1M", "512".
int64_t parse_size(const std::string& text) {
  int64_t size = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && size < (int64_t{1} << 40); ++i)
    size = 10 * size + (text[i] - '0');
  const char unit = i < text.size() ? text[i] : ' ';
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

void read_caches(Target& t) {
  const std::filesystem::path root = "/sys/devices/system/cpu/cpu0/cache";
  for (int i = 0; i < 8; ++i) {
    const std::filesystem::path folder = root / fmt::format("index{}", i);
    const std::string kind = first_line(folder / "type"), level = first_line(folder / "level");
    const int64_t bytes = parse_size(first_line(folder / "size"));
    if (bytes < 1024 || kind == "Instruction") continue;
    if (level == "1") {
      t.l1_bytes = bytes;
      const int64_t ways = parse_size(first_line(folder / "ways_of_associativity"));
      if (ways >= 1 && ways <= 64) t.l1_ways = static_cast<int>(ways);
    }
    if (level == "2") t.l2_bytes = bytes;
    if (level == "3") t.l3_bytes = bytes;
  }
}

#if defined(__x86_64__)
void set_instruction_set(Target& t, bool fma, bool avx2, bool avx512) {
  t.has_fma = fma;
  t.has_masked_access = avx512;
  t.has_masked_loads = avx2;
  if (avx2) t.vector_bytes = 32;
  if (avx512) t.vector_bytes = 64;
  if (avx512) t.vector_registers = 32;
}

void read_instruction_set(Target& t) {
  if (t.arch != "native") {
    const int level = level_of(t.arch);
    return set_instruction_set(t, level >= 3, level >= 3, level >= 4);
  }
  __builtin_cpu_init();
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  set_instruction_set(t, __builtin_cpu_supports("fma") != 0, __builtin_cpu_supports("avx2") != 0,
                      avx512);
}
#else
void read_instruction_set([[maybe_unused]] Target& t) {
#if defined(__aarch64__)
  if (t.arch == "generic") return;
  t.has_fma = true;
  t.vector_registers = 32;
#endif
}
#endif

}  // namespace

Target detect_target(const std::string& arch) {
  Target t;
  t.arch = arch;
  read_caches(t);
  read_instruction_set(t);
  t.threads = options().thread_count();
  t.compile_seconds = 5e-3;
  // Two vector units of at most 32 bytes; a fused multiply-add counts twice.
  const double lanes = std::min(t.vector_bytes, 32) / 4.0;
  t.flops_per_second = kClock * lanes * (t.has_fma ? 4 : 2);
  t.machine = processor_fingerprint() + "-" + arch;
  finish_c_target(t, "CPU");
  return t;
}

#if defined(__x86_64__)
namespace {

// Intel's manual, CPUID leaf 7; compilers differ in whether they know these names.
void add_tile_units(Target& target) {
  constexpr unsigned kBFloat16 = 1U << 22, kTiles = 1U << 24, kInt8 = 1U << 25;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kTiles) == 0) return;
  if (!os::allow_tile_registers()) return;
  if ((d & kBFloat16) != 0) add_matrix_units(target, {"m16n16k32_bf16"});
  if ((d & kInt8) != 0)
    add_matrix_units(target, {"m16n16k64_i8", "m16n16k64_u8", "m16n16k64_u8i8"});
}

}  // namespace
#endif

void add_matrix_instructions([[maybe_unused]] Target& target) {
#if defined(__x86_64__)
  // Part of AVX2: pairs multiplied by one instruction and added by another, in the time of one
  // product of 32-bit integers.
  if (target.vector_bytes == 32) add_matrix_units(target, {"m1n8k2_i16"});
  if (target.arch != "native" || target.vector_bytes < 64) return;
  add_tile_units(target);
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bf16") != 0) add_matrix_units(target, {"m1n16k2_bf16"});
  if (__builtin_cpu_supports("avx512vnni") != 0)
    add_matrix_units(target, {"m1n16k4_u8i8", "m1n16k2_i16"});
#endif
}

std::span<const std::string_view> features_left_out() {
#if defined(__x86_64__)
  // AVX10 includes it.
  static constexpr std::array<std::string_view, 3> kHalfArithmetic = {"avx512fp16", "avx10.1-256",
                                                                      "avx10.1-512"};
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512fp16") != 0) return kHalfArithmetic;
#endif
  return {};
}

std::vector<std::string> native_flags() {
  if (features_left_out().empty()) return {"-march=native"};
  std::vector<std::string> flags = {"-march=x86-64-v4", "-mtune=native"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vnni") != 0) flags.push_back("-mavx512vnni");
  if (__builtin_cpu_supports("avx512bf16") != 0) flags.push_back("-mavx512bf16");
  if (__builtin_cpu_supports("avx512vbmi") != 0) flags.push_back("-mavx512vbmi");
  if (__builtin_cpu_supports("avx512vbmi2") != 0) flags.push_back("-mavx512vbmi2");
#endif
  return flags;
}

std::string processor_fingerprint() {
  const std::string facts = os::processor_facts();
  return facts.empty() ? "unknown" : hash_bytes(facts).hex();
}

}  // namespace tg::cpu
