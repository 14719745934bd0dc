// Builds the nodes of a grammar from its smallest parts (Thompson's construction): each part is a
// way from a node to an open end. What texts say: gbnf.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/grammar/program.h"
#include "frontend/grammar/utf8_ranges.h"

namespace tg::models::grammar {

class ProgramBuilder {
 public:
  /// A way through nodes; `end` is a Split that leads nowhere yet. Each is used once.
  struct Part {
    uint32_t start, end;
  };

  Part nothing();
  Part literal(std::string_view bytes);
  Part one_of(const std::vector<CodePoints>& set);
  /// The rule of this number, of which the text may come later.
  Part call(uint32_t rule);
  Part sequence(Part a, Part b);
  Part either(Part a, Part b);
  /// `max`: kUnbounded or a number.
  Part repeated(Part part, uint32_t min, uint32_t max);

  /// The text of a rule, once for each rule that is called.
  void define(uint32_t rule, Part text);
  bool is_defined(uint32_t rule) const { return rule < entries_.size() && entries_[rule] != kNone; }

  /// ArgumentError for a rule that may begin with itself, and for a count of what may be empty.
  /// All rules that are called are defined.
  Program finish(uint32_t root_rule, std::span<const std::string> names) &&;

 private:
  uint32_t add(Node node);
  Part single(Node node);
  uint32_t past_joins(uint32_t node) const;
  void link_calls();
  void shorten();
  void find_classes();

  Program program_;
  std::vector<uint32_t> entries_;  // of rules
};

}  // namespace tg::models::grammar
