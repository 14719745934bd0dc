// See kernel_head.h.
#include "runner/kernel_head.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/program_rules.h"
#include "support/check.h"
#include "support/text.h"

namespace tg::emulator {
namespace {

// Where the parenthesis of `open` ends, or npos.
size_t closing(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string::npos;
}

std::vector<std::string> parameters_of(const std::string& list) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (char c : list) {
    if (c == '(' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '>') --depth;
    if (c == ',' && depth == 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  if (trim(out.back()).empty()) out.pop_back();
  return out;
}

}  // namespace

KernelHead kernel_head(std::string_view language, const Program& program, const std::string& text,
                       const std::vector<std::string_view>& keywords) {
  const std::string& name = program.name;
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size()) {
    const size_t open = text.find_first_not_of(" \t\n", at + name.size());
    if (open == std::string::npos || text[open] != '(') continue;
    const size_t last = at == 0 ? std::string::npos : text.find_last_of(";}", at - 1);
    const std::string before = text.substr(last + 1, at - last - 1);
    if (!trim(before).ends_with("void")) continue;
    if (std::ranges::none_of(keywords, [&](auto word) { return has_word(before, word); })) continue;
    const size_t close = closing(text, open);
    if (close == std::string::npos) continue;
    return {before, parameters_of(text.substr(open + 1, close - open - 1))};
  }
  user_error<DeviceError>(
      "emulator", fmt::format("{} has no function \"{} void {}(\"", language, keywords[0], name));
}

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size()) {
    const size_t end = at + word.size();
    if ((at == 0 || !part_of_word(text[at - 1])) &&
        (end == text.size() || !part_of_word(text[end])))
      return true;
  }
  return false;
}

}  // namespace tg::emulator
