// A program in the making: appends inputs and calls, and knows shape and dtype of every value,
// because it builds the expressions along. Nothing is computed. Which arguments are legal:
// arguments.h; where indices come from: index_tensors.h.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program.h"

namespace tg::conformance {

/// What a value may not become: the step is drawn again, and the reason is counted.
struct Redraw {
  std::string reason;
};

/// Random choices that are equal on every machine.
class Draw {
 public:
  explicit Draw(uint64_t seed) : rng_(seed) {}
  uint64_t word() { return rng_(); }
  /// In [low, high], both ends included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(double p) { return static_cast<double>(rng_() >> 11) * 0x1p-53 < p; }
  template <typename T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<size_t>(between(0, static_cast<int64_t>(list.size()) - 1))];
  }
  /// A number with few digits.
  double real(double low, double high) {
    return low + static_cast<double>(between(0, 32)) / 32 * (high - low);
  }

 private:
  std::mt19937_64 rng_;
};

class Maker {
 public:
  Maker(uint64_t seed, int64_t most_elements) : draw(seed), most_elements_(most_elements) {
    program.seed = seed % 1000;
  }

  /// Data of its own, floats in [low, high).
  Operand input(const Shape& shape, DType t, double low = -2, double high = 2);
  /// A call; Redraw if the result is too large. Throws what the function throws.
  Operand call(std::string_view function, std::vector<Argument> arguments, int pick = -1);

  const Tensor& tensor(Operand o) const { return values_[static_cast<size_t>(o.value)]; }
  Shape shape(Operand o) const { return tensor(o).shape(); }
  int64_t ndim(Operand o) const { return tensor(o).ndim(); }
  int64_t size(Operand o, int64_t axis) const { return tensor(o).size(axis); }
  DType dtype(Operand o) const { return tensor(o).dtype(); }
  int64_t numel(Operand o) const { return tensor(o).numel(); }
  bool is_float(Operand o) const { return tg::is_float(dtype(o)); }
  /// Forgets all values behind the first `count`.
  void rewind(int count);

  // ---- guards: the same value in a form that a function takes
  Operand as_float(Operand x);    ///< float32 unless it is a float
  Operand as_integer(Operand x);  ///< int32 unless it is an integer
  Operand as_bool(Operand x);
  Operand cast(Operand x, DType t);
  Operand positive(Operand x);      ///< at least a quarter
  Operand between_ones(Operand x);  ///< in [-0.9, 0.9]
  Operand above_one(Operand x);     ///< at least 1.25
  Operand limited(Operand x, double most);
  /// The value with a rank in [least, most]: axes are added in front or merged.
  Operand with_rank(Operand x, int64_t least, int64_t most);
  Operand reshaped(Operand x, const Shape& shape) { return call("reshape", {x, shape}); }
  Operand expanded(Operand x, const Shape& shape) { return call("expand", {x, shape}); }

  Program program;
  Draw draw;
  /// Element types of floats that inputs may have.
  std::vector<DType> floats = {DType::Float32};

 private:
  int64_t most_elements_;
  std::vector<Tensor> values_;
};

}  // namespace tg::conformance
