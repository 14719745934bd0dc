// See compiler.h. An entry of the disk cache is a line with the key, a line with the hash of what
// follows, and the shared object.
#include "backends/cpu/compiler.h"

#include <optional>

#include "support/check.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/options.h"
#include "support/subprocess.h"
#include "support/text.h"

namespace tg::cpu {
namespace {

constexpr std::string_view kMagic = "tinygrad cpu code 1 ";
constexpr int kShownErrorLines = 8;

std::string entry_text(const std::string& key, const std::string& object) {
  return fmt::format("{}{}\n{}\n", kMagic, key, hash_bytes(object).hex()) + object;
}

// The object inside an entry, if it is whole and of this key.
std::optional<std::string> checked_object(const std::string& entry, const std::string& key) {
  const std::string head = fmt::format("{}{}\n", kMagic, key);
  const size_t body = head.size() + 33;
  if (entry.size() <= body || !entry.starts_with(head) || entry[body - 1] != '\n')
    return std::nullopt;
  std::string object = entry.substr(body);
  if (hash_bytes(object).hex() != entry.substr(head.size(), 32)) return std::nullopt;
  return object;
}

// The loader needs a file; it may be deleted as soon as it is mapped.
LoadedCode open_object(const std::string& object) {
  const TempDir folder("tg-cpu");
  const std::filesystem::path path = folder.path() / "kernels.so";
  write_file(path, object);
  return std::make_shared<const DynamicLibrary>(path.string());
}

std::string first_errors(const std::string& text) {
  std::string out;
  int shown = 0;
  for (std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    if (shown++ == kShownErrorLines) return out + "\n  ...";
    out += fmt::format("\n  {}", line);
  }
  return out;
}

[[noreturn]] void compile_failed(const ProcessResult& r, const std::string& compiler,
                                 const std::string& source, const std::string& what) {
  const std::filesystem::path kept = std::filesystem::path(options().temp_dir) /
                                     fmt::format("tg-failed-{}.c", hash_bytes(source).hex());
  const bool written = try_write_file(kept, source);
  user_error<DeviceError>("compile",
                          fmt::format("{} cannot compile {}: {}{}", compiler, what, r.describe(),
                                      first_errors(r.errors)),
                          written ? fmt::format("The source is kept in {}.", kept.string())
                                  : "The source could not be kept.");
}

}  // namespace

std::string Compiler::build(const std::string& source, const std::string& what) const {
  const TempDir folder("tg-cpu");
  const std::filesystem::path out = folder.path() / "kernels.so";
  std::vector<std::string> command = toolchain_.command;
  command.push_back(out.string());
  const ProcessResult r = run_process(command, {.input = source});
  const auto object = r.ok() ? try_read_file(out) : std::nullopt;
  if (!object) compile_failed(r, command[0], source, what);
  return *object;
}

LoadedCode Compiler::load(const std::string& source, const std::string& what) const {
  const std::string key = hash_bytes(toolchain_.identity + "\n" + source).hex();
  const auto cache = cache_folder("cpu");
  if (cache) {
    const auto entry = try_read_file(*cache / key);
    const auto object = entry ? checked_object(*entry, key) : std::nullopt;
    if (object) {
      try {
        return open_object(*object);
      } catch (const DeviceError&) {
        // Whole, but not loadable here: built by a library that this machine lacks. It is rebuilt
        // below.
      }
    }
  }
  const std::string object = build(source, what);
  LoadedCode code = open_object(object);
  if (cache) try_write_file(*cache / key, entry_text(key, object));
  return code;
}

}  // namespace tg::cpu
