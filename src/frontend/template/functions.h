// What templates call by name: filters, tests, and the methods of texts, lists and dicts, as Jinja
// and Python have them.
#pragma once

#include <string_view>

#include "frontend/template/arguments.h"
#include "frontend/template/renderer.h"

namespace tg::models::jinja {

using FilterFunction = Value (*)(Renderer& r, const Value& input, const Arguments& given);
using TestFunction = bool (*)(Renderer& r, const Value& v, const Arguments& given);

/// Null for a name that there is none of.
FilterFunction find_filter(std::string_view name);
TestFunction find_test(std::string_view name);
FilterFunction find_text_filter(std::string_view name);
FilterFunction find_list_filter(std::string_view name);
FilterFunction find_choosing_filter(std::string_view name);

/// Whether `v`.`name` is a method; those that would change `v` count, and are refused when called.
bool has_method(const Value& v, std::string_view name);
Value call_method(Renderer& r, const Method& method, const Arguments& given);
Value call_text_method(Renderer& r, const std::string& text, std::string_view name,
                       const Arguments& given);

/// Items [begin, end) in steps, as Python counts them; null for None.
struct SliceOf {
  const Value *begin, *end, *step;
};
Value sliced(const Value& v, const SliceOf& slice, Budget& budget);

}  // namespace tg::models::jinja
