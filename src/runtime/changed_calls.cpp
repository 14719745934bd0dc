// See changed_calls.h.
#include "runtime/changed_calls.h"

namespace tg {
namespace {

size_t count_of(const Call& c) { return c.buffers.size() + c.vars.size(); }

void store(const Call& c, uint64_t* to) {
  for (void* b : c.buffers) *to++ = reinterpret_cast<uintptr_t>(b);
  for (int64_t v : c.vars) *to++ = static_cast<uint64_t>(v);
}

}  // namespace

ChangedCalls::ChangedCalls(const CallSequence& sequence) : sequence_(sequence) {
  size_t count = 0;
  for (size_t i : sequence_.varying) count += count_of(sequence_.calls[i]);
  words_.resize(count);
  uint64_t* at = words_.data();
  for (size_t i : sequence_.varying) {
    store(sequence_.calls[i], at);
    at += count_of(sequence_.calls[i]);
  }
}

bool ChangedCalls::is_set(const Call& c, const uint64_t* at) const {
  for (void* b : c.buffers) {
    if (*at++ != reinterpret_cast<uintptr_t>(b)) return false;
  }
  for (int64_t v : c.vars) {
    if (*at++ != static_cast<uint64_t>(v)) return false;
  }
  return true;
}

void ChangedCalls::update(FunctionRef<void(size_t varying, const Call& call)> set) {
  uint64_t* at = words_.data();
  for (size_t k = 0; k < sequence_.varying.size(); ++k) {
    const Call& c = sequence_.calls[sequence_.varying[k]];
    if (!is_set(c, at)) {
      set(k, c);
      store(c, at);
    }
    at += count_of(c);
  }
}

}  // namespace tg
