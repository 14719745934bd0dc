// A program as Python on the package tinygrad_cpp. As C++: program_text.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "program.h"

namespace tg::conformance {
namespace {

// Methods that the package has under the same name with the same arguments in the same order. All
// others are called as the library names them.
constexpr std::array kSameInPython = std::to_array<std::string_view>(
    {"abs",         "acos",         "acosh",       "add",         "asin",       "asinh",
     "atan",        "atanh",        "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor",
     "cast",        "ceil",         "celu",        "contiguous",  "copysign",   "cos",
     "cosh",        "cumprod",      "cumsum",      "detach",      "elu",        "eq",
     "erf",         "exp",          "exp2",        "flatten",     "floor",      "fmod",
     "hardsigmoid", "hardswish",    "hardtanh",    "isfinite",    "isinf",      "isnan",
     "leaky_relu",  "lerp",         "log",         "log10",       "log2",       "log_softmax",
     "logaddexp",   "logcumsumexp", "logical_not", "logsigmoid",  "logsumexp",  "lshift",
     "masked_fill", "max",          "maximum",     "mean",        "min",        "minimum",
     "mish",        "mod",          "mul",         "ne",          "neg",        "one_hot",
     "pow",         "prod",         "quick_gelu",  "reciprocal",  "relu",       "relu6",
     "round",       "rshift",       "rsqrt",       "selu",        "sigmoid",    "sign",
     "silu",        "sin",          "sinh",        "softmax",     "softmin",    "softplus",
     "softsign",    "sqrt",         "square",      "std",         "sub",        "sum",
     "swish",       "tan",          "tanh",        "transpose",   "tril",       "triu",
     "trunc",       "unsqueeze",    "var",         "where",       "reshape",    "expand",
     "permute",     "flip",         "repeat"});

std::string name_of(Operand o) { return fmt::format("v{}", o.value); }
std::string dtype_text(DType t) {
  return fmt::format("dtypes.{}", is_bool(t) ? "bool" : dtype_name(t));
}
std::string listed(const std::vector<std::string>& texts) {
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string item_text(const Item& i) {
  const auto end = [](const std::optional<int64_t>& e) {
    return e ? fmt::format("{}", *e) : std::string();
  };
  switch (i.kind) {
    case IndexItem::Kind::Integer:
      return fmt::format("{}", i.integer);
    case IndexItem::Kind::Range:
      return fmt::format("{}:{}{}", end(i.start), end(i.stop), i.step ? ":" + end(i.step) : "");
    case IndexItem::Kind::Rest:
      return "...";
    case IndexItem::Kind::New:
      return "None";
    case IndexItem::Kind::Gather:
      return name_of(i.tensor);
  }
  return {};
}
std::string items_text(const std::vector<Item>& items) {
  std::vector<std::string> texts;
  for (const Item& i : items) texts.push_back(item_text(i));
  return fmt::format("{}", fmt::join(texts, ", "));
}

struct ToText {
  const FnType& type;
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool b) const { return b ? "True" : "False"; }
  std::string operator()(int64_t i) const {
    if (type.kind != FnKind::Choice) return fmt::format("{}", i);
    return fmt::format("\"{}\"", type.choices->names[static_cast<size_t>(i)]);
  }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(DType t) const { return dtype_text(t); }
  std::string operator()(const std::string& s) const { return fmt::format("\"{}\"", s); }
  std::string operator()(const std::vector<int64_t>& list) const {
    if (!type.pairs) return fmt::format("[{}]", fmt::join(list, ", "));
    std::vector<std::string> pairs;
    for (size_t i = 0; i + 1 < list.size(); i += 2)
      pairs.push_back(fmt::format("({}, {})", list[i], list[i + 1]));
    return listed(pairs);
  }
  std::string operator()(const Operand& o) const { return name_of(o); }
  std::string operator()(const std::vector<Operand>& list) const {
    std::vector<std::string> names;
    for (const Operand& o : list) names.push_back(name_of(o));
    return listed(names);
  }
  std::string operator()(const std::vector<Item>& items) const { return items_text(items); }
};

// The letter by which the package names a kind of argument.
char letter(const FnType& t) {
  switch (t.kind) {
    case FnKind::Bool:
      return 'b';
    case FnKind::Int:
      return 'i';
    case FnKind::Float:
      return 'f';
    case FnKind::DType:
      return 'd';
    case FnKind::String:
      return 's';
    case FnKind::Ints:
      return t.pairs ? 'P' : 'I';
    case FnKind::Tensor:
      return 't';
    case FnKind::Tensors:
      return 'T';
    case FnKind::Sizes:
      return 'S';
    default:
      return 'c';
  }
}

// How the step is written; `other` is set where it goes through call().
std::string step_text(const Step& s, bool& other) {
  const FnRecord& f = *find_fn(s.function);
  const size_t self = f.call.method ? 1 : 0;
  if (s.function == "index")
    return fmt::format("{}[{}]", name_of(std::get<Operand>(s.arguments[0])),
                       items_text(std::get<std::vector<Item>>(s.arguments[1])));
  std::vector<std::string> texts;
  std::string kinds(self, 't');
  size_t last = 0;
  if (self == 1) texts.push_back(name_of(std::get<Operand>(s.arguments[0])));
  for (size_t i = 0; i < f.params.size() && i + self < s.arguments.size(); ++i) {
    const Argument& a = s.arguments[i + self];
    texts.push_back(std::visit(ToText{f.param_type(i)}, a));
    kinds += letter(f.param_type(i));
    if (!std::holds_alternative<std::monostate>(a)) last = texts.size();
  }
  texts.resize(std::max(last, self)), kinds.resize(texts.size());
  const std::string pick =
      f.call.result.kind == FnKind::Tensors ? fmt::format("[{}]", s.pick) : std::string();
  const bool same = std::ranges::find(kSameInPython, s.function) != kSameInPython.end();
  if (same) {
    const std::string on = texts[0];
    texts.erase(texts.begin());
    return fmt::format("{}.{}({}){}", on, s.function, fmt::join(texts, ", "), pick);
  }
  other = true;
  return fmt::format("call(\"{}\", \"{}\"{}{}){}", s.function, kinds, texts.empty() ? "" : ", ",
                     fmt::join(texts, ", "), pick);
}

std::string line_of(const Program& p, size_t i, bool& other) {
  const auto& s = std::get<Step>(p.values[i]);
  if (s.function == "set") {
    const std::string base = name_of(std::get<Operand>(s.arguments[0]));
    return fmt::format("v{0} = {1}\nv{0}[{2}] = {3}\n", i, base,
                       items_text(std::get<std::vector<Item>>(s.arguments[1])),
                       name_of(std::get<Operand>(s.arguments[2])));
  }
  return fmt::format("v{} = {}\n", i, step_text(s, other));
}

std::string input_text(const Input& input) {
  std::vector<std::string> texts;
  for (const double v : drawn_elements(input))
    texts.push_back(is_bool(input.dtype) ? (v == 0 ? "False" : "True") : fmt::format("{}", v));
  std::string list = fmt::format("[{}]", fmt::join(texts, ", "));
  const auto drawn = static_cast<int64_t>(texts.size()), count = count_of(input);
  if (drawn < count) list = fmt::format("({} * {})[:{}]", list, (count + drawn - 1) / drawn, count);
  return fmt::format("Tensor({}, dtype={}).reshape({}).realize()", list, dtype_text(input.dtype),
                     fmt::format("[{}]", fmt::join(input.shape, ", ")));
}

std::string names(const std::vector<int>& values) {
  std::vector<std::string> out;
  for (const int v : values) out.push_back(fmt::format("v{}", v));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "  ";
  }
  return out;
}

constexpr std::string_view kCall =
    "def call(name, kinds, *arguments):  # a function as the library names it\n"
    "  parameters = tuple((f\"p{i}\", i, kind, None) for i, kind in enumerate(kinds))\n"
    "  return Function(name, name, parameters, -1, 0)(*arguments)\n\n";

}  // namespace

std::string as_python(const Program& p) {
  std::string inputs, body;
  std::vector<int> given;
  bool other = false;
  for (size_t i = 0; i < p.values.size(); ++i) {
    if (const auto* data = std::get_if<Input>(&p.values[i])) {
      inputs += fmt::format("v{} = {}\n", i, input_text(*data));
      given.push_back(static_cast<int>(i));
    } else {
      body += line_of(p, i, other);
    }
  }
  body += fmt::format("results = [{}]\n", names(p.outputs));
  if (p.loss >= 0) {
    body += fmt::format("gradients = v{}.gradient({})\n", p.loss, names(p.targets));
    body += "results += gradients\n";
  }
  if (p.second_order)
    body += fmt::format("results += sum(g.square().sum() for g in gradients).gradient({})\n",
                        names(p.targets));
  std::string text = "from tinygrad_cpp import Tensor, TinyJit, dtypes\n";
  if (other) text += fmt::format("from tinygrad_cpp._core import Function\n\n{}", kCall);
  text += fmt::format("Tensor.manual_seed({})\n{}", p.seed, inputs);
  if (p.captured)
    text += fmt::format(
        "@TinyJit\ndef f({0}):\n{1}  return [r.realize() for r in results]\n"
        "for _ in range(4):\n  for r in f({0}): print(r.tolist())\n",
        names(given), indented(body));
  else
    text += body + "Tensor.realize(*results)\nfor r in results: print(r.tolist())\n";
  return text;
}

}  // namespace tg::conformance
