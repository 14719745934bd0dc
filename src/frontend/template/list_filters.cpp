// Filters of lists and dicts. Those that call other filters and tests for each item are in
// choosing_filters.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/template/functions.h"
#include "frontend/template/operators.h"
#include "frontend/template/paths.h"
#include "frontend/template/print.h"
#include "frontend/template/python_text.h"

namespace tg::models::jinja {
namespace {

using Call = const Arguments&;

ListPtr counted_items(Renderer& r, const Value& v) {
  const ListPtr out = items_of(v);
  r.budget().spend(out->items.size());
  return out;
}

Value length(Renderer& r, const Value& v, Call given) {
  given.bound("length", {});
  if (v.is<Undefined>()) return int64_t{0};
  if (v.text() != nullptr) {
    r.budget().spend_text(v.text()->size());
    return static_cast<int64_t>(count_letters(*v.text()));
  }
  if (v.dict() != nullptr) return std::ssize(v.dict()->entries());
  if (v.list() != nullptr && v.list()->kind != ListKind::Generator)
    return std::ssize(v.list()->items);
  throw Refusal(fmt::format("'{}' has no length", type_name(v)));
}

Value first(Renderer&, const Value& v, Call given) {
  given.bound("first", {});
  const ListPtr list = items_of(v);
  return list->items.empty() ? make_undefined("there is no first item") : list->items.front();
}

Value last(Renderer&, const Value& v, Call given) {
  given.bound("last", {});
  const bool is_generator = v.list() != nullptr && v.list()->kind == ListKind::Generator;
  if (is_generator)
    throw Refusal(fmt::format("'{}' has no last item: make a list of it", type_name(v)));
  const ListPtr list = items_of(v);
  return list->items.empty() ? make_undefined("there is no last item") : list->items.back();
}

Value list(Renderer& r, const Value& v, Call given) {
  given.bound("list", {});
  return make_list(counted_items(r, v)->items);
}

Value join(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("join", {"d", "attribute"});
  const std::string between = a[0] == nullptr ? "" : text_of(*a[0]);
  const ListPtr items = counted_items(r, v);
  const Path path(a[1]);
  TextBuilder out;
  for (size_t i = 0; i < items->items.size(); ++i) {
    if (i > 0) out.add(between);
    out.add(text_of(path.of(r, items->items[i])));
  }
  return out.take();
}

Value items(Renderer& r, const Value& v, Call given) {
  given.bound("items", {});
  if (v.is<Undefined>()) return make_list({}, ListKind::Generator);
  if (v.dict() == nullptr) throw Refusal(fmt::format("items: '{}' is no dict", type_name(v)));
  const Value pairs = call_method(r, Method{v, "items", 1}, {});
  return make_list(pairs.list()->items, ListKind::Generator);
}

Value reverse(Renderer& r, const Value& v, Call given) {
  given.bound("reverse", {});
  std::vector<Value> out = counted_items(r, v)->items;
  std::ranges::reverse(out);
  if (v.text() == nullptr) return make_list(std::move(out), ListKind::Generator);
  std::string text;
  for (const Value& letter : out) text += *letter.text();
  return text;
}

// ---- order

Value without_case(Renderer& r, const Value& v) {
  if (v.text() == nullptr) return v;
  r.budget().spend_text(v.text()->size());
  return lower(*v.text());
}

// Keys of the items, which decide; stable.
Value sorted(Renderer& r, std::vector<std::pair<Value, Value>> keyed, bool is_reversed) {
  r.budget().spend(keyed.size());
  std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
    return is_reversed ? order(b.first, a.first, r.budget()) < 0
                       : order(a.first, b.first, r.budget()) < 0;
  });
  std::vector<Value> out;
  for (auto& [key, value] : keyed) out.push_back(std::move(value));
  return make_list(std::move(out));
}

Value sort(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("sort", {"reverse", "case_sensitive", "attribute"});
  const bool by_case = truth_or(a[1], false);
  const std::vector<Path> paths = paths_of(a[2]);
  std::vector<std::pair<Value, Value>> keyed;
  const ListPtr items = counted_items(r, v);
  for (const Value& item : items->items) {
    std::vector<Value> key;
    for (const Path& path : paths) {
      const Value part = path.of(r, item);
      key.push_back(by_case ? part : without_case(r, part));
    }
    keyed.emplace_back(make_list(std::move(key)), item);
  }
  return sorted(r, std::move(keyed), truth_or(a[0], false));
}

Value sort_dict(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("dictsort", {"case_sensitive", "by", "reverse"});
  const std::string by = a[1] == nullptr ? "key" : need_text(a[1]);
  if (by != "key" && by != "value") throw Refusal("dictsort: by \"key\" or \"value\"");
  if (v.dict() == nullptr) throw Refusal(fmt::format("dictsort: '{}' is no dict", type_name(v)));
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [key, value] : v.dict()->entries()) {
    const Value& part = by == "key" ? key : value;
    keyed.emplace_back(truth_or(a[0], false) ? part : without_case(r, part),
                       make_list({key, value}, ListKind::Tuple));
  }
  return sorted(r, std::move(keyed), truth_or(a[2], false));
}

template <bool is_max>
Value extreme(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound(is_max ? "max" : "min", {"case_sensitive", "attribute"});
  const bool by_case = truth_or(a[0], false);
  const Path path(a[1]);
  const ListPtr all = counted_items(r, v);
  if (all->items.empty()) return make_undefined("an empty list has no extreme");
  const auto key = [&](const Value& item) {
    const Value part = path.of(r, item);
    return by_case ? part : without_case(r, part);
  };
  Value best = all->items[0], best_key = key(best);
  for (size_t i = 1; i < all->items.size(); ++i) {
    Value other = key(all->items[i]);
    const auto way = order(other, best_key, r.budget());
    if (is_max ? way > 0 : way < 0) {
      best = all->items[i];
      best_key = std::move(other);
    }
  }
  return best;
}

Value unique(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("unique", {"case_sensitive", "attribute"});
  const Path path(a[1]);
  Dict seen;
  std::vector<Value> out;
  const ListPtr items = counted_items(r, v);
  for (const Value& item : items->items) {
    const Value part = path.of(r, item);
    const Value key = truth_or(a[0], false) ? part : without_case(r, part);
    r.budget().spend_key(key);
    if (seen.find(key) != nullptr) continue;
    seen.set(key, true);
    out.push_back(item);
  }
  return make_list(std::move(out), ListKind::Generator);
}

Value sum(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("sum", {"attribute", "start"});
  const Path path(a[0]);
  Value out = a[1] != nullptr ? *a[1] : Value(int64_t{0});
  if (out.text() != nullptr) throw Refusal("sum: texts are joined by \"join\"");
  const ListPtr items = counted_items(r, v);
  for (const Value& item : items->items)
    out = arithmetic(Op::Add, out, path.of(r, item), r.budget());
  return out;
}

// ---- groups

Value batch(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("batch", {"linecount", "fill_with"}, 1);
  const int64_t size = whole_or(a[0], 1);
  if (size < 1) throw Refusal(fmt::format("batch: a batch of {} items", size));
  std::vector<Value> out, some;
  const ListPtr items = counted_items(r, v);
  for (const Value& item : items->items) {
    if (std::ssize(some) == size) out.push_back(make_list(std::exchange(some, {})));
    some.push_back(item);
  }
  const bool fills = a[1] != nullptr && !a[1]->is<None>();
  if (fills && !some.empty()) {
    r.budget().spend(static_cast<size_t>(size));
    some.resize(static_cast<size_t>(size), *a[1]);
  }
  if (!some.empty()) out.push_back(make_list(std::move(some)));
  return make_list(std::move(out), ListKind::Generator);
}

Value slice(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("slice", {"slices", "fill_with"}, 1);
  const int64_t slices = whole_or(a[0], 1);
  if (slices < 1) throw Refusal(fmt::format("slice: {} slices", slices));
  r.budget().spend(static_cast<size_t>(slices));
  const ListPtr all = counted_items(r, v);
  const int64_t each = std::ssize(all->items) / slices, larger = std::ssize(all->items) % slices;
  const bool fills = a[1] != nullptr && !a[1]->is<None>();
  std::vector<Value> out;
  auto at = all->items.begin();
  for (int64_t i = 0; i < slices; ++i) {
    const auto end = at + each + (i < larger ? 1 : 0);
    std::vector<Value> some(at, end);
    if (fills && i >= larger) some.push_back(*a[1]);
    out.push_back(make_list(std::move(some)));
    at = end;
  }
  return make_list(std::move(out), ListKind::Generator);
}

Value group(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("groupby", {"attribute", "default", "case_sensitive"}, 1);
  const bool by_case = truth_or(a[2], false);
  const Path path(a[0], a[1]);
  std::vector<std::pair<Value, Value>> keyed;
  const ListPtr items = counted_items(r, v);
  for (const Value& item : items->items) {
    const Value part = path.of(r, item);
    keyed.emplace_back(by_case ? part : without_case(r, part), item);
  }
  const Value all = sorted(r, std::move(keyed), false);
  std::vector<Value> out, some;
  Value key;
  const auto end_group = [&] {
    if (some.empty()) return;
    const Value name = path.of(r, some[0]);
    out.push_back(make_list({name, make_list(std::exchange(some, {}))}, ListKind::Tuple));
  };
  for (const Value& item : all.list()->items) {
    const Value part = path.of(r, item);
    Value next = by_case ? part : without_case(r, part);
    if (!some.empty() && !are_equal(key, next, r.budget())) end_group();
    key = std::move(next);
    some.push_back(item);
  }
  end_group();
  return make_list(std::move(out));
}

struct ListFilter {
  std::string_view name;
  FilterFunction filter;
};
constexpr auto kListFilters = std::to_array<ListFilter>({
    {"batch", batch},
    {"count", length},
    {"dictsort", sort_dict},
    {"first", first},
    {"groupby", group},
    {"items", items},
    {"join", join},
    {"last", last},
    {"length", length},
    {"list", list},
    {"max", extreme<true>},
    {"min", extreme<false>},
    {"reverse", reverse},
    {"slice", slice},
    {"sort", sort},
    {"sum", sum},
    {"unique", unique},
});

}  // namespace

FilterFunction find_list_filter(std::string_view name) {
  const auto found = std::ranges::find(kListFilters, name, &ListFilter::name);
  return found == kListFilters.end() ? nullptr : found->filter;
}

}  // namespace tg::models::jinja
