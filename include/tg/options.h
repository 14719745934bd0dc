// Optional arguments of Tensor's functions, as aggregates for designated initialisers:
// `x.sum({.axis = {1}, .keepdim = true})`. Optional tensors are pointers: null means "none", and
// the tensor need only live through the call. The functions themselves: tensor.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tg/dtype.h"

namespace tg {

class Tensor;

/// Sizes along the axes, outermost first; {} is a scalar.

/// Which axes a function works on: none named means all. Negative axes count from the end.
struct Axes {
  std::vector<int64_t> list;
  Axes() = default;
  Axes(int64_t axis) : list{axis} {}
  Axes(int axis) : list{axis} {}
  Axes(std::initializer_list<int64_t> axes) : list(axes) {}
  Axes(std::vector<int64_t> axes) : list(std::move(axes)) {}
};

/// One number for every spatial axis, or one for each.
struct PerAxis {
  std::vector<int64_t> list;
  PerAxis() = default;
  PerAxis(int64_t all) : list{all} {}
  PerAxis(int all) : list{all} {}
  PerAxis(std::initializer_list<int64_t> each) : list(each) {}
  PerAxis(std::vector<int64_t> each) : list(std::move(each)) {}
};

/// Of every function that creates a tensor.
struct TensorOptions {
  std::optional<DType> dtype = {};  ///< element type; each function names its default
  std::string device = {};          ///< device name; empty: the default device (option DEV)
};

/// Of `sum`, `prod`, `max`, `min`, `mean`, `any`, `all`.
struct ReduceOptions {
  Axes axis = {};                   ///< axes to reduce; none: all
  bool keepdim = false;             ///< keep reduced axes with size 1
  std::optional<DType> dtype = {};  ///< dtype of accumulation and result (sum and prod)
};

/// Of `var` and `std`.
struct VarOptions {
  Axes axis = {};          ///< axes to reduce; none: all
  bool keepdim = false;    ///< keep reduced axes with size 1
  int64_t correction = 1;  ///< the divisor is n - correction: 1 is the unbiased estimate
};

/// Of `normalize`.
struct NormalizeOptions {
  double p = 2;        ///< order of the norm; 0 counts what is not 0, infinity takes the largest
  int64_t axis = 1;    ///< the axis whose vectors get length 1
  double eps = 1e-12;  ///< least divisor
};

/// Of `isclose` and `allclose`.
struct CloseOptions {
  double rtol = 1e-5;      ///< tolerance relative to the other tensor
  double atol = 1e-8;      ///< absolute tolerance
  bool equal_nan = false;  ///< NaN is close to NaN
};

/// What `div` does with the quotient: nothing, towards 0, or down.
enum class Rounding { None, Trunc, Floor };

/// How `pad` continues a tensor: mirrored without its edge, by its edge, or from the other end.
enum class PadMode { Reflect, Replicate, Circular };

/// How `interpolate` reads between elements: the two neighbours, weighted; the element before the
/// position; the element that contains the position, each being as wide as the step to the next.
enum class InterpolateMode { Linear, Nearest, NearestExact };

/// The order of a grid's axes in `meshgrid`: that of the tensors, or with the first two swapped, so
/// that columns come first.
enum class GridIndexing { Ij, Xy };

/// How `grid_sample` reads between elements: the neighbours, weighted along each axis, or the
/// nearest (halves: the one with the even number).
enum class GridSampleMode { Linear, Nearest };

/// What `grid_sample` reads outside: 0, the edge, or the elements mirrored at the edge.
enum class GridSamplePadding { Zeros, Border, Reflection };

/// Of `grid_sample`.
struct GridSampleOptions {
  GridSampleMode mode = GridSampleMode::Linear;
  GridSamplePadding padding = GridSamplePadding::Zeros;
  bool align_corners = false;  ///< −1 and 1 are the middles of the end elements, not their edges
};

/// Of `solve_triangular`.
struct SolveTriangularOptions {
  bool upper = false;          ///< the upper triangle is read, not the lower
  bool left = true;            ///< solve A·X = B, not X·A = B
  bool unitriangular = false;  ///< the diagonal counts as ones and is not read
};

/// Of `masked_select`, `unique` and `nonzero`.
struct MaskedSelectOptions {
  std::optional<int64_t> size = {};  ///< length of the result; none: as many as there are
  double fill_value = 0;             ///< of places that are left over
};

/// Of `argmax` and `argmin`.
struct ArgOptions {
  std::optional<int64_t> axis = {};  ///< axis to search; none: the flattened tensor
  bool keepdim = false;              ///< keep the axis with size 1
};

/// Of `conv2d`.
struct ConvOptions {
  const Tensor* bias = nullptr;  ///< [out channels]
  int64_t groups = 1;            ///< channel groups that do not mix
  PerAxis stride = {1};          ///< step of the window, elements
  PerAxis dilation = {1};        ///< distance of neighbouring taps, elements
  /// Zeros around the input: one number, one an axis, or (before, after) for each axis, first axis
  /// first.
  PerAxis padding = {0};
};

/// Of `conv_transpose2d`; the numbers describe the convolution that is transposed.
struct ConvTransposeOptions {
  const Tensor* bias = nullptr;  ///< [out channels]
  int64_t groups = 1;            ///< channel groups that do not mix
  PerAxis stride = {1};          ///< step of the window, elements
  PerAxis dilation = {1};        ///< distance of neighbouring taps, elements
  PerAxis padding = {0};         ///< as in ConvOptions: cut off the result's border
  PerAxis output_padding = {0};  ///< more elements at the result's end, below stride or dilation
};

/// Of `max_pool2d` and `avg_pool2d`.
struct PoolOptions {
  PerAxis kernel_size = {2, 2};   ///< size of the window, one number an axis that is pooled
  PerAxis stride = {};            ///< step of the window; none: the window's size
  PerAxis dilation = {1};         ///< distance of neighbouring taps
  PerAxis padding = {0};          ///< as in ConvOptions; max pads with the lowest value, avg with 0
  bool ceil_mode = false;         ///< also a last window that hangs over the end
  bool count_include_pad = true;  ///< avg: padding counts in the divisor
};

/// Of `max_unpool2d`; the numbers describe the pool that is undone.
struct UnpoolOptions {
  PerAxis kernel_size = {2, 2};           ///< size of the window, one number an axis
  PerAxis stride = {};                    ///< step of the window; none: the window's size
  PerAxis dilation = {1};                 ///< distance of neighbouring taps
  PerAxis padding = {0};                  ///< one number, or one an axis
  std::vector<int64_t> output_size = {};  ///< sizes of the last axes; none: what the numbers say
};

/// Of `scaled_dot_product_attention`.
struct AttentionOptions {
  const Tensor* attn_mask = nullptr;  ///< bool: which keys count; numbers: added to the scores
  double dropout_p = 0;               ///< share of weights dropped while training
  bool is_causal = false;             ///< a query sees the keys up to its own place
  bool enable_gqa = false;            ///< heads of keys and values serve several of the queries
};

/// Of `batch_norm`.
struct BatchNormOptions {
  const Tensor* weight = nullptr;  ///< scale, [channels]
  const Tensor* bias = nullptr;    ///< shift, [channels]
  Tensor* running_mean = nullptr;  ///< used when not training, updated in place when training
  Tensor* running_var =
      nullptr;  ///< the same for the variance (the update uses the unbiased estimate)
  std::optional<bool> training = {};  ///< use statistics of this batch; none: as TrainingScope says
  double momentum = 0.1;              ///< share of this batch in the running statistics
  double eps = 1e-5;                  ///< added to the variance
  int64_t axis = 1;                   ///< the channel axis
};

/// Of `layer_norm`.
struct LayerNormOptions {
  Axes axis = {-1};                ///< axes that are normalised together
  const Tensor* weight = nullptr;  ///< scale, of the normalised axes' shape
  const Tensor* bias = nullptr;    ///< shift, of the normalised axes' shape
  double eps = 1e-5;               ///< added to the variance
};

/// How `gelu` computes Φ: by its approximation through tanh, or exactly.
enum class GeluForm { Tanh, Erf };

/// Of `rms_norm`.
struct RmsNormOptions {
  Axes axis = {-1};                ///< axes that are normalised together
  const Tensor* weight = nullptr;  ///< scale, of the normalised axes' shape
  double eps = 1e-6;               ///< added to the mean of squares
};

/// Of `group_norm`.
struct GroupNormOptions {
  const Tensor* weight = nullptr;  ///< scale, [channels]
  const Tensor* bias = nullptr;    ///< shift, [channels]
  double eps = 1e-5;               ///< added to the variance
};

/// What a loss does with the losses of the elements.
enum class Reduction { None, Mean, Sum };

/// Of the classification losses.
struct LossOptions {
  Reduction reduction = Reduction::Mean;
  double label_smoothing = 0.0;  ///< share of the target spread over all classes, 0 … 1
  std::optional<int64_t> ignore_index = {};  ///< label of elements that count for nothing
  const Tensor* weight = nullptr;            ///< nll_loss: a weight for each class, [classes]
};

/// The functions of SHA-3 that `keccak` knows.
enum class KeccakVariant { Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256 };

/// Of `keccak`.
struct KeccakOptions {
  KeccakVariant variant = KeccakVariant::Sha3_256;
  std::optional<int64_t> capacity = {};  ///< bits of the state that no input reaches; none: the
                                         ///< variant's
  std::optional<int64_t> size = {};      ///< bytes of the result; none: the variant's
};

/// How `scatter_reduce` combines the values for one element.
enum class ScatterReduction { Sum, Mean, Prod, Max, Min };

/// Of `arange`.
struct RangeOptions {
  double start = 0;                 ///< first value
  double step = 1;                  ///< distance of neighbours, not 0
  std::optional<DType> dtype = {};  ///< int32 if start, stop and step are whole, else float32
  std::string device = {};
};

/// Of `full`.
struct FullOptions {
  std::optional<DType> dtype = {};  ///< that of the value: int32, float32 or bool
  std::string device = {};
  bool buffer =
      true;  ///< give it storage (which can be assigned and is told apart from equal constants)
};

/// Of `randint`.
struct RandintOptions {
  int64_t low = 0;                  ///< smallest value
  int64_t high = 10;                ///< one past the largest value
  std::optional<DType> dtype = {};  ///< int32
  std::string device = {};
};

/// Of `uniform`.
struct UniformOptions {
  double low = 0.0;   ///< lower end, included
  double high = 1.0;  ///< upper end, excluded
  std::optional<DType> dtype = {};
  std::string device = {};
};

/// Of `normal`.
struct NormalOptions {
  double mean = 0.0;
  double std = 1.0;
  std::optional<DType> dtype = {};
  std::string device = {};
};

/// Of `kaiming_uniform` and `kaiming_normal`.
struct KaimingOptions {
  double a = 0.01;  ///< slope of the leaky relu that follows
  std::optional<DType> dtype = {};
  std::string device = {};
};

/// Of `gradcheck`.
struct GradcheckOptions {
  double eps = 1e-6;   ///< step of the central difference
  double atol = 1e-5;  ///< absolute tolerance
  double rtol = 1e-3;  ///< tolerance relative to the larger of the two slopes
};

}  // namespace tg
