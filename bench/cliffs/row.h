// The rows of the cliff suite: what a line of a table says, and the inputs that its expression asks
// for. A row is added by a line in one of the tables (rows_*.cpp). Time and roofline of a row:
// measure.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tg/tensor.h"

namespace tg::cliffs {

inline constexpr DType f64 = DType::Float64, f32 = DType::Float32, f16 = DType::Float16,
                       bf16 = DType::BFloat16, fp8 = DType::Fp8E4M3, i8 = DType::Int8,
                       i32 = DType::Int32;

/// Operations that an exponential costs at least: ten instructions that could be multiply-adds.
inline constexpr double kExp = 20;

/// Sizes of the axes by letter: "m512 k64".
using Extents = std::array<int64_t, 128>;

/// The inputs of an expression. Shapes are written by the letters of the row's extents, a character
/// an axis: "nchw"; a digit is itself ("oc33"), brackets make one axis of a product, "(hd)", to
/// which something may be added, "(2h+2)".
class Inputs {
 public:
  /// Makes inputs as they are asked for.
  Inputs(const Extents& extents, DType dtype, std::string_view formula)
      : extents_(extents), dtype_(dtype), formula_(formula) {}

  /// The next input: numbers in [−1, 1), integers in [−8, 8); of the row's dtype unless another is
  /// named. The same one when the expression is written again after rewind().
  Tensor operator()(std::string_view shape) { return (*this)(shape, dtype_); }
  Tensor operator()(std::string_view shape, DType dtype);
  /// Places on an axis of size `below`, int32.
  Tensor places(std::string_view shape, int64_t below);
  /// The formula of the row's name over inputs of its shapes.
  Tensor einsum();

  /// The shape itself.
  Shape operator[](std::string_view shape) const;
  int64_t operator[](char letter) const { return extents_[static_cast<size_t>(letter)]; }

  const std::vector<Tensor>& made() const { return tensors_; }
  int64_t bytes() const;
  /// Before the expression is written again, with these inputs in place of those made.
  void rewind(const std::vector<Tensor>& tensors);
  void rewind() { next_ = 0; }

 private:
  template <typename F>
  Tensor next(F make);

  const Extents& extents_;
  DType dtype_;
  std::string_view formula_;
  std::vector<Tensor> tensors_;
  size_t next_ = 0;
};

/// A line of a table.
struct Line {
  const char* name;           ///< unique; a formula of einsum if there is no expression
  std::vector<DType> dtypes;  ///< a row each, of inputs and arithmetic
  const char* extents;
  double work;  ///< operations for each point of the product of all extents
  Tensor (*expression)(Inputs& in);
  double read = 1;  ///< share of the inputs that is looked at
};

struct Group {
  std::string_view name;
  std::vector<Line> lines;
  /// Sums of products, for which a processor may have instructions of their own. Else small floats
  /// are computed in float32 and small integers in int32.
  bool products = false;
};

Group contractions();
Group operands();
Group fused();
Group convolutions();
Group stencils();
Group attention();
Group reductions();
Group scans();
Group gathers();
Group movement();

/// One kernel of the suite.
struct Row {
  std::string name;  ///< of the line and its dtype
  std::string group;
  DType dtype;       ///< of the inputs
  DType arithmetic;  ///< whose peak bounds the operations
  Extents extents;
  double operations;
  Tensor (*expression)(Inputs& in);
  std::string formula;
  double read;

  Inputs inputs() const { return Inputs(extents, dtype, formula); }
  Tensor write(Inputs& in) const { return expression == nullptr ? in.einsum() : expression(in); }
};

/// All rows; extents above `most` are cut to that, for tests that want every kernel but no work.
std::vector<Row> all_rows(int64_t most = INT64_MAX);

/// `x`, for products of integers in 32 bits.
Tensor wide(const Tensor& x);

}  // namespace tg::cliffs
