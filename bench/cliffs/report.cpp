// See report.h.
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/device.h"

namespace tg::cliffs {
namespace {

constexpr double kArithmeticGoal = 0.5, kMemoryGoal = 0.6;
constexpr size_t kWorst = 5;

std::string time_text(double s) {
  if (s < 1e-3) return fmt::format("{:.1f} us", s * 1e6);
  return s < 1 ? fmt::format("{:.2f} ms", s * 1e3) : fmt::format("{:.2f} s", s);
}

// Of the time that the ratio is of.
double seconds(const Result& r) { return r.roof.seconds / (r.measured.machine * r.ratio); }

std::string rate_text(const Result& r) {
  const Measured& m = r.measured;
  if (r.roof.arithmetic) return fmt::format("{:.1f} Gop/s", m.row.operations / seconds(r) * 1e-9);
  return fmt::format("{:.1f} GB/s", m.bytes() / seconds(r) * 1e-9);
}

std::string head_line(const std::string& error) { return error.substr(0, error.find('\n')); }

// Rows that are summed up together.
struct Part {
  std::string name;
  std::vector<Result> rows;  // the worst first

  size_t failed() const {
    return static_cast<size_t>(std::ranges::count(rows, 0.0, &Result::ratio));
  }
  size_t below() const {
    return static_cast<size_t>(
        std::ranges::count_if(rows, [](const Result& r) { return r.ratio < goal(r); }));
  }
  double mean() const {
    double logs = 0;
    for (const Result& r : rows) logs += r.ratio > 0 ? std::log(r.ratio) : 0;
    return rows.size() > failed() ? std::exp(logs / static_cast<double>(rows.size() - failed()))
                                  : 0;
  }
  std::vector<Result> worst() const {
    return {rows.begin(),
            rows.begin() + static_cast<std::ptrdiff_t>(std::min(kWorst, rows.size()))};
  }
};

Part part(std::string name, const std::vector<Result>& rows, auto belongs) {
  Part p{.name = std::move(name)};
  std::ranges::copy_if(rows, std::back_inserter(p.rows), belongs);
  std::ranges::stable_sort(p.rows, {}, &Result::ratio);
  return p;
}

std::vector<Part> parts(const std::vector<Result>& rows) {
  std::vector<Part> all;
  all.push_back(part("all", rows, [](const Result&) { return true; }));
  all.push_back(
      part("bound by arithmetic", rows, [](const Result& r) { return r.roof.arithmetic; }));
  all.push_back(part("bound by memory", rows, [](const Result& r) { return !r.roof.arithmetic; }));
  for (const Result& row : rows) {
    const std::string& group = row.measured.row.group;
    if (std::ranges::count(all, group, &Part::name) == 0)
      all.push_back(
          part(group, rows, [&](const Result& r) { return r.measured.row.group == group; }));
  }
  std::erase_if(all, [](const Part& p) { return p.rows.empty(); });
  return all;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::vector<Result> results(const std::vector<Measured>& measured, const cli::Peaks& peaks,
                            bool best) {
  std::vector<Result> all;
  for (const Measured& m : measured) {
    Result r{.measured = m, .roof = roofline(m, peaks)};
    if (m.error.empty()) r.ratio = r.roof.seconds / (m.machine * (best ? m.best : m.median));
    all.push_back(std::move(r));
  }
  return all;
}

double goal(const Result& r) { return r.roof.arithmetic ? kArithmeticGoal : kMemoryGoal; }

std::string table(const std::vector<Result>& rows, bool first) {
  std::string text =
      fmt::format("{:<44} {:>10} {:>7} {:>10} {}{:>14} {:>7} {:>10} {:>7} {:>7}  {}\n", "row",
                  "median", "spread", "best", first ? "     first " : "", "rate", "kernels",
                  "roofline", "machine", "ratio", "bound by");
  for (const Result& r : rows) {
    const Measured& m = r.measured;
    if (!m.error.empty()) {
      text += fmt::format("{:<44} {}\n", m.row.name, head_line(m.error));
      continue;
    }
    text +=
        fmt::format("{:<44} {:>10} {:>6.0f}% {:>10} {}{:>14} {:>7} {:>10} {:>6.0f}% {:>7.4f}  {}\n",
                    m.row.name, time_text(m.median), m.spread * 100, time_text(m.best),
                    first ? fmt::format("{:>10} ", time_text(m.first)) : "", rate_text(r),
                    m.kernels, time_text(r.roof.seconds), m.machine * 100, r.ratio, r.roof.by);
  }
  return text;
}

std::string summary(const std::vector<Result>& rows) {
  std::string text;
  for (const Part& p : parts(rows)) {
    text +=
        fmt::format("{}: {} rows, {} below the goal, {} failed, geometric mean {:.3f}; worst:\n",
                    p.name, p.rows.size(), p.below(), p.failed(), p.mean());
    for (const Result& r : p.worst())
      text +=
          fmt::format("  {:>7.4f}  {} ({})\n", r.ratio, r.measured.row.name, r.measured.row.group);
  }
  return text;
}

std::string markdown(const std::vector<Result>& rows) {
  std::string text = "| rows | number | below the goal | geometric mean |\n|---|---|---|---|\n";
  for (const Part& p : parts(rows))
    text += fmt::format("| {} | {} | {} | {:.3f} |\n", p.name, p.rows.size(), p.below(), p.mean());
  text +=
      "\n| group | worst | time | rate | roofline | bound by | ratio "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const Part& p : parts(rows)) {
    if (p.name == "all" || p.name.starts_with("bound by")) continue;
    for (const Result& r : p.worst()) {
      const Measured& m = r.measured;
      if (!m.error.empty()) {
        text += fmt::format("| {} | {} | {} | | | | |\n", p.name, m.row.name, head_line(m.error));
        continue;
      }
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {:.4f} |\n", p.name, m.row.name,
                          time_text(seconds(r)), rate_text(r), time_text(r.roof.seconds), r.roof.by,
                          r.ratio);
    }
  }
  return text;
}

std::string json(const std::vector<Result>& rows, const cli::Peaks& peaks) {
  std::string text =
      fmt::format("{{\"device\": \"{}\", \"arch\": \"{}\", \"threads\": {},\n\"peaks\": [",
                  default_device(), device(default_device()).target().arch, peaks.threads);
  const char* comma = "\n";
  for (const cli::ArithmeticPeak& p : peaks.arithmetic) {
    text += fmt::format(R"({}{{"dtype": "{}", "instructions": "{}", "gops": {:.2f}}})", comma,
                        dtype_name(p.dtype), p.instructions, p.operations_per_second * 1e-9);
    comma = ",\n";
  }
  text += "],\n\"levels\": [";
  comma = "\n";
  for (const cli::LevelPeak& l : peaks.levels) {
    text += fmt::format(R"({}{{"name": "{}", "read": {:.2f}, "write": {:.2f}, "copy": {:.2f}}})",
                        comma, l.name, l.read * 1e-9, l.write * 1e-9, l.copy * 1e-9);
    comma = ",\n";
  }
  text += "],\n\"rows\": [";
  comma = "\n";
  for (const Result& r : rows) {
    const Measured& m = r.measured;
    text += fmt::format(
        R"({}{{"name": "{}", "group": "{}", "dtype": "{}", "median": {:.9f}, "best": {:.9f}, "spread": {:.4f}, )"
        R"("first": {:.6f}, "repetitions": {}, "kernels": {}, "operations": {:.0f}, "bytes": {:.0f}, )"
        R"("roofline": {:.9f}, "machine": {:.3f}, "by": "{}", "ratio": {:.5f}, "error": "{}"}})",
        comma, escaped(m.row.name), m.row.group, dtype_name(m.row.dtype), m.median, m.best,
        m.spread, m.first, m.repetitions, m.kernels, m.row.operations, m.bytes(), r.roof.seconds,
        m.machine, r.roof.by, r.ratio, escaped(m.error));
    comma = ",\n";
  }
  return text + "]}\n";
}

}  // namespace tg::cliffs
