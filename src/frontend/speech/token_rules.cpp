// See token_rules.h.
#include "frontend/speech/token_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tg::models {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr int64_t kFramesOfTime = 2;  // times are 0.02 s apart, frames 0.01 s

void forbid(std::span<float> logits, int64_t begin, int64_t end) {
  const auto size = std::ssize(logits);
  for (int64_t i = std::min(begin, size); i < std::min(end, size); ++i)
    logits[static_cast<size_t>(i)] = kNever;
}

// Times stand in pairs, an end and the next beginning, or alone before the end of the text; they do
// not decrease, and a segment is not empty.
void forbid_by_times(const SpeechTokens& t, std::span<const int32_t> made,
                     std::span<float> logits) {
  const auto is_time = [&](int32_t token) { return token >= t.first_time; };
  const bool after_time = !made.empty() && is_time(made.back());
  const bool after_two = made.size() < 2 || is_time(made[made.size() - 2]);
  if (after_time && after_two) forbid(logits, t.first_time, std::ssize(logits));
  if (after_time && !after_two) forbid(logits, 0, t.end);
  const auto last = std::find_if(made.rbegin(), made.rend(), is_time);
  if (last != made.rend())
    forbid(logits, t.first_time, after_time && !after_two ? *last : *last + 1);
}

// A time is chosen if all of them together are likelier than the likeliest other token.
void prefer_times(const SpeechTokens& t, std::span<float> logits) {
  const auto words = logits.first(static_cast<size_t>(t.first_time));
  const auto times = logits.subspan(static_cast<size_t>(t.first_time));
  const float word = *std::ranges::max_element(words), time = *std::ranges::max_element(times);
  if (time == kNever) return;
  double sum = 0;
  for (const float x : times) sum += std::exp(double{x} - double{time});
  if (double{time} + std::log(sum) > double{word}) forbid(logits, 0, t.first_time);
}

}  // namespace

void forbid_tokens(const SpeechTokens& t, bool timestamps, std::span<const int32_t> made,
                   std::span<float> logits) {
  for (const int32_t token : t.never) logits[static_cast<size_t>(token)] = kNever;
  if (made.empty())
    for (const int32_t token : t.never_first) logits[static_cast<size_t>(token)] = kNever;
  if (!timestamps) return;
  logits[static_cast<size_t>(t.no_times)] = kNever;
  forbid_by_times(t, made, logits);
  if (made.empty()) {
    forbid(logits, 0, t.first_time);
    if (t.latest_first_time) forbid(logits, *t.latest_first_time + 1, std::ssize(logits));
  }
  prefer_times(t, logits);
}

DividedWindow divided(const SpeechTokens& t, std::span<const int32_t> made, int64_t frames) {
  const auto is_time = [&](size_t i) { return made[i] >= t.first_time; };
  const auto frame_of = [&](int32_t time) { return (time - t.first_time) * kFramesOfTime; };
  const size_t n = made.size();
  DividedWindow out{.segments = {}, .frames = frames};
  std::vector<size_t> ends;
  for (size_t i = 1; i < n; ++i)
    if (is_time(i - 1) && is_time(i)) ends.push_back(i);
  if (ends.empty()) {  // one segment, up to its last time if it has one
    int64_t end = frames;
    for (size_t i = n; i > 0; --i) {
      if (!is_time(i - 1)) continue;
      if (made[i - 1] != t.first_time) end = frame_of(made[i - 1]);
      break;
    }
    if (n > 0) out.segments.push_back({.begin = 0, .end = end, .tokens = made});
    return out;
  }
  // A single time at the end: nothing is said after it.
  const bool is_complete = n >= 2 && !is_time(n - 2) && is_time(n - 1);
  if (is_complete) ends.push_back(n);
  size_t begin = 0;
  for (const size_t end : ends) {
    const auto part = made.subspan(begin, end - begin);
    const auto frame = [&](int32_t token) { return std::max<int64_t>(0, frame_of(token)); };
    out.segments.push_back(
        {.begin = frame(part.front()), .end = frame(part.back()), .tokens = part});
    begin = end;
  }
  if (!is_complete) out.frames = std::max(kFramesOfTime, frame_of(made[begin - 1]));
  return out;
}

}  // namespace tg::models
