// A graphics processor and the system around it for tests: a shared library with the entry points
// of the Objective-C runtime and of Metal. Buffers are host memory; kernels are what the test says;
// faults are injected. It checks what the real one would crash on: messages to dead objects,
// unknown selectors, commands out of order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tg::testing {

/// One launch as the device gets it.
struct FakeMetalLaunch {
  std::string name;
  std::vector<char*> buffers;    ///< where each begins; nullptr for none
  std::vector<int64_t> numbers;  ///< the contents of the buffer behind the last
  uint64_t groups = 0, group_size = 0;
  int barriers = 0;  ///< that stand before it in its command buffer
};

struct FakeMetal {
  // ---- what the test sets
  std::vector<std::string> devices = {"Fake M1"};
  bool lists_devices = true;  ///< or has a default device only
  int family = 7;
  bool is_old = false;        ///< devices as before macOS 11
  bool has_math_mode = true;  ///< as macOS 15
  bool gives_queue = true;
  bool gives_encoder = true;
  bool records = true;              ///< indirect command buffers
  int64_t room = int64_t{1} << 30;  ///< bytes of all buffers
  uint64_t max_group_size = 1024;   ///< that a pipeline runs
  std::string compile_error;        ///< of every library, if not empty
  bool forgets_functions = false;   ///< no library has any
  std::string pipeline_error;
  int64_t fails_with = 0;  ///< error code of the command buffers that run next
  std::string fails_because;
  bool runs_at_once = false;  ///< at the commit; else when the host waits: copies must wait
  double seconds = 0;         ///< that each command buffer runs, by the device's clock
  /// Runs a launch.
  std::function<void(const FakeMetalLaunch&)> run;

  // ---- what it saw
  std::vector<std::string> problems;      ///< what the real one would not survive
  std::vector<std::string> sources;       ///< compiled
  std::vector<FakeMetalLaunch> launches;  ///< in the order of running
  int commits = 0;
  int64_t held = 0;                     ///< bytes of all buffers
  int64_t live = 0;                     ///< objects
  std::map<std::string, int> messages;  ///< how often each was sent
  int fast_math = -1, math_mode = -1;   ///< as set last; -1: never
};

/// The entry of the library that gives its state.
using FakeMetalEntry = FakeMetal*();

}  // namespace tg::testing
