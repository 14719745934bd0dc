// Grammars for programs: see tg/models/grammar.h. The syntax: gbnf.h; schemas: json_schema.h.
#include "tg/models/grammar.h"

#include <algorithm>

#include "frontend/grammar/automaton.h"
#include "frontend/grammar/gbnf.h"
#include "frontend/grammar/grammar_parts.h"
#include "frontend/grammar/json_schema.h"
#include "support/check.h"

namespace tg::models {
namespace {

struct Reading {
  bool may_go_on, may_end;
};

Reading reading(const std::shared_ptr<const grammar::Program>& program, std::string_view text) {
  constexpr size_t kBytesOfWork = 256;  // between which the count begins again
  grammar::Automaton automaton(program);
  grammar::Automaton::State state = automaton.start();
  for (size_t i = 0; i < text.size() && state != grammar::Automaton::kDead; ++i) {
    if (i % kBytesOfWork == 0) automaton.start_work();
    if (automaton.is_full()) automaton.forget_all_but(std::span(&state, 1));
    state = automaton.step(state, static_cast<uint8_t>(text[i]));
  }
  return {state != grammar::Automaton::kDead, automaton.may_end(state)};
}

}  // namespace

Grammar::Grammar(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Grammar Grammar::parse(std::string_view gbnf) {
  auto parts = std::make_shared<Parts>();
  parts->text = std::string(gbnf);
  parts->program = std::make_shared<const grammar::Program>(grammar::parse_gbnf(gbnf));
  const grammar::Automaton automaton(parts->program);
  if (automaton.start() == grammar::Automaton::kDead)
    user_error<ArgumentError>("grammar", "it allows no text, or too many ways to begin one");
  return Grammar(std::move(parts));
}

Grammar Grammar::of_json_schema(std::string_view schema) {
  return parse(grammar::gbnf_of_schema(schema));
}

Grammar Grammar::json_object() { return of_json_schema(R"({"type":"object"})"); }

bool Grammar::accepts(std::string_view text) const {
  return parts_ == nullptr || reading(parts_->program, text).may_end;
}

bool Grammar::accepts_beginning(std::string_view text) const {
  return parts_ == nullptr || reading(parts_->program, text).may_go_on;
}

const std::string& Grammar::text() const {
  static const std::string kNone;
  return parts_ == nullptr ? kNone : parts_->text;
}

}  // namespace tg::models
