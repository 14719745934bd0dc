// Other programs, run without a shell: an argument vector, text in, text out, an exit status, a
// time limit. The CPU device runs compilers through this. Interactive programs and pipelines are
// not its job.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tg {

struct ProcessOptions {
  std::string_view input;  ///< the program's standard input
  std::chrono::milliseconds timeout{
      120'000};  ///< after that the program and its children are killed
};

struct ProcessResult {
  int exit_code = -1;      ///< of the program; -1 if a signal ended it
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< it was killed because the time was over
  std::string output;      ///< its standard output
  std::string errors;      ///< its standard error

  bool ok() const { return exit_code == 0 && !timed_out; }
  /// "exit status 1", "signal 11 (Segmentation fault)", "no end after 120 s".
  std::string describe() const;
};

/// Runs a program to its end. `arguments[0]` is a path, or a name that is looked up in PATH. The
/// program's failure is a result, not an error; DeviceError only if it cannot be started.
/// Thread-safe.
ProcessResult run_process(const std::vector<std::string>& arguments,
                          const ProcessOptions& how = {});

/// Runs a program to its end, with this process's streams and environment and these variables over
/// that. Its exit status; 128 + the signal that ended it. DeviceError if it cannot be started.
int run_attached(const std::vector<std::string>& arguments,
                 const std::vector<std::pair<std::string, std::string>>& variables);

/// The path of an executable: `name` itself if it holds a slash, else the first match in PATH.
/// Empty if there is none.
std::optional<std::string> find_program(std::string_view name);

}  // namespace tg
