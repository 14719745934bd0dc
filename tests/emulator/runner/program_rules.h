// What a GPU's compiler refuses and a host's lets pass, looked for in the text itself. Whatever the
// types say is left to the compiler.
#pragma once

#include <string>

#include "runner/module.h"

namespace tg::emulator {

/// Throws DeviceError naming the kernel, what is wrong and the line.
void check_program(Language language, const Program& program);

/// The name of the array whose memory a CUDA kernel is given by its launch, "extern __shared__", or
/// empty.
std::string launch_array(Language language, const Program& program);

/// The text with blanks for comments.
std::string without_comments(const std::string& text);

/// Whether a character may stand in a name.
bool part_of_word(char c);

}  // namespace tg::emulator
