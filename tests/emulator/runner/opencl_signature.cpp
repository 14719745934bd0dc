// See opencl_signature.h.
#include "runner/opencl_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runner/kernel_head.h"
#include "runner/program_rules.h"
#include "support/check.h"
#include "support/text.h"

namespace tg::emulator {
namespace {

// What every device lets a kernel be given: CL_DEVICE_MAX_PARAMETER_SIZE of the full profile.
constexpr size_t kMostBytes = 1024, kWordBytes = 8;

[[noreturn]] void refuse(const std::string& kernel, std::string_view parameter,
                         std::string_view why) {
  user_error<DeviceError>("emulator", fmt::format("OpenCL C kernel {}: parameter \"{}\" {}", kernel,
                                                  trim(parameter), why));
}

bool has_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view w) { return has_word(text, w); });
}

// Types whose size is the device's own.
void check_size_is_known(const std::string& kernel, const std::string& text) {
  for (std::string_view type : {"bool", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"}) {
    if (has_word(text, type))
      refuse(kernel, text, fmt::format("is of {}, whose size only the device knows", type));
  }
}

Parameter parameter(const std::string& kernel, const std::string& text, size_t number) {
  check_size_is_known(kernel, text);
  const auto stars = std::ranges::count(text, '*');
  if (stars > 1) refuse(kernel, text, "is a pointer to pointers");
  if (stars == 1) {
    if (has_one_of(text, {"__local", "local"}))
      refuse(kernel, text, "is local memory of the launch, which is not emulated");
    if (!has_one_of(text, {"__global", "global", "__constant", "constant"}))
      refuse(kernel, text, "is a pointer outside the address spaces __global and __constant");
    return {Role::Word, number, Takes::Array};
  }
  if (!has_one_of(text, {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}))
    refuse(kernel, text, "is neither a pointer nor an integer");
  return {Role::Word, number, Takes::Value};
}

// Of reqd_work_group_size(X, 1, 1).
int64_t group_size_of(const std::string& kernel, std::string_view before) {
  constexpr std::string_view kAttribute = "reqd_work_group_size";
  const size_t at = before.find(kAttribute);
  if (at == std::string_view::npos) return 0;
  const size_t open = before.find('(', at), close = before.find(')', at);
  TG_CHECK(close != std::string_view::npos, "the compiler takes {}", before);
  std::array<int64_t, 3> sizes{};
  const auto parts = split(before.substr(open + 1, close - open - 1), ',');
  for (size_t d = 0; d < sizes.size() && d < parts.size(); ++d)
    sizes[d] = parse_int64(trim(parts[d])).value_or(0);
  if (parts.size() != sizes.size() || sizes[0] < 1 || sizes[1] != 1 || sizes[2] != 1)
    refuse(kernel, before.substr(at, close + 1 - at), "is no size of a group in one dimension");
  return sizes[0];
}

}  // namespace

OpenClSignature opencl_signature(const Program& program) {
  const KernelHead head =
      kernel_head("OpenCL C", program, without_comments(program.text), {"__kernel", "kernel"});
  OpenClSignature out;
  for (const std::string& text : head.parameters)
    out.parameters.push_back(parameter(program.name, text, out.parameters.size()));
  if (const size_t bytes = out.parameters.size() * kWordBytes; bytes > kMostBytes) {
    refuse(program.name, head.parameters.back(),
           fmt::format("is the last of {} bytes, and a kernel is given at most {}", bytes,
                       kMostBytes));
  }
  out.group_size = group_size_of(program.name, head.before);
  return out;
}

}  // namespace tg::emulator
