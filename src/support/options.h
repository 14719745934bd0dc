// The options of the library and the only place that reads the environment. One table declares
// every option: name, alias, type, default, help; the reader, the error messages, `tg options` and
// docs/options.md all come from it (options.cpp). To add an option: a field in Options, a row in
// the table, and run `tg options --markdown > docs/options.md`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tg/ir/function_ref.h"

namespace tg {

/// When text for people carries colours.
enum class ColorMode : uint8_t {
  Auto,  ///< on a terminal
  Always,
  Never,
};

/// Values of all options. A plain value: copy it, change the copy, and install it with
/// OptionsScope.
struct Options {
  int debug = 0;            ///< DEBUG, 0–7
  bool validate = false;    ///< VALIDATE_WITH_CPU: kernels of other devices are compared
  bool noopt = false;       ///< NOOPT: no kernel optimisation
  int beam = 0;             ///< BEAM: schedules that a search goes on from; 0: no search
  int beam_seconds = 5;     ///< BEAM_SECONDS: what the search for one kernel may take
  bool allow_tf32 = false;  ///< ALLOW_TF32: products of float32 may round their operands
  int ring =
      1;  ///< RING: all-reduces go round in a ring; 0 never, 1 where that is faster, 2 always
  bool allreduce_cast = false;  ///< ALLREDUCE_CAST: terms of sums travel in the summands' dtype
  std::string device;     ///< DEV or TG_DEVICE, in upper case; empty: the first device that works
  std::string backends;   ///< TG_BACKENDS: files of further backends, separated by colons
  uint64_t seed = 0;      ///< SEED of random tensors
  int threads = 0;        ///< THREADS as given; 0: all cores. See thread_count().
  bool clang = false;     ///< CLANG: the CPU device compiles C with a spawned compiler
  std::string llvm;       ///< TG_LLVM: version or path of libLLVM; empty: the best one found
  std::string cuda_path;  ///< CUDA_PATH: where the CUDA toolkit is; empty: the usual places
  std::string cc;  ///< CC: C compiler of the CPU device; empty: first found of default_compilers()
  std::string arch;                   ///< TG_ARCH: "native" or "generic"
  std::string cache_dir;              ///< TG_CACHE, resolved; empty: no disk cache
  int cache_megabytes = 1024;         ///< TG_CACHE_MB: most that compiled code may take on disk
  std::string datasets_dir;           ///< TG_DATASETS; empty: not set
  bool check = false;                 ///< CHECK: verify the graph between passes
  bool check_index = false;           ///< CHECK_INDEX: indices outside their axis are errors
  int check_nan = 0;                  ///< CHECK_NAN: 1 the first NaN is an error, 2 infinities too
  std::string profile;                ///< PROFILE: file of the trace; empty: none
  ColorMode color = ColorMode::Auto;  ///< TG_COLOR and NO_COLOR
  std::string search_path;            ///< PATH, where find_program looks
  std::string temp_dir;               ///< TMPDIR, or /tmp

  /// The number of threads to use: `threads`, or available_cores() if that is 0. At least 1.
  int thread_count() const;
};

/// One row of the table.
struct OptionInfo {
  std::string_view name;           ///< of the environment variable
  std::string_view alias;          ///< second name, or empty; used when `name` is not set
  std::string_view type;           ///< for people: "0–7", "flag", "path", …
  std::string_view default_value;  ///< for people
  std::string_view help;           ///< one sentence
  /// Stores a value that is not empty; false if it is malformed.
  bool (*set)(Options&, std::string_view value);
  /// The value as text.
  std::string (*show)(const Options&);
};

/// All options in the order of the documentation.
std::span<const OptionInfo> option_table();

/// Reads all options through `lookup`, which returns a variable's value or nullptr. An empty value
/// counts as not set. Throws ArgumentError naming variable, value and what is accepted.
Options read_options(FunctionRef<const char*(const char* name)> lookup);

/// The options in force on this thread: those of the innermost OptionsScope, else the environment
/// as it was at the first call. Throws ArgumentError if the environment holds a malformed value.
/// Thread-safe.
const Options& options();

/// Replaces the options on this thread until the end of the scope. Scopes nest. Work that this
/// thread hands to the thread pool sees them too.
class OptionsScope {
 public:
  explicit OptionsScope(Options value);
  ~OptionsScope();
  OptionsScope(const OptionsScope&) = delete;
  OptionsScope& operator=(const OptionsScope&) = delete;

 private:
  Options value_;
  const Options* outer_;
};

namespace detail {
/// The override in force on this thread or nullptr; the thread pool hands it to its workers.
const Options* current_options_override();
void set_options_override(const Options* value);
}  // namespace detail

/// Cores that this process may use (its CPU affinity at the first call), at least 1.
int available_cores();

/// Compilers tried in this order when CC is not set.
std::span<const std::string_view> default_compilers();

/// The reference page docs/options.md, generated from the table.
std::string options_markdown();

}  // namespace tg
