// What types say about arguments; see arguments.h. What they do not say: argument_table.cpp.
#include "arguments.h"

#include <algorithm>

#include "argument_table.h"
#include "index_tensors.h"

namespace tg::conformance {
namespace {

bool is_axis(const FnParam& p) { return p.name == "axis"; }

// An axis of x in either way to count.
int64_t some_axis(Maker& m, Operand x) {
  const int64_t n = m.ndim(x), axis = m.draw.between(0, n - 1);
  return m.draw.chance(0.3) ? axis - n : axis;
}

// A few axes of x, each once.
std::vector<int64_t> some_axes(Maker& m, Operand x) {
  std::vector<int64_t> out;
  for (int64_t a = 0; a < m.ndim(x); ++a) {
    if (m.draw.chance(0.5)) out.push_back(m.draw.chance(0.3) ? a - m.ndim(x) : a);
  }
  return out;
}

bool by_type(const FnRecord& f, size_t i) {
  const FnParam& p = f.params[i];
  switch (f.param_type(i).kind) {
    case FnKind::Bool:
    case FnKind::Choice:
    case FnKind::Tensor:
    case FnKind::Tensors:
      return true;
    case FnKind::Int:
    case FnKind::Ints:
      return is_axis(p);
    case FnKind::Float:
      return !p.default_value.empty();
    default:
      return false;
  }
}

// Several must fit each other too.
bool takes_one_tensor(const FnRecord& f) {
  int tensors = 0;
  for (size_t i = 0; i < f.params.size(); ++i) tensors += f.param_type(i).kind == FnKind::Tensor;
  return tensors == 1;
}

Argument argument(Maker& m, const FnRecord& f, size_t i, Operand x) {
  const FnParam& p = f.params[i];
  const FnType& type = f.param_type(i);
  const bool optional = !p.default_value.empty();
  if (optional && m.draw.chance(0.4)) return std::monostate();
  switch (type.kind) {
    case FnKind::Bool:
      return m.draw.chance(0.5);
    case FnKind::Choice:
      return m.draw.between(0, static_cast<int64_t>(type.choices->names.size()) - 1);
    case FnKind::Float:
      return m.draw.real(0.25, 2);
    case FnKind::Tensor:
      return partner(m, x, takes_one_tensor(f));
    case FnKind::Tensors: {
      std::vector<Operand> list = {x};
      for (int64_t n = m.draw.between(0, 2); n > 0; --n) list.push_back(partner_tensor(m, x));
      return list;
    }
    case FnKind::Int:
      return some_axis(m, x);
    case FnKind::Ints: {
      std::vector<int64_t> axes = some_axes(m, x);
      if (axes.empty() && !optional && m.ndim(x) > 0) axes.push_back(some_axis(m, x));
      if (axes.empty()) return std::monostate();
      return axes;
    }
    default:
      return std::monostate();
  }
}

bool names_an_axis(const FnRecord& f) { return std::ranges::any_of(f.params, is_axis); }

}  // namespace

Drawn how_drawn(const FnRecord& f) {
  if (!why_excepted(f).empty()) return Drawn::Excepted;
  if (find_rule(f.name) != nullptr) return Drawn::ByTable;
  if (f.call.invoke == nullptr || f.call.result.kind == FnKind::None) return Drawn::Not;
  for (size_t i = 0; i < f.params.size(); ++i) {
    if (!by_type(f, i)) return Drawn::Not;
  }
  return Drawn::ByType;
}

const std::vector<const FnRecord*>& called_functions() {
  static const std::vector<const FnRecord*> all = [] {
    std::vector<const FnRecord*> out;
    for (const FnFamily& family : fn_families()) {
      for (const FnRecord& f : family.functions) {
        const Drawn how = how_drawn(f);
        if (how == Drawn::ByType || how == Drawn::ByTable) out.push_back(&f);
      }
    }
    return out;
  }();
  return all;
}

Operand call_randomly(Maker& m, const FnRecord& f, Operand given) {
  if (m.numel(given) == 0 && f.errors.find("empty axis") != std::string_view::npos)
    throw Redraw{"the function is documented to refuse an empty axis"};
  if (const ArgumentRule* rule = find_rule(f.name)) return rule->call(m, given);
  Operand x = guarded_operand(m, f.name, given);
  if (names_an_axis(f)) x = m.with_rank(x, 1, 4);
  std::vector<Argument> arguments;
  if (f.call.method) arguments.push_back(x);
  for (size_t i = 0; i < f.params.size(); ++i) arguments.push_back(argument(m, f, i, x));
  const int pick =
      f.call.result.kind == FnKind::Tensors ? static_cast<int>(m.draw.between(0, 1)) : -1;
  return m.call(f.name, arguments, pick);
}

Shape random_shape(Draw& draw, int64_t least_axes, int64_t most_axes) {
  Shape shape;
  const int64_t axes = draw.between(least_axes, most_axes);
  const bool large = draw.chance(0.15);
  for (int64_t a = 0; a < axes; ++a) shape.push_back(draw.chance(0.1) ? 1 : draw.between(2, 9));
  if (large && axes > 0)
    shape[static_cast<size_t>(draw.between(0, axes - 1))] =
        draw.of(std::vector<int64_t>{11, 13, 16, 17, 31, 33, 64, 67, 130});
  return shape;
}

}  // namespace tg::conformance
