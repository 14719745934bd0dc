// Rules of elementwise functions, domains, partners, and what is excepted; see argument_table.h.
// Rules of other families: argument_movement.cpp, argument_network.cpp.
#include "argument_table.h"

#include <algorithm>
#include <map>

#include "arguments.h"
#include "uop/shape.h"

namespace tg::conformance {
namespace {

using Guard = Operand (*)(Maker&, Operand);

// The domain of functions whose parameters are drawn by type.
const std::map<std::string_view, Guard> kGuards = {
    {"log", [](Maker& m, Operand x) { return m.positive(x); }},
    {"log2", [](Maker& m, Operand x) { return m.positive(x); }},
    {"log10", [](Maker& m, Operand x) { return m.positive(x); }},
    {"sqrt", [](Maker& m, Operand x) { return m.positive(x); }},
    {"rsqrt", [](Maker& m, Operand x) { return m.positive(x); }},
    {"reciprocal", [](Maker& m, Operand x) { return m.positive(x); }},
    {"asin", [](Maker& m, Operand x) { return m.between_ones(x); }},
    {"acos", [](Maker& m, Operand x) { return m.between_ones(x); }},
    {"atanh", [](Maker& m, Operand x) { return m.between_ones(x); }},
    {"acosh", [](Maker& m, Operand x) { return m.above_one(x); }},
    {"tan", [](Maker& m, Operand x) { return m.between_ones(x); }},
    {"exp", [](Maker& m, Operand x) { return m.limited(m.as_float(x), 4); }},
    {"exp2", [](Maker& m, Operand x) { return m.limited(m.as_float(x), 6); }},
    {"sinh", [](Maker& m, Operand x) { return m.limited(m.as_float(x), 4); }},
    {"cosh", [](Maker& m, Operand x) { return m.limited(m.as_float(x), 4); }},
    {"prod", [](Maker& m, Operand x) { return m.limited(x, 2); }},
    {"cumprod", [](Maker& m, Operand x) { return m.limited(x, 2); }},
    {"uprod", [](Maker& m, Operand x) { return m.limited(x, 4); }},
    {"bitwise_and", [](Maker& m, Operand x) { return m.as_integer(x); }},
    {"bitwise_or", [](Maker& m, Operand x) { return m.as_integer(x); }},
    {"bitwise_xor", [](Maker& m, Operand x) { return m.as_integer(x); }},
    {"bitwise_not", [](Maker& m, Operand x) { return m.as_integer(x); }},
};

const std::map<std::string_view, std::string_view> kExcepted = {
    {"from_bytes", "every input is made by it"},
    {"from_memory", "memory of the host belongs to one device"},
    {"empty", "its contents are undefined"},
    {"empty_like", "its contents are undefined"},
    {"realize", "every program is realized; gradients end there"},
    {"to", "programs stay on the device that is tested"},
    {"shard", "programs stay on the device that is tested"},
    {"shard_", "programs stay on the device that is tested"},
    {"shard_like", "programs stay on the device that is tested"},
    {"backward", "gradient() is what programs call"},
    {"gradient", "what the gradients of every program are"},
    {"grad", "needs backward()"},
    {"set_grad", "changes no value"},
    {"zero_grad", "changes no value"},
    {"is_param_", "changes no value"},
    {"multinomial", "rounding decides which place a number that was drawn belongs to"},
    {"qr", "a sign may follow rounding; its tests say what makes it right"},
    {"svd", "a sign may follow rounding; its tests say what makes it right"},
    {"grid_sample", "rounding decides between which elements a place lies"},
    {"keccak", "thousands of operations on integers; its tests compare digests"},
    {"hash", "larger tensors are computed while it is built"},
};

// ---- rules
Operand bool_first(Maker& m, std::string_view f, Operand x) {
  return m.call(f, {m.as_bool(x), partner(m, x), partner(m, x)});
}
Operand bits(Maker& m, std::string_view f, Operand given) {
  const Operand x = m.as_integer(given);
  const double width = std::min<double>(8.0 * static_cast<double>(dtype_size(m.dtype(x))), 31);
  if (m.draw.chance(0.5)) return m.call(f, {x, m.draw.between(0, 7)});
  return m.call(f, {x, m.input(m.shape(x), m.dtype(x), 0, width)});
}
Operand integer_partner(Maker& m, std::string_view f, Operand given) {
  const Operand x = m.as_integer(given);
  if (m.draw.chance(0.4)) return m.call(f, {x, m.draw.between(-9, 9)});
  return m.call(f, {x, m.input(m.shape(x), m.dtype(x), is_unsigned(m.dtype(x)) ? 0 : -50, 50)});
}
// A divisor away from zero, now and then negative.
Argument divisor(Maker& m, Operand x) {
  if (m.draw.chance(0.4)) {
    if (m.is_float(x)) return m.draw.real(0.5, 3);
    return m.draw.between(1, 7);
  }
  if (!m.is_float(x)) return m.input(m.shape(x), DType::Int32, 1, 9);
  return m.input(m.shape(x), m.dtype(x), 0.5, 3);
}
Operand divided(Maker& m, std::string_view f, Operand given) {
  const Operand x = is_bool(m.dtype(given)) ? m.cast(given, DType::Int32) : given;
  return m.call(f, {x, divisor(m, x)});
}
Operand bounded_above_and_below(Maker& m, std::string_view f, Operand x) {
  const bool numbers = m.draw.chance(0.6);
  if (numbers && m.is_float(x)) return m.call(f, {x, m.draw.real(-1, 0), m.draw.real(0.5, 2)});
  if (numbers) return m.call(f, {x, m.draw.between(-3, 0), m.draw.between(1, 5)});
  return m.call(f, {x, partner(m, x), partner(m, x)});
}

Operand pow(Maker& m, Operand x) {
  if (!m.is_float(x)) {
    const Operand whole = is_bool(m.dtype(x)) ? m.cast(x, DType::Int32) : x;
    return m.call("pow", {whole, m.draw.between(0, 3)});
  }
  switch (m.draw.between(0, 3)) {
    case 0:
      return m.call("pow", {m.limited(x, 4), m.draw.between(0, 3)});
    case 1:
      return m.call("pow", {m.limited(m.positive(x), 4), m.draw.real(-2, 3)});
    case 2:
      return m.call("pow", {m.limited(m.positive(x), 4), m.input(m.shape(x), m.dtype(x), -2, 2)});
    default:
      return m.call("pow",
                    {m.limited(m.positive(x), 4), m.limited(m.as_float(partner_tensor(m, x)), 3)});
  }
}

Operand div(Maker& m, Operand given) {
  const Operand x = is_bool(m.dtype(given)) ? m.cast(given, DType::Int32) : given;
  if (m.draw.chance(0.5)) return m.call("div", {x, divisor(m, x)});
  return m.call("div", {x, divisor(m, x), m.draw.between(0, 2)});
}

Operand threefry(Maker& m, Operand x) {
  const Operand a = m.cast(m.as_integer(x), DType::UInt64);
  return m.call("threefry", {a, m.input(m.shape(x), DType::UInt64, 0, 1000)});
}

Operand cast(Maker& m, Operand x) {
  std::vector<DType> to = {DType::Int32, DType::Int64, DType::Float32, DType::Int8, DType::Bool};
  to.insert(to.end(), m.floats.begin(), m.floats.end());
  const DType t = m.draw.of(to);
  const bool narrow = !is_float(t) && m.is_float(x);
  return m.call("cast", {narrow ? m.limited(x, 100) : x, t});
}

// Axes that the kernel may or may not have.
Operand unrolled(Maker& m, Operand x) {
  const auto loops = [&](int64_t most) {
    std::vector<int64_t> out;
    for (int64_t i = m.draw.between(0, most); i > 0; --i) {
      out.push_back(m.draw.between(0, 3));
      out.push_back(m.draw.between(1, 5));
    }
    return out;
  };
  if (m.draw.chance(0.5)) return m.call("contiguous_unrolled", {x, loops(2)});
  return m.call("contiguous_unrolled", {x, loops(2), loops(1)});
}

// Bits of floats that were computed depend on rounding: of data they are what they are.
Operand bitcast(Maker& m, Operand x) {
  if (m.is_float(x)) {
    const Operand data = m.input(m.shape(x), DType::Float32);
    return m.call("bitcast", {data, m.draw.chance(0.5) ? DType::Int32 : DType::UInt32});
  }
  return m.call("bitcast", {m.cast(m.as_integer(x), DType::Int32), DType::UInt32});
}

Operand softmax_of(Maker& m, std::string_view f, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const int64_t axis = m.draw.between(0, m.ndim(x) - 1);
  if (m.draw.chance(0.7)) return m.call(f, {x, m.draw.chance(0.5) ? axis : axis - m.ndim(x)});
  return m.call(f, {x, axis, m.draw.of(m.floats)});
}
Operand summed(Maker& m, std::string_view f, Operand given) {
  const Operand x = f == "prod" ? m.limited(given, 2) : given;
  std::vector<int64_t> axes;
  for (int64_t a = 0; a < m.ndim(x); ++a) {
    if (m.draw.chance(0.5)) axes.push_back(a);
  }
  std::vector<Argument> arguments = {x};
  if (!axes.empty())
    arguments.emplace_back(axes);
  else
    arguments.emplace_back(std::monostate());
  arguments.emplace_back(m.draw.chance(0.4));
  if (m.draw.chance(0.2)) {
    if (m.is_float(x))
      arguments.emplace_back(m.draw.of(m.floats));
    else
      arguments.emplace_back(m.draw.chance(0.5) ? DType::Int64 : DType::Float32);
  }
  return m.call(f, arguments);
}
// The divisor n - correction stays positive.
Operand spread(Maker& m, std::string_view f, Operand given, int pick) {
  const Operand x = m.as_float(m.with_rank(given, 1, 4));
  const int64_t axis = m.draw.between(0, m.ndim(x) - 1);
  const bool alone = m.size(x, axis) < 2;
  const Operand wide =
      f.starts_with("std") && alone
          ? m.call("cat", {std::vector<Operand>{x, m.input(m.shape(x), m.dtype(x))}, axis})
          : x;
  return m.call(f,
                {wide, std::vector<int64_t>{axis}, m.draw.chance(0.4),
                 m.size(wide, axis) < 2 ? int64_t{0} : m.draw.between(0, 1)},
                pick);
}
Operand normalized(Maker& m, Operand given) {
  const Operand x = m.as_float(m.with_rank(given, 1, 4));
  return m.call("normalize", {x, m.draw.of(std::vector<double>{1, 2, 3}),
                              m.draw.between(0, m.ndim(x) - 1), 0.0625});
}
Operand random_bits(Maker& m, Operand) {
  const Operand key = m.input({2}, DType::UInt32, 0, 1000);
  return m.call("random_bits", {key, m.input({2}, DType::UInt32, 0, 1000), m.draw.between(0, 9)});
}
Operand close(Maker& m, std::string_view f, Operand x) {
  return m.call(f, {x, partner(m, x), 0.125, m.draw.real(0, 1), m.draw.chance(0.5)});
}
Operand assigned(Maker& m, Operand x) {
  const Operand base = m.call("clone", {x});
  return m.call("assign", {base, m.cast(m.input(m.shape(x), m.dtype(x), 0, 2), m.dtype(x))});
}

#define TG_RULE(name, body)                                   \
  {                                                           \
    name, [](Maker& m, Operand x) -> Operand { return body; } \
  }

}  // namespace

const std::vector<ArgumentRule>& element_rules() {
  static const std::vector<ArgumentRule> rules = {
      TG_RULE("where", bool_first(m, "where", x)),
      {"masked_fill",
       [](Maker& m, Operand x) {
         const Operand mask = m.as_bool(partner_tensor(m, x));
         return m.call("masked_fill", {x, mask, partner(m, x)});
       }},
      TG_RULE("lshift", bits(m, "lshift", x)),
      TG_RULE("rshift", bits(m, "rshift", x)),
      TG_RULE("bitwise_and", integer_partner(m, "bitwise_and", x)),
      TG_RULE("bitwise_or", integer_partner(m, "bitwise_or", x)),
      TG_RULE("bitwise_xor", integer_partner(m, "bitwise_xor", x)),
      TG_RULE("floordiv", divided(m, "floordiv", x)),
      TG_RULE("mod", divided(m, "mod", x)),
      TG_RULE("fmod", divided(m, "fmod", x)),
      TG_RULE("div", div(m, x)),
      TG_RULE("pow", pow(m, x)),
      TG_RULE("clip", bounded_above_and_below(m, "clip", x)),
      TG_RULE("clamp", bounded_above_and_below(m, "clamp", x)),
      TG_RULE("threefry", threefry(m, x)),
      TG_RULE("cast", cast(m, x)),
      TG_RULE("bitcast", bitcast(m, x)),
      TG_RULE("random_bits", random_bits(m, x)),
      TG_RULE("isclose", close(m, "isclose", x)),
      TG_RULE("allclose", close(m, "allclose", x)),
      TG_RULE("softmax", softmax_of(m, "softmax", x)),
      TG_RULE("softmin", softmax_of(m, "softmin", x)),
      TG_RULE("log_softmax", softmax_of(m, "log_softmax", x)),
      TG_RULE("sum", summed(m, "sum", x)),
      TG_RULE("prod", summed(m, "prod", x)),
      TG_RULE("var", spread(m, "var", x, -1)),
      TG_RULE("std", spread(m, "std", x, -1)),
      TG_RULE("var_mean", spread(m, "var_mean", x, static_cast<int>(m.draw.between(0, 1)))),
      TG_RULE("std_mean", spread(m, "std_mean", x, static_cast<int>(m.draw.between(0, 1)))),
      TG_RULE("normalize", normalized(m, x)),
      TG_RULE("assign", assigned(m, x)),
      TG_RULE("contiguous_unrolled", unrolled(m, x)),
  };
  return rules;
}

const ArgumentRule* find_rule(std::string_view name) {
  for (const auto* rules :
       {&element_rules(), &movement_rules(), &creation_rules(), &network_rules()}) {
    const auto found = std::ranges::find(*rules, name, &ArgumentRule::name);
    if (found != rules->end()) return &*found;
  }
  return nullptr;
}

Operand guarded_operand(Maker& m, std::string_view function, Operand x) {
  const auto found = kGuards.find(function);
  return found == kGuards.end() ? x : found->second(m, x);
}

std::vector<std::string_view> guarded_names() {
  std::vector<std::string_view> out;
  for (const auto& [name, guard] : kGuards) out.push_back(name);
  return out;
}
std::vector<std::string_view> excepted_names() {
  std::vector<std::string_view> out;
  for (const auto& [name, reason] : kExcepted) out.push_back(name);
  return out;
}

std::string_view why_excepted(const FnRecord& f) {
  const auto found = kExcepted.find(f.name);
  if (found != kExcepted.end()) return found->second;
  const FnKind kind = f.call.result.kind;
  if (f.shapes == "not a tensor" ||
      (f.call.invoke && kind != FnKind::Tensor && kind != FnKind::Tensors))
    return "gives no tensor";
  return {};
}

Operand partner_tensor(Maker& m, Operand x, bool wider) {
  const Shape shape = m.shape(x);
  // A value of the program that fits, if the draw finds one.
  const auto count = static_cast<int64_t>(m.program.values.size());
  for (int tries = 0; tries < 3 && m.draw.chance(0.6); ++tries) {
    const Operand other{static_cast<int>(m.draw.between(0, count - 1))};
    const Shape s = m.shape(other);
    bool fits = wider || s.size() <= shape.size();
    for (size_t i = 1; i <= std::min(s.size(), shape.size()); ++i) {
      const int64_t a = s[s.size() - i], b = shape[shape.size() - i];
      fits = fits && (a == b || a == 1 || (wider && b == 1));
    }
    if (fits && m.dtype(other) == m.dtype(x)) return other;
  }
  Shape s = shape;
  for (int64_t& extent : s) {
    if (m.draw.chance(0.15)) extent = 1;
  }
  while (!s.empty() && m.draw.chance(0.15)) s.erase(s.begin());
  const bool whole = !m.is_float(x);
  return m.input(s, m.dtype(x),
                 is_bool(m.dtype(x)) || is_unsigned(m.dtype(x)) ? 0
                 : whole                                        ? -9
                                                                : -2,
                 whole && !is_bool(m.dtype(x)) ? 9 : 2);
}

Argument partner(Maker& m, Operand x, bool wider) {
  if (m.draw.chance(0.25)) {
    if (m.is_float(x)) return m.draw.real(-2, 2);
    return m.draw.between(-3, 5);
  }
  return partner_tensor(m, x, wider);
}

}  // namespace tg::conformance
