// A small loader of relocatable ELF files, for x86-64 and AArch64: places the sections of one
// object, resolves what they say about each other, and makes instructions executable and constants
// read-only; no page is ever both writable and executable. Kernels call nothing, so a symbol that
// the object does not define is an error. A linker it is not: one object, no libraries.
#pragma once

#include <string_view>

#include "backends/cpu/loaded_code.h"

namespace tg::cpu {

/// Code of the object file `bytes`, mapped for as long as the result lives. `what` names it in
/// errors. Throws DeviceError for what is malformed, of another processor, or needs more than this
/// loader does. O(bytes + relocations).
CodeRef load_object(std::string_view bytes, const std::string& what);

}  // namespace tg::cpu
