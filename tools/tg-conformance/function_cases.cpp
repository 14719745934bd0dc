// Every recorded function in several shapes and dtypes, forward and backward, on arguments that are
// drawn as those of random programs are (arguments.h), always the same ones for a name. Judged by
// the evaluation in float64 with bounds (run_program.h). Composed functions stand beside them.
#include <fmt/format.h>

#include "arguments.h"
#include "index_tensors.h"
#include "random_programs.h"
#include "random_run.h"
#include "suite.h"
#include "tg/error.h"

namespace tg::conformance {
namespace {

constexpr int64_t kMostElements = 200'000;
constexpr int kDraws = 3;  // of the arguments of a gradient

struct ShapeClass {
  std::string_view name;
  Shape shape;
};
const ShapeClass kShapes[] = {{"ones", {1, 1, 1}},      {"scalar", {}},
                              {"primes", {3, 7, 13}},   {"image", {2, 3, 5, 7}},
                              {"zero_size", {2, 0, 3}}, {"beyond_a_tile", {2, 67, 129}}};

// The number by which the arguments of a case are drawn: of its name, so that cases that come and
// go change no other.
uint64_t seed_of(std::string_view name) {
  uint64_t h = 14695981039346656037ull;
  for (const char c : name) h = (h ^ static_cast<uint64_t>(c)) * 1099511628211ull;
  return h;
}

using Call = std::function<Operand(Maker&, Operand)>;

DrawnProgram made(const std::string& name, const Shape& shape, DType t, bool gradient,
                  const std::vector<DType>& floats, const Call& call) {
  DrawnProgram out;
  Maker m(seed_of(name), kMostElements);
  m.floats = floats;
  try {
    const bool whole = !is_float(t);
    const Operand x = m.input(shape, t,
                              is_bool(t) ? 0
                              : whole    ? -9
                                         : -2,
                              is_bool(t) ? 2
                              : whole    ? 9
                                         : 2);
    const Operand y = call(m, x);
    if (!gradient || !m.is_float(y)) {
      m.program.outputs = {y.value};
    } else {
      m.program.outputs = {y.value};
      for (int i = 0; i < y.value; ++i) {
        const auto* data = std::get_if<Input>(&m.program.values[static_cast<size_t>(i)]);
        if (data != nullptr && is_float(data->dtype)) m.program.targets.push_back(i);
      }
      if (!m.program.targets.empty()) m.program.loss = append_loss(m, {y}).value;
    }
    out.program = without_unused(m.program);
  } catch (const Redraw& r) {
    ++out.redrawn[r.reason];
  } catch (const std::exception& e) {
    out.fault = e.what();
  }
  return out;
}

void add(Suite& suite, const std::string& name, bool quick, const std::vector<DType>& floats,
         const Call& call) {
  for (const ShapeClass& s : kShapes) {
    const auto one = [&](DType t, bool gradient, int draw) {
      const bool has = !is_float(t) || std::ranges::find(floats, t) != floats.end();
      const std::string why =
          has ? "" : fmt::format("the device's facts say that it has no {}", dtype_name(t));
      const std::string full =
          fmt::format("function.{}.{}.{}{}{}", name, s.name, dtype_name(t),
                      gradient ? ".gradient" : "", draw == 0 ? "" : fmt::format(".{}", draw + 1));
      suite.drawn.push_back(
          {full, [=, shape = s.shape] { return made(full, shape, t, gradient, floats, call); },
           why});
    };
    if (quick && s.name != "primes") continue;
    one(DType::Float32, true, 0);
    if (quick) continue;
    one(DType::Float32, false, 0);
    for (int draw = 1; draw < kDraws && s.shape.size() > 1 && s.name != "ones"; ++draw)
      one(DType::Float32, true, draw);
    if (s.name != "primes") continue;
    for (const DType t : {DType::Float16, DType::BFloat16, DType::Float64}) one(t, true, 0);
    for (const DType t : {DType::Int32, DType::UInt8, DType::Bool}) one(t, false, 0);
  }
}

}  // namespace

void add_function_cases(Suite& suite, const Settings& s) {
  const std::vector<DType> floats = floats_of(s.device);
  for (const FnFamily& family : fn_families()) {
    for (const FnRecord& f : family.functions) {
      const Drawn how = how_drawn(f);
      if (how == Drawn::Excepted) continue;
      if (how == Drawn::Not) {
        suite.drawn.push_back(
            {fmt::format("function.{}", f.name),
             [&f] {
               return DrawnProgram{{}, fmt::format("no rule says how {} is called", f.name), {}};
             },
             ""});
        continue;
      }
      add(suite, std::string(f.name), s.quick, floats,
          [&f](Maker& m, Operand x) { return call_randomly(m, f, x); });
    }
  }
  for (int i = 0; i < num_composed_functions(); ++i)
    add(suite, fmt::format("composed.{}", composed_name(i)), s.quick, floats,
        [i](Maker& m, Operand x) { return composed_function(m, x, i); });
}

}  // namespace tg::conformance
