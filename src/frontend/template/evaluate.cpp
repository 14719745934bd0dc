// See renderer.h: the expressions. Members and items of values: members.cpp; calls: calls.cpp.
#include <fmt/format.h>

#include "frontend/template/functions.h"
#include "frontend/template/operators.h"
#include "frontend/template/print.h"
#include "frontend/template/renderer_guards.h"

namespace tg::models::jinja {

Value Renderer::lookup(uint32_t name) {
  for (size_t scope = scope_;; scope = scopes_[scope].parent) {
    budget_.spend(1);
    const auto found = scopes_[scope].names.find(name);
    if (found != scopes_[scope].names.end()) return found->second;
    if (scope == 0) break;
  }
  return make_undefined(fmt::format("\"{}\" is undefined", syntax_.names[name]));
}

std::vector<Value> Renderer::eval_all(NodeList list) {
  std::vector<Value> out;
  for (const NodeId id : syntax_.list(list)) out.push_back(eval(id));
  return out;
}

Value Renderer::dict_of(const Node& n) {
  Dict out;
  const auto parts = syntax_.list(n.items);
  for (size_t i = 0; i + 1 < parts.size(); i += 2) {
    const Value key = eval(parts[i]);
    budget_.spend_key(key);
    out.set(key, eval(parts[i + 1]));
  }
  return make_dict(std::move(out));
}

Value Renderer::concatenation(const Node& n) {
  TextBuilder out;
  for (const NodeId id : syntax_.list(n.items)) out.add(text_of(eval(id)));
  budget_.spend_text(out.text().size());
  return out.take();
}

// Each operand is computed once, and only as long as the comparisons before it hold.
bool Renderer::comparison(const Node& n) {
  Value left = eval(n.first);
  for (const NodeId id : syntax_.list(n.items)) {
    const Node& operand = node(id);
    Value right = eval(operand.first);
    line_ = operand.line;
    if (!compares(operand.op, left, right, budget_)) return false;
    left = std::move(right);
  }
  return true;
}

Value Renderer::filter(const Node& n) {
  if (n.first == kNoNode && block_text_ == nullptr) throw Refusal("a filter has nothing to filter");
  const Value input = n.first == kNoNode ? *block_text_ : eval(n.first);
  const Arguments given = arguments(n.items);
  line_ = n.line;
  return filtered(syntax_.names[n.name], input, given);
}

Value Renderer::test(const Node& n) {
  const Value v = eval(n.first);
  const Arguments given = arguments(n.items);
  line_ = n.line;
  return passes(syntax_.names[n.name], v, given);
}

Value Renderer::filtered(std::string_view name, const Value& input, const Arguments& given) {
  budget_.spend(1);
  const FilterFunction f = find_filter(name);
  if (f == nullptr) throw Refusal(fmt::format("there is no filter \"{}\" here", name));
  if (const std::string* text = input.text()) budget_.spend_text(text->size());
  Value out = f(*this, input, given);
  if (const std::string* text = out.text()) budget_.spend_text(text->size());
  return out;
}

bool Renderer::passes(std::string_view name, const Value& v, const Arguments& given) {
  budget_.spend(1);
  const TestFunction f = find_test(name);
  if (f == nullptr) throw Refusal(fmt::format("there is no test \"{}\" here", name));
  return f(*this, v, given);
}

Value Renderer::eval(NodeId id) {
  const Level level(*this);
  const Node& n = node(id);
  line_ = n.line;
  switch (n.kind) {
    case NodeKind::Constant:
      return syntax_.constants[n.name];
    case NodeKind::Name:
      return lookup(n.name);
    case NodeKind::TupleOf:
      return make_list(eval_all(n.items), ListKind::Tuple);
    case NodeKind::ListOf:
      return make_list(eval_all(n.items));
    case NodeKind::DictOf:
      return dict_of(n);
    case NodeKind::Attribute:
      return member(eval(n.first), syntax_.names[n.name]);
    case NodeKind::Item:
      return subscript(n);
    case NodeKind::Call:
      return call(n);
    case NodeKind::Filter:
      return filter(n);
    case NodeKind::Test:
      return test(n);
    case NodeKind::Not:
      return !is_true(eval(n.first));
    case NodeKind::Negative:
      return negative(eval(n.first));
    case NodeKind::Positive:
      return negative(negative(eval(n.first)));
    case NodeKind::Binary: {
      const Value left = eval(n.first), right = eval(n.second);
      line_ = n.line;
      return arithmetic(n.op, left, right, budget_);
    }
    case NodeKind::And: {
      Value left = eval(n.first);
      return is_true(left) ? eval(n.second) : left;
    }
    case NodeKind::Or: {
      Value left = eval(n.first);
      return is_true(left) ? left : eval(n.second);
    }
    case NodeKind::Compare:
      return comparison(n);
    case NodeKind::Concat:
      return concatenation(n);
    case NodeKind::Conditional:
      if (is_true(eval(n.first))) return eval(n.second);
      return n.third == kNoNode ? make_undefined("a condition without \"else\" is not met")
                                : eval(n.third);
    default:
      throw Refusal("this is no expression");
  }
}

}  // namespace tg::models::jinja
