// Runs the groups of one launch, one after the other, each work-item as a fiber: a work-item runs
// until it waits, then the next one does; when all have arrived they go on. What it finds wrong
// ends the launch with a sentence. Compiling and loading are module.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runner/memory.h"
#include "shim/host.h"

namespace tg::emulator {

/// One argument of a kernel: an array, or a value of up to 64 bits.
struct Argument {
  uint64_t word = 0;   ///< the address or the value
  int64_t bytes = -1;  ///< of the array; -1: a value
  bool written = false;

  static Argument array(void* data, int64_t bytes, bool written) {
    return {reinterpret_cast<uint64_t>(data), bytes, written};
  }
  static Argument value(int64_t v) { return {static_cast<uint64_t>(v), -1, false}; }
};

struct Shape {
  int64_t group_size = 1;                   ///< of a group, at most 1024
  int64_t groups = 1;                       ///< of the launch
  int64_t lanes = 32;                       ///< of a subgroup, at most 64
  int64_t local_bytes = 0;                  ///< that the launch gives each group
  std::chrono::milliseconds limit{60'000};  ///< after that the kernel is stopped
};

/// What an argument of a kernel's function is.
enum class Role : uint8_t {
  Word,  ///< the argument of that number
  WorkItem,
  GroupSize,
  Group,
  Groups,
  Lane,
  Lanes,
  Subgroup,
  GlobalWorkItem
};
/// What the function wants as a Word, where its signature says so.
enum class Takes : uint8_t { Anything, Array, Value };
struct Parameter {
  Role role = Role::Word;
  size_t number = 0;
  Takes takes = Takes::Anything;
};

/// Bytes behind each local array that hold nothing.
constexpr int64_t kRedZone = 64;

/// A compiled kernel. Everything it points to is its module's.
struct Code {
  std::string name;
  void* entry = nullptr;
  std::vector<Parameter> parameters;  ///< empty: the arguments in order
  int64_t group_size = 0;             ///< that a group must have; 0: any number
  struct Local {
    std::string name;
    char* data;
    int64_t bytes;
    bool by_launch = false;  ///< has as many bytes of them as the launch gives
  };
  std::vector<Local> locals;
  const char* image_begin = nullptr;  ///< the module in memory
  const char* image_end = nullptr;
  TgBind* bind = nullptr;  ///< tells the module whom to call
};

/// Most arguments of a kernel's function.
constexpr size_t kMostWords = 130;

/// Runs the kernel and returns what it did wrong, or nothing. Launches follow each other,
/// also those of different threads.
std::string run(const Code& code, std::span<const Argument> arguments, const Shape& shape);

}  // namespace tg::emulator
