// Members, items and slices of values. See renderer.h and functions.h.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/template/functions.h"
#include "frontend/template/print.h"
#include "frontend/template/renderer_guards.h"

namespace tg::models::jinja {
namespace {

bool has_places(const List& list) {
  return list.kind == ListKind::List || list.kind == ListKind::Tuple ||
         list.kind == ListKind::Range;
}

Value missing(const Value& of, std::string_view name) {
  return make_undefined(fmt::format("'{}' has no member \"{}\"", type_name(of), name));
}

// Null for an index that is out of range.
std::optional<size_t> place_of(int64_t index, size_t count) {
  const int64_t at = index < 0 ? index + static_cast<int64_t>(count) : index;
  if (at < 0 || at >= static_cast<int64_t>(count)) return {};
  return static_cast<size_t>(at);
}

// Python's slice.indices: where it begins, its step and how many items it has.
struct Steps {
  int64_t begin, step, count;
};

int64_t bound_of(const Value* v, int64_t otherwise) {
  if (v == nullptr || v->is<None>()) return otherwise;
  const int64_t* whole = v->whole();
  if (whole == nullptr)
    throw Refusal(fmt::format("a slice cannot begin at or end with '{}'", type_name(*v)));
  return *whole;
}

Steps steps_of(const SliceOf& s, int64_t size) {
  const int64_t step = bound_of(s.step, 1);
  if (step == 0) throw Refusal("the step of a slice is 0");
  const int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? size - 1 : size;
  const auto clamped = [&](const Value* v, int64_t otherwise) {
    if (v == nullptr || v->is<None>()) return otherwise;
    const int64_t at = bound_of(v, 0);
    return std::clamp(at < 0 ? std::max(at, -size - 1) + size : at, lowest, highest);
  };
  const int64_t begin = clamped(s.begin, step < 0 ? highest : lowest);
  const int64_t end = clamped(s.end, step < 0 ? lowest : highest);
  const int64_t distance = step < 0 ? begin - end : end - begin;
  if (distance <= 0) return {begin, step, 0};
  const uint64_t length = step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  return {begin, step, static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / length) + 1};
}

std::string slice_of_text(const std::string& text, const SliceOf& slice) {
  const auto letters = static_cast<int64_t>(count_letters(text));
  const Steps s = steps_of(slice, letters);
  if (s.count == 0) return {};
  if (s.step == 1) {
    const size_t begin = byte_of_letter(text, static_cast<size_t>(s.begin));
    const std::string_view rest = std::string_view(text).substr(begin);
    return std::string(rest.substr(0, byte_of_letter(rest, static_cast<size_t>(s.count))));
  }
  std::vector<size_t> places;
  for (size_t i = 0; i < text.size(); ++i)
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) places.push_back(i);
  std::string out;
  for (int64_t i = 0; i < s.count; ++i) {
    size_t at = places[static_cast<size_t>(s.begin + i * s.step)];
    out += take_letter(text, at);
  }
  return out;
}

}  // namespace

Value sliced(const Value& v, const SliceOf& slice, Budget& budget) {
  if (const std::string* text = v.text()) {
    budget.spend_text(text->size() * 4);
    return slice_of_text(*text, slice);
  }
  const List* list = v.list();
  if (list == nullptr || !has_places(*list))
    throw Refusal(fmt::format("'{}' has no slices", type_name(v)));
  const Steps s = steps_of(slice, std::ssize(list->items));
  budget.spend(static_cast<size_t>(s.count));
  std::vector<Value> out;
  for (int64_t i = 0; i < s.count; ++i)
    out.push_back(list->items[static_cast<size_t>(s.begin + i * s.step)]);
  return make_list(std::move(out), list->kind);
}

Value Renderer::member(const Value& object, std::string_view name) {
  if (const auto* undefined = object.as<Undefined>()) refuse_undefined(*undefined);
  if (const auto* r = object.as<Reference>()) {
    if (r->kind == Reference::Kind::Loop) return loop_member(*r, name);
    const Value* found =
        r->kind == Reference::Kind::Namespace ? namespaces_[r->index].find(name) : nullptr;
    return found != nullptr ? *found : missing(object, name);
  }
  if (has_method(object, name)) return make_method(object, name);
  const Value* found = object.dict() != nullptr ? object.dict()->find(name) : nullptr;
  if (found != nullptr) return *found;
  return missing(object, name);
}

Value Renderer::item(const Value& object, const Value& key) {
  if (const auto* undefined = object.as<Undefined>()) refuse_undefined(*undefined);
  if (const Dict* dict = object.dict()) {
    budget_.spend_key(key);
    const bool can_be_key = key.list() == nullptr && key.dict() == nullptr &&
                            !key.is<Reference>() && !key.is<Function>() && !key.is<MethodPtr>();
    const Value* found =
        can_be_key || (key.list() != nullptr && key.list()->kind == ListKind::Tuple)
            ? dict->find(key)
            : nullptr;
    if (found != nullptr) return *found;
  }
  if (const int64_t* index = key.whole()) {
    if (const List* list = object.list(); list != nullptr && has_places(*list)) {
      const auto place = place_of(*index, list->items.size());
      if (place) return list->items[*place];
    }
    if (const std::string* text = object.text()) {
      budget_.spend_text(text->size() * 2);
      if (const auto place = place_of(*index, count_letters(*text))) {
        size_t at = byte_of_letter(*text, *place);
        return take_letter(*text, at);
      }
    }
  }
  const std::string* name = key.text();
  if (name != nullptr && object.dict() == nullptr) return member(object, *name);
  if (name != nullptr && has_method(object, *name)) return make_method(object, *name);
  return missing(object, name != nullptr ? *name : "of this number");
}

Value Renderer::subscript(const Node& n) {
  const Value object = eval(n.first);
  if (node(n.second).kind == NodeKind::Slice) return slice(object, node(n.second));
  const Value key = eval(n.second);
  line_ = n.line;
  return item(object, key);
}

Value Renderer::slice(const Value& of, const Node& n) {
  if (const auto* undefined = of.as<Undefined>()) refuse_undefined(*undefined);
  const Value begin = eval_or_none(n.first), end = eval_or_none(n.second),
              step = eval_or_none(n.third);
  line_ = n.line;
  return sliced(of, {&begin, &end, &step}, budget_);
}

// ---- loops

Renderer::LoopState& Renderer::loop_of(const Reference& r) {
  if (r.index >= loops_.size() || loops_[r.index].serial != r.serial)
    throw Refusal("this loop is over");
  return loops_[r.index];
}

Value Renderer::loop_member(const Reference& loop, std::string_view name) {
  const LoopState& l = loop_of(loop);
  const auto index = static_cast<int64_t>(l.index), count = std::ssize(l.items->items);
  if (name == "index") return index + 1;
  if (name == "index0") return index;
  if (name == "revindex") return count - index;
  if (name == "revindex0") return count - index - 1;
  if (name == "first") return index == 0;
  if (name == "last") return index + 1 == count;
  if (name == "length") return count;
  if (name == "depth") return l.depth + 1;
  if (name == "depth0") return l.depth;
  if (name == "previtem" && index > 0) return l.items->items[l.index - 1];
  if (name == "nextitem" && index + 1 < count) return l.items->items[l.index + 1];
  if (name == "cycle" || name == "changed") return make_method(loop, name);
  return make_undefined(fmt::format("the loop has no \"{}\" here", name));
}

}  // namespace tg::models::jinja
