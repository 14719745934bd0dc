// The table of options, their reader, and the page generated from them. No other file calls getenv.
#include "support/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "support/check.h"
#include "support/os/os.h"
#include "support/text.h"
#include "tg/config.h"

namespace tg {
namespace {

constexpr int kMaxThreads = 1024;
constexpr std::array<std::string_view, 6> kCompilers = {"clang-19", "clang-20", "clang",
                                                        "clang-18", "gcc",      "cc"};

#ifdef NDEBUG
constexpr bool kDebugBuild = false;
#else
constexpr bool kDebugBuild = true;
#endif

std::optional<bool> parse_flag(std::string_view text) {
  const std::string value = to_lower(text);
  if (value == "1" || value == "true" || value == "on" || value == "yes") return true;
  if (value == "0" || value == "false" || value == "off" || value == "no") return false;
  return std::nullopt;
}

bool set_flag(bool& field, std::string_view value) {
  const auto parsed = parse_flag(value);
  if (parsed) field = *parsed;
  return parsed.has_value();
}

bool set_int(int& field, std::string_view value, int64_t low, int64_t high) {
  const auto parsed = parse_int64(value);
  if (!parsed || *parsed < low || *parsed > high) return false;
  field = static_cast<int>(*parsed);
  return true;
}

bool set_seed(uint64_t& field, std::string_view value) {
  const auto parsed = parse_uint64(value);
  if (parsed) field = *parsed;
  return parsed.has_value();
}

// Device names are compared without case: `dev=cpu` means CPU.
bool set_device(std::string& field, std::string_view value) {
  field = value;
  for (char& c : field) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return std::all_of(field.begin(), field.end(),
                     [](unsigned char c) { return c > ' ' && c < 127; });
}

bool set_arch(std::string& field, std::string_view value) {
  const std::string lower = to_lower(value);
  if (lower != "native" && lower != "generic") return false;
  field = lower;
  return true;
}

bool set_llvm(std::string& field, std::string_view value) {
  const auto version = parse_int64(value);
  field = value;
  return version ? *version >= 15 && *version < 1000 : value.find('/') != std::string_view::npos;
}

bool set_cache(std::string& field, std::string_view value) {
  field = to_lower(value) == "off" ? "" : std::string(value);
  return true;
}

bool set_color(ColorMode& field, std::string_view value) {
  const std::string lower = to_lower(value);
  if (lower == "auto") field = ColorMode::Auto;
  if (lower == "always") field = ColorMode::Always;
  if (lower == "never") field = ColorMode::Never;
  return lower == "auto" || lower == "always" || lower == "never";
}

std::string show_flag(bool value) { return value ? "1" : "0"; }

std::string show_color(ColorMode mode) {
  switch (mode) {
    case ColorMode::Auto:
      return "auto";
    case ColorMode::Always:
      return "always";
    case ColorMode::Never:
      return "never";
  }
  return "auto";
}

// clang-format off
const std::array kTable = {
    OptionInfo{"DEBUG", "", "0–7", "0",
               "What to print: 1 a line for each graph that is computed, 2 a line a kernel, 3 chosen optimisations, 4 generated source, "
               "5 kernel graphs, 6 linear code, 7 machine code. Each level includes the lower ones.",
               [](Options& o, std::string_view v) { return set_int(o.debug, v, 0, 7); },
               [](const Options& o) { return fmt::format("{}", o.debug); }},
    OptionInfo{"NOOPT", "", "flag", "0",
               "Compile every kernel without optimisation: plain loops that follow the graph.",
               [](Options& o, std::string_view v) { return set_flag(o.noopt, v); },
               [](const Options& o) { return show_flag(o.noopt); }},
    OptionInfo{"BEAM", "", "0–64", "0",
               "Search for each kernel's schedule on the device, going on from so many of the quickest in each round; what is found is kept in the "
               "cache. 0: the compiler decides without trying, always alike. docs/search.md.",
               [](Options& o, std::string_view v) { return set_int(o.beam, v, 0, 64); },
               [](const Options& o) { return fmt::format("{}", o.beam); }},
    OptionInfo{"BEAM_SECONDS", "", "0–86400", "5",
               "Seconds that the search for one kernel may take under BEAM; 0: only what the cache holds of earlier searches.",
               [](Options& o, std::string_view v) { return set_int(o.beam_seconds, v, 0, 86400); },
               [](const Options& o) { return fmt::format("{}", o.beam_seconds); }},
    OptionInfo{"ALLOW_TF32", "", "flag", "0",
               "Matrix units may multiply float32 numbers that are rounded to 11 significant bits first, where a device has no others for "
               "them. Sums stay float32.",
               [](Options& o, std::string_view v) { return set_flag(o.allow_tf32, v); },
               [](const Options& o) { return show_flag(o.allow_tf32); }},
    OptionInfo{"RING", "", "0–2", "1",
               "Values that several devices have a term of each are added up in a ring, where each device moves the fewest bytes, instead of "
               "in one step: 0 never, 1 where that is faster, 2 always.",
               [](Options& o, std::string_view v) { return set_int(o.ring, v, 0, 2); },
               [](const Options& o) { return fmt::format("{}", o.ring); }},
    OptionInfo{"ALLREDUCE_CAST", "", "flag", "0",
               "Where float16 or bfloat16 numbers of several devices are added up, the sum of each device travels rounded to their dtype, in "
               "half the bytes, instead of in float32.",
               [](Options& o, std::string_view v) { return set_flag(o.allreduce_cast, v); },
               [](const Options& o) { return show_flag(o.allreduce_cast); }},
    OptionInfo{"DEV", "TG_DEVICE", "device name, with settings behind a colon", "the first device that works",
               "The default device, for example CPU, CPU:LLVM:x86-64-v3 or INTERP; `tg devices` lists them and what they take. Upper and "
               "lower case are the same.",
               [](Options& o, std::string_view v) { return set_device(o.device, v); },
               [](const Options& o) { return o.device; }},
    OptionInfo{"TG_BACKENDS", "", "paths with colons between them", "none",
               "Shared objects with further backends, loaded when a device is first looked for; docs/adding-a-backend.md says how to write one.",
               [](Options& o, std::string_view v) { o.backends = v; return true; },
               [](const Options& o) { return o.backends; }},
    OptionInfo{"SEED", "", "unsigned 64-bit integer", "0",
               "Seed of random tensors. The same seed gives tinygrad's numbers.",
               [](Options& o, std::string_view v) { return set_seed(o.seed, v); },
               [](const Options& o) { return fmt::format("{}", o.seed); }},
    OptionInfo{"THREADS", "", "0–1024", "0",
               "Threads for kernels and compilation; 0 means all cores that the process may use.",
               [](Options& o, std::string_view v) { return set_int(o.threads, v, 0, kMaxThreads); },
               [](const Options& o) { return fmt::format("{}", o.threads); }},
    OptionInfo{"CLANG", "", "flag", "0",
               "The CPU device writes its kernels as C and runs a C compiler, although libLLVM is there.",
               [](Options& o, std::string_view v) { return set_flag(o.clang, v); },
               [](const Options& o) { return show_flag(o.clang); }},
    OptionInfo{"TG_LLVM", "", "version from 15, or path", "the best found: 19, else the newest",
               "The libLLVM that compiles the CPU device's kernels, for example 16 or /opt/llvm/lib/libLLVM.so.19.1.",
               [](Options& o, std::string_view v) { return set_llvm(o.llvm, v); },
               [](const Options& o) { return o.llvm; }},
    OptionInfo{"CUDA_PATH", "", "path", "where the loader looks, else /usr/local/cuda",
               "Folder of the CUDA toolkit, whose libnvrtc compiles the kernels of NVIDIA graphics processors.",
               [](Options& o, std::string_view v) { o.cuda_path = v; return true; },
               [](const Options& o) { return o.cuda_path; }},
    OptionInfo{"CC", "", "program name or path", "the first found of clang-19, clang-20, clang, clang-18, gcc, cc",
               "The C compiler that the CPU device runs with CLANG=1, or where there is no libLLVM.",
               [](Options& o, std::string_view v) { o.cc = v; return true; },
               [](const Options& o) { return o.cc; }},
    OptionInfo{"TG_ARCH", "", "native or generic", "native",
               "The processor that the CPU device compiles for: this one, or any of its family.",
               [](Options& o, std::string_view v) { return set_arch(o.arch, v); },
               [](const Options& o) { return o.arch; }},
    OptionInfo{"TG_CACHE", "", "path, or off", "$XDG_CACHE_HOME/tinygrad.cpp, else $HOME/.cache/tinygrad.cpp",
               "Folder for compiled kernels and downloads. Without a home folder, or with off, nothing is kept on disk.",
               [](Options& o, std::string_view v) { return set_cache(o.cache_dir, v); },
               [](const Options& o) { return o.cache_dir; }},
    OptionInfo{"TG_CACHE_MB", "", "1–1048576", "1024",
               "Most megabytes that compiled kernels may take in the cache; those unused for longest go first.",
               [](Options& o, std::string_view v) { return set_int(o.cache_megabytes, v, 1, 1 << 20); },
               [](const Options& o) { return fmt::format("{}", o.cache_megabytes); }},
    OptionInfo{"TG_DATASETS", "", "path", "not set",
               "Folder with data sets, searched first: MNIST is looked for in its subfolder mnist.",
               [](Options& o, std::string_view v) { o.datasets_dir = v; return true; },
               [](const Options& o) { return o.datasets_dir; }},
    OptionInfo{"CHECK", "", "flag", "1 in debug builds, else 0",
               "Verify the graph between compiler passes and name the pass that broke it.",
               [](Options& o, std::string_view v) { return set_flag(o.check, v); },
               [](const Options& o) { return show_flag(o.check); }},
    OptionInfo{"CHECK_INDEX", "", "flag", "0",
               "An index or a label outside its range is an error of the line that uses it, with place and value, instead of reading 0. Each "
               "index is then computed where it is used.",
               [](Options& o, std::string_view v) { return set_flag(o.check_index, v); },
               [](const Options& o) { return show_flag(o.check_index); }},
    OptionInfo{"CHECK_NAN", "", "0–2", "0",
               "1: stop at the first kernel that writes a NaN and reads none; 2: or an infinity. In Python every function is then computed "
               "where it is called, so the error's traceback ends in its line.",
               [](Options& o, std::string_view v) { return set_int(o.check_nan, v, 0, 2); },
               [](const Options& o) { return fmt::format("{}", o.check_nan); }},
    OptionInfo{"VALIDATE_WITH_CPU", "", "flag", "0",
               "Run every kernel of another device on the CPU too, with the same inputs, and stop at the first element that differs.",
               [](Options& o, std::string_view v) { return set_flag(o.validate, v); },
               [](const Options& o) { return show_flag(o.validate); }},
    OptionInfo{"PROFILE", "", "path", "not set",
               "File for a trace of what was scheduled, lowered, compiled and run, written at the end of the process in Chrome's format. "
               "Each launch is then waited for and timed.",
               [](Options& o, std::string_view v) { o.profile = v; return true; },
               [](const Options& o) { return o.profile; }},
    OptionInfo{"TG_COLOR", "", "auto, always or never", "auto",
               "Colours in messages; auto means on a terminal. A NO_COLOR that is set and not empty means never.",
               [](Options& o, std::string_view v) { return set_color(o.color, v); },
               [](const Options& o) { return show_color(o.color); }},
};
// clang-format on

Options default_options(FunctionRef<const char*(const char*)> lookup) {
  const char* no_color = lookup("NO_COLOR");
  Options o;
  o.arch = "native";
  o.check = kDebugBuild;
  o.color = no_color == nullptr || *no_color == 0 ? ColorMode::Auto : ColorMode::Never;
  os::Places places = os::usual_places(lookup);
  o.cache_dir = std::move(places.cache_dir);
  o.search_path = std::move(places.search_path);
  o.temp_dir = std::move(places.temp_dir);
  return o;
}

thread_local const Options* current_override = nullptr;

const OptionInfo& row_of(std::string_view fn, std::string_view name) {
  for (const OptionInfo& row : kTable) {
    if (row.name == name || (!row.alias.empty() && row.alias == name)) return row;
  }
  user_error<ArgumentError>(fn, fmt::format("there is no option \"{}\"", name),
                            "Hint: `tg options` lists all.");
}

// The options of the process: those of the environment, and what the program has set over them.
class OptionTable {
 public:
  const Options& get() {
    if (const Options* o = current_.load(std::memory_order_acquire)) return *o;
    std::lock_guard guard(lock_);
    publish(set_);
    return *current_.load(std::memory_order_relaxed);
  }

  void set(const OptionInfo& row, const std::optional<std::string>& value) {
    std::lock_guard guard(lock_);
    Values next = set_;
    if (value)
      next[std::string(row.name)] = *value;
    else
      next.erase(std::string(row.name));
    publish(next);
    set_ = std::move(next);
  }

 private:
  using Values = std::map<std::string, std::string>;

  void publish(const Values& values) {
    std::unique_ptr<const Options>& made = made_[values];
    if (made == nullptr) {
      made = std::make_unique<const Options>(read_options([&](const char* name) {
        const auto it = values.find(name);
        return it == values.end() ? std::getenv(name) : it->second.c_str();
      }));
    }
    current_.store(made.get(), std::memory_order_release);
  }

  std::atomic<const Options*> current_ = nullptr;
  std::mutex lock_;
  Values set_;
  // All that were ever in force: earlier readers may still look at them.
  std::map<Values, std::unique_ptr<const Options>> made_;
};

OptionTable& process_options() {
  static OptionTable* const all = new OptionTable;  // destructors of others may look
  return *all;
}

}  // namespace

int Options::thread_count() const { return threads > 0 ? threads : available_cores(); }

std::span<const OptionInfo> option_table() { return kTable; }

Options read_options(FunctionRef<const char*(const char* name)> lookup) {
  Options result = default_options(lookup);
  for (const OptionInfo& row : kTable) {
    std::string_view name = row.name;
    const char* value = lookup(row.name.data());
    if ((!value || !*value) && !row.alias.empty()) {
      name = row.alias;
      value = lookup(row.alias.data());
    }
    if (!value || !*value) continue;
    if (!row.set(result, value)) {
      user_error<ArgumentError>("options", fmt::format("{}=\"{}\" is not accepted", name, value),
                                fmt::format("Hint: unset {} or set it to: {} (default: {}).", name,
                                            row.type, row.default_value));
    }
  }
  return result;
}

const Options& options() {
  if (current_override) return *current_override;
  return process_options().get();
}

void set_option(std::string_view name, const std::optional<std::string>& value) {
  process_options().set(row_of("set_option", name), value);
}

std::string get_option(std::string_view name) { return row_of("get_option", name).show(options()); }

OptionsScope::OptionsScope(Options value) : value_(std::move(value)), outer_(current_override) {
  current_override = &value_;
}

OptionsScope::~OptionsScope() { current_override = outer_; }

namespace detail {
const Options* current_options_override() { return current_override; }
void set_options_override(const Options* value) { current_override = value; }
}  // namespace detail

int available_cores() {
  static const int cores = os::usable_cores();  // asked on every parallel loop
  return cores;
}

std::span<const std::string_view> default_compilers() { return kCompilers; }

std::string options_markdown() {
  std::string page =
      "# Options\n\n"
      "Generated by `tg options --markdown`; do not edit. The library reads these environment "
      "variables once, when it "
      "is first used. An empty value counts as not set; a malformed one is an error that names it. "
      "Flags accept 1, true, "
      "on, yes and 0, false, off, no.\n\n"
      "| variable | accepts | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const OptionInfo& row : kTable) {
    const std::string alias = row.alias.empty() ? "" : fmt::format(" (also `{}`)", row.alias);
    page += fmt::format("| `{}`{} | {} | {} | {} |\n", row.name, alias, row.type, row.default_value,
                        row.help);
  }
  page +=
      "\nThe usual variables of the system are respected: `PATH` (where compilers are looked for), "
      "`HOME` and "
      "`XDG_CACHE_HOME` (cache folder), `TMPDIR` (temporary files), `NO_COLOR`.\n";
  return page;
}

}  // namespace tg
