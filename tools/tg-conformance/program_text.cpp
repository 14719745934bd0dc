// A program as C++ that anyone can compile against the installed headers. As Python:
// python_text.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "program.h"

namespace tg::conformance {
namespace {

std::string name_of(Operand o) { return fmt::format("v{}", o.value); }
std::string dtype_text(DType t) {
  return is_bool(t) ? "dtypes::bool_" : fmt::format("dtypes::{}", dtype_name(t));
}
std::string number_text(double v) {
  std::string s = fmt::format("{}", v);
  if (s.find_first_of(".en") == std::string::npos) s += ".0";
  return s;
}

std::string item_text(const Item& i) {
  const auto end = [](const std::optional<int64_t>& e) {
    return e ? fmt::format("{}", *e) : std::string("std::nullopt");
  };
  switch (i.kind) {
    case IndexItem::Kind::Integer:
      return fmt::format("{}", i.integer);
    case IndexItem::Kind::Range:
      if (!i.start && !i.stop && !i.step) return "Slice()";
      return i.step ? fmt::format("Slice({}, {}, {})", end(i.start), end(i.stop), *i.step)
                    : fmt::format("Slice({}, {})", end(i.start), end(i.stop));
    case IndexItem::Kind::Rest:
      return "Ellipsis";
    case IndexItem::Kind::New:
      return "NewAxis";
    case IndexItem::Kind::Gather:
      return name_of(i.tensor);
  }
  return {};
}

struct ToText {
  const FnType& type;
  bool pointer;  // an optional tensor is handed over by its address

  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(int64_t i) const {
    if (type.kind != FnKind::Choice) return fmt::format("{}", i);
    return fmt::format("{}::{}", type.choices->name, type.choices->names[static_cast<size_t>(i)]);
  }
  std::string operator()(double v) const { return number_text(v); }
  std::string operator()(DType t) const { return dtype_text(t); }
  std::string operator()(const std::string& s) const { return fmt::format("\"{}\"", s); }
  std::string operator()(const std::vector<int64_t>& list) const {
    if (!type.pairs) return fmt::format("{{{}}}", fmt::join(list, ", "));
    std::string out;
    for (size_t i = 0; i + 1 < list.size(); i += 2)
      out += fmt::format("{}{{{}, {}}}", i == 0 ? "" : ", ", list[i], list[i + 1]);
    return fmt::format("{{{}}}", out);
  }
  std::string operator()(const Operand& o) const { return (pointer ? "&" : "") + name_of(o); }
  std::string operator()(const std::vector<Operand>& list) const {
    std::vector<std::string> names;
    for (const Operand& o : list) names.push_back(name_of(o));
    return fmt::format("{{{}}}", fmt::join(names, ", "));
  }
  std::string operator()(const std::vector<Item>& items) const {
    std::vector<std::string> texts;
    for (const Item& i : items) texts.push_back(item_text(i));
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
  }
};

// Functions of which one of several forms is meant by what is given: nothing stands in for the
// rest.
bool has_forms(std::string_view function) {
  return function == "pad" || function == "split" || function == "squeeze";
}
// Results that are a pair; lists are indexed.
bool is_pair(std::string_view function) { return function != "split" && function != "chunk"; }

std::string step_text(const Step& s) {
  const FnRecord& f = *find_fn(s.function);
  const size_t self = f.call.method ? 1 : 0;
  std::vector<std::string> plain, fields;
  size_t last = 0;  // behind the last positional argument that is given
  for (size_t i = 0; i < f.params.size() && i + self < s.arguments.size(); ++i) {
    const Argument& a = s.arguments[i + self];
    const FnParam& p = f.params[i];
    const bool given = !std::holds_alternative<std::monostate>(a);
    const bool optional = p.set != nullptr || p.type.ends_with("*");
    const std::string text =
        std::visit(ToText{f.param_type(i), optional && f.param_type(i).kind == FnKind::Tensor}, a);
    if (p.set != nullptr) {
      if (given) fields.push_back(fmt::format(".{} = {}", p.name, text));
    } else if (given || !has_forms(s.function)) {
      plain.push_back(given ? text : std::string(p.default_value));
      if (given) last = plain.size();
    }
  }
  if (fields.empty()) plain.resize(last);
  if (!fields.empty()) plain.push_back(fmt::format("{{{}}}", fmt::join(fields, ", ")));
  const std::string on = self == 1 ? name_of(std::get<Operand>(s.arguments[0])) + "." : "Tensor::";
  std::string text = fmt::format("{}{}({})", on, s.function, fmt::join(plain, ", "));
  if (f.call.result.kind == FnKind::Tensors)
    text += !is_pair(s.function) ? fmt::format("[{}]", s.pick) : s.pick == 0 ? ".first" : ".second";
  return text;
}

std::string_view element_type(DType t) {
  if (is_float(t)) return "float";
  return is_bool(t) ? "bool" : "int64_t";
}

bool is_repeated(const Input& input) {
  return static_cast<int64_t>(drawn_elements(input).size()) < count_of(input);
}
bool repeats(const Program& p) {
  return std::ranges::any_of(p.values, [](const Value& v) {
    const auto* data = std::get_if<Input>(&v);
    return data != nullptr && is_repeated(*data);
  });
}
constexpr std::string_view kRepeated = R"(template <typename T>
std::vector<T> repeated(std::vector<T> v, size_t count) {
  for (size_t i = 0; v.size() < count; ++i) v.push_back(v[i]);
  return v;
}

)";

std::string input_text(const Input& input) {
  const std::vector<double> numbers = drawn_elements(input);
  std::vector<std::string> texts;
  for (const double v : numbers) texts.push_back(fmt::format("{}", v));
  if (is_bool(input.dtype)) {
    for (std::string& t : texts) t = t == "0" ? "false" : "true";
  }
  const std::string drawn =
      fmt::format("std::vector<{}>{{{}}}", element_type(input.dtype), fmt::join(texts, ", "));
  return fmt::format(
      "Tensor({}, Shape{{{}}}, {{.dtype = {}}}).realize()",
      is_repeated(input) ? fmt::format("repeated({}, {})", drawn, count_of(input)) : drawn,
      fmt::join(input.shape, ", "), dtype_text(input.dtype));
}

std::string names(const std::vector<int>& values) {
  std::vector<std::string> out;
  for (const int v : values) out.push_back(fmt::format("v{}", v));
  return fmt::format("{}", fmt::join(out, ", "));
}

bool draws(const Program& p) {
  return std::ranges::any_of(p.values, [](const Value& v) {
    const auto* s = std::get_if<Step>(&v);
    return s != nullptr && find_fn(s->function)->gradient.empty() &&
           s->function.find("rand") != std::string::npos;
  });
}

}  // namespace

// A captured program is called as often as it takes to replay it.
std::string as_cpp(const Program& p) {
  std::string inputs, body;
  std::vector<std::string> parameters, arguments;
  for (size_t i = 0; i < p.values.size(); ++i) {
    if (const auto* data = std::get_if<Input>(&p.values[i])) {
      inputs += fmt::format("  Tensor v{} = {};\n", i, input_text(*data));
      parameters.push_back(fmt::format("Tensor v{}", i));
      arguments.push_back(fmt::format("v{}", i));
    } else {
      body += fmt::format("  Tensor v{} = {};\n", i, step_text(std::get<Step>(p.values[i])));
    }
  }
  std::string results = fmt::format("  std::vector<Tensor> results = {{{}}};\n", names(p.outputs));
  if (p.loss >= 0) {
    results += fmt::format("  const std::vector<Tensor> targets = {{{}}};\n", names(p.targets));
    results +=
        fmt::format("  const std::vector<Tensor> gradients = v{}.gradient(targets);\n", p.loss);
    results += "  results.insert(results.end(), gradients.begin(), gradients.end());\n";
  }
  if (p.second_order) {
    results += "  Tensor squares = gradients[0].square().sum();\n";
    for (size_t i = 1; i < p.targets.size(); ++i)
      results += fmt::format("  squares = squares + gradients[{}].square().sum();\n", i);
    results += "  for (const Tensor& g : squares.gradient(targets)) results.push_back(g);\n";
  }
  const std::string print =
      "  Tensor::realize(results);\n"
      "  for (const Tensor& r : results) std::cout << r.str() << \"\\n\";\n";
  const std::string seed = draws(p) ? fmt::format("  manual_seed({});\n", p.seed) : "";
  std::string main = seed + inputs;
  if (p.captured) {
    main += fmt::format("  TinyJit f([]({}) {{\n{}{}  return results;\n  }});\n",
                        fmt::join(parameters, ", "), body, results);
    main += fmt::format(
        "  for (int call = 0; call < 4; ++call) {{\n  const auto results = f({});\n{}  }}\n",
        fmt::join(arguments, ", "), print);
  } else {
    main += body + results + print;
  }
  return fmt::format(
      "#include <tg/tg.h>\n\n#include <iostream>\n\nusing namespace tg;\n\n{}int main() {{\n{}}}\n",
      repeats(p) ? kRepeated : "", main);
}

}  // namespace tg::conformance
