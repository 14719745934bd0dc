// The cliff suite: kernels of every shape against the roofline of the processor, so that none is
// slow because the compiler does not know its shape. `cliffs --help`. What the rows are: row.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "report.h"
#include "runtime/device.h"
#include "support/check.h"
#include "support/file.h"
#include "support/interrupt.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/text.h"
#include "tg/version.h"

namespace tg::cliffs {
namespace {

struct Arguments {
  std::vector<std::string> filters;
  std::string share = "1/1", json_file, markdown_file;
  int threads = 0;
  MeasureOptions measure;
  bool list = false, best = false, first = false;
};

// "I/N"
std::pair<size_t, size_t> parse_share(const std::string& text) {
  unsigned long part = 0, parts = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%lu/%lu%c", &part, &parts, &rest) != 2 || part < 1 ||
      part > parts) {
    user_error<ArgumentError>("cliffs", fmt::format("--share takes I/N, not \"{}\"", text),
                              "Hint: 2/3 is the second of three parts.");
  }
  return {part, parts};
}

bool chosen(const Row& row, const std::vector<std::string>& filters) {
  return filters.empty() || std::ranges::any_of(filters, [&](const std::string& f) {
           return row.name.find(f) != std::string::npos || row.group.find(f) != std::string::npos;
         });
}

std::vector<Row> chosen_rows(const Arguments& arguments) {
  const auto [part, parts] = parse_share(arguments.share);
  std::vector<Row> rows;
  size_t place = 0;
  for (Row& row : all_rows()) {
    if (chosen(row, arguments.filters) && place++ % parts == part - 1)
      rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    user_error<ArgumentError>("cliffs", "no row has such a name",
                              "Hint: --list prints the names of all.");
  }
  return rows;
}

void write(const std::string& file, const std::string& text) {
  if (!file.empty() && !try_write_file(file, text))
    user_error<FileError>("cliffs", fmt::format("{} cannot be written", file));
}

void report(const std::vector<Measured>& measured, const cli::Peaks& peaks,
            const Arguments& arguments) {
  if (measured.empty()) return;
  const std::vector<Result> rows = results(measured, peaks, arguments.best);
  fmt::print("tinygrad.cpp {} on {}, {}; {}{}\n", version(), default_device(),
             device(default_device()).target().arch, cli::table(peaks),
             table(rows, arguments.first));
  fmt::print("Ratios are of the {} time{}.\n{}", arguments.best ? "best" : "median",
             arguments.measure.beside ? " to what the machine gave meanwhile" : "", summary(rows));
  write(arguments.json_file, json(rows, peaks));
  write(arguments.markdown_file, markdown(rows));
}

// After Ctrl-C, what was measured is printed before the error goes on.
void run(const Arguments& arguments) {
  const std::vector<Row> rows = chosen_rows(arguments);
  if (arguments.list) {
    for (const Row& row : rows) fmt::print("{:<44} {}\n", row.name, row.group);
    return;
  }
  Options changed = options();
  if (arguments.threads > 0) changed.threads = arguments.threads;
  const OptionsScope scope(changed);
  const InterruptScope interrupts;
  const Target& target = device(default_device()).target();
  if (target.machine.empty() || target.max_group_size > 0) {
    user_error<ArgumentError>("cliffs",
                              fmt::format("the roofline of {} is not known", default_device()),
                              "Hint: choose the processor with DEV.");
  }
  cli::Peaks peaks = cli::measure_peaks(target, options().thread_count());
  std::vector<Measured> measured;
  try {
    ProgressBar bar("cliffs", static_cast<int64_t>(rows.size()));
    for (const Row& row : rows) {
      measured.push_back(measure(row, arguments.measure, peaks));
      bar.advance(1, row.name);
    }
    bar.finish();
    // The processor may have been slowed down by others before.
    if (!arguments.measure.beside)
      peaks = cli::better(peaks, cli::measure_peaks(target, options().thread_count()));
  } catch (const CancelledError&) {
    report(measured, peaks, arguments);
    throw;
  }
  report(measured, peaks, arguments);
}

void add_options(CLI::App& app, Arguments& a) {
  app.add_option("--filter", a.filters, "Only rows with this in their name or group; repeatable")
      ->type_name("TEXT")
      ->expected(1)
      ->take_all();
  app.add_option("--share", a.share, "Only the I-th of N parts of the rows")->type_name("I/N");
  app.add_option("--threads", a.threads, "Threads, instead of the option THREADS")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  app.add_option("--repeat", a.measure.repetitions,
                 "Evaluations that are timed, instead of a fifth of a second each")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  app.add_option("--json", a.json_file, "Write peaks and rows to a file, too")->type_name("FILE");
  app.add_option("--markdown", a.markdown_file, "Write the summary as tables of Markdown, too")
      ->type_name("FILE");
  app.add_flag("--captured", a.measure.captured,
               "Replay captured calls, without building and looking up graphs");
  app.add_flag("--first", a.first,
               "Show the time of the first evaluation; an empty TG_CACHE makes it a cold one");
  CLI::Option* best = app.add_flag(
      "--best", a.best, "Ratios by the best time instead of the median: for busy machines");
  app.add_flag("--beside", a.measure.beside,
               "Ratios to the peaks as they are between the evaluations of a row: for machines "
               "that others slow down and leave again")
      ->excludes(best);
  app.add_flag("--list", a.list, "Print names and groups of the rows and measure nothing");
}

}  // namespace
}  // namespace tg::cliffs

int main(int argc, char** argv) {
  CLI::App app("Kernels of every shape against the roofline of the processor");
  tg::cliffs::Arguments arguments;
  tg::cliffs::add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    tg::cliffs::run(arguments);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
