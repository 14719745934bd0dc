// See metal_signature.h.
#include "runner/metal_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "runner/program_rules.h"
#include "support/check.h"
#include "support/text.h"

namespace tg::emulator {
namespace {

constexpr size_t kMostBuffers = 31;

struct Place {
  std::string_view attribute;
  Role role;
};
constexpr std::array kPlaces = {Place{"thread_index_in_threadgroup", Role::Item},
                                Place{"thread_position_in_threadgroup", Role::Item},
                                Place{"threads_per_threadgroup", Role::Items},
                                Place{"threadgroup_position_in_grid", Role::Group},
                                Place{"threadgroups_per_grid", Role::Groups},
                                Place{"thread_index_in_simdgroup", Role::Lane},
                                Place{"threads_per_simdgroup", Role::Lanes},
                                Place{"simdgroup_index_in_threadgroup", Role::Subgroup},
                                Place{"thread_position_in_grid", Role::GlobalItem}};

[[noreturn]] void refuse(const std::string& kernel, std::string_view parameter,
                         std::string_view why) {
  user_error<DeviceError>(
      "emulator", fmt::format("MSL kernel {}: parameter \"{}\" {}", kernel, trim(parameter), why));
}

// What stands between the parentheses behind the kernel's name.
std::string parameter_list(const Program& p, const std::string& text) {
  size_t at = 0;
  while ((at = text.find(p.name, at)) != std::string::npos) {
    const size_t begin = at;
    at += p.name.size();
    const size_t open = text.find_first_not_of(" \t\n", at);
    const std::string_view before = trim(std::string_view(text).substr(0, begin));
    if (open == std::string::npos || text[open] != '(' || !before.ends_with("void")) continue;
    if (!trim(before.substr(0, before.size() - 4)).ends_with("kernel")) continue;
    int depth = 0;
    for (size_t i = open; i < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0) return text.substr(open + 1, i - open - 1);
    }
  }
  user_error<DeviceError>("emulator",
                          fmt::format("MSL has no function \"kernel void {}(\"", p.name));
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

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size()) {
    const size_t end = at + word.size();
    if ((at == 0 || !part_of_word(text[at - 1])) &&
        (end == text.size() || !part_of_word(text[end])))
      return true;
  }
  return false;
}

std::optional<size_t> buffer_number(std::string_view attribute) {
  constexpr std::string_view kBuffer = "buffer(";
  if (!attribute.starts_with(kBuffer) || !attribute.ends_with(')')) return {};
  const char* begin = attribute.data() + kBuffer.size();
  const char* end = attribute.data() + attribute.size() - 1;
  size_t number = 0;
  const auto read = std::from_chars(begin, end, number);
  return read.ptr == end && begin != end ? std::optional(number) : std::nullopt;
}

Parameter parameter(const std::string& kernel, const std::string& text) {
  const size_t open = text.find("[["), close = text.find("]]", open);
  if (open == std::string::npos || close == std::string::npos)
    refuse(kernel, text, "has no attribute that says what it is bound to");
  const std::string_view attribute =
      trim(std::string_view(text).substr(open + 2, close - open - 2));
  const std::string_view declaration = std::string_view(text).substr(0, open);
  if (const auto number = buffer_number(attribute)) {
    if (*number >= kMostBuffers)
      refuse(kernel, text,
             fmt::format("is bound to a buffer behind the {} that exist", kMostBuffers));
    if (!has_word(declaration, "device") && !has_word(declaration, "constant"))
      refuse(kernel, text, "is a buffer outside the address spaces device and constant");
    if (declaration.find_first_of("*&") == std::string_view::npos)
      refuse(kernel, text, "is a buffer and no pointer or reference");
    return {Role::Word, *number};
  }
  const auto found = std::ranges::find(kPlaces, attribute, &Place::attribute);
  if (found == kPlaces.end())
    refuse(kernel, text, fmt::format("has the unknown attribute \"{}\"", attribute));
  if (!has_word(declaration, "uint") && !has_word(declaration, "ushort"))
    refuse(kernel, text, "is a place in the launch and neither uint nor ushort");
  return {found->role, 0};
}

}  // namespace

std::vector<Parameter> metal_signature(const Program& program) {
  const std::string whole = without_comments(program.text);
  std::vector<Parameter> out;
  std::set<size_t> taken;
  for (const std::string& text : parameters_of(parameter_list(program, whole))) {
    out.push_back(parameter(program.name, text));
    if (out.back().role == Role::Word && !taken.insert(out.back().number).second)
      refuse(program.name, text, "is bound to a buffer that another one has");
  }
  return out;
}

}  // namespace tg::emulator
