// Spans are kept in memory until the end: a trace must not disturb what it measures. Their number
// is bounded; what comes after the bound is counted, and the trace says so.
#include "support/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>

#include "support/file.h"
#include "support/log.h"

namespace tg {
namespace {

constexpr size_t kMaxSpans = 1'000'000;  // about 200 MB of text

struct Span {
  int64_t begin, end;  // nanoseconds since the first one
  int thread;
  std::string_view category;
  std::string name;
  std::vector<std::pair<std::string_view, double>> notes;
};

struct Trace {
  std::vector<Span> spans;
  int64_t dropped = 0;
  bool written = false;  // as it is now
};

struct Traces {
  std::mutex lock;
  std::map<std::string, Trace> by_file;
};

// Never destroyed, because the traces are written when static objects may be gone already.
Traces& traces() {
  static Traces* const all = [] {
    std::atexit([] { write_profiles(); });
    return new Traces;
  }();
  return *all;
}

int64_t nanoseconds() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  return std::chrono::nanoseconds(Clock::now() - start).count();
}

// Numbers in order of first use: the system's are large and mean nothing to a reader.
int thread_number() {
  static std::atomic<int> next{1};
  thread_local const int mine = next.fetch_add(1);
  return mine;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// A complete event ("X"); times in microseconds.
std::string json_of(const Span& s) {
  std::string args;
  for (const auto& [key, value] : s.notes) {
    args += fmt::format("{}{}: {:.17g}", args.empty() ? "" : ", ", json_string(key), value);
  }
  return fmt::format(
      R"({{"name": {}, "cat": {}, "ph": "X", "pid": 1, "tid": {}, "ts": {:.3f}, "dur": {:.3f}, "args": {{{}}}}})",
      json_string(s.name), json_string(s.category), s.thread, static_cast<double>(s.begin) * 1e-3,
      static_cast<double>(s.end - s.begin) * 1e-3, args);
}

std::string json_of(const Trace& trace) {
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    text += json_of(trace.spans[i]) + (i + 1 < trace.spans.size() ? ",\n" : "\n");
  }
  return text + fmt::format("], \"otherData\": {{\"dropped\": {}}}}}\n", trace.dropped);
}

void add(const std::string& file, Span span) {
  Traces& all = traces();
  const std::lock_guard guard(all.lock);
  Trace& trace = all.by_file[file];
  trace.written = false;
  if (trace.spans.size() < kMaxSpans) {
    trace.spans.push_back(std::move(span));
  } else {
    ++trace.dropped;
  }
}

}  // namespace

ProfileSpan::ProfileSpan(std::string_view category, std::string_view name)
    : on_(profiling()), category_(category) {
  if (!on_) return;
  name_ = name;
  begin_ = nanoseconds();
}

ProfileSpan::~ProfileSpan() {
  if (!on_) return;
  const int64_t end = nanoseconds();
  if (seconds_ >= 0) begin_ = std::max(begin_, end - static_cast<int64_t>(seconds_ * 1e9));
  add(options().profile,
      {begin_, end, thread_number(), category_, std::move(name_), std::move(notes_)});
}

void ProfileSpan::note(std::string_view key, double value) {
  if (on_) notes_.emplace_back(key, value);
}

void ProfileSpan::rename(std::string_view name) {
  if (on_) name_ = name;
}

void write_profiles() {
  Traces& all = traces();
  const std::lock_guard guard(all.lock);
  for (auto& [file, trace] : all.by_file) {
    if (std::exchange(trace.written, true) || try_write_file(file, json_of(trace))) continue;
    log_text(fmt::format("profile: cannot write {}", file));
  }
}

}  // namespace tg
