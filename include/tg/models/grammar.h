// Grammars that a language model's answer is to follow: as llama.cpp writes them (GBNF), or made of
// a JSON Schema; and which tokens of a vocabulary they allow next. Link `tinygrad::models`.
//
//   const auto yes_or_no = tg::models::Grammar::parse("root ::= \"yes\" | \"no\"");
//   model.complete("Is water wet? ", {.grammar = yes_or_no});
//
// The syntax, and which schemas are read: docs/language-models.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/models/tokenizer.h"

namespace tg::models {

/// A set of texts. Immutable; a copy shares everything; any thread may use one.
class TG_API Grammar {
 public:
  /// All texts.
  Grammar() = default;

  /// Of GBNF: rules `name ::= …`, of which "root" is the whole text. ArgumentError, with the line,
  /// for what is none, for a rule that may begin with itself (left recursion), and for more than a
  /// million bytes.
  static Grammar parse(std::string_view gbnf);

  /// All values of JSON that a schema, itself a text of JSON, allows; members in the order in which
  /// it names them, and none that it does not name unless additionalProperties is there.
  /// ArgumentError, with the place, for what is no schema and for keywords that are not supported.
  static Grammar of_json_schema(std::string_view schema);

  /// Any object of JSON.
  static Grammar json_object();

  /// Whether it was made of something, and so may leave texts out.
  explicit operator bool() const { return parts_ != nullptr; }
  /// Whether a text is of the grammar. ArgumentError for a text that can be read in too many ways.
  bool accepts(std::string_view text) const;
  /// The same of a beginning: whether a text of the grammar begins so. Bytes of a part of a
  /// character may be its end.
  bool accepts_beginning(std::string_view text) const;

  /// As GBNF; empty for all texts.
  const std::string& text() const;

 private:
  friend class TokenConstraint;
  struct Parts;
  explicit Grammar(std::shared_ptr<const Parts> parts);
  std::shared_ptr<const Parts> parts_;
};

/// The tokens of a vocabulary by the bytes they add to a text. Immutable; a copy shares everything;
/// any thread may use one.
class TG_API TokenIndex {
 public:
  /// Takes about as long as reading the tokenizer did.
  explicit TokenIndex(const Tokenizer& tokenizer);

 private:
  friend class TokenConstraint;
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

/// A text under way that is to be of a grammar: which tokens may come next. One thread at a time.
class TG_API TokenConstraint {
 public:
  /// `stop_tokens`: those that end a text, allowed where the grammar lets it end.
  TokenConstraint(const Grammar& grammar, const TokenIndex& tokens,
                  std::vector<int32_t> stop_tokens);
  ~TokenConstraint();
  TokenConstraint(TokenConstraint&&) noexcept;
  TokenConstraint& operator=(TokenConstraint&&) noexcept;

  /// For each token of the tokenizer whether it may come next. Special tokens and those that add
  /// nothing may not. Valid until the next call. ArgumentError where a grammar can be read in too
  /// many ways.
  const std::vector<bool>& allowed();
  /// The text goes on by a token. ArgumentError for one that is not allowed.
  void take(int32_t token);
  /// Whether the text so far is of the grammar; whether no token may follow it.
  bool may_end() const;
  bool must_end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tg::models
