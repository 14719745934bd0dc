// See parser_state.h. Names of functions follow the levels of jinja2/parser.py: what binds weakest
// comes first.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/template/parser_state.h"

namespace tg::models::jinja {
namespace {

// A tree that evaluation goes through level by level.
constexpr int kDeepestTree = 3 * kMostNesting;

std::string described(const Token& t) {
  switch (t.kind) {
    case TokenKind::End:
      return "the end of the template";
    case TokenKind::BlockEnd:
      return "\"%}\"";
    case TokenKind::VariableEnd:
      return "\"}}\"";
    case TokenKind::Whole:
    case TokenKind::Float:
      return "a number";
    default:
      return fmt::format("\"{}\"", t.text.substr(0, 40));
  }
}

struct Comparison {
  std::string_view token;
  Op op;
};
constexpr auto kComparisons = std::to_array<Comparison>({{"==", Op::Equal},
                                                         {"!=", Op::NotEqual},
                                                         {"<", Op::Less},
                                                         {"<=", Op::LessEqual},
                                                         {">", Op::Greater},
                                                         {">=", Op::GreaterEqual}});
constexpr auto kSums = std::to_array<Comparison>({{"+", Op::Add}, {"-", Op::Subtract}});
constexpr auto kProducts = std::to_array<Comparison>(
    {{"*", Op::Multiply}, {"/", Op::Divide}, {"//", Op::FloorDivide}, {"%", Op::Modulo}});

const Comparison* find_op(const Token& t, std::span<const Comparison> ops) {
  if (t.kind != TokenKind::Operator) return nullptr;
  const auto found = std::ranges::find(ops, t.text, &Comparison::token);
  return found == ops.end() ? nullptr : &*found;
}

}  // namespace

// ---- tokens

bool ParserState::skip_operator(std::string_view op) {
  const bool found = sees_operator(op);
  if (found) take();
  return found;
}

bool ParserState::skip_name(std::string_view name) {
  const bool found = sees_name(name);
  if (found) take();
  return found;
}

void ParserState::fail_here(std::string_view wanted) const {
  fail(fmt::format("expected {}, got {}", wanted, described(current())));
}

void ParserState::expect_operator(std::string_view op) {
  if (!skip_operator(op)) fail_here(fmt::format("\"{}\"", op));
}

void ParserState::expect_name(std::string_view name) {
  if (!skip_name(name)) fail_here(fmt::format("\"{}\"", name));
}

Token ParserState::expect(TokenKind kind, std::string_view what) {
  if (!sees(kind)) fail_here(what);
  return take();
}

// ---- the tree

NodeId ParserState::add(Node node) {
  int depth = 0;
  const auto look_at = [&](NodeId id) {
    if (id != kNoNode) depth = std::max<int>(depth, syntax_.nodes[id].depth);
  };
  for (const NodeId id : {node.first, node.second, node.third}) look_at(id);
  for (const NodeList list : {node.items, node.others})
    for (const NodeId id : syntax_.list(list)) look_at(id);
  if (depth >= kDeepestTree) fail("the template is nested too deeply");
  node.depth = static_cast<uint16_t>(depth + 1);
  syntax_.nodes.push_back(node);
  return static_cast<NodeId>(syntax_.nodes.size() - 1);
}

NodeList ParserState::add_list(const std::vector<NodeId>& nodes) {
  const NodeList out{static_cast<uint32_t>(syntax_.lists.size()),
                     static_cast<uint32_t>(nodes.size())};
  syntax_.lists.insert(syntax_.lists.end(), nodes.begin(), nodes.end());
  return out;
}

uint32_t ParserState::name(std::string_view text) {
  const auto [place, is_new] =
      names_.try_emplace(std::string(text), static_cast<uint32_t>(syntax_.names.size()));
  if (is_new) syntax_.names.emplace_back(text);
  return place->second;
}

uint32_t ParserState::constant(Value v) {
  syntax_.constants.push_back(std::move(v));
  return static_cast<uint32_t>(syntax_.constants.size() - 1);
}

Syntax ParserState::take_syntax(NodeId whole) {
  syntax_.whole = whole;
  return std::move(syntax_);
}

// ---- several expressions

bool ExpressionParser::ends_tuple(std::string_view end) const {
  return s_.sees(TokenKind::VariableEnd) || s_.sees(TokenKind::BlockEnd) || s_.sees_operator(")") ||
         (!end.empty() && s_.sees_name(end));
}

NodeId ExpressionParser::part_of(Part part) {
  switch (part) {
    case Part::Expression:
    case Part::NoConditional:
      return expression(part == Part::Expression);
    case Part::Target:
    case Part::TargetOrMember:
      return primary(part == Part::TargetOrMember);
  }
  return kNoNode;
}

NodeId ExpressionParser::tuple_of(Part part, std::string_view end, bool in_brackets) {
  const uint32_t line = s_.current().line;
  std::vector<NodeId> items;
  bool is_tuple = false;
  while (!ends_tuple(end)) {
    items.push_back(part_of(part));
    if (!s_.skip_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && items.size() == 1) return items[0];
  if (!is_tuple && !in_brackets) s_.fail_here("an expression");
  return s_.add({.kind = NodeKind::TupleOf, .line = line, .items = s_.add_list(items)});
}

NodeId ExpressionParser::tuple(bool with_conditional, std::string_view end) {
  return tuple_of(with_conditional ? Part::Expression : Part::NoConditional, end, false);
}

NodeId ExpressionParser::target(bool with_members, std::string_view end) {
  const NodeId out = tuple_of(with_members ? Part::TargetOrMember : Part::Target, end, false);
  // Tuples in brackets within the tuple count, too.
  std::vector<NodeId> open = {out};
  while (!open.empty()) {
    const Node n = s_.node(open.back());
    open.pop_back();
    if (n.kind == NodeKind::TupleOf) {
      for (const NodeId id : s_.list(n.items)) open.push_back(id);
    } else if (n.kind != NodeKind::Name && n.kind != NodeKind::Member) {
      s_.fail("only names can be assigned to");
    }
  }
  return out;
}

// ---- levels

NodeId ExpressionParser::expression(bool with_conditional) {
  const ParserState::Deeper deeper(s_);
  NodeId out = either();
  while (with_conditional && s_.sees_name("if")) {
    const uint32_t line = s_.take().line;
    const NodeId condition = either();
    const NodeId otherwise = s_.skip_name("else") ? expression() : kNoNode;
    out = s_.add(NodeKind::Conditional, line, condition, out, otherwise);
  }
  return out;
}

NodeId ExpressionParser::either() {
  NodeId left = both();
  while (s_.sees_name("or")) {
    const uint32_t line = s_.take().line;
    left = s_.add(NodeKind::Or, line, left, both());
  }
  return left;
}

NodeId ExpressionParser::both() {
  NodeId left = negation();
  while (s_.sees_name("and")) {
    const uint32_t line = s_.take().line;
    left = s_.add(NodeKind::And, line, left, negation());
  }
  return left;
}

NodeId ExpressionParser::negation() {
  if (!s_.sees_name("not")) return comparison();
  const ParserState::Deeper deeper(s_);
  const uint32_t line = s_.take().line;
  return s_.add(NodeKind::Not, line, negation());
}

NodeId ExpressionParser::comparison() {
  const NodeId left = sum();
  std::vector<NodeId> operands;
  const auto add = [&](Op op) {
    const uint32_t line = s_.take().line;
    operands.push_back(s_.add({.kind = NodeKind::Operand, .op = op, .line = line, .first = sum()}));
  };
  while (true) {
    if (const Comparison* c = find_op(s_.current(), kComparisons)) {
      add(c->op);
    } else if (s_.sees_name("in")) {
      add(Op::In);
    } else if (s_.sees_name("not") && s_.look().kind == TokenKind::Name && s_.look().text == "in") {
      s_.take();
      add(Op::NotIn);
    } else {
      break;
    }
  }
  if (operands.empty()) return left;
  const uint32_t line = s_.node(operands[0]).line;
  return s_.add(
      {.kind = NodeKind::Compare, .line = line, .first = left, .items = s_.add_list(operands)});
}

NodeId ExpressionParser::sum() {
  NodeId left = concatenation();
  while (const Comparison* c = find_op(s_.current(), kSums)) {
    const uint32_t line = s_.take().line;
    left = s_.add({.kind = NodeKind::Binary,
                   .op = c->op,
                   .line = line,
                   .first = left,
                   .second = concatenation()});
  }
  return left;
}

NodeId ExpressionParser::concatenation() {
  const uint32_t line = s_.current().line;
  std::vector<NodeId> parts = {product()};
  while (s_.skip_operator("~")) parts.push_back(product());
  if (parts.size() == 1) return parts[0];
  return s_.add({.kind = NodeKind::Concat, .line = line, .items = s_.add_list(parts)});
}

NodeId ExpressionParser::product() {
  NodeId left = power();
  while (const Comparison* c = find_op(s_.current(), kProducts)) {
    const uint32_t line = s_.take().line;
    left = s_.add(
        {.kind = NodeKind::Binary, .op = c->op, .line = line, .first = left, .second = power()});
  }
  return left;
}

NodeId ExpressionParser::power() {
  NodeId left = signed_value();
  while (s_.sees_operator("**")) {
    const uint32_t line = s_.take().line;
    left = s_.add({.kind = NodeKind::Binary,
                   .op = Op::Power,
                   .line = line,
                   .first = left,
                   .second = signed_value()});
  }
  return left;
}

NodeId ExpressionParser::signed_value(bool with_filters) {
  NodeId out = kNoNode;
  if (s_.sees_operator("-") || s_.sees_operator("+")) {
    const ParserState::Deeper deeper(s_);
    const Token sign = s_.take();
    out = s_.add(sign.text == "-" ? NodeKind::Negative : NodeKind::Positive, sign.line,
                 signed_value(false));
  } else {
    out = primary();
  }
  out = with_postfixes(out);
  return with_filters ? with_filters_and_tests(out) : out;
}

// ---- single values

NodeId ExpressionParser::constant(Value v, uint32_t line) {
  return s_.add({.kind = NodeKind::Constant, .line = line, .name = s_.constant(std::move(v))});
}

NodeId ExpressionParser::primary(bool with_members) {
  const Token& t = s_.current();
  if (t.kind == TokenKind::Name) return named(with_members);
  if (t.kind == TokenKind::Text) return text();
  if (t.kind == TokenKind::Whole) return constant(t.whole, s_.take().line);
  if (t.kind == TokenKind::Float) return constant(t.number, s_.take().line);
  if (s_.sees_operator("[")) return list();
  if (s_.sees_operator("{")) return dict();
  if (!s_.skip_operator("(")) s_.fail_here("an expression");
  const ParserState::Deeper deeper(s_);
  const NodeId out = tuple_of(Part::Expression, {}, true);
  s_.expect_operator(")");
  return out;
}

NodeId ExpressionParser::named(bool with_members) {
  const Token t = s_.take();
  if (t.text == "true" || t.text == "True") return constant(true, t.line);
  if (t.text == "false" || t.text == "False") return constant(false, t.line);
  if (t.text == "none" || t.text == "None") return constant(None{}, t.line);
  const NodeId out = s_.add({.kind = NodeKind::Name, .line = t.line, .name = s_.name(t.text)});
  if (!with_members || !s_.skip_operator(".")) return out;
  const Token member = s_.expect(TokenKind::Name, "a name");
  return s_.add(
      {.kind = NodeKind::Member, .line = t.line, .name = s_.name(member.text), .first = out});
}

// Texts that follow one another are one.
NodeId ExpressionParser::text() {
  const uint32_t line = s_.current().line;
  std::string out;
  while (s_.sees(TokenKind::Text)) out += s_.take().text;
  return constant(std::move(out), line);
}

NodeId ExpressionParser::list() {
  const ParserState::Deeper deeper(s_);
  const uint32_t line = s_.take().line;
  std::vector<NodeId> items;
  while (!s_.sees_operator("]")) {
    items.push_back(expression());
    if (!s_.skip_operator(",")) break;
  }
  s_.expect_operator("]");
  return s_.add({.kind = NodeKind::ListOf, .line = line, .items = s_.add_list(items)});
}

NodeId ExpressionParser::dict() {
  const ParserState::Deeper deeper(s_);
  const uint32_t line = s_.take().line;
  std::vector<NodeId> items;
  while (!s_.sees_operator("}")) {
    items.push_back(expression());
    s_.expect_operator(":");
    items.push_back(expression());
    if (!s_.skip_operator(",")) break;
  }
  s_.expect_operator("}");
  return s_.add({.kind = NodeKind::DictOf, .line = line, .items = s_.add_list(items)});
}

// ---- what follows a value

NodeId ExpressionParser::with_postfixes(NodeId value) {
  while (true) {
    if (s_.sees_operator(".") || s_.sees_operator("[")) {
      value = subscript(value);
    } else if (s_.sees_operator("(")) {
      value = call_of(value);
    } else {
      return value;
    }
  }
}

NodeId ExpressionParser::with_filters_and_tests(NodeId value) {
  while (true) {
    if (s_.sees_operator("|")) {
      value = filters(value, false);
    } else if (s_.sees_name("is")) {
      value = test(value);
    } else if (s_.sees_operator("(")) {
      value = call_of(value);
    } else {
      return value;
    }
  }
}

NodeId ExpressionParser::subscript(NodeId value) {
  const Token opening = s_.take();
  if (opening.text == ".") {
    if (s_.sees(TokenKind::Whole)) {
      const int64_t index = s_.take().whole;
      return s_.add(NodeKind::Item, opening.line, value, constant(index, opening.line));
    }
    const Token name = s_.expect(TokenKind::Name, "a name or a number");
    return s_.add({.kind = NodeKind::Attribute,
                   .line = opening.line,
                   .name = s_.name(name.text),
                   .first = value});
  }
  const ParserState::Deeper deeper(s_);
  std::vector<NodeId> parts;
  while (!s_.sees_operator("]")) {
    if (!parts.empty()) s_.expect_operator(",");
    parts.push_back(subscript_part());
  }
  s_.expect_operator("]");
  const NodeId part =
      parts.size() == 1
          ? parts[0]
          : s_.add({.kind = NodeKind::TupleOf, .line = opening.line, .items = s_.add_list(parts)});
  return s_.add(NodeKind::Item, opening.line, value, part);
}

NodeId ExpressionParser::subscript_part() {
  const uint32_t line = s_.current().line;
  NodeId begin = kNoNode, end = kNoNode, step = kNoNode;
  if (!s_.sees_operator(":")) {
    begin = expression();
    if (!s_.sees_operator(":")) return begin;
  }
  s_.expect_operator(":");
  const auto ends = [&] { return s_.sees_operator("]") || s_.sees_operator(","); };
  if (!s_.sees_operator(":") && !ends()) end = expression();
  if (s_.skip_operator(":") && !ends()) step = expression();
  return s_.add(NodeKind::Slice, line, begin, end, step);
}

NodeId ExpressionParser::argument() {
  const uint32_t line = s_.current().line;
  if (s_.skip_operator("*")) return s_.add(NodeKind::Spread, line, expression());
  if (s_.skip_operator("**")) return s_.add(NodeKind::SpreadNames, line, expression());
  const bool is_keyword =
      s_.sees(TokenKind::Name) && s_.look().kind == TokenKind::Operator && s_.look().text == "=";
  if (!is_keyword) return expression();
  const Token name = s_.take();
  s_.take();
  return s_.add(
      {.kind = NodeKind::Keyword, .line = line, .name = s_.name(name.text), .first = expression()});
}

// In brackets: plain ones, then keywords, each with at most one spread behind.
std::vector<NodeId> ExpressionParser::arguments() {
  const ParserState::Deeper deeper(s_);
  s_.expect_operator("(");
  std::vector<NodeId> out;
  bool has_keyword = false, has_spread = false, has_names = false;
  while (!s_.sees_operator(")")) {
    out.push_back(argument());
    const NodeKind kind = s_.node(out.back()).kind;
    const bool is_fine = kind == NodeKind::Spread        ? !has_spread && !has_names
                         : kind == NodeKind::SpreadNames ? !has_names
                         : kind == NodeKind::Keyword     ? !has_names
                                                     : !has_keyword && !has_spread && !has_names;
    if (!is_fine) s_.fail("arguments are in the wrong order");
    has_keyword = has_keyword || kind == NodeKind::Keyword;
    has_spread = has_spread || kind == NodeKind::Spread;
    has_names = has_names || kind == NodeKind::SpreadNames;
    if (!s_.skip_operator(",")) break;
  }
  s_.expect_operator(")");
  return out;
}

NodeId ExpressionParser::call_of(NodeId function) {
  const uint32_t line = s_.current().line;
  const std::vector<NodeId> given = arguments();
  return s_.add(
      {.kind = NodeKind::Call, .line = line, .first = function, .items = s_.add_list(given)});
}

std::string ExpressionParser::dotted_name() {
  std::string out = s_.expect(TokenKind::Name, "a name").text;
  while (s_.skip_operator(".")) out += "." + s_.expect(TokenKind::Name, "a name").text;
  return out;
}

NodeId ExpressionParser::filters(NodeId input, bool begins) {
  while (begins || s_.skip_operator("|")) {
    begins = false;
    const uint32_t line = s_.current().line;
    const uint32_t name = s_.name(dotted_name());
    const std::vector<NodeId> given = s_.sees_operator("(") ? arguments() : std::vector<NodeId>{};
    input = s_.add({.kind = NodeKind::Filter,
                    .line = line,
                    .name = name,
                    .first = input,
                    .items = s_.add_list(given)});
  }
  return input;
}

NodeId ExpressionParser::test(NodeId value) {
  const uint32_t line = s_.take().line;
  const bool is_negated = s_.skip_name("not");
  const uint32_t name = s_.name(dotted_name());
  std::vector<NodeId> given;
  if (s_.sees_operator("(")) {
    given = arguments();
  } else {
    const bool ends = s_.sees_name("else") || s_.sees_name("or") || s_.sees_name("and");
    if (s_.sees_name("is")) s_.fail("tests cannot follow one another");
    const bool begins_value = s_.sees(TokenKind::Name) || s_.sees(TokenKind::Text) ||
                              s_.sees(TokenKind::Whole) || s_.sees(TokenKind::Float) ||
                              s_.sees_operator("[") || s_.sees_operator("{");
    if (begins_value && !ends) given.push_back(with_postfixes(primary()));
  }
  const NodeId out = s_.add({.kind = NodeKind::Test,
                             .line = line,
                             .name = name,
                             .first = value,
                             .items = s_.add_list(given)});
  return is_negated ? s_.add(NodeKind::Not, line, out) : out;
}

}  // namespace tg::models::jinja
