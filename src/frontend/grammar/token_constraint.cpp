// Which tokens a grammar allows after a text: the tree of all tokens' bytes is walked along with
// the grammar's automaton, and what a byte rules out is left with all that begins so. What was
// found for a state is kept: inside a text in quotes, say, it stays the same for many words.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "frontend/grammar/automaton.h"
#include "frontend/grammar/grammar_parts.h"
#include "frontend/grammar/token_trie.h"
#include "support/check.h"
#include "tg/models/grammar.h"

namespace tg::models {
namespace {

using grammar::Automaton;
using grammar::TokenTrie;

constexpr size_t kMostMasks = 64;

using Texts = std::vector<std::pair<std::string, int32_t>>;

Texts texts_of(const Tokenizer& tokenizer, bool is_first) {
  Texts out;
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id)
    if (auto text = tokenizer.bytes_of(id, is_first)) out.emplace_back(std::move(*text), id);
  return out;
}

Grammar or_any(const Grammar& grammar) {
  return grammar ? grammar : Grammar::parse("root ::= .*");
}

}  // namespace

struct TokenIndex::Parts {
  Tokenizer tokenizer;
  std::shared_ptr<const TokenTrie> first, later;  // one, where a first token is like others
};

TokenIndex::TokenIndex(const Tokenizer& tokenizer) {
  Texts first = texts_of(tokenizer, true), later = texts_of(tokenizer, false);
  const bool are_alike = first == later;
  auto trie = std::make_shared<const TokenTrie>(std::move(later));
  parts_ = std::make_shared<const Parts>(Parts{
      tokenizer, are_alike ? trie : std::make_shared<const TokenTrie>(std::move(first)), trie});
}

struct TokenConstraint::State {
  std::shared_ptr<const TokenIndex::Parts> tokens;
  std::vector<int32_t> stop_tokens;
  Automaton automaton;
  Automaton::State now;
  bool is_first = true;
  std::unordered_map<Automaton::State, std::vector<bool>> masks;  // of later tokens
  std::vector<bool> first_mask;
  std::vector<Automaton::State> path;  // after each byte of a token

  const std::vector<bool>& mask();
  std::vector<bool> find_mask();
  void forget(size_t depth);
};

TokenConstraint::TokenConstraint(const Grammar& grammar, const TokenIndex& tokens,
                                 std::vector<int32_t> stop_tokens)
    : state_(std::make_unique<State>(State{.tokens = tokens.parts_,
                                           .stop_tokens = std::move(stop_tokens),
                                           .automaton = Automaton(or_any(grammar).parts_->program),
                                           .now = Automaton::kDead,
                                           .masks = {},
                                           .first_mask = {},
                                           .path = {}})) {
  state_->now = state_->automaton.start();
}
TokenConstraint::~TokenConstraint() = default;
TokenConstraint::TokenConstraint(TokenConstraint&&) noexcept = default;
TokenConstraint& TokenConstraint::operator=(TokenConstraint&&) noexcept = default;

// Frees what the automaton keeps, but for the first states of the path.
void TokenConstraint::State::forget(size_t depth) {
  masks.clear();
  automaton.forget_all_but(std::span(path).first(depth));
  now = path.front();
}

std::vector<bool> TokenConstraint::State::find_mask() {
  const TokenTrie& trie = is_first ? *tokens->first : *tokens->later;
  std::vector<bool> out(static_cast<size_t>(tokens->tokenizer.vocabulary_size()), false);
  path.assign(trie.longest() + 1, Automaton::kDead);
  path.front() = now;
  automaton.start_work();
  const std::vector<TokenTrie::Node>& nodes = trie.nodes();
  for (size_t i = 0; i < nodes.size();) {
    const TokenTrie::Node& n = nodes[i];
    if (automaton.is_full()) forget(n.depth);
    const Automaton::State state = automaton.step(path[n.depth - 1U], n.byte);
    path[n.depth] = state;
    if (state == Automaton::kDead) {
      i = n.subtree_end;
      continue;
    }
    const int32_t* token = trie.tokens(n);
    for (uint32_t t = 0; t < n.tokens; ++t) out[static_cast<size_t>(token[t])] = true;
    ++i;
  }
  for (const int32_t stop : stop_tokens)
    if (stop >= 0 && static_cast<size_t>(stop) < out.size())
      out[static_cast<size_t>(stop)] = automaton.may_end(now);
  return out;
}

const std::vector<bool>& TokenConstraint::State::mask() {
  if (is_first) {
    if (first_mask.empty()) first_mask = find_mask();
    return first_mask;
  }
  if (const auto found = masks.find(now); found != masks.end()) return found->second;
  if (masks.size() >= kMostMasks) masks.clear();
  std::vector<bool> found = find_mask();  // may renumber the state
  return masks.emplace(now, std::move(found)).first->second;
}

const std::vector<bool>& TokenConstraint::allowed() { return state_->mask(); }

void TokenConstraint::take(int32_t token) {
  State& s = *state_;
  const auto bytes = s.tokens->tokenizer.bytes_of(token, s.is_first);
  s.automaton.start_work();
  Automaton::State after = bytes && !bytes->empty() ? s.now : Automaton::kDead;
  if (bytes)
    for (const char c : *bytes) after = s.automaton.step(after, static_cast<uint8_t>(c));
  if (after == Automaton::kDead) {
    user_error<ArgumentError>("TokenConstraint::take",
                              fmt::format("the grammar does not allow the token {}", token));
  }
  s.now = after;
  s.is_first = false;
  if (s.automaton.is_full()) {
    s.path.assign(1, s.now);
    s.forget(1);
  }
}

bool TokenConstraint::may_end() const { return state_->automaton.may_end(state_->now); }

bool TokenConstraint::must_end() {
  if (state_->automaton.must_end(state_->now)) return true;
  if (!may_end()) return false;
  const std::vector<bool>& mask = allowed();
  const auto is_stop = [this](size_t token) {
    return std::ranges::find(state_->stop_tokens, static_cast<int32_t>(token)) !=
           state_->stop_tokens.end();
  };
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i] && !is_stop(i)) return false;
  return true;
}

}  // namespace tg::models
