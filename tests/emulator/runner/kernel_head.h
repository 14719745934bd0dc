// The head of a kernel's function, as text: what stands between its parentheses, parameter by
// parameter. What a parameter means differs by language: metal_signature.h, opencl_signature.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/module.h"

namespace tg::emulator {

struct KernelHead {
  std::string before;                   ///< from the end of what precedes the function to its name
  std::vector<std::string> parameters;  ///< in order
};

/// Of the function `KEYWORD … void NAME(…)` in a text without comments, one of whose `keywords`
/// makes it a kernel. Throws DeviceError if there is none.
KernelHead kernel_head(std::string_view language, const Program& program, const std::string& text,
                       const std::vector<std::string_view>& keywords);

/// Whether `word` stands in the text as a word of its own.
bool has_word(std::string_view text, std::string_view word);

}  // namespace tg::emulator
