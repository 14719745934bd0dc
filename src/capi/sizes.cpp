// Variables and the sizes computed from them.
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/values.h"

using namespace tg;
using namespace tg::capi;

namespace {

SymInt compute(char op, const SymInt& a, const SymInt& b) {
  constexpr const char* kName = "tg_size_compute";
  if ((op == '/' || op == '%') && b.is_number() && b.number() == 0)
    user_error<ArgumentError>(kName, "division by 0");
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    default:
      user_error<ArgumentError>(kName,
                                fmt::format("there is no operation {}", static_cast<int>(op)),
                                "Hint: one of + - * / %.");
  }
}

}  // namespace

tg_status tg_variable(const char* name, int64_t min, int64_t max, int64_t value, tg_size* result) {
  return guarded([&] {
    given(result, "tg_variable", "result");
    const Variable variable(given(name, "tg_variable", "name"), min, max);
    *result = make_handle<tg_size>(variable.bind(value));
  });
}

tg_status tg_size_compute(char op, tg_value a, tg_value b, tg_value* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_size_compute";
    given(result, kName, "result");
    *result = to_c(compute(op, size_from_c(a, kName), size_from_c(b, kName)));
  });
}

tg_status tg_size_value(tg_size size, int64_t* value, int64_t* min, int64_t* max) {
  return guarded([&] {
    const auto s = object<SymInt>(size, "tg_size_value");
    if (value != nullptr) *value = s.value();
    if (min != nullptr) *min = s.min();
    if (max != nullptr) *max = s.max();
  });
}

tg_status tg_size_text(tg_size size, tg_value* result) {
  return guarded([&] {
    given(result, "tg_size_text", "result");
    *result = to_c(object<SymInt>(size, "tg_size_text").str());
  });
}
