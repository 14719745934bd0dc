// Loops of single machine instructions, written by hand and untouched by the compiler: what
// arithmetic and the levels of memory give at most. Which of them a target may use is decided
// here; they are timed in peaks.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "target/target.h"

namespace tg::cli {

/// Multiply-adds of `dtype` on registers alone, independent enough to fill every unit.
struct ArithmeticLoop {
  DType dtype;
  std::string instructions;        ///< as the processor's manual calls them
  double operations_per_turn = 0;  ///< multiplications and additions, counted each
  void (*run)(int64_t turns) = nullptr;
};

/// Reads or writes whole blocks of memory.
struct MemoryLoop {
  enum class Kind : uint8_t { Read, Write, Copy };
  Kind kind;
  bool past_caches = false;  ///< stores go to memory directly
  /// `bytes` is a multiple of 1024; `from` and `to` are aligned to 64. A reading loop ignores
  /// `to`, a writing one `from`.
  void (*run)(const char* from, char* to, int64_t bytes) = nullptr;
};

/// The loops that are legal for a program compiled for `target` and that this processor runs.
/// Several may have one dtype: the fastest counts. float16 and fp8 are widened to float32, in which
/// their sums are defined; fp8 also to bfloat16, which holds all of its values.
std::vector<ArithmeticLoop> arithmetic_loops(const Target& target);
std::vector<MemoryLoop> memory_loops(const Target& target);

}  // namespace tg::cli
