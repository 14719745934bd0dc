// See metal_signature.h.
#include "runner/metal_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "runner/kernel_head.h"
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
constexpr std::array kPlaces = {Place{"thread_index_in_threadgroup", Role::WorkItem},
                                Place{"thread_position_in_threadgroup", Role::WorkItem},
                                Place{"threads_per_threadgroup", Role::GroupSize},
                                Place{"threadgroup_position_in_grid", Role::Group},
                                Place{"threadgroups_per_grid", Role::Groups},
                                Place{"thread_index_in_simdgroup", Role::Lane},
                                Place{"threads_per_simdgroup", Role::Lanes},
                                Place{"simdgroup_index_in_threadgroup", Role::Subgroup},
                                Place{"thread_position_in_grid", Role::GlobalWorkItem}};

[[noreturn]] void refuse(const std::string& kernel, std::string_view parameter,
                         std::string_view why) {
  user_error<DeviceError>(
      "emulator", fmt::format("MSL kernel {}: parameter \"{}\" {}", kernel, trim(parameter), why));
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
  for (const std::string& text : kernel_head("MSL", program, whole, {"kernel"}).parameters) {
    out.push_back(parameter(program.name, text));
    if (out.back().role == Role::Word && !taken.insert(out.back().number).second)
      refuse(program.name, text, "is bound to a buffer that another one has");
  }
  return out;
}

}  // namespace tg::emulator
