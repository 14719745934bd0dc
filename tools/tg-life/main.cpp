// tg-life: keeps the dumps in docs/life-of-an-expression.md true. A dump stands between the lines
// `<!-- dump: NAME -->` and `<!-- end -->`; --update writes them as the compiler prints them now,
// --check compares. What is dumped: stages.h.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "stages.h"
#include "support/check.h"
#include "support/file.h"

namespace tg::life {
namespace {

constexpr std::string_view kHelp = R"(usage: tg-life [--check FILE | --update FILE]
Prints the stages of relu(x @ w + b) from tensor to C.

  --check FILE   compare the dumps in a document; exit status 1 if one differs
  --update FILE  write the dumps into the document
  -h, --help     print this
)";
constexpr std::string_view kOpen = "<!-- dump: ";
constexpr std::string_view kClose = "<!-- end -->";

const Dump& find_dump(const std::vector<Dump>& all, const std::string& name) {
  const auto it = std::ranges::find(all, name, &Dump::name);
  if (it == all.end()) user_error<ArgumentError>("tg-life", "there is no dump named " + name);
  return *it;
}

// The document with every dump replaced by what the compiler prints now.
std::string renewed(const std::string& document) {
  const std::vector<Dump> all = dumps();
  std::istringstream lines(document);
  std::string out;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with(kOpen)) {
      if (inside)
        user_error<ArgumentError>("tg-life", fmt::format("line {}: a dump in a dump", number));
      const size_t end = line.find(" -->");
      const Dump& dump = find_dump(all, line.substr(kOpen.size(), end - kOpen.size()));
      out += fmt::format("{}\n```{}\n{}```\n", line, dump.language, dump.text);
      inside = true;
    } else if (line == kClose) {
      if (!inside)
        user_error<ArgumentError>("tg-life", fmt::format("line {}: an end without a dump", number));
      inside = false;
      out += line + "\n";
    } else if (!inside) {
      out += line + "\n";
    }
  }
  if (inside) user_error<ArgumentError>("tg-life", "the last dump has no end");
  return out;
}

// The first line in which two texts differ, both versions.
std::string first_difference(const std::string& before, const std::string& after) {
  std::istringstream a(before), b(after);
  std::string left, right;
  for (int number = 1;; ++number) {
    const bool more_left = static_cast<bool>(std::getline(a, left));
    const bool more_right = static_cast<bool>(std::getline(b, right));
    if (!more_left) left = "(end)";
    if (!more_right) right = "(end)";
    if (left != right || (!more_left && !more_right)) {
      return fmt::format("line {}\nis        {}\nshould be {}\n", number, left, right);
    }
  }
}

int check(const std::string& path) {
  const std::string before = read_file(path), after = renewed(before);
  if (before == after) return 0;
  fmt::print("{} is out of date: {}Run: tg-life --update {}\n", path,
             first_difference(before, after), path);
  return 1;
}

void update(const std::string& path) { write_file(path, renewed(read_file(path))); }

void print_all() {
  for (const Dump& d : dumps()) fmt::print("==== {}\n{}\n", d.name, d.text);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_all();
  } else if (arguments.size() == 1 && (arguments[0] == "-h" || arguments[0] == "--help")) {
    fmt::print("{}", kHelp);
  } else if (arguments.size() == 2 && arguments[0] == "--check") {
    return check(arguments[1]);
  } else if (arguments.size() == 2 && arguments[0] == "--update") {
    update(arguments[1]);
  } else {
    fmt::print(stderr, "{}", kHelp);
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace tg::life

int main(int argc, char** argv) {
  try {
    return tg::life::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
