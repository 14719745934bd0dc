// What is the same for programs of every system: where they are found, what their end is called.
// How they are run: os/process_*.cpp.
#include "support/subprocess.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/options.h"
#include "support/os/os.h"
#include "support/text.h"

namespace tg {

std::string ProcessResult::describe() const {
  if (timed_out) return "no end within the time limit";
  if (signal != 0) return fmt::format("signal {} ({})", signal, os::signal_name(signal));
  return fmt::format("exit status {}", exit_code);
}

namespace {

std::string path_of_program(const std::vector<std::string>& arguments) {
  if (arguments.empty())
    user_error<DeviceError>("run_process", "there are no arguments, not even a program");
  const auto path = find_program(arguments[0]);
  if (!path) {
    user_error<DeviceError>("run_process",
                            fmt::format("program \"{}\" was not found", arguments[0]),
                            "Hint: install it or add its folder to PATH.");
  }
  return *path;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const ProcessOptions& how) {
  return os::run_program(path_of_program(arguments), arguments, how);
}

int run_attached(const std::vector<std::string>& arguments,
                 const std::vector<std::pair<std::string, std::string>>& variables) {
  return os::run_attached(path_of_program(arguments), arguments, variables);
}

std::optional<std::string> find_program(std::string_view name) {
  const auto program = [](const std::string& path) -> std::optional<std::string> {
    for (const std::string_view suffix : os::program_suffixes()) {
      if (std::string with = path + std::string(suffix); os::is_program(with)) return with;
    }
    return std::nullopt;
  };
  if (name.empty()) return std::nullopt;
  if (name.find_first_of(os::kFolderSeparators) != std::string_view::npos)
    return program(std::string(name));
  for (const std::string_view folder : split(options().search_path, os::kPathSeparator)) {
    // An empty folder in PATH means the current one; that is a trap rather than a wish, so it is
    // passed over.
    if (folder.empty()) continue;
    if (auto found = program(fmt::format("{}/{}", folder, name))) return found;
  }
  return std::nullopt;
}

}  // namespace tg
