// See maker.h.
#include "maker.h"

#include <fmt/format.h>

#include "run_program.h"
#include "uop/shape.h"

namespace tg::conformance {
namespace {

constexpr int64_t kSeeds = 100'000;  // of data: short in print

int64_t product(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  return n;
}

}  // namespace

Operand Maker::input(const Shape& shape, DType t, double low, double high) {
  if (product(shape) > most_elements_) throw Redraw{"a value would be too large"};
  const bool coarse = dtype_size(t) < 4;
  program.values.push_back(Input{.shape = shape,
                                 .dtype = t,
                                 .low = low,
                                 .high = high,
                                 .grain = coarse ? 1.0 / 32 : 1.0 / 256,
                                 .seed = static_cast<uint64_t>(draw.between(0, kSeeds))});
  values_.push_back(Tensor::empty(shape, {.dtype = t}));
  return {static_cast<int>(values_.size()) - 1};
}

Operand Maker::call(std::string_view function, std::vector<Argument> arguments, int pick) {
  Step step{std::string(function), std::move(arguments), pick};
  Tensor result = run_step(step, values_);
  if (result.numel() > most_elements_) throw Redraw{"a value would be too large"};
  program.values.push_back(std::move(step));
  values_.push_back(std::move(result));
  return {static_cast<int>(values_.size()) - 1};
}

void Maker::rewind(int count) {
  program.values.resize(static_cast<size_t>(count));
  values_.resize(static_cast<size_t>(count), Tensor(0));
}

Operand Maker::cast(Operand x, DType t) { return dtype(x) == t ? x : call("cast", {x, t}); }
Operand Maker::as_float(Operand x) { return is_float(x) ? x : cast(x, DType::Float32); }
Operand Maker::as_integer(Operand x) {
  if (is_int(dtype(x))) return x;
  return cast(is_float(x) ? limited(x, 100) : x, DType::Int32);
}
Operand Maker::as_bool(Operand x) {
  if (is_bool(dtype(x))) return x;
  return is_float(x) ? call("lt", {x, 0.3125}) : call("ne", {x, int64_t{0}});
}
Operand Maker::positive(Operand x) { return call("add", {call("abs", {as_float(x)}), 0.25}); }
Operand Maker::between_ones(Operand x) { return call("clip", {as_float(x), -0.875, 0.875}); }
Operand Maker::above_one(Operand x) { return call("add", {call("abs", {as_float(x)}), 1.25}); }
Operand Maker::limited(Operand x, double most) {
  const auto* data = std::get_if<Input>(&program.values[static_cast<size_t>(x.value)]);
  if (data != nullptr && data->low >= -most && data->high <= most) return x;
  return call("clip", {x, -most, most});
}

Operand Maker::with_rank(Operand x, int64_t least, int64_t most) {
  Shape s = shape(x);
  const Shape before = s;
  while (static_cast<int64_t>(s.size()) < least) s.insert(s.begin(), 1);
  while (static_cast<int64_t>(s.size()) > most) s[1] *= s[0], s.erase(s.begin());
  return s == before ? x : reshaped(x, s);
}

}  // namespace tg::conformance
