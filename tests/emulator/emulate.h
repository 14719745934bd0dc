// Arrays and launches for the emulator's own tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runner/module.h"

namespace tg::emulator {

inline constexpr Language kCuda = Language::Cuda;

/// Ends a test that needs a compiler which is not there.
#define TG_NEEDS(language)                                                      \
  if (const std::string missing = missing_compiler(language); !missing.empty()) \
  GTEST_SKIP() << missing

inline std::vector<float> counting(size_t n, float from = 0) {
  std::vector<float> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = from + static_cast<float>(i);
  return out;
}

template <typename T>
Argument in(const std::vector<T>& v) {
  return Argument::array(const_cast<T*>(v.data()), static_cast<int64_t>(v.size() * sizeof(T)),
                         false);
}
template <typename T>
Argument out(std::vector<T>& v) {
  return Argument::array(v.data(), static_cast<int64_t>(v.size() * sizeof(T)), true);
}

/// Compiles the one kernel "k" and runs it.
inline std::string run_text(Language language, const std::string& text,
                            std::vector<Argument> arguments, const Shape& shape) {
  const Program program{"k", text};
  const Module module(language, {&program, 1});
  return run(module.kernels()[0], arguments, shape);
}

}  // namespace tg::emulator
