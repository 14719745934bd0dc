// What people need when a device's compiler refuses a kernel: its first complaints, and the source
// in a file. Who compiles: the backends.
#pragma once

#include <string>
#include <string_view>

namespace tg {

/// Throws the DeviceError "compile: <compiler> cannot compile <what>: <reason>" with the first
/// lines of `log` and the path of the source, which is kept in the folder of option TMPDIR with
/// this suffix.
[[noreturn]] void refused_source(std::string_view compiler, std::string_view what,
                                 std::string_view reason, std::string_view log,
                                 std::string_view source, std::string_view suffix);

}  // namespace tg
