// See renderer.h: the statements. Expressions: evaluate.cpp; calls: calls.cpp.
#include "frontend/template/renderer.h"

#include <fmt/format.h>

#include "frontend/template/print.h"
#include "frontend/template/renderer_guards.h"

namespace tg::models::jinja {

Renderer::Renderer(const Syntax& syntax, const Dict& variables,
                   std::chrono::system_clock::time_point now)
    : syntax_(syntax),
      now_(now),
      loop_name_(name_id("loop")),
      varargs_(name_id("varargs")),
      kwargs_(name_id("kwargs")),
      caller_(name_id("caller")) {
  Scope root{.parent = 0, .serial = serial_++, .names = {}};
  for (uint32_t i = 0; i < syntax_.names.size(); ++i) {
    if (const Value* v = variables.find(std::string_view(syntax_.names[i])))
      root.names.emplace(i, *v);
  }
  using F = Function::Name;
  const std::pair<std::string_view, F> functions[] = {{"range", F::Range},
                                                      {"namespace", F::Namespace},
                                                      {"dict", F::Dict},
                                                      {"raise_exception", F::RaiseException},
                                                      {"strftime_now", F::StrftimeNow}};
  for (const auto& [name, function] : functions)
    if (const uint32_t id = name_id(name); id != UINT32_MAX)
      root.names.try_emplace(id, Function{function});
  scopes_.push_back(std::move(root));
}

uint32_t Renderer::name_id(std::string_view name) const {
  for (uint32_t i = 0; i < syntax_.names.size(); ++i)
    if (syntax_.names[i] == name) return i;
  return UINT32_MAX;
}

std::string Renderer::render() {
  TextBuilder out;
  const Capture capture(*this, out);
  run(syntax_.whole);
  return out.take();
}

void Renderer::print(const Value& v) {
  const std::string text = text_of(v);
  budget_.spend_text(text.size());
  out_->add(text);
}

Renderer::Flow Renderer::run(NodeList statements) {
  for (const NodeId id : syntax_.list(statements))
    if (const Flow flow = run(id); flow != Flow::Normal) return flow;
  return Flow::Normal;
}

Renderer::Flow Renderer::run(NodeId id) {
  const Level level(*this);
  const Node& n = node(id);
  line_ = n.line;
  switch (n.kind) {
    case NodeKind::Data:
      print(syntax_.constants[n.name]);
      break;
    case NodeKind::Output:
      print(eval(n.first));
      break;
    case NodeKind::Block:
      return run(n.items);
    case NodeKind::If:
      return run_if(n);
    case NodeKind::For:
      return run_loop(id, eval(n.second), scope_, 0);
    case NodeKind::Set:
      assign(n.first, eval(n.second));
      break;
    case NodeKind::SetBlock:
      set_block(n);
      break;
    case NodeKind::Macro:
      budget_.spend(4);
      macros_.push_back({id, scope_, scopes_[scope_].serial});
      scopes_[scope_].names[n.name] =
          Reference{Reference::Kind::Macro, static_cast<uint32_t>(macros_.size() - 1), serial_++};
      break;
    case NodeKind::CallBlock:
      call_block(id);
      break;
    case NodeKind::FilterBlock:
      filter_block(n);
      break;
    case NodeKind::With:
      return run_with(n);
    case NodeKind::Scope: {
      const InScope scope(*this, scope_);
      return run(n.items);
    }
    case NodeKind::Break:
      return Flow::Break;
    case NodeKind::Continue:
      return Flow::Continue;
    default:
      throw Refusal("this is no statement");
  }
  return Flow::Normal;
}

Renderer::Flow Renderer::run_if(const Node& n) {
  const auto conditions = syntax_.list(n.items), blocks = syntax_.list(n.others);
  for (size_t i = 0; i < conditions.size(); ++i)
    if (is_true(eval(conditions[i]))) return run(blocks[i]);
  return blocks.size() > conditions.size() ? run(blocks.back()) : Flow::Normal;
}

// ---- loops

// The items that the loop's condition leaves.
std::vector<Value> Renderer::chosen(const Node& n, const ListPtr& all) {
  std::vector<Value> out;
  for (const Value& v : all->items) {
    const InScope scope(*this, scope_);
    assign(n.first, v);
    if (is_true(eval(n.third))) out.push_back(v);
  }
  return out;
}

Renderer::Flow Renderer::run_loop(NodeId id, const Value& over, size_t scope, int64_t depth) {
  const Node& n = node(id);
  ListPtr items = items_of(over);
  budget_.spend(items->items.size());
  if (n.third != kNoNode) items = *make_list(chosen(n, items)).as<ListPtr>();
  bool has_whole_round = false;
  {
    const InLoop loop(*this, {.node = id,
                              .items = std::move(items),
                              .scope = scope,
                              .depth = depth,
                              .serial = serial_++});
    has_whole_round = run_items(id);
  }
  if (has_whole_round) return Flow::Normal;
  const InScope inner(*this, scope);
  return run(n.others);
}

// Whether the body came to its end for any item: Jinja takes else where it did not, also if each
// item was left by break or continue.
bool Renderer::run_items(NodeId id) {
  const Node& n = node(id);
  const size_t place = loops_.size() - 1;
  const Reference reference{Reference::Kind::Loop, static_cast<uint32_t>(place),
                            loops_[place].serial};
  const size_t around = loops_[place].scope;
  bool has_whole_round = false;
  for (size_t i = 0; i < loops_[place].items->items.size(); ++i) {
    const InScope scope(*this, around);
    loops_[place].index = i;
    if (loop_name_ != UINT32_MAX) scopes_[scope_].names[loop_name_] = reference;
    assign(n.first, loops_[place].items->items[i]);
    const Flow flow = run(n.items);
    has_whole_round = has_whole_round || flow == Flow::Normal;
    if (flow == Flow::Break) break;
  }
  return has_whole_round;
}

// ---- scopes and blocks

// Values are computed outside of the new scope.
Renderer::Flow Renderer::run_with(const Node& n) {
  std::vector<Value> values;
  for (const NodeId id : syntax_.list(n.others)) values.push_back(eval(node(id).second));
  const InScope scope(*this, scope_);
  for (size_t i = 0; i < values.size(); ++i)
    assign(node(syntax_.list(n.others)[i]).first, values[i]);
  return run(n.items);
}

void Renderer::set_block(const Node& n) {
  TextBuilder text;
  {
    const Capture capture(*this, text);
    const InScope scope(*this, scope_);
    if (run(n.items) != Flow::Normal) throw Refusal("a loop is left within a block that is set");
  }
  const Value v = text.take();
  if (n.second == kNoNode) return assign(n.first, v);
  const Value* before = std::exchange(block_text_, &v);
  const Value filtered_text = eval(n.second);
  block_text_ = before;
  assign(n.first, filtered_text);
}

void Renderer::filter_block(const Node& n) {
  TextBuilder text;
  {
    const Capture capture(*this, text);
    const InScope scope(*this, scope_);
    if (run(n.items) != Flow::Normal) throw Refusal("a loop is left within a filtered block");
  }
  const Value v = text.take();
  const Value* before = std::exchange(block_text_, &v);
  const Value filtered_text = eval(n.first);
  block_text_ = before;
  print(filtered_text);
}

void Renderer::assign(NodeId target, const Value& v) {
  const Node& n = node(target);
  if (n.kind == NodeKind::Name) {
    scopes_[scope_].names[n.name] = v;
  } else if (n.kind == NodeKind::Member) {
    const Value object = eval(n.first);
    const auto* reference = object.as<Reference>();
    if (reference == nullptr || reference->kind != Reference::Kind::Namespace)
      throw Refusal("only members of a namespace can be set");
    namespaces_[reference->index].set(syntax_.names[n.name], v);
  } else {
    const auto names = syntax_.list(n.items);
    const ListPtr items = items_of(v);
    if (items->items.size() != names.size()) {
      throw Refusal(
          fmt::format("{} values are set to {} names", items->items.size(), names.size()));
    }
    for (size_t i = 0; i < names.size(); ++i) assign(names[i], items->items[i]);
  }
}

}  // namespace tg::models::jinja
