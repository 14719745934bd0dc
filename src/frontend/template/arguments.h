// What a call gives to a filter, a test, a method or a macro.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/template/template_value.h"

namespace tg::models::jinja {

struct Arguments {
  std::vector<Value> plain;
  std::vector<std::pair<std::string, Value>> named;

  const Value* find(std::string_view name) const;
  /// For the parameters `names` in order: what is given, or null. Refusal, in the name of
  /// `function`, for others, too many, and fewer than `required`.
  std::vector<const Value*> bound(std::string_view function,
                                  std::initializer_list<std::string_view> names,
                                  size_t required = 0) const;
};

/// The argument as what the function needs, or `otherwise` where it is not given. Refusal for
/// another kind of value.
int64_t whole_or(const Value* v, int64_t otherwise);
bool truth_or(const Value* v, bool otherwise);
const std::string& need_text(const Value* v);

}  // namespace tg::models::jinja
