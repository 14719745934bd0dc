// A chat template at work: goes through its tree with the variables of a conversation. Filters,
// tests and methods are functions of their own (functions.h), which call back for what they need.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/template/arguments.h"
#include "frontend/template/python_text.h"
#include "frontend/template/syntax.h"

namespace tg::models::jinja {

/// For one rendering. Every call may throw Refusal; line() says where then.
class Renderer {
 public:
  /// `now`: what strftime_now shows.
  Renderer(const Syntax& syntax, const Dict& variables, std::chrono::system_clock::time_point now);

  std::string render();
  uint32_t line() const { return line_; }

  Budget& budget() { return budget_; }
  Value filtered(std::string_view name, const Value& input, const Arguments& given);
  bool passes(std::string_view name, const Value& v, const Arguments& given);
  /// `object.name`, and `object[key]`: undefined for what is not there.
  Value member(const Value& object, std::string_view name);
  Value item(const Value& object, const Value& key);

 private:
  enum class Flow { Normal, Break, Continue };
  struct Scope {
    size_t parent;
    uint64_t serial;
    std::unordered_map<uint32_t, Value> names;
  };
  struct MacroState {
    NodeId node;
    size_t scope;
    uint64_t serial;  // of that scope
  };
  struct LoopState {
    NodeId node;
    ListPtr items;
    size_t scope;  // around it
    int64_t depth;
    uint64_t serial;
    size_t index = 0;
    std::optional<Value> last_seen = {};
  };
  class Level;    // one deeper in the tree while it lives
  class InScope;  // a new scope while it lives
  class Capture;  // what is printed goes here while it lives
  class InLoop;   // a loop while it lives

  const Node& node(NodeId id) const { return syntax_.nodes[id]; }

  // Statements
  Flow run(NodeId id);
  Flow run(NodeList statements);
  Flow run_if(const Node& n);
  Flow run_loop(NodeId id, const Value& over, size_t scope, int64_t depth);
  bool run_items(NodeId id);
  std::vector<Value> chosen(const Node& n, const ListPtr& all);
  Flow run_with(const Node& n);
  void set_block(const Node& n);
  void filter_block(const Node& n);
  void call_block(NodeId id);
  void assign(NodeId target, const Value& v);
  void print(const Value& v);
  uint32_t name_id(std::string_view name) const;

  // Expressions
  Value eval(NodeId id);
  Value eval_or_none(NodeId id) { return id == kNoNode ? Value(None{}) : eval(id); }
  Value lookup(uint32_t name);
  std::vector<Value> eval_all(NodeList list);
  Value dict_of(const Node& n);
  Value subscript(const Node& n);
  Value slice(const Value& of, const Node& n);
  bool comparison(const Node& n);
  Value concatenation(const Node& n);
  Value filter(const Node& n);
  Value test(const Node& n);
  Arguments arguments(NodeList list);

  // Calls
  Value call(const Node& n);
  Value call(const Value& function, Arguments given);
  Value call_function(Function::Name name, const Arguments& given);
  Value call_macro(MacroState macro, const Arguments& given);
  void bind_parameters(const Node& macro, const Arguments& given);
  Value call_loop_method(const Reference& loop, std::string_view name, const Arguments& given);
  Value new_namespace(const Arguments& given);
  Value loop_member(const Reference& loop, std::string_view name);
  LoopState& loop_of(const Reference& r);

  const Syntax& syntax_;
  const std::chrono::system_clock::time_point now_;
  Budget budget_;
  uint32_t line_ = 1;
  int depth_ = 0;
  uint64_t serial_ = 0;
  std::vector<Scope> scopes_;  // the last ones are within the first ones, or within macros' scopes
  size_t scope_ = 0;           // the current one
  std::vector<LoopState> loops_;
  std::vector<MacroState> macros_;
  std::vector<Dict> namespaces_;
  TextBuilder* out_ = nullptr;
  const Value* block_text_ = nullptr;               // what filters without an input are for
  uint32_t loop_name_, varargs_, kwargs_, caller_;  // UINT32_MAX where no name is so
};

}  // namespace tg::models::jinja
