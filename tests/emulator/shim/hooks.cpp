// Linked into every module of kernels, compiled without instrumentation. Kernels are compiled as
// for ThreadSanitizer, which puts a call before each access to memory; here these calls are
// answered by the emulator instead of by the sanitizer's library. A call at each branch counts
// steps, so that a kernel that never ends is stopped.
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

}  // namespace

extern "C" {

void tg_barrier(int line) { host->barrier(host->self, line); }
const char* tg_meet(const void* mine, unsigned bytes, unsigned long mask, int orders, int line) {
  return host->meet(host->self, mine, bytes, mask, orders, line);
}

// The names are those that compilers call; a macro, for a function has but one name.
#define TG_ACCESS(n)                                                       \
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
