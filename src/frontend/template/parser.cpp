// See parser.h: the statements. Expressions: expression_parser.cpp.
#include "frontend/template/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/template/parser_state.h"

namespace tg::models::jinja {
namespace {

constexpr auto kWithOtherTemplates =
    std::to_array<std::string_view>({"block", "extends", "from", "import", "include"});

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : s_(std::move(tokens)), expressions_(s_) {}

  Syntax whole() {
    const NodeId all = statements({}, 1);
    return s_.take_syntax(all);
  }

 private:
  using Names = std::initializer_list<std::string_view>;

  // Statements until a tag of one of these names, which is the current token then; without names
  // until the end. One Block. They are for a tag in `line`.
  NodeId statements(Names ends, uint32_t line) {
    const ParserState::Deeper deeper(s_);
    std::vector<NodeId> out;
    while (!s_.sees(TokenKind::End)) {
      if (s_.sees(TokenKind::Data)) {
        const Token t = s_.take();
        out.push_back(
            s_.add({.kind = NodeKind::Data, .line = t.line, .name = s_.constant(t.text)}));
      } else if (s_.sees(TokenKind::VariableBegin)) {
        s_.take();
        const uint32_t output_line = s_.current().line;
        out.push_back(s_.add(NodeKind::Output, output_line, expressions_.tuple()));
        s_.expect(TokenKind::VariableEnd, "\"}}\"");
      } else {
        s_.expect(TokenKind::BlockBegin, "a tag");
        if (std::ranges::any_of(ends, [&](std::string_view n) { return s_.sees_name(n); }))
          return block_of(out, line);
        statement(out);
        s_.expect(TokenKind::BlockEnd, "\"%}\"");
      }
    }
    if (ends.size() > 0)
      throw SyntaxProblem{line, fmt::format("\"{}\" is missing", fmt::join(ends, "\" or \""))};
    return block_of(out, line);
  }

  NodeId block_of(const std::vector<NodeId>& nodes, uint32_t line) {
    return s_.add({.kind = NodeKind::Block, .line = line, .items = s_.add_list(nodes)});
  }

  // The inside of a tag that begins here: statements to the tag `ends`.
  NodeId body(Names ends) {
    s_.skip_operator(":");
    const Token end = s_.expect(TokenKind::BlockEnd, "\"%}\"");
    return statements(ends, end.line);
  }
  NodeId whole_body(std::string_view end) {
    const NodeId out = body({end});
    s_.take();
    return out;
  }
  NodeList items_of_block(NodeId block) { return s_.node(block).items; }

  void statement(std::vector<NodeId>& out) {
    const Token tag = s_.expect(TokenKind::Name, "the name of a tag");
    const std::string& name = tag.text;
    if (name == "print") {
      while (!s_.sees(TokenKind::BlockEnd)) {
        out.push_back(s_.add(NodeKind::Output, tag.line, expressions_.expression()));
        if (!s_.skip_operator(",")) break;
      }
      return;
    }
    out.push_back(name == "if"           ? conditional(tag.line)
                  : name == "for"        ? loop(tag.line)
                  : name == "set"        ? assignment(tag.line)
                  : name == "macro"      ? macro(tag.line)
                  : name == "call"       ? call_block(tag.line)
                  : name == "filter"     ? filter_block(tag.line)
                  : name == "with"       ? with(tag.line)
                  : name == "generation" ? generation(tag.line)
                  : name == "break"      ? jump(NodeKind::Break, tag.line)
                  : name == "continue"   ? jump(NodeKind::Continue, tag.line)
                                         : unknown(tag));
  }

  NodeId unknown(const Token& tag) {
    const bool is_other =
        std::ranges::find(kWithOtherTemplates, tag.text) != kWithOtherTemplates.end();
    throw SyntaxProblem{tag.line, is_other
                                      ? fmt::format("\"{}\" needs other templates, which a chat "
                                                    "template does not have",
                                                    tag.text)
                                      : fmt::format("there is no tag \"{}\" here", tag.text)};
  }

  NodeId conditional(uint32_t line) {
    std::vector<NodeId> conditions, blocks;
    while (true) {
      conditions.push_back(expressions_.tuple(false));
      blocks.push_back(body({"elif", "else", "endif"}));
      const std::string next = s_.take().text;
      if (next == "elif") continue;
      if (next == "else") blocks.push_back(whole_body("endif"));
      break;
    }
    return s_.add({.kind = NodeKind::If,
                   .line = line,
                   .items = s_.add_list(conditions),
                   .others = s_.add_list(blocks)});
  }

  NodeId loop(uint32_t line) {
    const NodeId target = expressions_.target(false, "in");
    s_.expect_name("in");
    const NodeId items = expressions_.tuple(false, "recursive");
    const NodeId condition = s_.skip_name("if") ? expressions_.expression() : kNoNode;
    const bool is_recursive = s_.skip_name("recursive");
    ++loops_;
    const NodeId inside = body({"endfor", "else"});
    --loops_;
    NodeList otherwise;
    if (s_.take().text == "else") otherwise = items_of_block(whole_body("endfor"));
    return s_.add({.kind = NodeKind::For,
                   .is_recursive = is_recursive,
                   .line = line,
                   .first = target,
                   .second = items,
                   .third = condition,
                   .items = items_of_block(inside),
                   .others = otherwise});
  }

  NodeId assignment(uint32_t line) {
    const NodeId target = expressions_.target(true);
    if (s_.skip_operator("=")) return s_.add(NodeKind::Set, line, target, expressions_.tuple());
    const NodeId filter = expressions_.filters(kNoNode, false);
    const NodeId inside = whole_body("endset");
    return s_.add({.kind = NodeKind::SetBlock,
                   .line = line,
                   .first = target,
                   .second = filter,
                   .items = items_of_block(inside)});
  }

  // In brackets: names, the last of them with default values.
  NodeList parameters() {
    s_.expect_operator("(");
    std::vector<NodeId> out;
    bool has_default = false;
    while (!s_.sees_operator(")")) {
      if (!out.empty()) s_.expect_operator(",");
      const Token name = s_.expect(TokenKind::Name, "a name");
      const bool defaults = s_.skip_operator("=");
      if (has_default && !defaults)
        s_.fail("a parameter without a default value follows one with it");
      has_default = defaults;
      out.push_back(s_.add({.kind = NodeKind::Parameter,
                            .line = name.line,
                            .name = s_.name(name.text),
                            .first = defaults ? expressions_.expression() : kNoNode}));
    }
    s_.take();
    return s_.add_list(out);
  }

  // A body that is called from elsewhere: no loop around it counts.
  NodeId body_outside_of_loops(std::string_view end) {
    const int before = std::exchange(loops_, 0);
    const NodeId out = whole_body(end);
    loops_ = before;
    return out;
  }

  NodeId macro(uint32_t line) {
    const Token name = s_.expect(TokenKind::Name, "a name");
    const NodeList parameters_of_it = parameters();
    const NodeId inside = body_outside_of_loops("endmacro");
    return s_.add({.kind = NodeKind::Macro,
                   .line = line,
                   .name = s_.name(name.text),
                   .items = items_of_block(inside),
                   .others = parameters_of_it});
  }

  NodeId call_block(uint32_t line) {
    const NodeList parameters_of_it = s_.sees_operator("(") ? parameters() : NodeList{};
    const NodeId call = expressions_.expression();
    if (s_.node(call).kind != NodeKind::Call) s_.fail("\"call\" needs a call");
    const NodeId inside = body_outside_of_loops("endcall");
    return s_.add({.kind = NodeKind::CallBlock,
                   .line = line,
                   .name = s_.name("caller"),
                   .first = call,
                   .items = items_of_block(inside),
                   .others = parameters_of_it});
  }

  NodeId filter_block(uint32_t line) {
    const NodeId filter = expressions_.filters(kNoNode, true);
    const NodeId inside = whole_body("endfilter");
    return s_.add({.kind = NodeKind::FilterBlock,
                   .line = line,
                   .first = filter,
                   .items = items_of_block(inside)});
  }

  NodeId with(uint32_t line) {
    std::vector<NodeId> assignments;
    while (!s_.sees(TokenKind::BlockEnd)) {
      if (!assignments.empty()) s_.expect_operator(",");
      const uint32_t at = s_.current().line;
      const NodeId target = expressions_.target(false);
      s_.expect_operator("=");
      assignments.push_back(s_.add(NodeKind::Set, at, target, expressions_.expression()));
    }
    const NodeId inside = whole_body("endwith");
    return s_.add({.kind = NodeKind::With,
                   .line = line,
                   .items = items_of_block(inside),
                   .others = s_.add_list(assignments)});
  }

  // Marks what a model said, for training; nothing else.
  NodeId generation(uint32_t line) {
    const NodeId inside = body_outside_of_loops("endgeneration");
    return s_.add({.kind = NodeKind::Scope, .line = line, .items = items_of_block(inside)});
  }

  NodeId jump(NodeKind kind, uint32_t line) {
    if (loops_ == 0) throw SyntaxProblem{line, "there is no loop here to leave or to go on with"};
    return s_.add(kind, line);
  }

  ParserState s_;
  ExpressionParser expressions_;
  int loops_ = 0;
};

}  // namespace

Syntax syntax_of(std::string_view source) { return Parser(tokens_of(source)).whole(); }

}  // namespace tg::models::jinja
