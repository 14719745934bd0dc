// Tensor: a lazy n-dimensional array. Every function here only extends a graph of primitive
// operations; `realize`, `to_vector`, `item` and printing compile and run it. Shapes and dtypes are
// checked at once, so an error points at the line that wrote the operation. Options of the
// functions: options.h; indices: index.h; scopes and gradient checks: autograd.h; seeds: random.h.
//
// Copies of a Tensor are names for one value, as in Python: all of them see an `assign` through any
// one. Numbers convert to tensors with the dtype of their partner: `x + 1`, `2.0 * x`,
// `x.maximum(0)`.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tg/dtype.h"
#include "tg/element.h"
#include "tg/export.h"
#include "tg/index.h"
#include "tg/options.h"
#include "tg/symbolic.h"

namespace tg {

struct TensorState;

class TG_API Tensor {
 public:
  // ---- from data
  /// A float32 zero of shape [].
  Tensor();
  /// A number, shape []: it takes the dtype of its partner (int32, float32 or bool when alone).
  template <Number T>
  Tensor(T value) : Tensor(number(value)) {}
  /// The value of an expression of variables in each call, shape []: int32 if that holds all of its
  /// values, else int64.
  Tensor(const SymInt& value);
  /// A vector of literals: integers become int32, floats float32 (as literals in Python), bools
  /// bool. Shape [n].
  template <Number T>
  Tensor(std::initializer_list<T> values) : Tensor(literals(values)) {}
  /// A matrix of literals, rows of equal length (ShapeError). Shape [rows, columns].
  template <Number T>
  Tensor(std::initializer_list<std::initializer_list<T>> rows) : Tensor(literals(rows)) {}
  /// A copy of `data` with the dtype of its elements; `shape` must hold as many elements
  /// (ShapeError). Shape [n] if left out.
  template <Number T>
  explicit Tensor(const std::vector<T>& data, const TensorOptions& options = {})
      : Tensor(data, Shape{static_cast<int64_t>(data.size())}, options) {}
  template <Number T>
  Tensor(const std::vector<T>& data, const Shape& shape, const TensorOptions& options = {})
      : Tensor(from_vector(data, shape, options)) {}
  template <Number T>
  Tensor(std::span<const T> data, const Shape& shape, const TensorOptions& options = {})
      : Tensor(from_bytes(std::as_bytes(data), shape, dtype_of<T>(), options)) {}
  /// A copy of raw row-major elements of dtype `stored`; converted if the options name another
  /// dtype.
  static Tensor from_bytes(std::span<const std::byte> bytes, const Shape& shape, DType stored,
                           const TensorOptions& options = {});

  /// A tensor on the host's own memory: nothing is copied, and each side sees the other's writes.
  /// `data` holds the row-major elements, aligned to their size (ArgumentError), and must stay
  /// valid until `release` is called, once, when nothing refers to the memory any more. The device
  /// is the one that computes in host memory (the CPU).
  static Tensor from_memory(void* data, const Shape& shape, DType dtype,
                            std::function<void()> release = {});

  // ---- creation (dtype default_float() unless stated)
  /// Storage whose contents are undefined.
  static Tensor empty(const Shape& shape, const TensorOptions& options = {});
  /// `value` everywhere.
  static Tensor full(const Sizes& sizes, const Tensor& value, const FullOptions& options = {});
  /// 0 everywhere.
  static Tensor zeros(const Sizes& sizes, const TensorOptions& options = {});
  static Tensor zeros(const Sizes& sizes, DType dtype) { return zeros(sizes, {.dtype = dtype}); }
  /// 1 everywhere.
  static Tensor ones(const Sizes& sizes, const TensorOptions& options = {});
  static Tensor ones(const Sizes& sizes, DType dtype) { return ones(sizes, {.dtype = dtype}); }
  /// start, start + step, … up to `stop`, which is excluded. Shape [ceil((stop − start) / step)].
  static Tensor arange(double stop, const RangeOptions& options = {});
  /// `steps` evenly spaced values from `start` to `stop`, ends included. Shape [steps].
  static Tensor linspace(double start, double stop, int64_t steps,
                         const TensorOptions& options = {});
  /// Ones on the diagonal of an [n, m] matrix; m = n if negative.
  static Tensor eye(int64_t n, int64_t m = -1, const TensorOptions& options = {});
  Tensor full_like(const Tensor& value) const;  ///< `value` everywhere, this shape, dtype, device
  Tensor zeros_like() const;  ///< zeros of this shape, dtype and device
  Tensor ones_like() const;   ///< ones of this shape, dtype and device
  Tensor empty_like() const;  ///< undefined contents of this shape, dtype and device

  // ---- random (see random.h)
  static Tensor rand(const Shape& shape, const TensorOptions& options = {});  ///< uniform in [0, 1)
  static Tensor randn(const Shape& shape, const TensorOptions& options = {});  ///< standard normal
  static Tensor randint(const Shape& shape,
                        const RandintOptions& options);  ///< whole, in [low, high)
  static Tensor uniform(const Shape& shape, const UniformOptions& options);  ///< in [low, high)
  static Tensor normal(const Shape& shape, const NormalOptions& options);  ///< mean + std · randn
  /// The numbers below n in random order, int32. Shape [n].
  static Tensor randperm(int64_t n, const TensorOptions& options = {});
  /// Indices drawn with these weights, which need not add up to 1, int32; for a matrix, in each
  /// row. Without replacement no index is drawn twice. [places] → [num_samples], [rows, places] →
  /// [rows, num_samples].
  Tensor multinomial(int64_t num_samples = 1, bool replacement = false) const;
  /// Uniform in ±1/√(number of elements).
  static Tensor scaled_uniform(const Shape& shape, const TensorOptions& options = {});
  /// Uniform in ±√(6 / (shape[0] + product of the rest)).
  static Tensor glorot_uniform(const Shape& shape, const TensorOptions& options = {});
  /// Uniform in ±√(6 / ((1 + a²) · product of all sizes but the first)).
  static Tensor kaiming_uniform(const Shape& shape, const KaimingOptions& options = {});
  /// Normal with deviation √(2 / ((1 + a²) · product of all sizes but the first)).
  static Tensor kaiming_normal(const Shape& shape, const KaimingOptions& options = {});
  Tensor rand_like() const;   ///< `rand` of this shape, dtype and device
  Tensor randn_like() const;  ///< `randn` of this shape, dtype and device
  /// Zeroes elements with probability p and scales the rest by 1/(1−p) while training
  /// (TrainingScope); else itself.
  Tensor dropout(double p = 0.5) const;

  // ---- facts
  /// Sizes of the axes; where one is an expression of variables (symbolic.h), the largest that it
  /// can be.
  Shape shape() const;
  std::vector<SymInt> sizes() const;  ///< sizes of the axes, with their variables
  int64_t size(int64_t axis) const;   ///< size of one axis
  DType dtype() const;                ///< element type
  /// The device's name, several separated by commas; empty for constants, which have no device.
  std::string device() const;
  std::optional<int64_t> shard_axis() const;  ///< the axis that is split between devices
  int64_t ndim() const;                       ///< number of axes
  int64_t numel() const;                      ///< number of elements of this shape
  /// The same, with the values that variable sizes have now: as many as to_vector() gives.
  int64_t existing_elements() const;
  int64_t element_size() const;               ///< bytes of one element
  int64_t nbytes() const;                     ///< bytes of all elements
  bool is_floating_point() const;             ///< float dtype

  // ---- movement: never copies
  Tensor reshape(const Sizes& sizes) const;  ///< same elements, row-major; one size may be −1
  Tensor view(const Sizes& sizes) const { return reshape(sizes); }
  /// Stretches axes of size 1; −1 keeps a size; new axes in front.
  Tensor expand(const Sizes& sizes) const;
  Tensor permute(const std::vector<int64_t>& order) const;       ///< axes in another order
  Tensor transpose(int64_t axis0 = 1, int64_t axis1 = 0) const;  ///< swaps two axes
  Tensor T() const { return transpose(); }
  Tensor flip(const Axes& axes) const;  ///< reverses axes; none named: all
  /// [begin, end) of every axis, 0 ≤ begin ≤ end ≤ size.
  Tensor shrink(const std::vector<std::pair<int64_t, int64_t>>& ranges) const;
  /// (before, after) for every axis, filled with `value`; negative numbers crop.
  Tensor pad(const std::vector<std::pair<int64_t, int64_t>>& padding,
             const Tensor& value = 0) const;
  /// The same, continued from the elements as `mode` says (ShapeError if they are too few).
  Tensor pad(const std::vector<std::pair<int64_t, int64_t>>& padding, PadMode mode) const;
  /// `value` at the ends of the axes up to these sizes; −1 keeps one, a smaller one crops.
  Tensor pad_to(const Shape& sizes, const Tensor& value = 0) const;
  /// The beginning of each axis, so many elements; −1 keeps all.
  Tensor shrink_to(const Sizes& sizes) const;
  Tensor squeeze() const;                ///< drops all axes of size 1
  Tensor squeeze(int64_t axis) const;    ///< drops `axis` if its size is 1
  Tensor unsqueeze(int64_t axis) const;  ///< a new axis of size 1 before `axis`; −1: at the end
  Tensor flatten(int64_t first = 0, int64_t last = -1) const;  ///< merges axes first … last
  Tensor unflatten(int64_t axis, const Shape& sizes) const;    ///< splits one axis
  Tensor repeat(const std::vector<int64_t>& repeats) const;    ///< tiles, as numpy.tile
  /// Each element `repeats` times, one after the other, along an axis; if none is named, of the
  /// flattened tensor.
  Tensor repeat_interleave(int64_t repeats, std::optional<int64_t> axis = {}) const;
  Tensor roll(int64_t shift, int64_t axis = 0) const;  ///< shifts circularly along an axis
  Tensor tril(int64_t diagonal = 0) const;  ///< keeps the lower triangle of the last two axes
  Tensor triu(int64_t diagonal = 0) const;  ///< keeps the upper triangle of the last two axes
  Tensor diagonal() const;                  ///< main diagonal of a square matrix, [n, n] → [n]
  Tensor diag() const;  ///< a vector on the diagonal of a matrix, [n] → [n, n]
  /// Windows of `size` elements along an axis, `step` apart: the axis counts them, a new last one
  /// goes through each. [..., n, ...] → [..., (n − size) / step + 1, ..., size].
  Tensor unfold(int64_t axis, int64_t size, int64_t step) const;
  /// Axes split, reordered and merged as in einops: "b (h w) c -> b c h w, h=4". Names stand for
  /// axes, parentheses for several in one, 1 for an axis of size 1, "..." for any number of axes;
  /// sizes that do not follow from the shape come after the formula. ArgumentError for a formula
  /// that does not fit.
  Tensor rearrange(const std::string& formula) const;
  /// The coordinates of a grid along the given axes: one tensor of the grid's shape for each.
  static std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors,
                                      GridIndexing indexing = GridIndexing::Ij);
  /// Joins along an existing axis; all other sizes are equal (ShapeError); dtypes are promoted.
  static Tensor cat(const std::vector<Tensor>& tensors, int64_t axis = 0);
  /// Joins along a new axis; shapes are equal (ShapeError).
  static Tensor stack(const std::vector<Tensor>& tensors, int64_t axis = 0);
  /// Pieces of `size` elements along an axis; the last may be smaller.
  std::vector<Tensor> split(int64_t size, int64_t axis = 0) const;
  /// Pieces of the given sizes, which add up to the axis (ShapeError).
  std::vector<Tensor> split(const std::vector<int64_t>& sizes, int64_t axis = 0) const;
  /// At most `chunks` pieces of equal size along an axis; the last may be smaller.
  std::vector<Tensor> chunk(int64_t chunks, int64_t axis = 0) const;

  // ---- indexing
  /// One item per axis, as in PyTorch: integers drop the axis, slices keep it, integer tensors pick
  /// along it. Several tensors are broadcast and pick together; their axes replace the first one's,
  /// or come first if the tensors are not adjacent after the integers have dropped their axes
  /// (NumPy counts those as tensors). Integers out of range raise IndexError; negative elements of
  /// index tensors count from the end, and those out of range read 0. A mask, bool, replaces as
  /// many axes as it has, of equal sizes (IndexError), and picks where it is true, row-major: like
  /// the columns of nonzero(), for which it is computed now.
  Tensor index(const std::vector<IndexItem>& items) const;
  Tensor operator[](const std::vector<IndexItem>& items) const { return index(items); }
  template <typename T>
  requires std::is_convertible_v<const T&, IndexItem> Tensor operator[](const T& item) const {
    return index({IndexItem(item)});
  }
  /// Assigns `value`, broadcast, to the selected part, in place. Index tensors pick as in index():
  /// of equal indices the last wins, indices out of range are ignored.
  const Tensor& set(const std::vector<IndexItem>& items, const Tensor& value) const;
  /// out[i…] = this[…, index[i…] at `axis`, …]; `index` has as many axes, none longer except
  /// `axis`.
  Tensor gather(int64_t axis, const Tensor& index) const;
  /// A copy with src[p] written (or added) to index[p] along `axis` for each p; of equal indices
  /// the last wins.
  Tensor scatter(int64_t axis, const Tensor& index, const Tensor& src) const;
  Tensor scatter_add(int64_t axis, const Tensor& index, const Tensor& src) const;  ///< adds instead
  /// Like scatter, but combines all values for one element, and its old value unless `include_self`
  /// is false, by sum, mean, product, minimum or maximum. Other elements stay. `src`: of this
  /// dtype.
  Tensor scatter_reduce(int64_t axis, const Tensor& index, const Tensor& src,
                        ScatterReduction reduction, bool include_self = true) const;
  /// 1 at the label's position along a new last axis, else 0. Labels: integers. Shape [...,
  /// classes], int32.
  Tensor one_hot(int64_t classes) const;
  /// The elements where `mask` (bool, broadcast) is true, in row-major order. Shape [size]: by
  /// default their number, for which the mask is computed now.
  Tensor masked_select(const Tensor& mask, const MaskedSelectOptions& options = {}) const;
  /// The indices of the elements that are not 0, row-major, int32. Shape [number, axes]: by default
  /// their number, for which this tensor is computed now.
  Tensor nonzero(const MaskedSelectOptions& options = {}) const;
  /// The last axes resized. `align_corners`: the first and last elements stay at the ends, instead
  /// of all elements having one width (Linear only). uint8 is rounded after each axis, other
  /// integers towards 0 at the end.
  Tensor interpolate(const Shape& size, InterpolateMode mode = InterpolateMode::Linear,
                     bool align_corners = false) const;

  /// The values at the points of a grid, each axis of this going from −1 to 1: [batch, channels,
  /// spatial…] at grid [batch, out…, axes], the last spatial axis first, → [batch, channels, out…];
  /// floats. Points that are NaN read 0.
  Tensor grid_sample(const Tensor& grid, const GridSampleOptions& options = {}) const;
  /// The grids that the affine maps [batch, axes, axes + 1] make from one of these spatial sizes,
  /// between −1 and 1: [batch, size…, axes], for grid_sample.
  Tensor affine_grid(const Shape& size, bool align_corners = false) const;

  // ---- order: NaN is the largest number, equal elements keep their order
  /// The elements in order along `axis`, and their places, int32.
  std::pair<Tensor, Tensor> sort(int64_t axis = -1, bool descending = false) const;
  Tensor argsort(int64_t axis = -1, bool descending = false) const;  ///< the places alone
  /// The first `k` elements of the order along `axis`, starting with the largest or the smallest,
  /// and their indices, int32.
  std::pair<Tensor, Tensor> topk(int64_t k, int64_t axis = -1, bool largest = true) const;
  /// The distinct elements, in order. Shape [size]: by default their number, for which this tensor
  /// is sorted now.
  Tensor unique(const MaskedSelectOptions& options = {}) const;

  // ---- arithmetic: broadcasts as NumPy, promotes dtypes
  Tensor add(const Tensor& other) const;  ///< sum; integers wrap, bool: or
  Tensor sub(const Tensor& other) const;  ///< difference; integers wrap
  Tensor mul(const Tensor& other) const;  ///< product; integers wrap, bool: and
  /// True division: integers become default_float(). Rounded, the quotient keeps the promoted
  /// dtype.
  Tensor div(const Tensor& other, Rounding rounding = Rounding::None) const;
  Tensor floordiv(
      const Tensor& other) const;          ///< quotient rounded down; 0 for a whole division by 0
  Tensor mod(const Tensor& other) const;   ///< remainder with the divisor's sign
  Tensor fmod(const Tensor& other) const;  ///< remainder with this sign
  /// this to the power of `exponent`. Integer bases need a whole, not negative number (DTypeError).
  /// 0⁰ = 1.
  Tensor pow(const Tensor& exponent) const;
  Tensor maximum(const Tensor& other) const;  ///< NaN if either is NaN; ties share the gradient
  Tensor minimum(const Tensor& other) const;  ///< NaN if either is NaN; ties share the gradient
  Tensor clip(const Tensor& low, const Tensor& high) const;   ///< limited to [low, high]
  Tensor clamp(const Tensor& low, const Tensor& high) const;  ///< clip
  Tensor clamp_min(const Tensor& low) const;                  ///< not below low
  Tensor clamp_max(const Tensor& high) const;                 ///< not above high
  Tensor copysign(const Tensor& other) const;   ///< this size, the other's sign, −0 included
  Tensor logaddexp(const Tensor& other) const;  ///< log(eˣ + eʸ) without overflow
  /// this + weight · (end − this).
  Tensor lerp(const Tensor& end, const Tensor& weight) const;
  static Tensor usum(const std::vector<Tensor>& tensors);   ///< sum of one or more tensors
  static Tensor uprod(const std::vector<Tensor>& tensors);  ///< product of one or more tensors
  Tensor bitwise_and(const Tensor& other) const;            ///< integers and bool
  Tensor bitwise_or(const Tensor& other) const;             ///< integers and bool
  Tensor bitwise_xor(const Tensor& other) const;            ///< integers and bool
  Tensor bitwise_not() const;                               ///< integers and bool
  Tensor lshift(const Tensor& count) const;       ///< integers; counts of 64 and more give 0
  Tensor rshift(const Tensor& count) const;       ///< integers; arithmetic if signed
  Tensor eq(const Tensor& other) const;           ///< equal, bool
  Tensor ne(const Tensor& other) const;           ///< not equal, bool
  Tensor lt(const Tensor& other) const;           ///< less, bool
  Tensor le(const Tensor& other) const;           ///< less or equal, bool
  Tensor gt(const Tensor& other) const;           ///< greater, bool
  Tensor ge(const Tensor& other) const;           ///< greater or equal, bool
  Tensor logical_and(const Tensor& other) const;  ///< both are not 0, bool
  Tensor logical_or(const Tensor& other) const;   ///< one is not 0, bool
  Tensor logical_not() const;                     ///< is 0, bool
  /// |x − y| ≤ atol + rtol · |y|, or both the same infinity, bool.
  Tensor isclose(const Tensor& other, const CloseOptions& options = {}) const;
  Tensor allclose(const Tensor& other, const CloseOptions& options = {}) const;  ///< all isclose
  /// Threefry-2x32 of the words of each number under key `seed`, all uint64: the basis of rand().
  Tensor threefry(const Tensor& seed) const;
  /// This (bool) selects: `a` where true, else `b`. All three are broadcast, a and b promoted.
  Tensor where(const Tensor& a, const Tensor& b) const;
  Tensor masked_fill(const Tensor& mask,
                     const Tensor& value) const;  ///< `value` where mask is true

  // ---- elementwise; functions of floats make default_float() of integers
  Tensor neg() const;         ///< negation; bool: not
  Tensor abs() const;         ///< slope 0 at 0
  Tensor sign() const;        ///< −1, 0, 1; NaN stays
  Tensor square() const;      ///< x · x
  Tensor sqrt() const;        ///< NaN below 0
  Tensor rsqrt() const;       ///< 1/√x
  Tensor reciprocal() const;  ///< 1/x
  Tensor exp() const;         ///< e to the power x
  Tensor exp2() const;        ///< 2 to the power x
  Tensor log() const;         ///< −inf at 0, NaN below
  Tensor log2() const;        ///< −inf at 0, NaN below
  Tensor log10() const;       ///< −inf at 0, NaN below
  Tensor sin() const;         ///< radians
  Tensor cos() const;         ///< radians
  Tensor tan() const;         ///< radians
  Tensor asin() const;        ///< in [−π/2, π/2]; NaN outside [−1, 1]
  Tensor acos() const;        ///< in [0, π]; NaN outside [−1, 1]
  Tensor atan() const;        ///< in [−π/2, π/2]
  Tensor sinh() const;        ///< hyperbolic sine
  Tensor cosh() const;        ///< hyperbolic cosine
  Tensor asinh() const;       ///< inverse of sinh
  Tensor acosh() const;       ///< inverse of cosh, ≥ 0; NaN below 1
  Tensor atanh() const;       ///< inverse of tanh; NaN outside [−1, 1]
  Tensor erf() const;         ///< 2/√π ∫₀ˣ exp(−t²) dt
  Tensor trunc() const;       ///< towards 0
  Tensor floor() const;       ///< rounded down
  Tensor ceil() const;        ///< rounded up
  Tensor round() const;       ///< halves to the even neighbour
  Tensor isnan() const;       ///< bool
  /// Is +∞ (if `positive`) or −∞ (if `negative`), bool.
  Tensor isinf(bool positive = true, bool negative = true) const;
  Tensor isfinite() const;         ///< bool
  Tensor cast(DType dtype) const;  ///< values converted; floats truncate to integers
  /// The same bits. For a dtype of another size the last axis has more or fewer elements, the
  /// lowest bits first (ShapeError if they are no whole number).
  Tensor bitcast(DType dtype) const;

  // ---- activations
  Tensor relu() const;                           ///< max(x, 0); slope 0 at 0, NaN stays NaN
  Tensor relu6() const;                          ///< clip(0, 6)
  Tensor leaky_relu(double slope = 0.01) const;  ///< x, or slope · x below 0
  Tensor sigmoid() const;                        ///< exact tails on both sides
  Tensor tanh() const;                           ///< exact near 0 and at both ends
  Tensor silu() const;                           ///< x · sigmoid(x)
  Tensor swish() const { return silu(); }
  /// x · Φ(x): by the tanh form x · sigmoid(2√(2/π)(x + 0.044715x³)), or exactly by erf.
  Tensor gelu(GeluForm form = GeluForm::Tanh) const;
  Tensor quick_gelu() const;            ///< x · sigmoid(1.702x)
  Tensor elu(double alpha = 1) const;   ///< x, or alpha · (eˣ − 1) below 0
  Tensor celu(double alpha = 1) const;  ///< x, or alpha · (e^(x/alpha) − 1) below 0
  /// gamma · elu(alpha), which keeps mean and variance of deep networks.
  Tensor selu(double alpha = 1.6732632423543772, double gamma = 1.0507009873554805) const;
  Tensor mish() const;                     ///< x · tanh(softplus(x))
  Tensor softplus(double beta = 1) const;  ///< log(1 + e^(beta · x)) / beta without overflow
  Tensor logsigmoid() const;               ///< log(sigmoid(x)) without overflow
  Tensor softsign() const;                 ///< x / (1 + |x|)
  Tensor hardsigmoid(double alpha = 1.0 / 6,
                     double beta = 0.5) const;              ///< alpha · x + beta in [0, 1]
  Tensor hardswish() const;                                 ///< x · relu6(x + 3) / 6
  Tensor hardtanh(double low = -1, double high = 1) const;  ///< limited to [low, high]

  // ---- reductions
  /// Integers and bool accumulate in at least 32 bits, small floats in float32 (rounded once at the
  /// end).
  Tensor sum(const ReduceOptions& options = {}) const;
  Tensor prod(const ReduceOptions& options = {}) const;  ///< as sum
  Tensor max(const ReduceOptions& options = {}) const;  ///< NaN if any is NaN; of nothing the least
  Tensor min(const ReduceOptions& options = {}) const;  ///< NaN if any is NaN; of nothing the largest
  Tensor mean(const ReduceOptions& options = {}) const;  ///< integers: default_float()
  Tensor var(const VarOptions& options = {}) const;      ///< Σ(x − mean)² / (n − correction)
  Tensor std(const VarOptions& options = {}) const;      ///< √var
  std::pair<Tensor, Tensor> var_mean(const VarOptions& options = {}) const;  ///< var and mean
  std::pair<Tensor, Tensor> std_mean(const VarOptions& options = {}) const;  ///< std and mean
  Tensor any(const ReduceOptions& options = {}) const;                       ///< one is not 0, bool
  Tensor all(const ReduceOptions& options = {}) const;                       ///< none is 0, bool
  Tensor argmax(
      const ArgOptions& options = {}) const;  ///< first place of the maximum, int32; NaN is largest
  Tensor argmin(const ArgOptions& options = {})
      const;  ///< first place of the minimum, int32; NaN is smallest
  /// eˣ / Σeˣ without overflow; dtype of the result, if another than the float of this one.
  Tensor softmax(int64_t axis = -1, std::optional<DType> dtype = {}) const;
  /// x − log Σeˣ without overflow.
  Tensor log_softmax(int64_t axis = -1, std::optional<DType> dtype = {}) const;
  Tensor softmin(int64_t axis = -1, std::optional<DType> dtype = {}) const;  ///< softmax of −x
  Tensor logsumexp(const ReduceOptions& options = {}) const;  ///< log Σeˣ without overflow
  /// Divided by its p-norm along an axis.
  Tensor normalize(const NormalizeOptions& options = {}) const;

  // ---- scans: of each element and all before it on the axis; O(33 · n) for an axis of n
  Tensor cumsum(int64_t axis = 0) const;   ///< dtype as sum
  Tensor cumprod(int64_t axis = 0) const;  ///< dtype as sum
  /// The maximum so far (NaN from the first NaN on) and its latest place, int32.
  std::pair<Tensor, Tensor> cummax(int64_t axis = 0) const;
  std::pair<Tensor, Tensor> cummin(int64_t axis = 0) const;  ///< the same for the minimum
  Tensor logcumsumexp(int64_t axis = 0) const;               ///< log Σeˣ so far, without overflow

  // ---- products, convolutions, pools
  /// [..., m, k] @ [..., k, n] → [..., m, n]; leading axes broadcast; a vector on either side is a
  /// row or column that is dropped again. Small floats accumulate in float32.
  Tensor matmul(const Tensor& other) const;
  Tensor dot(const Tensor& other) const { return matmul(other); }
  /// Einstein's summation: "ij,jk->ik", with "..." for the broadcast axes. A letter twice in one
  /// operand is its diagonal; without "->" the letters that occur once remain, in order.
  static Tensor einsum(const std::string& formula, const std::vector<Tensor>& operands);
  /// x · weight + bias with weight [in, out]; a weight of one axis multiplies elementwise.
  Tensor linear(const Tensor& weight, const Tensor* bias = nullptr) const;
  /// Cross-correlation of [batch, in, spatial…] with weights [out, in/groups, kernel…]: any number
  /// of spatial axes.
  Tensor conv2d(const Tensor& weight, const ConvOptions& options = {}) const;
  /// Its transpose: [batch, in, spatial…] with weights [in, out/groups, kernel…] →
  /// [batch, out, (size − 1) · stride + (kernel − 1) · dilation + 1 − padding + output_padding…].
  Tensor conv_transpose2d(const Tensor& weight, const ConvTransposeOptions& options = {}) const;
  /// Largest, or mean, of each window of the last axes.
  Tensor max_pool2d(const PoolOptions& options = {}) const;
  Tensor avg_pool2d(const PoolOptions& options = {}) const;
  /// max_pool2d, and where each maximum stands first in the pooled axes, int32; NaN is largest.
  std::pair<Tensor, Tensor> max_pool2d_with_indices(const PoolOptions& options = {}) const;
  /// The inverse of max_pool2d: each value at its index, 0 elsewhere.
  Tensor max_unpool2d(const Tensor& indices, const UnpoolOptions& options = {}) const;
  /// softmax(this · keyᵀ / √size) · value: queries [..., n, size], keys [..., m, size], values
  /// [..., m, out] → [..., n, out].
  Tensor scaled_dot_product_attention(const Tensor& key, const Tensor& value,
                                      const AttentionOptions& options = {}) const;

  // ---- decompositions of matrices, which stand on the last two axes; gradients flow through them
  /// Q and R, Q orthogonal, R upper triangular, with this = Q · R: [..., m, n] → [..., m, m] and
  /// [..., m, n].
  std::pair<Tensor, Tensor> qr() const;
  /// U, S and Vᵀ with this = U · diag(S) · Vᵀ, the columns of U and V orthonormal, S falling:
  /// [..., m, n] → [..., m, m], [..., min(m, n)] and [..., n, n]; without `full_matrices` U and Vᵀ
  /// have min(m, n) columns and rows.
  std::vector<Tensor> svd(bool full_matrices = true) const;

  /// L, lower triangular with a positive diagonal, with this = L · Lᵀ, for symmetric positive
  /// definite this, of which the lower triangle is read. `upper`: U with this = Uᵀ · U, reading the
  /// upper one. NaN where it is not positive definite. [..., n, n] → [..., n, n].
  Tensor cholesky(bool upper = false) const;
  /// X with A · X = B, A being this, triangular: [..., n, n] and B [..., n, k] → [..., n, k];
  /// leading axes broadcast. The other triangle is not read. Infinities or NaN where A is singular.
  Tensor solve_triangular(const Tensor& b, const SolveTriangularOptions& options = {}) const;

  // ---- Fourier transforms along an axis. Complex numbers are pairs (real, imaginary) on a last
  // axis of size 2, which `axis` does not count. Σ x[j] · e^(−2πi · j · k / n) in O(n · Σ of the
  // prime factors of n), in O(n log n) where one is large.
  Tensor fft(int64_t axis = -1) const;   ///< of pairs: [..., n, ..., 2] → the same shape
  Tensor ifft(int64_t axis = -1) const;  ///< its inverse: the sign turned, divided by n
  /// Of reals, and of the result the first half: [..., n, ...] → [..., n / 2 + 1, ..., 2].
  Tensor rfft(int64_t axis = -1) const;
  /// The inverse of rfft: `size` reals, or 2 · (m − 1), of the pairs [..., m, ..., 2], which are
  /// cropped or continued by 0.
  Tensor irfft(std::optional<int64_t> size = {}, int64_t axis = -1) const;

  // ---- hashes and bits
  /// SHA-3 of the bytes of each row of the last axis, uint8: [..., n] → [..., bytes of the hash].
  Tensor keccak(const KeccakOptions& options = {}) const;
  /// 16 bytes, uint8, that tell tensors of different contents apart. Shape [16].
  Tensor hash() const;
  /// `num` words of the Threefry stream of this key, two words of uint32; `counter`, two words,
  /// chooses the stream's part. Shape [num], uint32.
  Tensor random_bits(const Tensor& counter, int64_t num) const;

  // ---- normalisation and losses
  /// (x − mean) / √(var + eps) · weight + bias for each channel.
  Tensor batch_norm(const BatchNormOptions& options = {}) const;
  Tensor layer_norm(const LayerNormOptions& options = {}) const;  ///< over named axes of each row
  /// x / √(mean of x² + eps) · weight over the named axes of each row.
  Tensor rms_norm(const RmsNormOptions& options = {}) const;
  /// Each group of channels (axis 1) of each sample normalised to mean 0 and variance 1.
  Tensor group_norm(int64_t groups, const GroupNormOptions& options = {}) const;
  /// Logits [batch, classes, …] against integer labels [batch, …] or probabilities of the logits'
  /// shape.
  Tensor cross_entropy(const Tensor& target, const LossOptions& options = {}) const;
  /// Logits [..., classes] against integer labels [...].
  Tensor sparse_categorical_crossentropy(const Tensor& target,
                                         const LossOptions& options = {}) const;
  /// Log-probabilities [batch, classes, …] against integer labels [batch, …].
  Tensor nll_loss(const Tensor& target, const LossOptions& options = {}) const;
  /// Probabilities in (0, 1) against targets in [0, 1], equal shapes.
  Tensor binary_crossentropy(const Tensor& target, const LossOptions& options = {}) const;
  /// The same for logits, without overflow.
  Tensor binary_crossentropy_logits(const Tensor& target, const LossOptions& options = {}) const;

  // ---- storage and execution
  /// Computes the value now and keeps it as plain storage: gradients no longer flow through it to
  /// its sources. Constants stay constants. Reading (to_vector(), item(), printing) computes and
  /// keeps the value too, but gradients still flow. The sources of a read value live as long as it
  /// does; a loop that reads its state in every iteration keeps the last 1,000 values or 256 MiB of
  /// them, all if they include a parameter, none under NoGradScope.
  const Tensor& realize() const;
  static void realize(const std::vector<Tensor>& tensors);  ///< together, sharing common work
  bool is_realized() const;                    ///< it is storage: no graph is attached
  bool has_storage() const;                    ///< it is, or a waiting assignment makes it some
  Tensor contiguous() const;                   ///< the same values in storage, row-major
  /// contiguous() by a kernel that unrolls as asked, where it can: pairs (axis, points) of its
  /// axes, those of the result before those it reduces; `unroll`: of the latter alone.
  Tensor contiguous_unrolled(const std::vector<std::pair<int64_t, int64_t>>& upcast,
                             const std::vector<std::pair<int64_t, int64_t>>& unroll = {}) const;
  Tensor contiguous_backward() const;          ///< itself; its gradient is stored on its way
  Tensor clone() const;                        ///< a copy: always new storage
  Tensor detach() const;                       ///< the same values; gradients stop here
  Tensor to(const std::string& device) const;  ///< the same values on another device
  /// The same values on several devices, "CPU,CPU:1": an equal part on each along `axis`, or all on
  /// each. ShapeError if it does not divide, DeviceError if they are split or copied already.
  Tensor shard(const std::string& devices, std::optional<int64_t> axis = {}) const;
  /// The same in place; a parameter stays one.
  const Tensor& shard_(const std::string& devices, std::optional<int64_t> axis = {}) const;
  Tensor shard_like(const Tensor& like) const;  ///< onto the devices of `like`, split like it
  /// Replaces the stored value, in place; `value` is broadcast, its dtype must be this one
  /// (DTypeError). All copies and views see it. Gradients flow to `value` until the assignment has
  /// run, except where it was made under NoGradScope. Live values that read the old contents are
  /// computed before it runs, except gradients: reading one of those then raises ArgumentError.
  const Tensor& assign(const Tensor& value) const;
  /// The elements in row-major order, converted to T; of variable sizes, the existing ones.
  template <Number T>
  std::vector<T> to_vector() const;
  template <Number T>
  T item() const;                                   ///< the only one (ShapeError if there are more)
  std::vector<std::byte> to_bytes() const;          ///< the elements' bytes in row-major order
  void copy_bytes(std::span<std::byte> out) const;  ///< put into `out`, of their size (ShapeError)
  /// The address of the elements, row-major, after computing them; null if the host cannot access
  /// them in this form: on another device, in another order, or for a constant. Valid while the
  /// storage lives; assignments change its contents.
  void* host_data() const;
  /// NumPy-like text of the values, then dtype and shape. Computes the value.
  std::string str() const;
  /// The tensor's operations as text, one node per line, sources before users, the tensor last:
  /// `%2 = add %0, %1 : int32[2] @CPU` (docs/ir.md lists the operations). Computes nothing.
  std::string graph() const;

  // ---- gradients (see autograd.h)
  /// d(this)/d(each live leaf), added to its grad(). This is a float of shape [], or `seed` gives
  /// its gradient. Leaves: float tensors with storage, or marked by is_param_(), that this depends
  /// on and that are not marked is_param_(false). A realised value depends on nothing:
  /// differentiate before realize().
  void backward() const;
  void backward(const Tensor& seed) const;
  /// With `inner`, every live float tensor between them and this gets its gradient too, except
  /// uniform constants.
  void backward(const Tensor& seed, bool inner) const;
  bool has_grad() const;  ///< backward has reached it
  Tensor grad() const;    ///< the gradient; ArgumentError if there is none
  const Tensor& set_grad(const Tensor& gradient) const;  ///< replaces it; shapes must agree
  const Tensor& zero_grad() const;                       ///< forgets it
  /// d(this)/d(target) for each target; zeros where this does not depend on it. Differentiable
  /// again.
  std::vector<Tensor> gradient(const std::vector<Tensor>& targets) const;
  std::vector<Tensor> gradient(const std::vector<Tensor>& targets, const Tensor& seed) const;
  bool is_param() const;  ///< marked as a parameter
  /// Marks it as (no) parameter. A parameter that is an expression gets its own storage, filled
  /// when first needed.
  const Tensor& is_param_(bool flag = true) const;

  Tensor operator-() const { return neg(); }
  Tensor operator!() const { return logical_not(); }
  Tensor operator~() const { return bitwise_not(); }
  /// In place if it has storage (like assign), else the expression grows: seen by all copies.
  const Tensor& operator+=(const Tensor& other) const;
  const Tensor& operator-=(const Tensor& other) const;
  const Tensor& operator*=(const Tensor& other) const;
  const Tensor& operator/=(const Tensor& other) const;

  /// For the library's own layers.
  explicit Tensor(std::shared_ptr<TensorState> state) : state_(std::move(state)) {}
  const std::shared_ptr<TensorState>& state() const { return state_; }

 private:
  template <typename T>
  using Literal = std::conditional_t<std::is_same_v<T, double>, float, T>;
  template <Number T>
  static Tensor number(T value);
  template <Number T>
  static Tensor literals(std::initializer_list<T> values);
  template <Number T>
  static Tensor literals(std::initializer_list<std::initializer_list<T>> rows);
  template <Number T>
  static Tensor from_vector(const std::vector<T>& data, const Shape& shape, const TensorOptions& o);
  static Tensor from_int(int64_t value);
  static Tensor from_double(double value);
  static Tensor from_bool(bool value);
  static void check_row(int64_t size, int64_t expected);
  void copy_out(DType as, void* out, int64_t bytes) const;
  void check_single() const;

  std::shared_ptr<TensorState> state_;
};

}  // namespace tg

#include "tg/operators.h"  // what needs the whole class
