// Golden cases: files of IR in, pass names, IR out. The format, for every case of a file:
//
//     === a sentence that names the case
//     passes: simplify-index verify-ranged
//     %0 = …
//     ---
//     %0 = …                       (or: error: the message)
//
// Lines before the first case are a comment on the file.
#pragma once

#include <string>

namespace tg::opt {

struct GoldenResult {
  int cases = 0;
  int failed = 0;
  std::string report;   ///< what differs, case by case
  std::string updated;  ///< the file with outputs as they are now
};

/// Runs all cases of a file's text. Throws ArgumentError if it does not have the format above.
GoldenResult run_golden(const std::string& text);

/// Runs passes on IR text and prints the result, or "error: …" for what goes wrong.
std::string run_case(const std::string& ir, const std::string& pass_names);

}  // namespace tg::opt
