// The engine's thread: takes texts from the queue into slots, computes a chunk of one prompt and
// then a token of every text that has only its last token to compute, and so on. The calls:
// slot_model.h; which slot: slots.h; a text's tokens: running_text.h.
#include "tg/models/text_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "frontend/language/running_text.h"
#include "frontend/language/slot_model.h"
#include "frontend/language/slots.h"
#include "support/check.h"

namespace tg::models {
namespace {

constexpr int64_t kMostSlots = 256;

void check_options(const TextEngineOptions& o) {
  const auto fail = [](std::string_view problem) {
    user_error<ArgumentError>("TextEngine::load", problem);
  };
  if (o.slots < 1 || o.slots > kMostSlots)
    fail(fmt::format("slots must be 1 to {}, got {}", kMostSlots, o.slots));
  if (o.waiting < 0) fail(fmt::format("waiting must be 0 or more, got {}", o.waiting));
}

}  // namespace

BusyError::~BusyError() = default;

struct TextEngine::State {
  using Text = RunningText::State;
  using Texts = std::vector<std::shared_ptr<Text>>;

  State(LoadedModel loaded, const TextEngineOptions& o)
      : options(o), model(std::move(loaded), o.slots), slots(o.slots) {
    if (options.warms_up) model.warm_up();
    counts.slots = o.slots;
    thread = std::thread([this] { run(); });
  }

  ~State() {
    end(std::chrono::milliseconds(0));
    thread.join();
  }

  // ---- of the engine's thread alone
  const TextEngineOptions options;
  SlotModel model;
  Slots slots;
  Texts running;  // in the order in which they began

  // ---- of all threads
  mutable std::mutex mutex;  // of all below
  std::condition_variable changed, idle;
  std::deque<std::shared_ptr<Text>> waiting;
  bool takes_no_more = false, is_over = false;
  bool is_leaving = false;  // a text that is counted, whose end is not known yet
  TextEngineStats counts;
  std::thread thread;

  IndexForGrammars index;

  void end(std::chrono::milliseconds limit);
  bool is_idle() const { return waiting.empty() && counts.running == 0 && !is_leaving; }

  void run();
  void admit();
  void drop_cancelled();
  void compute();
  void compute_prompt(const std::shared_ptr<Text>& text);
  void compute_step(const Texts& texts);
  void take_logits(const std::shared_ptr<Text>& text, std::span<const float> logits);
  void ended(const std::shared_ptr<Text>& text, StopReason reason);
  void failed(const std::shared_ptr<Text>& text, std::exception_ptr error);
  void leave(const std::shared_ptr<Text>& text, bool is_cancelled);
  void left();
  template <typename Work>
  void attempt(const Texts& texts, const Work& work);
};

void TextEngine::State::end(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex);
  takes_no_more = true;
  idle.wait_for(lock, limit, [this] { return is_idle(); });
  is_over = true;
  changed.notify_all();
  idle.wait(lock, [this] { return is_idle(); });
}

void TextEngine::State::run() {
  std::unique_lock lock(mutex);
  while (true) {
    if (running.empty() && waiting.empty()) {
      if (is_over) return;
      changed.wait(lock, [this] { return is_over || !waiting.empty(); });
    }
    admit();
    lock.unlock();
    drop_cancelled();
    compute();
    lock.lock();
  }
}

// From the queue into slots. What was cancelled needs none.
void TextEngine::State::admit() {
  if (is_over) {
    for (const auto& texts : {Texts(waiting.begin(), waiting.end()), running})
      for (const auto& text : texts) text->is_cancelled = true;
  }
  bool is_full = false;
  std::deque<std::shared_ptr<Text>> left;
  for (const std::shared_ptr<Text>& text : waiting) {
    std::optional<int64_t> slot;
    if (!text->is_cancelled && !is_full) {
      slot = slots.take(text->tokens);
      is_full = !slot;
    }
    if (!slot && !text->is_cancelled) {
      left.push_back(text);
      continue;
    }
    if (slot) {
      text->slot = *slot;
      text->known = slots.kept(*slot).size();
    }
    text->started = seconds_now();
    text->made.reused = static_cast<int64_t>(text->known);
    running.push_back(text);
  }
  waiting = std::move(left);
  counts.running = static_cast<int64_t>(running.size());
}

void TextEngine::State::drop_cancelled() {
  for (const std::shared_ptr<Text>& text : Texts(running))
    if (text->is_cancelled) ended(text, StopReason::Cancelled);
}

void TextEngine::State::compute() {
  const double start = seconds_now();
  const auto prompt =
      std::ranges::find_if(running, [](const auto& t) { return t->rest().size() > 1; });
  if (prompt != running.end()) compute_prompt(std::shared_ptr(*prompt));
  Texts texts;
  std::ranges::copy_if(running, std::back_inserter(texts),
                       [](const auto& t) { return t->rest().size() == 1; });
  if (!texts.empty()) compute_step(texts);
  const std::scoped_lock lock(mutex);
  counts.busy_seconds += seconds_now() - start;
}

// Errors end these texts. They are handed on when nothing of them is in flight here any more.
template <typename Work>
void TextEngine::State::attempt(const Texts& texts, const Work& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  if (!error) return;
  for (const std::shared_ptr<Text>& text : texts) failed(text, error);
}

void TextEngine::State::compute_prompt(const std::shared_ptr<Text>& text) {
  std::vector<int32_t>& kept = slots.kept(text->slot);
  std::vector<float> logits;
  attempt({text}, [&] {
    const bool is_new = static_cast<int64_t>(text->known) == text->made.reused;
    if (const auto from = slots.source(text->slot, text->tokens); is_new && from) {
      model.copy(from->slot, text->slot, from->count);
      kept.assign(text->tokens.begin(), text->tokens.begin() + from->count);
      text->known = kept.size();
      text->made.reused = from->count;
    }
    const size_t n = std::min(text->rest().size(), static_cast<size_t>(model.model().chunk));
    const auto tokens = text->rest().first(n);
    logits = model.read(text->slot, static_cast<int64_t>(text->known), tokens);
    kept.insert(kept.end(), tokens.begin(), tokens.end());
    text->known = kept.size();
    const std::scoped_lock lock(mutex);
    counts.prompt_tokens += static_cast<int64_t>(n);
  });
  if (!logits.empty() && text->rest().empty()) take_logits(text, logits);
}

void TextEngine::State::compute_step(const Texts& texts) {
  std::vector<float> logits;
  attempt(texts, [&] {
    std::vector<SlotModel::Row> rows;
    for (const std::shared_ptr<Text>& t : texts)
      rows.push_back({t->slot, static_cast<int64_t>(t->known), t->rest().front()});
    logits = model.step(rows);
    const std::scoped_lock lock(mutex);
    ++counts.steps;
    // The last token of a prompt is computed here if the others were known.
    counts.prompt_tokens +=
        std::ranges::count_if(texts, [](const auto& t) { return t->made.tokens.empty(); });
  });
  if (logits.empty()) return;
  const size_t vocabulary = logits.size() / texts.size();
  for (size_t i = 0; i < texts.size(); ++i) {
    Text& t = *texts[i];
    slots.kept(t.slot).push_back(t.rest().front());
    ++t.known;
    take_logits(texts[i], std::span(logits).subspan(i * vocabulary, vocabulary));
  }
}

void TextEngine::State::take_logits(const std::shared_ptr<Text>& text,
                                    std::span<const float> logits) {
  attempt({text}, [&] {
    if (text->request.options.max_tokens == 0) return ended(text, StopReason::MaxTokens);
    if (!text->take(text->choice.next(logits))) {
      ended(text, text->made.reason);
    } else if (static_cast<int64_t>(text->known) == model.model().info.context) {
      ended(text, StopReason::ContextFull);
    }
  });
}

void TextEngine::State::ended(const std::shared_ptr<Text>& text, StopReason reason) {
  leave(text, reason == StopReason::Cancelled);
  text->finish(reason);
  left();
}

void TextEngine::State::failed(const std::shared_ptr<Text>& text, std::exception_ptr error) {
  slots.kept(text->slot).clear();
  try {
    model.clear(text->slot);
  } catch (const Error&) {  // of a device that has failed: the text's own error says it
  }
  leave(text, false);
  text->fail(std::move(error));
  left();
}

// Before a text's end is known, so that its slot is free by then and it is counted.
void TextEngine::State::leave(const std::shared_ptr<Text>& text, bool is_cancelled) {
  if (text->slot >= 0) slots.give_back(text->slot);
  std::erase(running, text);
  const std::scoped_lock lock(mutex);
  counts.running = static_cast<int64_t>(running.size());
  is_leaving = true;
  ++counts.texts;
  counts.cancelled += is_cancelled ? 1 : 0;
  counts.reused_tokens += text->made.reused;
  counts.answer_tokens += static_cast<int64_t>(text->made.tokens.size());
}

// After it.
void TextEngine::State::left() {
  const std::scoped_lock lock(mutex);
  is_leaving = false;
  if (is_idle()) idle.notify_all();
}

// ---- what other threads call

TextEngine::TextEngine(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextEngine::~TextEngine() = default;
TextEngine::TextEngine(TextEngine&&) noexcept = default;
TextEngine& TextEngine::operator=(TextEngine&&) noexcept = default;

TextEngine TextEngine::load(const std::filesystem::path& path, const LanguageModelOptions& model,
                            const TextEngineOptions& options) {
  check_options(options);
  return TextEngine(
      std::make_unique<State>(load_model("TextEngine::load", path, model, options.slots), options));
}

const LanguageModelInfo& TextEngine::info() const { return state_->model.model().info; }
const Tokenizer* TextEngine::tokenizer() const {
  const LoadedModel& model = state_->model.model();
  return model.tokenizer ? &*model.tokenizer : nullptr;
}
const std::vector<int32_t>& TextEngine::stop_tokens() const {
  return state_->model.model().stop_tokens;
}

RunningText TextEngine::submit(TextRequest request) {
  State& s = *state_;
  check_tokens("submit", request.prompt, info());
  const TokenIndex* index = s.index.of("submit", request.options, tokenizer());
  auto text = std::make_shared<State::Text>(std::move(request), tokenizer(), stop_tokens(), index);
  {
    const std::scoped_lock lock(s.mutex);
    if (s.takes_no_more) user_error<BusyError>("submit", "the engine is ending");
    const int64_t most = s.options.slots + s.options.waiting;
    const auto here = s.counts.running + static_cast<int64_t>(s.waiting.size());
    if (here >= most) {
      user_error<BusyError>("submit", fmt::format("{} texts are running and waiting", here),
                            "Hint: try again later.");
    }
    s.waiting.push_back(text);
  }
  s.changed.notify_all();
  return RunningText(std::move(text));
}

void TextEngine::end(std::chrono::milliseconds limit) { state_->end(limit); }

TextEngineStats TextEngine::stats() const {
  const std::scoped_lock lock(state_->mutex);
  TextEngineStats out = state_->counts;
  out.waiting = static_cast<int64_t>(state_->waiting.size());
  return out;
}

}  // namespace tg::models
