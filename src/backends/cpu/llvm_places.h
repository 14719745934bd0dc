// What the systems differ in when LLVM makes code for this process: llvm_places_linux.cpp and its
// neighbours, of which CMake chooses one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tg::cpu {

/// Files where the library of this version usually is, the most usual first.
std::vector<std::string> llvm_places(int version);

/// After the processor in LLVM's triple: functions are called as this system calls them, and
/// objects are ELF, which object_code.h reads on all of them.
extern const std::string_view kTripleEnd;

}  // namespace tg::cpu
