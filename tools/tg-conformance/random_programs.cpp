// See random_programs.h.
#include "random_programs.h"

#include <fmt/format.h>

#include <algorithm>

#include "arguments.h"
#include "index_tensors.h"
#include "support/check.h"

namespace tg::conformance {
namespace {

constexpr int64_t kMostElements = 3000;
// A few programs have one long input: with many places, what adds to them is scheduled otherwise.
constexpr double kLongShare = 0.04;
constexpr int64_t kLong = 1 << 16;
constexpr int kMostTries = 40;  // to append a step

bool draws_numbers(const Program& p) {
  return std::ranges::any_of(p.values, [](const Value& v) {
    const auto* s = std::get_if<Step>(&v);
    if (s == nullptr) return false;
    return s->function.starts_with("rand") || s->function == "uniform" || s->function == "normal" ||
           s->function.starts_with("kaiming") || s->function.ends_with("_uniform");
  });
}

Operand first_value(Maker& m) {
  const Shape shape = random_shape(m.draw);
  const int64_t kind = m.draw.between(0, 9);
  if (kind == 0) return m.input(shape, DType::Int32, -9, 9);
  if (kind == 1 && m.draw.chance(0.4)) return m.input(shape, DType::Bool, 0, 2);
  return m.input(shape, kind < 7 ? DType::Float32 : m.draw.of(m.floats));
}

Operand long_value(Maker& m) {
  Shape shape{kLong - m.draw.between(0, 99)};
  if (m.draw.chance(0.3)) shape = {m.draw.between(1, 3), kLong / 3 - m.draw.between(0, 99)};
  return picked_among_many(m, m.input(shape, DType::Float32));
}

// Mostly one of the last values.
Operand some_value(Maker& m) {
  const auto n = static_cast<int64_t>(m.program.values.size());
  return {static_cast<int>(m.draw.chance(0.75) ? n - 1 : m.draw.between(0, n - 1))};
}

void append_step(Maker& m, DrawnProgram& out) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const auto before = static_cast<int>(m.program.values.size());
    try {
      const Operand x = some_value(m);
      if (m.draw.chance(0.25))
        composed_function(m, x);
      else
        call_randomly(m, *m.draw.of(called_functions()), x);
      return;
    } catch (const Redraw& r) {
      ++out.redrawn[r.reason];
      m.rewind(before);
    }
  }
}

// Values that no step reads, and now and then one that some do.
std::vector<Operand> outputs_of(Maker& m) {
  std::vector<bool> read(m.program.values.size(), false);
  for (Value& v : m.program.values) {
    if (auto* s = std::get_if<Step>(&v))
      for_each_operand(*s, [&](Operand& o) { read[static_cast<size_t>(o.value)] = true; });
  }
  std::vector<Operand> out;
  for (int i = static_cast<int>(read.size()) - 1; i >= 0; --i) {
    const bool step = std::holds_alternative<Step>(m.program.values[static_cast<size_t>(i)]);
    if (step && (!read[static_cast<size_t>(i)] || m.draw.chance(0.15))) out.push_back({i});
  }
  if (out.size() > 4) out.resize(4);
  if (out.empty()) out.push_back({static_cast<int>(read.size()) - 1});
  return out;
}

void add_gradient(Maker& m, const std::vector<Operand>& outputs) {
  Program& p = m.program;
  std::vector<Operand> floats;
  for (const Operand o : outputs) {
    if (m.is_float(o)) floats.push_back(o);
  }
  if (floats.empty()) return;
  for (int i = 0; i < static_cast<int>(p.values.size()); ++i) {
    const auto* data = std::get_if<Input>(&p.values[static_cast<size_t>(i)]);
    if (data != nullptr && is_float(data->dtype)) p.targets.push_back(i);
  }
  if (p.targets.empty()) return;
  while (p.targets.size() > 3)
    p.targets.erase(p.targets.begin() +
                    m.draw.between(1, static_cast<int64_t>(p.targets.size()) - 1));
  p.loss = append_loss(m, floats).value;
  p.second_order = m.draw.chance(0.2);
}

}  // namespace

Operand append_loss(Maker& m, const std::vector<Operand>& outputs) {
  Operand loss{-1};
  for (const Operand o : outputs) {
    Operand term = o;
    const int64_t kind = m.draw.between(0, 3);
    if (kind == 0) term = m.call("square", {term});
    if (kind == 1 || kind == 2) term = m.call("mul", {term, m.input(m.shape(o), m.dtype(o))});
    term = m.cast(m.call("sum", {term}), DType::Float32);
    loss = loss.value < 0 ? term : m.call("add", {loss, term});
  }
  return loss;
}

DrawnProgram random_program(uint64_t seed, const std::vector<DType>& floats) {
  DrawnProgram out;
  const bool is_long = Draw(~seed).chance(kLongShare);  // the others stay as they were
  Maker m(seed, is_long ? kLong : kMostElements);
  m.floats = floats;
  try {
    is_long ? long_value(m) : first_value(m);
    if (m.draw.chance(0.3)) first_value(m);
    for (int64_t steps = m.draw.between(is_long ? 0 : 2, is_long ? 3 : 8); steps > 0; --steps)
      append_step(m, out);
    const std::vector<Operand> outputs = outputs_of(m);
    for (const Operand o : outputs) m.program.outputs.push_back(o.value);
    if (m.draw.chance(0.75)) add_gradient(m, outputs);
    m.program.captured = m.draw.chance(0.08) && !draws_numbers(m.program);
    out.program = without_unused(m.program);
  } catch (const Redraw& r) {
    ++out.redrawn[r.reason];
  } catch (const std::exception& e) {
    out.fault = e.what();
    out.program = m.program;
  }
  return out;
}

}  // namespace tg::conformance
