// See llm_chat.h.
#include "cli/llm_chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "frontend/language/text_stream.h"
#include "support/check.h"
#include "support/interrupt.h"

namespace tg::cli {
namespace {

std::string speed(int64_t tokens, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  return fmt::format("{} tokens, {:.1f} a second", tokens, rate);
}

}  // namespace

std::string answer(models::LanguageModel& model, const models::GenerateOptions& options,
                   std::vector<int32_t>& text, std::ostream& out) {
  const InterruptScope interrupts;
  models::TextStream words(*model.tokenizer());
  try {
    const models::Generated made = model.generate(text, options, [&](int32_t token) {
      text.push_back(token);
      out << words.add(token) << std::flush;
      return !interrupted();
    });
    out << words.finish() << "\n";
    const auto later = static_cast<int64_t>(made.tokens.size()) - 1;
    const int64_t read = static_cast<int64_t>(text.size() - made.tokens.size()) - made.reused;
    std::cerr << fmt::format(
        "[prompt: {}; answer: {}{}]\n", speed(read, made.prompt_seconds),
        speed(std::max<int64_t>(later, 0), made.answer_seconds),
        made.reason == models::StopReason::ContextFull ? "; the context is full" : "");
  } catch (const CancelledError&) {
    out << words.finish() << "\n";
    std::cerr << "[stopped]\n";
  }
  return words.all();
}

Conversation::Conversation(models::LanguageModel& model, const models::ChatTemplate& chat,
                           std::string system, const models::GenerateOptions& options,
                           std::ostream& out)
    : model_(model), chat_(chat), system_(std::move(system)), options_(options), out_(out) {
  reset();
}

void Conversation::reset() {
  messages_.clear();
  if (!system_.empty()) messages_.push_back({"system", system_});
}

// The whole conversation is encoded again: the model knows what it has in common with the last one.
void Conversation::say(const std::string& text) {
  std::vector<models::Message> messages = messages_;
  messages.push_back({"user", text});
  // The text has the special tokens itself, that of the beginning among them.
  std::vector<int32_t> tokens = model_.tokenizer()->encode(chat_.render(messages), false);
  const int64_t room = model_.info().context;
  if (std::ssize(tokens) > room) {
    user_error<ArgumentError>(
        "llm", fmt::format("the conversation has {} tokens, of at most {}", tokens.size(), room),
        "Hint: begin again by /reset, or ask for more by --context.");
  }
  messages.push_back({"assistant", answer(model_, options_, tokens, out_)});
  messages_ = std::move(messages);
}

void Conversation::converse(std::istream& in) {
  std::cerr
      << "An empty line, or Ctrl-D, ends the program; Ctrl-C an answer; /reset begins again.\n";
  for (std::string line; std::cerr << "> " && std::getline(in, line) && !line.empty();) {
    if (line == "/reset") {
      reset();
      continue;
    }
    try {
      say(line);
    } catch (const ArgumentError& e) {
      std::cerr << e.what() << "\n";
    }
  }
}

}  // namespace tg::cli
