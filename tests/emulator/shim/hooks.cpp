// Linked into every module of kernels, compiled without instrumentation. Kernels are compiled as
// for ThreadSanitizer or AddressSanitizer, which put a call before each access to memory; here
// these calls are answered by the emulator instead of by the sanitizer's library. So is that for an
// address that is not aligned as its type is. A call at each branch counts steps, so that a kernel
// that never ends is stopped.
#include <cstring>

#include "host.h"

#pragma GCC visibility push(hidden)
extern "C" {

tg_place tg_here;
}

namespace {

const tg_host* host;
unsigned steps_left = kTgSteps;

inline void step() {
  if (--steps_left != 0) return;
  steps_left = kTgSteps;
  host->steps(host->self);
}

inline void access(const void* address, unsigned long bytes, bool writes) {
  step();
  host->access(host->self, address, bytes, writes);
}

// What the compiler says about an access at a wrong address, in the order in which it says it.
struct TypeMismatch {
  const char* file;
  unsigned line, column;
  const void* type;
  unsigned char log_alignment, kind;
};

}  // namespace

extern "C" {

void tg_barrier(int line, int fences) { host->barrier(host->self, line, fences); }
const char* tg_subgroup_barrier(const void* mine, unsigned bytes, unsigned long mask, int fences,
                                int line) {
  return host->subgroup_barrier(host->self, mine, bytes, mask, fences, line);
}
void tg_begin_copy(void* to, const void* from, unsigned bytes, int whether) {
  host->begin_copy(host->self, to, from, bytes, whether != 0);
}
void tg_arrive(unsigned on_their_way) { host->arrive(host->self, on_their_way); }

// The names are those that compilers call; a macro, for a function has but one name.
#define TG_ACCESS(n)                                                       \
  void __asan_load##n(void* p) { access(p, n, false); }                    \
  void __asan_store##n(void* p) { access(p, n, true); }                    \
  void __tsan_read##n(void* p) { access(p, n, false); }                    \
  void __tsan_write##n(void* p) { access(p, n, true); }                    \
  void __tsan_unaligned_read##n(void* p) { access(p, n, false); }          \
  void __tsan_unaligned_write##n(void* p) { access(p, n, true); }          \
  void __tsan_volatile_read##n(void* p) { access(p, n, false); }           \
  void __tsan_volatile_write##n(void* p) { access(p, n, true); }           \
  void __tsan_unaligned_volatile_read##n(void* p) { access(p, n, false); } \
  void __tsan_unaligned_volatile_write##n(void* p) { access(p, n, true); }
TG_ACCESS(1)
TG_ACCESS(2)
TG_ACCESS(4)
TG_ACCESS(8)
TG_ACCESS(16)

void __tsan_read_range(void* p, unsigned long bytes) { access(p, bytes, false); }
void __tsan_write_range(void* p, unsigned long bytes) { access(p, bytes, true); }
void __asan_loadN(void* p, unsigned long bytes) { access(p, bytes, false); }
void __asan_storeN(void* p, unsigned long bytes) { access(p, bytes, true); }
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  access(from, bytes, false);
  access(to, bytes, true);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  access(from, bytes, false);
  access(to, bytes, true);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  access(to, bytes, true);
  return std::memset(to, value, bytes);
}
void* __asan_memcpy(void* to, const void* from, unsigned long bytes) {
  return __tsan_memcpy(to, from, bytes);
}
void* __asan_memmove(void* to, const void* from, unsigned long bytes) {
  return __tsan_memmove(to, from, bytes);
}
void* __asan_memset(void* to, int value, unsigned long bytes) {
  return __tsan_memset(to, value, bytes);
}
void __ubsan_handle_type_mismatch_v1(TypeMismatch* what, void* p) {
  host->misaligned(host->self, p, 1ul << what->log_alignment, static_cast<int>(what->line));
}
void __asan_init() {}
void __asan_version_mismatch_check_v8() {}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __sanitizer_cov_trace_pc() { step(); }

__attribute__((visibility("default"))) tg_place* tg_bind(const tg_host* h) {
  host = h;
  return &tg_here;
}
}
#pragma GCC visibility pop
