// What the parsers of expressions and of statements share: the tokens, and the tree that grows.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/template/lexer.h"
#include "frontend/template/syntax.h"

namespace tg::models::jinja {

class ParserState {
 public:
  explicit ParserState(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // ---- tokens

  const Token& current() const { return tokens_[at_]; }
  const Token& look() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_]; }
  bool sees(TokenKind kind) const { return current().kind == kind; }
  bool sees_operator(std::string_view op) const {
    return sees(TokenKind::Operator) && current().text == op;
  }
  bool sees_name(std::string_view name) const {
    return sees(TokenKind::Name) && current().text == name;
  }
  bool skip_operator(std::string_view op);
  bool skip_name(std::string_view name);
  void expect_operator(std::string_view op);
  void expect_name(std::string_view name);
  Token expect(TokenKind kind, std::string_view what);
  [[noreturn]] void fail(std::string problem) const {
    throw SyntaxProblem{current().line, std::move(problem)};
  }
  [[noreturn]] void fail_here(std::string_view wanted) const;

  // ---- the tree

  /// Adds a node, whose depth follows from those that it names.
  NodeId add(Node node);
  NodeId add(NodeKind kind, uint32_t line, NodeId first = kNoNode, NodeId second = kNoNode,
             NodeId third = kNoNode) {
    return add({.kind = kind, .line = line, .first = first, .second = second, .third = third});
  }
  NodeList add_list(const std::vector<NodeId>& nodes);
  uint32_t name(std::string_view text);
  uint32_t constant(Value v);
  const Node& node(NodeId id) const { return syntax_.nodes[id]; }
  std::span<const NodeId> list(NodeList l) const { return syntax_.list(l); }
  Syntax take_syntax(NodeId whole);

  /// One level deeper into brackets, tags or signs while it lives.
  class Deeper {
   public:
    explicit Deeper(ParserState& state) : state_(state) {
      if (++state_.depth_ > kMostNesting) state_.fail("the template is nested too deeply");
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --state_.depth_; }

   private:
    ParserState& state_;
  };

 private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  Syntax syntax_;
  std::unordered_map<std::string, uint32_t> names_;
};

/// Expressions, from the state's current token on.
class ExpressionParser {
 public:
  explicit ExpressionParser(ParserState& state) : s_(state) {}

  NodeId expression(bool with_conditional = true);
  /// An expression, or several with commas between them: a tuple. It ends before the name `end`.
  NodeId tuple(bool with_conditional = true, std::string_view end = {});
  /// Where an assignment or a loop puts values: names, tuples of them, and members of namespaces if
  /// `with_members`.
  NodeId target(bool with_members, std::string_view end = {});
  /// Filters behind one another; `begins`: the first has no bar before it. kNoNode for none.
  NodeId filters(NodeId input, bool begins);
  NodeId call_of(NodeId function);

 private:
  enum class Part { Expression, NoConditional, Target, TargetOrMember };
  NodeId tuple_of(Part part, std::string_view end, bool in_brackets);
  NodeId part_of(Part part);
  bool ends_tuple(std::string_view end) const;
  NodeId either();
  NodeId both();
  NodeId negation();
  NodeId comparison();
  NodeId sum();
  NodeId concatenation();
  NodeId product();
  NodeId power();
  NodeId signed_value(bool with_filters = true);
  NodeId primary(bool with_members = false);
  NodeId named(bool with_members);
  NodeId text();
  NodeId list();
  NodeId dict();
  NodeId with_postfixes(NodeId value);
  NodeId with_filters_and_tests(NodeId value);
  NodeId subscript(NodeId value);
  NodeId subscript_part();
  NodeId test(NodeId value);
  std::vector<NodeId> arguments();
  NodeId argument();
  std::string dotted_name();
  NodeId constant(Value v, uint32_t line);

  ParserState& s_;
};

}  // namespace tg::models::jinja
