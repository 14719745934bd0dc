// Calls: of functions, macros, loops and methods, and what they are given. See renderer.h.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "frontend/template/functions.h"
#include "frontend/template/print.h"
#include "frontend/template/renderer_guards.h"

namespace tg::models::jinja {
namespace {

constexpr int64_t kLongestRange = 100'000;  // as in Jinja's sandbox

Value range_of(const Arguments& given, Budget& budget) {
  if (!given.named.empty() || given.plain.empty() || given.plain.size() > 3)
    throw Refusal("range takes one to three numbers");
  std::vector<int64_t> numbers;
  for (const Value& v : given.plain) numbers.push_back(whole_or(&v, 0));
  const int64_t begin = numbers.size() > 1 ? numbers[0] : 0;
  const int64_t end = numbers.size() > 1 ? numbers[1] : numbers[0];
  const int64_t step = numbers.size() > 2 ? numbers[2] : 1;
  if (step == 0) throw Refusal("the step of a range is 0");
  // Without overflow: the distance as an unsigned number.
  const bool is_empty = step > 0 ? begin >= end : begin <= end;
  const uint64_t distance = step > 0 ? static_cast<uint64_t>(end) - static_cast<uint64_t>(begin)
                                     : static_cast<uint64_t>(begin) - static_cast<uint64_t>(end);
  const uint64_t length = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t count = is_empty ? 0 : (distance - 1) / length + 1;
  if (count > kLongestRange)
    throw Refusal(fmt::format("a range has {} items, of at most {}", count, kLongestRange));
  budget.spend(count);
  std::vector<Value> out;
  for (uint64_t i = 0; i < count; ++i) out.emplace_back(begin + static_cast<int64_t>(i) * step);
  return make_list(std::move(out), ListKind::Range);
}

// dict(), namespace(): of a dict or of pairs, and of names.
Dict dict_of_arguments(const Arguments& given, std::string_view function, Budget& budget) {
  if (given.plain.size() > 1)
    throw Refusal(fmt::format("{} takes one dict, got {} values", function, given.plain.size()));
  Dict out;
  if (!given.plain.empty() && given.plain[0].dict() != nullptr) {
    budget.spend(given.plain[0].dict()->entries().size());
    out = *given.plain[0].dict();
  } else if (!given.plain.empty()) {
    const ListPtr pairs = items_of(given.plain[0]);
    for (const Value& pair : pairs->items) {
      const ListPtr parts = items_of(pair);
      if (parts->items.size() != 2) throw Refusal(fmt::format("{} needs pairs", function));
      budget.spend_key(parts->items[0]);
      out.set(parts->items[0], parts->items[1]);
    }
  }
  for (const auto& [name, value] : given.named) out.set(name, value);
  return out;
}

std::string time_text(const Arguments& given, std::chrono::system_clock::time_point now) {
  const auto a = given.bound("strftime_now", {"format"}, 1);
  const std::string& format = need_text(a[0]);
  constexpr size_t kLongest = 4096;
  if (format.size() > kLongest / 8 || format.find('\0') != std::string::npos)
    throw Refusal("the format of a time is too long");
  const std::tm local = fmt::localtime(std::chrono::system_clock::to_time_t(now));
  std::string out(kLongest, '\0');
  // A letter before it: an empty text and too long a one look alike.
  const size_t size = std::strftime(out.data(), out.size(), (" " + format).c_str(), &local);
  if (size == 0) throw Refusal("a time is too long as text");
  return out.substr(1, size - 1);
}

}  // namespace

// ---- arguments

const Value* Arguments::find(std::string_view name) const {
  const auto found = std::ranges::find(named, name, &std::pair<std::string, Value>::first);
  return found == named.end() ? nullptr : &found->second;
}

std::vector<const Value*> Arguments::bound(std::string_view function,
                                           std::initializer_list<std::string_view> names,
                                           size_t required) const {
  if (plain.size() > names.size()) {
    throw Refusal(
        fmt::format("{} takes at most {} values, got {}", function, names.size(), plain.size()));
  }
  std::vector<const Value*> out(names.size());
  for (size_t i = 0; i < plain.size(); ++i) out[i] = &plain[i];
  for (const auto& [name, value] : named) {
    const auto place = std::ranges::find(names, name);
    const auto i = static_cast<size_t>(place - names.begin());
    if (place == names.end() || out[i] != nullptr)
      throw Refusal(fmt::format("{} does not take \"{}\" here", function, name));
    out[i] = &value;
  }
  for (size_t i = 0; i < required; ++i)
    if (out[i] == nullptr)
      throw Refusal(fmt::format("{} needs \"{}\"", function, names.begin()[i]));
  return out;
}

int64_t whole_or(const Value* v, int64_t otherwise) {
  if (v == nullptr) return otherwise;
  if (const auto* undefined = v->as<Undefined>()) refuse_undefined(*undefined);
  if (v->whole() == nullptr)
    throw Refusal(fmt::format("a whole number is needed, not '{}'", type_name(*v)));
  return *v->whole();
}

bool truth_or(const Value* v, bool otherwise) { return v == nullptr ? otherwise : is_true(*v); }

const std::string& need_text(const Value* v) {
  if (v == nullptr || v->text() == nullptr)
    throw Refusal(
        fmt::format("text is needed, not '{}'", v == nullptr ? "nothing" : type_name(*v)));
  return *v->text();
}

Arguments Renderer::arguments(NodeList list) {
  Arguments out;
  for (const NodeId id : syntax_.list(list)) {
    const Node& n = node(id);
    if (n.kind == NodeKind::Keyword) {
      const std::string& name = syntax_.names[n.name];
      budget_.spend(out.named.size());
      if (out.find(name) != nullptr) throw Refusal(fmt::format("\"{}\" is given twice", name));
      out.named.emplace_back(name, eval(n.first));
    } else if (n.kind == NodeKind::Spread) {
      const ListPtr items = items_of(eval(n.first));
      budget_.spend(items->items.size());
      out.plain.insert(out.plain.end(), items->items.begin(), items->items.end());
    } else if (n.kind == NodeKind::SpreadNames) {
      const Value names = eval(n.first);
      if (names.dict() == nullptr) throw Refusal("names to spread are no dict");
      budget_.spend(names.dict()->entries().size());
      for (const auto& [key, value] : names.dict()->entries())
        out.named.emplace_back(need_text(&key), value);
    } else {
      out.plain.push_back(eval(id));
    }
  }
  return out;
}

// ---- calls

Value Renderer::call(const Node& n) {
  const Value function = eval(n.first);
  Arguments given = arguments(n.items);
  line_ = n.line;
  return call(function, std::move(given));
}

Value Renderer::call(const Value& function, Arguments given) {
  if (const auto* undefined = function.as<Undefined>()) refuse_undefined(*undefined);
  if (const auto* f = function.as<Function>()) return call_function(f->name, given);
  if (const auto* m = function.as<MethodPtr>()) {
    const Method& method = **m;
    const auto* loop = method.self.as<Reference>();
    return loop != nullptr ? call_loop_method(*loop, method.name, given)
                           : call_method(*this, method, given);
  }
  const auto* r = function.as<Reference>();
  if (r != nullptr && r->kind == Reference::Kind::Macro)
    return call_macro(macros_[r->index], given);
  if (r != nullptr && r->kind == Reference::Kind::Loop) {
    const LoopState& loop = loop_of(*r);
    const NodeId id = loop.node;
    const int64_t depth = loop.depth + 1;
    if (!node(id).is_recursive) throw Refusal("this loop is not recursive");
    const auto a = given.bound("loop", {"iterable"}, 1);
    const Level level(*this);
    TextBuilder text;
    const Capture capture(*this, text);
    const InScope scope(*this, loop.scope);
    run_loop(id, *a[0], scope_, depth);
    return text.take();
  }
  throw Refusal(fmt::format("'{}' cannot be called", type_name(function)));
}

Value Renderer::call_function(Function::Name name, const Arguments& given) {
  switch (name) {
    case Function::Name::Range:
      return range_of(given, budget_);
    case Function::Name::Namespace:
      return new_namespace(given);
    case Function::Name::Dict:
      return make_dict(dict_of_arguments(given, "dict", budget_));
    case Function::Name::RaiseException:
      throw Refusal(fmt::format("the template refuses this: {}",
                                text_of(*given.bound("raise_exception", {"message"}, 1)[0])));
    case Function::Name::StrftimeNow:
      return time_text(given, now_);
  }
  return Undefined{};
}

Value Renderer::new_namespace(const Arguments& given) {
  budget_.spend(16);
  namespaces_.push_back(dict_of_arguments(given, "namespace", budget_));
  return Reference{Reference::Kind::Namespace, static_cast<uint32_t>(namespaces_.size() - 1),
                   serial_++};
}

Value Renderer::call_loop_method(const Reference& loop, std::string_view name,
                                 const Arguments& given) {
  LoopState& l = loop_of(loop);
  if (name == "cycle") {
    if (given.plain.empty() || !given.named.empty()) throw Refusal("cycle needs values");
    return given.plain[l.index % given.plain.size()];
  }
  const Value now = make_list(given.plain, ListKind::Tuple);
  if (l.last_seen && are_equal(*l.last_seen, now, budget_)) return false;
  l.last_seen = now;
  return true;
}

// ---- macros

Value Renderer::call_macro(MacroState macro, const Arguments& given) {
  const Level level(*this);
  const NodeId id = macro.node;
  const bool is_there = macro.scope < scopes_.size() && scopes_[macro.scope].serial == macro.serial;
  TextBuilder text;
  const Capture capture(*this, text);
  const InScope scope(*this, is_there ? macro.scope : 0);
  bind_parameters(node(id), given);
  run(node(id).items);
  return text.take();
}

// Parameters, and what of the arguments is beyond them, if the template asks for that anywhere.
void Renderer::bind_parameters(const Node& macro, const Arguments& given) {
  const auto parameters = syntax_.list(macro.others);
  const std::string& name = syntax_.names[macro.name];
  budget_.spend((given.named.size() + 1) * (parameters.size() + 1));
  std::vector<Value> more;
  for (size_t i = parameters.size(); i < given.plain.size(); ++i) more.push_back(given.plain[i]);
  if (!more.empty() && varargs_ == UINT32_MAX) {
    throw Refusal(fmt::format("{} takes at most {} values, got {}", name, parameters.size(),
                              given.plain.size()));
  }
  Dict others;
  for (const auto& [key, value] : given.named) {
    const auto place = std::ranges::find_if(
        parameters, [&](NodeId p) { return syntax_.names[node(p).name] == key; });
    if (place == parameters.end() && key == "caller" && caller_ != UINT32_MAX) {
      scopes_[scope_].names[caller_] = value;
    } else if (place == parameters.end()) {
      if (kwargs_ == UINT32_MAX) throw Refusal(fmt::format("{} does not take \"{}\"", name, key));
      others.set(key, value);
    } else if (place - parameters.begin() < std::ssize(given.plain)) {
      throw Refusal(fmt::format("{} gets \"{}\" twice", name, key));
    }
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Node& p = node(parameters[i]);
    const std::string& key = syntax_.names[p.name];
    const Value* named = given.find(key);
    Value v = i < given.plain.size() ? given.plain[i]
              : named != nullptr     ? *named
              : p.first != kNoNode
                  ? eval(p.first)
                  : make_undefined(fmt::format("parameter \"{}\" was not given", key));
    scopes_[scope_].names[p.name] = std::move(v);
  }
  if (varargs_ != UINT32_MAX)
    scopes_[scope_].names.try_emplace(varargs_, make_list(std::move(more), ListKind::Tuple));
  if (kwargs_ != UINT32_MAX)
    scopes_[scope_].names.try_emplace(kwargs_, make_dict(std::move(others)));
}

// The block is a macro that the called one knows as `caller`.
void Renderer::call_block(NodeId id) {
  const Node& n = node(id);
  const Node& call_node = node(n.first);
  const Value function = eval(call_node.first);
  Arguments given = arguments(call_node.items);
  macros_.push_back({id, scope_, scopes_[scope_].serial});
  given.named.emplace_back(
      "caller",
      Reference{Reference::Kind::Macro, static_cast<uint32_t>(macros_.size() - 1), serial_++});
  line_ = n.line;
  print(call(function, std::move(given)));
}

}  // namespace tg::models::jinja
