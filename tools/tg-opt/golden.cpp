// Reading, running and comparing golden cases; see golden.h.
#include "golden.h"

#include <fmt/format.h>

#include <sstream>

#include "passes.h"
#include "support/check.h"
#include "tg/ir/text.h"

namespace tg::opt {
namespace {

struct Case {
  std::string title, passes, in, out;
};

std::vector<Case> read_cases(const std::string& text, std::string& preamble) {
  std::vector<Case> cases;
  std::istringstream lines(text);
  std::string line;
  bool in_output = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), "", "", ""});
      in_output = false;
    } else if (cases.empty()) {
      preamble += line + "\n";
    } else if (line.starts_with("passes: ") && cases.back().in.empty()) {
      cases.back().passes = line.substr(8);
    } else if (line == "---") {
      if (in_output)
        user_error<ArgumentError>("golden", fmt::format("line {}: a second ---", number));
      in_output = true;
    } else if (!line.empty()) {
      (in_output ? cases.back().out : cases.back().in) += line + "\n";
    }
  }
  for (const Case& c : cases) {
    if (c.passes.empty() || c.in.empty() || c.out.empty()) {
      user_error<ArgumentError>("golden",
                                fmt::format("case \"{}\" lacks passes, input or output", c.title));
    }
  }
  return cases;
}

}  // namespace

std::string run_case(const std::string& ir, const std::string& pass_names) {
  try {
    Program program{parse_list(ir)};
    if (program.list.empty()) return "error: there is no node\n";
    std::istringstream names(pass_names);
    for (std::string name; names >> name;) {
      const NamedPass* pass = find_pass(name);
      if (pass == nullptr) return fmt::format("error: there is no pass named {}\n", name);
      pass->run(program, {});
    }
    return print(program.list);
  } catch (const Error& e) {
    return fmt::format("error: {}\n", e.what());
  }
}

GoldenResult run_golden(const std::string& text) {
  GoldenResult result;
  for (const Case& c : read_cases(text, result.updated)) {
    const std::string out = run_case(c.in, c.passes);
    ++result.cases;
    result.updated += fmt::format("=== {}\npasses: {}\n{}---\n{}\n", c.title, c.passes, c.in, out);
    if (out == c.out) continue;
    ++result.failed;
    result.report += fmt::format("=== {}\nexpected\n{}got\n{}\n", c.title, c.out, out);
  }
  return result;
}

}  // namespace tg::opt
