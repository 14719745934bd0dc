// The destination of the library's log lines: DEBUG output and warnings.
#pragma once

#include <functional>
#include <string_view>

#include "tg/export.h"

namespace tg {

/// Receives one line without its line end. Called by one thread at a time; it must not log.
using LogSink = std::function<void(std::string_view line)>;

/// Replaces the sink and returns the old one; an empty sink means standard error. Thread-safe.
TG_API LogSink set_log_sink(LogSink sink);

}  // namespace tg
