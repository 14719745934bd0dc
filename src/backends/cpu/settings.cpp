// See settings.h.
#include "backends/cpu/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/cpu/archs.h"
#include "backends/cpu/llvm_library.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"
#include "support/options.h"
#include "support/text.h"

namespace tg::cpu {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& problem) {
  user_error<DeviceError>("CPU", fmt::format("\"CPU:{}\": {}", text, problem),
                          fmt::format("Hint: CPU{}, where ARCH is {}; for example CPU:LLVM:native.",
                                      kTakes, fmt::join(known_archs(), ", ")));
}

}  // namespace

std::string Settings::text() const {
  return fmt::format("{}{}{}:{}", device_number_text(number), number == 0 ? "" : ":",
                     clang ? "CLANG" : "LLVM", arch);
}

Settings settings_of_options() {
  const Options& o = options();
  const bool no_llvm = o.llvm.empty() && !has_llvm();  // one that is asked for must be there
  return {o.clang || no_llvm, o.arch.empty() ? "native" : o.arch};
}

const Settings& default_settings() {
  static const Settings settings = settings_of_options();
  return settings;
}

Settings parse_settings(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ':');
  const std::optional<int> number = parse_device_number(parts[0]);
  if (number) parts.erase(parts.begin());
  if (parts.size() > 2) refuse(text, "two settings at most");
  Settings settings = default_settings();
  settings.number = number.value_or(0);
  if (parts.empty()) return settings;
  const std::string compiler = to_lower(parts[0]);
  if (compiler != "llvm" && compiler != "clang")
    refuse(text, fmt::format("\"{}\" is no compiler of kernels", parts[0]));
  settings.clang = compiler == "clang";
  settings.arch = parts.size() == 1 ? settings_of_options().arch : to_lower(parts[1]);
  if (!is_known_arch(settings.arch))
    refuse(text, fmt::format("\"{}\" is no processor", parts.back()));
  if (!runs_here(settings.arch))
    refuse(text, fmt::format("this processor cannot run code for {}", settings.arch));
  return settings;
}

std::string normalise_settings(std::string_view text) {
  const Settings settings = parse_settings(text);
  Settings first = settings;
  first.number = 0;
  return first == default_settings() ? device_number_text(settings.number) : settings.text();
}

}  // namespace tg::cpu
