// What the verifiers share: a rule is a sentence and a predicate on one node. Included by
// verify*.cpp only.
#pragma once

#include <span>
#include <string_view>

#include "tg/error.h"
#include "tg/ir/text.h"
#include "uop/grammar.h"

namespace tg {

struct VerifyRule {
  std::string_view sentence;  ///< what must hold
  bool (*holds)(const Node* n);
};

/// Throws InternalError "grammar: rule: the node".
[[noreturn]] void verify_failure(std::string_view grammar, std::string_view rule, const Node* n);
/// Checks every rule on `n`.
void check_rules(std::string_view grammar, std::span<const VerifyRule> rules, const Node* n);

/// True for the ops that close ranges among their sources (closed_ranges()).
inline bool is_closing(const Node* n) {
  return n->op == Op::Reduce || n->op == Op::Stage || n->op == Op::End;
}

}  // namespace tg
