// See program_rules.h.
#include "runner/program_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "support/check.h"
#include "support/text.h"

namespace tg::emulator {

std::string without_comments(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool line = text.compare(i, 2, "//") == 0, block = text.compare(i, 2, "/*") == 0;
    if (!line && !block) {
      out += text[i++];
      continue;
    }
    const size_t end = line ? text.find('\n', i) : text.find("*/", i + 2);
    if (end == std::string::npos) break;
    out += ' ';
    i = line ? end : end + 2;
  }
  return out;
}

bool part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

namespace {

[[noreturn]] void refuse(const Program& p, std::string_view text, size_t at,
                         std::string_view what) {
  const size_t before = text.rfind('\n', at);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text.find('\n', at), text.size());
  user_error<DeviceError>("emulator", fmt::format("kernel {}: {}: \"{}\"", p.name, what,
                                                  trim(text.substr(begin, end - begin))));
}

// The word that ends at `end`, blanks skipped; `end` becomes its begin.
std::string_view word_before(std::string_view text, size_t& end) {
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
  const size_t last = end;
  while (end > 0 && part_of_word(text[end - 1])) --end;
  return text.substr(end, last - end);
}

bool is_type(std::string_view word) {
  static constexpr std::array kScalars = {"bool", "char", "uchar", "short", "ushort", "int",
                                          "uint", "long", "ulong", "float", "half"};
  if (word.starts_with("packed_")) word.remove_prefix(7);
  if (word.ends_with('2') || word.ends_with('3') || word.ends_with('4')) word.remove_suffix(1);
  return std::ranges::find(kScalars, word) != kScalars.end();
}

// The compiler lets a pointer point anywhere unless it says where; Metal's does not.
void check_pointers(const Program& p, std::string_view text) {
  for (size_t star = text.find('*'); star != std::string_view::npos;
       star = text.find('*', star + 1)) {
    size_t at = star;
    bool to_type = false, has_space = false;
    for (std::string_view word = word_before(text, at); !word.empty();
         word = word_before(text, at)) {
      has_space = has_space || word == "device" || word == "threadgroup" || word == "thread" ||
                  word == "constant";
      if (!has_space && !is_type(word) && word != "const" && word != "volatile") break;
      to_type = to_type || is_type(word);
    }
    if (!to_type || has_space) continue;
    refuse(p, text, star, "a pointer has no address space");
  }
}

// Calls f(begin, end) for each place of `word` in the text.
template <typename F>
void for_each_word(std::string_view text, std::string_view word, F f) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size()) {
    const size_t end = at + word.size();
    if ((at == 0 || !part_of_word(text[at - 1])) &&
        (end == text.size() || !part_of_word(text[end])))
      f(at, end);
  }
}

// The host's compiler reads __global__ as nothing, and __shared__ as static.
void check_cuda(const Program& p, std::string_view text) {
  for_each_word(text, "__global__", [&](size_t at, size_t end) {
    const std::string_view head =
        text.substr(end, std::min(text.find('{', end), text.size()) - end);
    bool returns_nothing = false;
    for_each_word(head, "void", [&](size_t, size_t) { returns_nothing = true; });
    if (!returns_nothing) refuse(p, text, at, "a __global__ function returns a value");
  });
  for_each_word(text, "__shared__", [&](size_t at, size_t end) {
    const size_t last = std::min(text.find(';', end), text.size());
    if (text.substr(end, last - end).find('=') != std::string_view::npos)
      refuse(p, text, at, "a __shared__ array has an initial value");
  });
  if (launch_array(Language::Cuda, p).empty()) return;
  for_each_word(text, "__shared__", [&](size_t at, size_t) {
    if (word_before(text, at) != "extern")
      refuse(p, text, at, "a __shared__ array next to one of the launch is not emulated");
  });
}

// Half is a type of the language only where the program asks for it. Clang lets names of vectors of
// it pass, since the shim has defined them.
void check_opencl(const Program& p, std::string_view text) {
  constexpr std::string_view kPragma = "OPENCL EXTENSION cl_khr_fp16 : enable";
  const size_t asked = text.find(kPragma);
  for (const std::string_view prefix : {"", "as_", "convert_"}) {
    for (const std::string_view lanes : {"", "2", "4", "8", "16"}) {
      for (const std::string_view suffix : {"", "_rte"}) {
        for_each_word(text, fmt::format("{}half{}{}", prefix, lanes, suffix),
                      [&](size_t at, size_t) {
                        if (at < asked) refuse(p, text, at, "half without cl_khr_fp16");
                      });
      }
    }
  }
}

}  // namespace

std::string launch_array(Language language, const Program& program) {
  std::string name;
  if (language != Language::Cuda) return name;
  const std::string text = without_comments(program.text);
  for_each_word(text, "__shared__", [&](size_t at, size_t end) {
    if (word_before(text, at) != "extern") return;
    size_t bracket = std::min(text.find('[', end), text.size());
    name = word_before(text, bracket);
  });
  return name;
}

void check_program(Language language, const Program& program) {
  const std::string text = without_comments(program.text);
  if (language == Language::Cuda) check_cuda(program, text);
  if (language == Language::OpenCl) check_opencl(program, text);
  if (language == Language::Metal) check_pointers(program, text);
}

}  // namespace tg::emulator
