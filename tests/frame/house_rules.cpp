// The house rules. The include order is the folder table of docs/architecture.md.
#include "frame/house_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>

namespace tg::frame {
namespace {

constexpr size_t kMaxLines = 600;

const std::map<std::string, int, std::less<>>& folder_numbers() {
  static const std::map<std::string, int, std::less<>> numbers = {
      {"support", 0},  {"dtype", 1},     {"uop", 2},     {"rewrite", 3},   {"rules", 4},
      {"autodiff", 5}, {"target", 5},    {"kernel", 6},  {"schedule", 7},  {"codegen", 7},
      {"renderer", 8}, {"runtime", 9},   {"engine", 10}, {"backends", 10}, {"tensor", 11},
      {"nn", 12},      {"frontend", 13}, {"capi", 14},   {"viz", 14},      {"cli", 14}};
  return numbers;
}

// The layer that implements a public header. Headers that are not listed are the API proper,
// implemented on top.
int public_header_number(std::string_view name) {
  static const std::map<std::string, int, std::less<>> numbers = {
      {"tg/error.h", 0},   {"tg/log.h", 0},      {"tg/interrupt.h", 0}, {"tg/export.h", 0},
      {"tg/version.h", 0}, {"tg/config.h", 0},   {"tg/dtype.h", 1},     {"tg/backend.h", 9},
      {"tg/device.h", 9},  {"tg/counters.h", 10}};
  if (name.starts_with("tg/plugin/")) return folder_number("runtime");
  const auto found = numbers.find(name);
  return found == numbers.end() ? folder_number("tensor") : found->second;
}

std::string_view first_folder(std::string_view path) { return path.substr(0, path.find('/')); }

// "src/backends/cpu/x.cpp" → "cpu"; empty for other files and for files directly in src/backends.
std::string backend_of(std::string_view path) {
  constexpr std::string_view kPrefix = "backends/";
  if (!path.starts_with(kPrefix)) return "";
  path.remove_prefix(kPrefix.size());
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

// Empty if `file` (a path inside src/) may include `name`.
std::string include_problem(std::string_view file, const std::string& name) {
  const std::string_view own = first_folder(file);
  const int own_number = folder_number(own);
  if (name.starts_with("tg/")) {
    return public_header_number(name) <= own_number ? "" : "a public header of a higher folder";
  }
  if (name.find('/') == std::string::npos) return "write the path from src/";
  const std::string_view other = first_folder(name);
  const int number = folder_number(other);
  if (number < 0) return "no folder of the include order";
  if (other == "backends") {
    const bool registration = own == "backends" && backend_of(file).empty();
    const bool same =
        own == "backends" && (backend_of(name).empty() || backend_of(name) == backend_of(file));
    return registration || same ? "" : "nobody includes a backend";
  }
  if (other == own || number < own_number) return "";
  return "folder " + std::to_string(number) + " is not below " + std::to_string(own_number);
}

Findings find_pattern(const Files& files, const std::string& pattern, const std::string& what) {
  const std::regex regex(pattern);
  Findings findings;
  for (const SourceFile& file : files) {
    const std::string code = without_comments(file.text, true);
    int number = 0;
    for (const std::string_view line : lines_of(code)) {
      ++number;
      if (std::regex_search(line.begin(), line.end(), regex))
        findings.push_back({file.path, number, what});
    }
  }
  return findings;
}

Files except(const Files& files, const std::vector<std::string>& prefixes) {
  Files kept;
  for (const SourceFile& file : files) {
    if (std::none_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& p) { return file.path.starts_with(p); })) {
      kept.push_back(file);
    }
  }
  return kept;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Whether `word` stands in `text` with no letter, digit or underscore beside its own.
bool has_word(std::string_view text, const std::string& word) {
  const auto part_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !part_of_word(text[at - 1]);
    const bool ends = !part_of_word(word.back()) || end == text.size() || !part_of_word(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

int folder_number(std::string_view folder) {
  const auto found = folder_numbers().find(folder);
  return found == folder_numbers().end() ? -1 : found->second;
}

Findings check_include_order(const Files& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    const std::string_view inside =
        std::string_view(file.path).substr(std::string_view("src/").size());
    if (folder_number(first_folder(inside)) < 0) {
      findings.push_back({file.path, 0, "its folder is not in the include order"});
      continue;
    }
    for (const Include& include : includes_of(file.text)) {
      if (include.angle) continue;
      const std::string problem = include_problem(inside, include.name);
      if (!problem.empty())
        findings.push_back({file.path, include.line, include.name + ": " + problem});
    }
  }
  return findings;
}

// What a language is called in its own pragmas is no backend's name.
constexpr std::array<std::string_view, 2> kLanguagePragmas = {"#pragma OPENCL ", "#pragma METAL "};

std::string without_language_pragmas(std::string literal) {
  for (std::string_view pragma : kLanguagePragmas) {
    for (size_t at = literal.find(pragma); at != std::string::npos; at = literal.find(pragma))
      literal.erase(at, pragma.size());
  }
  return literal;
}

Findings check_backend_names(const Files& files, const std::vector<std::string>& backends) {
  Findings findings;
  // The texts of the options explain what they do to the devices that we have.
  for (const SourceFile& file : except(files, {"src/backends/", "src/support/options.cpp"})) {
    const std::string code = without_comments(file.text, true);
    const auto literals = literals_of(file.text);
    for (const std::string& backend : backends) {
      for (const auto& [line, text] : literals) {
        const std::string literal = without_language_pragmas(std::string(text));
        // As a word among others in upper case only; alone, and before a colon, in any.
        const std::string alone = upper(literal.substr(0, literal.find(':')));
        if (alone == upper(backend) || has_word(literal, upper(backend)))
          findings.push_back({file.path, line, "names the backend " + backend});
      }
      int number = 0;
      for (const std::string_view line : lines_of(code)) {
        ++number;
        if (has_word(line, backend + "::"))
          findings.push_back({file.path, number, "looks into the backend " + backend});
      }
    }
  }
  return findings;
}

Findings check_getenv(const Files& files) {
  return find_pattern(except(files, {"src/support/options.cpp"}), R"(\b(secure_)?getenv\b)",
                      "reads the environment; declare an option instead");
}

Findings check_systems(const Files& files) {
  return find_pattern(except(files, {"src/support/os/"}),
                      R"(\b(_WIN32|__linux__|__APPLE__|__unix__)\b|include\s*<(sys/|unistd|fcntl|)"
                      R"(dlfcn|link|elf|pthread|sched|signal|spawn|poll|windows|io)\w*\.h>)",
                      "asks the system itself; use support/os/os.h");
}

Findings check_printing(const Files& files) {
  return find_pattern(
      except(files, {"src/cli/"}),
      R"(\bstd::(cout|cerr|clog)\b|\b(f|v|vf)?printf\s*\(|\bputs\s*\(|\bfmt::print\b)",
      "prints; use support/log.h");
}

Findings check_file_size(const Files& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    const auto lines = lines_of(file.text);
    if (lines.size() <= kMaxLines) continue;
    const std::string first = upper(std::string(lines[0]));
    if (first.find("TABLE") != std::string::npos || first.find("GENERATED") != std::string::npos)
      continue;
    findings.push_back({file.path, static_cast<int>(lines.size()), "more than 600 lines"});
  }
  return findings;
}

Findings check_opening_comment(const Files& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    auto lines = lines_of(file.text);
    if (!lines.empty() && lines[0].starts_with("#!")) lines.erase(lines.begin());
    const std::string_view first = lines.empty() ? std::string_view() : lines[0];
    const bool c_like =
        file.path.ends_with(".h") || file.path.ends_with(".cpp") || file.path.ends_with(".c");
    const bool comment =
        c_like ? first.starts_with("//") || first.starts_with("/*") : first.starts_with("#");
    if (!comment)
      findings.push_back({file.path, 1, "does not start with a comment that says what it is"});
  }
  return findings;
}

Findings check_pragma_once(const Files& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".h")) continue;
    const std::string code = without_comments(file.text, true);
    const size_t first = code.find_first_not_of(" \t\n");
    if (first == std::string::npos ||
        !std::string_view(code).substr(first).starts_with("#pragma once")) {
      findings.push_back({file.path, 1, "its first directive is not #pragma once"});
    }
  }
  return findings;
}

Findings check_public_includes(const Files& files) {
  static const std::set<std::string, std::less<>> kCHeaders = {"stdint.h", "stddef.h", "stdbool.h"};
  Findings findings;
  for (const SourceFile& file : files) {
    const bool c_abi =
        file.path.starts_with("include/tg/c/") || file.path.starts_with("include/tg/plugin/");
    for (const Include& include : includes_of(file.text)) {
      // Headers of the C++ standard library have neither a dot nor a slash.
      const bool standard = include.angle && include.name.find_first_of("./") == std::string::npos;
      const bool c_standard = c_abi && include.angle && kCHeaders.contains(include.name);
      const bool own = !include.angle && include.name.starts_with("tg/");
      if (!standard && !c_standard && !own) {
        findings.push_back(
            {file.path, include.line, include.name + " is neither standard nor public"});
      }
    }
  }
  return findings;
}

Findings check_unfinished(const Files& files) {
  // Put together so that this file does not find itself.
  const std::regex regex(std::string("\\b(TO") + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b");
  Findings findings;
  for (const SourceFile& file : files) {
    int number = 0;
    for (const std::string_view line : lines_of(file.text)) {
      ++number;
      if (std::regex_search(line.begin(), line.end(), regex)) {
        findings.push_back({file.path, number, "a note to self: finish it or open an issue"});
      }
    }
  }
  return findings;
}

Findings check_listed_sources(const Files& sources, const Files& lists, const std::string& folder) {
  std::map<std::string, std::string> text_of;
  for (const SourceFile& list : lists)
    text_of[list.path.substr(0, list.path.rfind('/'))] = list.text;
  const auto is_listed = [&](const std::string& path) {
    for (size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = path.rfind('/', slash - 1)) {
      const auto list = text_of.find(path.substr(0, slash));
      if (list == text_of.end()) continue;
      std::string escaped;
      for (const char c : path.substr(slash + 1)) {
        if (c == '.' || c == '+') escaped += '\\';
        escaped += c;
      }
      if (std::regex_search(list->second, std::regex("(^|[\\s(\"])" + escaped + "($|[\\s)\"])")))
        return true;
    }
    return false;
  };
  Findings findings;
  for (const SourceFile& file : sources) {
    if (!file.path.starts_with(folder + "/") || !file.path.ends_with(".cpp")) continue;
    if (!is_listed(file.path))
      findings.push_back({file.path, 0, "no CMakeLists.txt above it lists it"});
  }
  return findings;
}

}  // namespace tg::frame
