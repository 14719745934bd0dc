// See failed_source.h.
#include "runtime/failed_source.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/options.h"
#include "support/text.h"

namespace tg {
namespace {

constexpr int kShownLines = 8;

std::string first_lines(std::string_view text) {
  std::string out;
  int shown = 0;
  for (std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    if (shown++ == kShownLines) return out + "\n  ...";
    out += fmt::format("\n  {}", line);
  }
  return out;
}

}  // namespace

std::string keep_failed_source(std::string_view source, std::string_view suffix) {
  const std::filesystem::path kept =
      std::filesystem::path(options().temp_dir) /
      fmt::format("tg-failed-{}{}", hash_bytes(source).hex(), suffix);
  return try_write_file(kept, source) ? fmt::format("The source is kept in {}.", kept.string())
                                      : "The source could not be kept.";
}

void refused_source(std::string_view compiler, std::string_view what, std::string_view reason,
                    std::string_view log, std::string_view source, std::string_view suffix,
                    std::string_view advice) {
  const std::string kept = keep_failed_source(source, suffix);
  user_error<DeviceError>(
      "compile",
      fmt::format("{} cannot compile {}: {}{}", compiler, what, reason, first_lines(log)),
      advice.empty() ? kept : fmt::format("{} {}", kept, advice));
}

}  // namespace tg
