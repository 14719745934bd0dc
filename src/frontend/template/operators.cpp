// See operators.h.
#include "frontend/template/operators.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "frontend/template/print.h"
#include "frontend/template/python_text.h"

namespace tg::models::jinja {
namespace {

constexpr std::array<std::string_view, 7> kSigns = {"+", "-", "*", "/", "//", "%", "**"};

[[noreturn]] void refuse_too_large() { throw Refusal("a whole number has more than 64 bits"); }

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == 0) throw Refusal("division by zero");
  if (b == -1) return a == INT64_MIN ? (refuse_too_large(), 0) : -a;
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t whole_power(int64_t base, int64_t exponent) {
  int64_t out = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(out, base, &out)) refuse_too_large();
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) refuse_too_large();
  }
  return out;
}

Value whole_arithmetic(Op op, int64_t a, int64_t b) {
  int64_t out = 0;
  bool overflows = false;
  switch (op) {
    case Op::Add:
      overflows = __builtin_add_overflow(a, b, &out);
      break;
    case Op::Subtract:
      overflows = __builtin_sub_overflow(a, b, &out);
      break;
    case Op::Multiply:
      overflows = __builtin_mul_overflow(a, b, &out);
      break;
    case Op::FloorDivide:
      out = floor_quotient(a, b);
      break;
    case Op::Modulo:
      if (b == 0) throw Refusal("division by zero");
      out = b == -1 ? 0 : a - b * floor_quotient(a, b);
      break;
    case Op::Power:
      if (b < 0 && a == 0) throw Refusal("division by zero");
      if (b < 0) return std::pow(static_cast<double>(a), static_cast<double>(b));
      out = whole_power(a, b);
      break;
    default:
      if (b == 0) throw Refusal("division by zero");
      return static_cast<double>(a) / static_cast<double>(b);
  }
  if (overflows) refuse_too_large();
  return out;
}

// The remainder has the sign of the divisor.
double floor_remainder(double a, double b) {
  double out = std::fmod(a, b);
  if (out != 0 && (out < 0) != (b < 0)) out += b;
  return out == 0 ? std::copysign(0.0, b) : out;
}

Value float_arithmetic(Op op, double a, double b) {
  const bool divides = op == Op::Divide || op == Op::FloorDivide || op == Op::Modulo;
  if (divides && b == 0) throw Refusal("division by zero");
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::FloorDivide:
      return std::floor((a - floor_remainder(a, b)) / b + 0.5);
    case Op::Modulo:
      return floor_remainder(a, b);
    case Op::Power: {
      if ((a == 0 && b < 0) || (a < 0 && std::trunc(b) != b))
        throw Refusal("this power is no real number");
      const double out = std::pow(a, b);
      if (std::isinf(out) && !std::isinf(a) && !std::isinf(b))
        throw Refusal("this power is too large");
      return out;
    }
    default:
      return a / b;
  }
}

Value repeated(const Value& v, int64_t times, Budget& budget) {
  const auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  if (const std::string* text = v.text()) {
    if (!text->empty() && count > kMostText / text->size()) throw Refusal("a text grows too long");
    budget.spend_text(text->size() * count);
    std::string out;
    for (size_t i = 0; i < count && !text->empty(); ++i) out += *text;
    return out;
  }
  const List& list = *v.list();
  if (!list.items.empty() && count > kMostItems / list.items.size())
    throw Refusal("a list has too many items");
  budget.spend(list.items.size() * count);
  std::vector<Value> out;
  for (size_t i = 0; i < count && !list.items.empty(); ++i)
    out.insert(out.end(), list.items.begin(), list.items.end());
  return make_list(std::move(out), list.kind);
}

bool can_repeat(const Value& v) {
  return v.text() != nullptr || (v.list() != nullptr && (v.list()->kind == ListKind::List ||
                                                         v.list()->kind == ListKind::Tuple));
}

Value joined(const Value& a, const Value& b, Budget& budget) {
  if (a.text() != nullptr && b.text() != nullptr) {
    TextBuilder out;
    out.add(*a.text());
    out.add(*b.text());
    budget.spend_text(out.text().size());
    return out.take();
  }
  const List *left = a.list(), *right = b.list();
  const bool fits =
      left != nullptr && right != nullptr && left->kind == right->kind && can_repeat(a);
  if (!fits) return Undefined{};
  budget.spend(left->items.size() + right->items.size());
  std::vector<Value> items = left->items;
  items.insert(items.end(), right->items.begin(), right->items.end());
  return make_list(std::move(items), left->kind);
}

}  // namespace

Value arithmetic(Op op, const Value& a, const Value& b, Budget& budget) {
  const bool fills_in = op == Op::Modulo && a.text() != nullptr;
  for (const Value* v : {&a, &b})
    if (const auto* undefined = v->as<Undefined>(); undefined != nullptr && !fills_in)
      refuse_undefined(*undefined);
  if (a.is_number() && b.is_number()) {
    const int64_t *left = a.whole(), *right = b.whole();
    return left != nullptr && right != nullptr ? whole_arithmetic(op, *left, *right)
                                               : float_arithmetic(op, a.number(), b.number());
  }
  if (fills_in) {
    std::string out = filled_in(*a.text(), b);
    budget.spend_text(out.size());
    return out;
  }
  if (op == Op::Multiply && can_repeat(a) && b.whole() != nullptr)
    return repeated(a, *b.whole(), budget);
  if (op == Op::Multiply && can_repeat(b) && a.whole() != nullptr)
    return repeated(b, *a.whole(), budget);
  if (op == Op::Add) {
    Value out = joined(a, b, budget);
    if (!out.is<Undefined>()) return out;
  }
  throw Refusal(fmt::format("{} does not take '{}' and '{}'", kSigns[static_cast<size_t>(op)],
                            type_name(a), type_name(b)));
}

bool contains(const Value& container, const Value& item, Budget& budget) {
  if (const std::string* text = container.text()) {
    if (item.text() == nullptr)
      throw Refusal(fmt::format("only text can be in text, not '{}'", type_name(item)));
    budget.spend_text(text->size() + item.text()->size());
    return Finder(*item.text()).find(*text) != std::string::npos;
  }
  if (const Dict* dict = container.dict()) {
    budget.spend_key(item);
    return dict->find(item) != nullptr;
  }
  const ListPtr list = items_of(container);
  for (const Value& v : list->items)
    if (are_equal(v, item, budget)) return true;
  return false;
}

bool compares(Op op, const Value& a, const Value& b, Budget& budget) {
  switch (op) {
    case Op::Equal:
      return are_equal(a, b, budget);
    case Op::NotEqual:
      return !are_equal(a, b, budget);
    case Op::Less:
      return order(a, b, budget) < 0;
    case Op::LessEqual:
      return order(a, b, budget) <= 0;
    case Op::Greater:
      return order(a, b, budget) > 0;
    case Op::GreaterEqual:
      return order(a, b, budget) >= 0;
    case Op::In:
      return contains(b, a, budget);
    default:
      return !contains(b, a, budget);
  }
}

Value negative(const Value& v) {
  if (const auto* undefined = v.as<Undefined>()) refuse_undefined(*undefined);
  if (const int64_t* whole = v.whole()) return whole_arithmetic(Op::Subtract, 0, *whole);
  if (v.is<double>()) return -v.number();
  throw Refusal(fmt::format("there is no negative of '{}'", type_name(v)));
}

}  // namespace tg::models::jinja
