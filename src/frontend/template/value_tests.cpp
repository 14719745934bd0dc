// The tests of `is` and of select and its kin. See functions.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/template/functions.h"
#include "frontend/template/operators.h"
#include "frontend/template/print.h"
#include "frontend/template/python_text.h"

namespace tg::models::jinja {
namespace {

using Call = const Arguments&;

// `v % n`, of a number.
Value remainder(Renderer& r, const Value& v, int64_t n) {
  return arithmetic(Op::Modulo, v, n, r.budget());
}
bool is_odd(Renderer& r, const Value& v, Call) {
  return are_equal(remainder(r, v, 2), int64_t{1}, r.budget());
}
bool is_even(Renderer& r, const Value& v, Call) {
  return are_equal(remainder(r, v, 2), int64_t{0}, r.budget());
}
bool is_divisible(Renderer& r, const Value& v, Call given) {
  const int64_t n = whole_or(given.bound("divisibleby", {"num"}, 1)[0], 1);
  return are_equal(remainder(r, v, n), int64_t{0}, r.budget());
}

bool is_defined(Renderer&, const Value& v, Call) { return !v.is<Undefined>(); }
bool is_undefined(Renderer&, const Value& v, Call) { return v.is<Undefined>(); }
bool is_none(Renderer&, const Value& v, Call) { return v.is<None>(); }
bool is_boolean(Renderer&, const Value& v, Call) { return v.is<bool>(); }
bool is_false(Renderer&, const Value& v, Call) { return v.is<bool>() && !*v.as<bool>(); }
bool is_truth(Renderer&, const Value& v, Call) { return v.is<bool>() && *v.as<bool>(); }
bool is_integer(Renderer&, const Value& v, Call) { return v.is<int64_t>(); }
bool is_float(Renderer&, const Value& v, Call) { return v.is<double>(); }
bool is_number(Renderer&, const Value& v, Call) { return v.is_number(); }
bool is_text(Renderer&, const Value& v, Call) { return v.text() != nullptr; }
bool is_mapping(Renderer&, const Value& v, Call) { return v.dict() != nullptr; }
std::string printed_value(Renderer& r, const Value& v) {
  std::string out = text_of(v);
  r.budget().spend_text(out.size());
  return out;
}
bool is_lower_text(Renderer& r, const Value& v, Call) { return is_lower(printed_value(r, v)); }
bool is_upper_text(Renderer& r, const Value& v, Call) { return is_upper(printed_value(r, v)); }
bool is_escaped(Renderer&, const Value&, Call) { return false; }

// With a length, and items by number; an undefined value counts.
bool is_sequence(Renderer&, const Value& v, Call) {
  const List* list = v.list();
  const bool has_places =
      list != nullptr && (list->kind == ListKind::List || list->kind == ListKind::Tuple ||
                          list->kind == ListKind::Range);
  return has_places || v.text() != nullptr || v.dict() != nullptr || v.is<Undefined>();
}
bool is_iterable(Renderer&, const Value& v, Call) {
  const auto* reference = v.as<Reference>();
  return v.list() != nullptr || v.text() != nullptr || v.dict() != nullptr || v.is<Undefined>() ||
         (reference != nullptr && reference->kind == Reference::Kind::Loop);
}
bool is_callable(Renderer&, const Value& v, Call) {
  const auto* reference = v.as<Reference>();
  return v.is<Function>() || v.is<MethodPtr>() || v.is<Undefined>() ||
         (reference != nullptr && reference->kind != Reference::Kind::Namespace);
}
bool is_same(Renderer& r, const Value& v, Call given) {
  r.budget().spend_text(v.text() != nullptr ? v.text()->size() : 0);
  return are_same(v, *given.bound("sameas", {"other"}, 1)[0]);
}
bool is_in(Renderer& r, const Value& v, Call given) {
  return contains(*given.bound("in", {"seq"}, 1)[0], v, r.budget());
}
bool is_filter(Renderer&, const Value& v, Call) {
  return v.text() != nullptr && find_filter(*v.text()) != nullptr;
}
bool is_test(Renderer&, const Value& v, Call) {
  return v.text() != nullptr && find_test(*v.text()) != nullptr;
}

template <Op op>
bool compares_as(Renderer& r, const Value& v, Call given) {
  return compares(op, v, *given.bound("a comparison", {"other"}, 1)[0], r.budget());
}

struct NamedTest {
  std::string_view name;
  TestFunction test;
};
constexpr auto kTests = std::to_array<NamedTest>({
    {"!=", compares_as<Op::NotEqual>},
    {"<", compares_as<Op::Less>},
    {"<=", compares_as<Op::LessEqual>},
    {"==", compares_as<Op::Equal>},
    {">", compares_as<Op::Greater>},
    {">=", compares_as<Op::GreaterEqual>},
    {"boolean", is_boolean},
    {"callable", is_callable},
    {"defined", is_defined},
    {"divisibleby", is_divisible},
    {"eq", compares_as<Op::Equal>},
    {"equalto", compares_as<Op::Equal>},
    {"escaped", is_escaped},
    {"even", is_even},
    {"false", is_false},
    {"filter", is_filter},
    {"float", is_float},
    {"ge", compares_as<Op::GreaterEqual>},
    {"greaterthan", compares_as<Op::Greater>},
    {"gt", compares_as<Op::Greater>},
    {"in", is_in},
    {"integer", is_integer},
    {"iterable", is_iterable},
    {"le", compares_as<Op::LessEqual>},
    {"lessthan", compares_as<Op::Less>},
    {"lower", is_lower_text},
    {"lt", compares_as<Op::Less>},
    {"mapping", is_mapping},
    {"ne", compares_as<Op::NotEqual>},
    {"none", is_none},
    {"number", is_number},
    {"odd", is_odd},
    {"sameas", is_same},
    {"sequence", is_sequence},
    {"string", is_text},
    {"test", is_test},
    {"true", is_truth},
    {"undefined", is_undefined},
    {"upper", is_upper_text},
});

}  // namespace

TestFunction find_test(std::string_view name) {
  const auto found = std::ranges::find(kTests, name, &NamedTest::name);
  return found == kTests.end() ? nullptr : found->test;
}

}  // namespace tg::models::jinja
