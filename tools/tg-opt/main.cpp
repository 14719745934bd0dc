// tg-opt: reads IR text, runs passes named on the command line, prints the result. The command line
// only; passes stand in passes.cpp, golden files in golden.cpp, the text form in
// include/tg/ir/text.h.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "golden.h"
#include "ops_page.h"
#include "passes.h"
#include "rules/algebra.h"
#include "support/check.h"
#include "tg/ir/text.h"

namespace tg::opt {
namespace {

constexpr std::string_view kHelp = R"(usage: tg-opt [options] [PASS ...]
Reads IR text, runs the passes in order and prints the result.

  -i, --in FILE     read FILE instead of standard input
  -e, --expr        print the root as a one-line expression
  -t, --trace       print every application of a rule to standard error
      --each        print the program after each pass
      --list        list the passes
      --rules       list the rules of the simplifier
      --ops         print the reference page of all ops (docs/ir.md)
      --check FILE  run the golden cases of FILE; exit status 1 if one differs
      --update FILE write the outputs as they are now into the golden FILE
  -h, --help        print this

Errors name line and column; the exit status is then 1.
)";

struct Options {
  std::string input = "-";
  std::string check, update;
  std::vector<std::string> passes;
  bool expr = false, trace = false, each = false, list = false, rules = false, ops = false,
       help = false;
};

Options read_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    auto value = [&]() -> std::string {
      if (i + 1 >= argc) user_error<ArgumentError>("tg-opt", arg + " needs a file");
      return argv[++i];
    };
    if (arg == "-i" || arg == "--in") {
      o.input = value();
    } else if (arg == "--check") {
      o.check = value();
    } else if (arg == "--update") {
      o.update = value();
    } else if (arg == "-e" || arg == "--expr") {
      o.expr = true;
    } else if (arg == "-t" || arg == "--trace") {
      o.trace = true;
    } else if (arg == "--each") {
      o.each = true;
    } else if (arg == "--list") {
      o.list = true;
    } else if (arg == "--rules") {
      o.rules = true;
    } else if (arg == "--ops") {
      o.ops = true;
    } else if (arg == "-h" || arg == "--help") {
      o.help = true;
    } else if (arg.starts_with("-")) {
      user_error<ArgumentError>("tg-opt", "there is no option " + arg, "Hint: --help lists them.");
    } else {
      o.passes.push_back(arg);
    }
  }
  return o;
}

std::string read_all(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) user_error<FileError>("tg-opt", "cannot read " + path);
  return text;
}

int check(const std::string& path) {
  const GoldenResult r = run_golden(read_all(path));
  fmt::print("{}{}: {} of {} cases as expected\n", r.report, path, r.cases - r.failed, r.cases);
  return r.failed == 0 && r.cases > 0 ? 0 : 1;
}

int update(const std::string& path) {
  const GoldenResult r = run_golden(read_all(path));
  std::ofstream file(path, std::ios::binary);
  file << r.updated;
  if (!file.flush()) user_error<FileError>("tg-opt", "cannot write " + path);
  fmt::print("{}: {} cases, {} changed\n", path, r.cases, r.failed);
  return 0;
}

void list_passes() {
  for (const NamedPass& p : passes()) fmt::print("{:<16} {}\n", p.name, p.doc);
}

void list_rules() {
  for (const Rule& r : simple_rules().rules()) fmt::print("{}\n", r.print());
}

int run(const Options& o) {
  std::vector<const NamedPass*> chosen;
  for (const std::string& name : o.passes) {
    chosen.push_back(find_pass(name));
    if (chosen.back() == nullptr) {
      user_error<ArgumentError>("tg-opt", "there is no pass named " + name,
                                "Hint: --list names them.");
    }
  }
  Program program{parse_list(read_all(o.input))};
  if (program.list.empty()) user_error<ArgumentError>("tg-opt", "the input has no node");
  RewriteOptions options;
  if (o.trace) {
    options.trace = [](const Rule& r, const UOp& before, const UOp& after) {
      fmt::print(stderr, "; {}: {} -> {}\n", r.name(), print_expr(before), print_expr(after));
    };
  }
  for (const NamedPass* pass : chosen) {
    pass->run(program, options);
    if (o.each) fmt::print("; after {}\n{}", pass->name, print(program.list));
  }
  if (o.expr) {
    fmt::print("{}\n", print_expr(program.root()));
  } else if (!o.each || chosen.empty()) {
    fmt::print("{}", print(program.list));
  }
  return 0;
}

}  // namespace

int main_of(int argc, char** argv) {
  const Options o = read_options(argc, argv);
  if (o.help) fmt::print("{}", kHelp);
  if (o.list) list_passes();
  if (o.rules) list_rules();
  if (o.ops) fmt::print("{}", ops_page());
  if (o.help || o.list || o.rules || o.ops) return 0;
  if (!o.check.empty()) return check(o.check);
  if (!o.update.empty()) return update(o.update);
  return run(o);
}

}  // namespace tg::opt

int main(int argc, char** argv) {
  try {
    return tg::opt::main_of(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
