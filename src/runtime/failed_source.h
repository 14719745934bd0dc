// What people need when a device's compiler refuses a kernel: its first complaints, and the source
// in a file. Who compiles: the backends.
#pragma once

#include <string>
#include <string_view>

namespace tg {

/// Keeps `source` in the folder of option TMPDIR, in a file with this suffix; the sentence that
/// says where, or that it could not be kept.
std::string keep_failed_source(std::string_view source, std::string_view suffix);

/// Throws the DeviceError "compile: <compiler> cannot compile <what>: <reason>" with the first
/// lines of `log`, the sentence of keep_failed_source(), and `advice` if there is any.
[[noreturn]] void refused_source(std::string_view compiler, std::string_view what,
                                 std::string_view reason, std::string_view log,
                                 std::string_view source, std::string_view suffix,
                                 std::string_view advice = {});

}  // namespace tg
