// See token_choice.h.
#include "frontend/language/token_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/check.h"

namespace tg::models {
namespace {

constexpr int64_t kMostLogprobs = 1000;

}  // namespace

TokenChoice::TokenChoice(const GenerateOptions& options, const std::vector<int32_t>& stop_tokens,
                         const TokenIndex* tokens)
    : sampler_(options), top_logprobs_(options.top_logprobs) {
  if (top_logprobs_ && (*top_logprobs_ < 0 || *top_logprobs_ > kMostLogprobs)) {
    user_error<ArgumentError>("generate", fmt::format("top_logprobs must be 0 to {}, got {}",
                                                      kMostLogprobs, *top_logprobs_));
  }
  if (options.grammar) constraint_.emplace(options.grammar, *tokens, stop_tokens);
}

int32_t TokenChoice::next(std::span<const float> logits) {
  const int32_t token = sampler_.next(logits, constraint_ ? &constraint_->allowed() : nullptr);
  if (top_logprobs_) logprobs_ = logprobs_of(logits, token, *top_logprobs_);
  return token;
}

void TokenChoice::take(int32_t token) {
  if (constraint_) constraint_->take(token);
}

bool TokenChoice::must_end() { return constraint_ && constraint_->must_end(); }

const TokenIndex* IndexForGrammars::of(std::string_view fn, const GenerateOptions& options,
                                       const Tokenizer* tokenizer) {
  if (!options.grammar) return nullptr;
  if (tokenizer == nullptr) {
    user_error<ArgumentError>(fn, "a grammar needs a tokenizer, and the model has none",
                              "Hint: put its tokenizer.json beside it.");
  }
  const std::scoped_lock lock(mutex_);
  if (!index_) index_.emplace(*tokenizer);
  return &*index_;
}

void go_on(const TextEnd& text, std::vector<float> logits, TokenChoice& choice,
           const GenerateOptions& options, const std::vector<int32_t>& stop,
           const std::function<bool(int32_t)>& on_token, Generated& out) {
  while (std::ssize(out.tokens) < options.max_tokens) {
    const int32_t token = choice.next(logits);
    if (std::ranges::find(stop, token) != stop.end()) {
      out.reason = StopReason::StopToken;
      return;
    }
    out.tokens.push_back(token);
    if (choice.logprobs()) out.logprobs.push_back(*choice.logprobs());
    choice.take(token);
    if (on_token && !on_token(token)) {
      out.reason = StopReason::Callback;
      return;
    }
    if (choice.must_end()) {
      out.reason = StopReason::GrammarEnd;
      return;
    }
    if (std::ssize(out.tokens) == options.max_tokens) return;
    if (text.is_full()) {
      out.reason = StopReason::ContextFull;
      return;
    }
    logits = text.after(token);
  }
}

TokenLogprobs logprobs_of(std::span<const float> logits, int32_t token, int64_t top) {
  const auto is_number = [](float x) { return !std::isnan(x); };
  double largest = -INFINITY, sum = 0;
  for (const float x : logits)
    if (is_number(x)) largest = std::max(largest, double{x});
  for (const float x : logits)
    if (is_number(x)) sum += std::exp(double{x} - largest);
  const double total = largest + std::log(sum);
  const auto of = [&](int32_t t) { return double{logits[static_cast<size_t>(t)]} - total; };
  TokenLogprobs out;
  out.token = token;
  out.logprob = of(token);
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int32_t t) { return !is_number(logits[static_cast<size_t>(t)]); });
  const auto count = std::min(static_cast<std::ptrdiff_t>(top), std::ssize(order));
  std::ranges::partial_sort(order, order.begin() + count, [&](int32_t a, int32_t b) {
    const double x = of(a), y = of(b);
    return x != y ? x > y : a < b;
  });
  for (std::ptrdiff_t i = 0; i < count; ++i)
    out.likeliest.push_back({order[static_cast<size_t>(i)], of(order[static_cast<size_t>(i)])});
  return out;
}

}  // namespace tg::models
