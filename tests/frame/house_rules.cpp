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
constexpr std::string_view kLanguage = "_c.cpp";  // ends the names of files that spell a language

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
      {"tg/device.h", 9},  {"tg/counters.h", 10},
      {"tg/ir/function_ref.h", 0}, {"tg/ir/resource.h", 0}, {"tg/ir/scalar.h", 1},
      {"tg/ir/interval.h", 2},     {"tg/ir/node.h", 2},     {"tg/ir/op.h", 2},
      {"tg/ir/text.h", 2},         {"tg/ir/uop.h", 2},      {"tg/ir/walk.h", 2},
      {"tg/ir/pass.h", 10},        {"tg/ir/pattern.h", 3},  {"tg/ir/rewrite.h", 3},
      {"tg/ir/rule.h", 3}};
  if (name.starts_with("tg/plugin/")) return folder_number("runtime");
  const auto found = numbers.find(name);
  return found == numbers.end() ? folder_number("tensor") : found->second;
}

std::string_view first_folder(std::string_view path) { return path.substr(0, path.find('/')); }

// "src/uop/x.cpp" → "uop/x.cpp"; empty for files that are not in src/.
std::string_view inside_src(std::string_view path) {
  constexpr std::string_view kSource = "src/";
  return path.starts_with(kSource) ? path.substr(kSource.size()) : std::string_view();
}

// Folders of src/backends that are a part of a backend: the part, and whose it is.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kPartsOfBackends = {
    {{"nvidia", "cuda"}}};

bool is_part_of(std::string_view folder, std::string_view backend) {
  return std::ranges::find(kPartsOfBackends, std::pair(folder, backend)) != kPartsOfBackends.end();
}

// "backends/cpu/x.cpp" → "cpu"; empty for other files and for files directly in src/backends.
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
        own == "backends" && (backend_of(name).empty() || backend_of(name) == backend_of(file) ||
                              is_part_of(backend_of(name), backend_of(file)));
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

// Whether line one says that the file is a table, or generated.
bool is_table(const SourceFile& file) {
  const std::string first = upper(file.text.substr(0, file.text.find('\n')));
  return first.find("TABLE") != std::string::npos || first.find("GENERATED") != std::string::npos;
}

// Lines that are neither blank nor a // comment alone.
size_t code_lines(std::string_view text) {
  size_t count = 0;
  for (std::string_view line : lines_of(text)) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.empty() && !line.starts_with("//")) ++count;
  }
  return count;
}

// Where `word` stands in `text`, from a place on, with no letter, digit or underscore beside its
// own; npos if it does not.
size_t find_word(std::string_view text, const std::string& word, size_t from) {
  const auto part_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !part_of_word(text[at - 1]);
    const bool ends = !part_of_word(word.back()) || end == text.size() || !part_of_word(text[end]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

bool has_word(std::string_view text, const std::string& word) {
  return find_word(text, word, 0) != std::string_view::npos;
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
  for (const SourceFile& file : except(files, {"src/support/options.cpp"})) {
    const std::string code = without_comments(file.text, true);
    const auto literals = literals_of(file.text);
    const std::string own = backend_of(inside_src(file.path));
    for (const std::string& backend : backends) {
      if (own == backend || is_part_of(own, backend) || is_part_of(backend, own)) continue;
      for (const auto& [line, text] : literals) {
        const std::string literal = without_language_pragmas(std::string(text));
        // Alone, and before a colon, in any case. As a word among others in upper case only, and
        // not in other backends' folders, which may speak of processors and null pointers.
        const std::string alone = upper(literal.substr(0, literal.find(':')));
        const bool among_others = own.empty() && has_word(literal, upper(backend));
        if (alone == upper(backend) || among_others)
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

Findings check_backend_size(const Files& files) {
  std::set<std::string, std::less<>> languages;
  std::map<std::string, size_t> sizes;
  for (const SourceFile& file : files) {
    const std::string_view inside = inside_src(file.path);
    if (first_folder(inside) == "renderer" && inside.ends_with(kLanguage)) {
      const std::string_view name = inside.substr(std::string_view("renderer/").size());
      languages.emplace(name.substr(0, name.size() - kLanguage.size()));
    }
    const std::string backend = backend_of(inside);
    if (!backend.empty() && !is_table(file)) sizes[backend] += code_lines(file.text);
  }
  Findings findings;
  for (const auto& [folder, lines] : sizes) {
    const bool is_c_like = languages.contains(folder) ||
                           std::ranges::any_of(languages, [&](const std::string& language) {
                             return is_part_of(folder, language);
                           });
    if (is_c_like && lines > kMaxLines)
      findings.push_back(
          {"src/backends/" + folder, static_cast<int>(lines), "lines of code are more than 600"});
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

Findings check_skip_reasons(const Files& files) {
  return find_pattern(files, R"(\bGTEST_SKIP\(\)(?!\s*<<))", "skips a test without a reason");
}

Findings check_file_size(const Files& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    const auto lines = lines_of(file.text);
    if (lines.size() <= kMaxLines || is_table(file)) continue;
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

std::vector<UnusedWord> unused_words(std::string_view list) {
  std::vector<UnusedWord> words;
  for (const std::string_view line : lines_of(list)) {
    const size_t colon = line.find(": ");
    if (line.starts_with('#') || colon == std::string_view::npos) continue;
    words.push_back({std::string(line.substr(0, colon)), std::string(line.substr(colon + 2))});
  }
  return words;
}

namespace {

// A line without blanks at its ends, and without what continues a text over lines: marks of
// comments, and quotes at both ends of a line, as literals have them that follow each other.
std::string_view bare_line(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto trim = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    line.remove_suffix(line.size() - (line.find_last_not_of(kBlanks) + 1));
  };
  trim();
  const bool literal = line.starts_with('"');
  if (line.starts_with("//")) {
    line.remove_prefix(std::min(line.find_first_not_of("/!<"), line.size()));
  } else if (line.starts_with('#')) {
    line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
  } else if (literal) {
    line.remove_prefix(1);
  }
  if (line.ends_with('"')) line.remove_suffix(1);
  trim();
  return line;
}

// A text as one line of small letters with single blanks, so that a phrase is found where it is
// broken over lines. An empty line ends a sentence, and stays.
struct JoinedText {
  std::string text;
  std::vector<int> lines;  // of each character
};

JoinedText joined_text(std::string_view text) {
  JoinedText out;
  const auto add = [&](char c, int line) {
    out.text += c;
    out.lines.push_back(line);
  };
  int number = 0;
  for (const std::string_view whole : lines_of(text)) {
    ++number;
    const std::string_view line = bare_line(whole);
    if (line.empty()) add('\n', number);
    for (char c : line) {
      c = c == '_' || c == '\t' ? ' '
                                : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (c != ' ' || !out.text.ends_with(' ')) add(c, number);
    }
    if (!line.empty() && !out.text.ends_with(' ')) add(' ', number);
  }
  return out;
}

}  // namespace

Findings check_words(const Files& files, const std::vector<UnusedWord>& words) {
  Findings findings;
  for (const SourceFile& file : files) {
    const JoinedText joined = joined_text(file.text);
    std::set<std::pair<int, std::string_view>> found;
    for (const UnusedWord& word : words) {
      for (size_t at = find_word(joined.text, word.phrase, 0); at != std::string::npos;
           at = find_word(joined.text, word.phrase, at + 1)) {
        if (found.emplace(joined.lines[at], word.phrase).second)
          findings.push_back({file.path, joined.lines[at], word.phrase + ": say " + word.instead});
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
