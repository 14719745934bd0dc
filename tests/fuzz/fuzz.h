// What the fuzzers share: an input may be refused as a user's mistake, and in no other way. A
// fuzzer is one LLVMFuzzerTestOneInput; libFuzzer drives it where the compiler has it (preset
// fuzz), else replay.cpp does with the inputs of tests/fuzz/corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tg/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tg::fuzz {

/// The input as text.
inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process if `fine` is false: what was promised of the input does not hold.
inline void expect(bool fine, const char* promise) {
  if (fine) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Calls `read`. Errors that blame the input are fine; those that blame the library are not.
template <typename Read>
void read_or_refuse(Read&& read) {
  try {
    read();
  } catch (const InternalError& error) {
    expect(false, error.what());
  } catch (const Error&) {
  }
}

/// What `read` gives, called on what the library wrote itself: that is never refused.
template <typename Read>
auto read_own(Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    expect(false, error.what());
    throw;
  }
}

}  // namespace tg::fuzz
