// The exact message of every user error of Tensor's functions: messages are part of the interface.
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

Tensor zeros(const Shape& s) { return Tensor::zeros(s); }
Tensor ints(const Shape& s) { return Tensor::zeros(s, DType::Int32); }
const Tensor kScalar = 1.0;

struct ErrorCase {
  std::string name;
  std::string (*kind)(const std::function<void()>&);
  std::function<void()> call;
  std::string message;
};

void PrintTo(const ErrorCase& c, std::ostream* out) { *out << c.name; }

const auto kShape = &error_of<ShapeError>;
const auto kDType = &error_of<DTypeError>;
const auto kIndex = &error_of<IndexError>;
const auto kArgument = &error_of<ArgumentError>;

std::vector<ErrorCase> creation_errors() {
  return {
      {"DataSize", kShape, [] { Tensor(std::vector<int>{1, 2}, Shape{3}); },
       "Tensor: the data must fill the shape: 2 elements for [3]."},
      {"RaggedRows", kShape, [] { Tensor({{1, 2}, {3}}); },
       "Tensor: rows differ in length: 2 and 1."},
      {"NegativeSize", kShape, [] { Tensor::zeros({2, -1}); },
       "zeros: sizes must not be negative: [2,-1]."},
      {"HugeSize", kShape, [] { Tensor::empty({int64_t{1} << 40, int64_t{1} << 40}); },
       "shape: too many elements: [1099511627776,1099511627776]. Hint: at most 2^62 elements can "
       "be addressed."},
      {"VoidDtype", kDType, [] { Tensor::empty({1}, {.dtype = DType::Void}); },
       "empty: void cannot be stored."},
      {"FullOfAVector", kShape, [] { Tensor::full({2}, Tensor{1, 2}); },
       "full: the value must have shape [], got [2]."},
      {"ArangeStep", kArgument, [] { Tensor::arange(3, {.step = 0}); },
       "arange: needs finite ends and a step other than 0: start 0, stop 3, step 0."},
      {"LinspaceSteps", kArgument, [] { Tensor::linspace(0, 1, -1); },
       "linspace: steps must not be negative: -1."},
      {"LinspaceDtype", kDType, [] { Tensor::linspace(0, 1, 3, {.dtype = dtypes::bool_}); },
       "linspace: needs a dtype of numbers, got bool."},
      {"EyeSizes", kShape, [] { Tensor::eye(3, -3); },
       "eye: sizes must not be negative: [3,-3]."},
      {"RandDtype", kDType, [] { Tensor::rand({2}, {.dtype = DType::Int32}); },
       "rand: needs a float dtype, got int32."},
      {"RandintDtype", kDType, [] { Tensor::randint({2}, {.dtype = DType::Float32}); },
       "randint: needs an integer dtype, got float32."},
      {"RandintRange", kArgument, [] { Tensor::randint({2}, {.low = 3, .high = 3}); },
       "randint: needs low < high, at most 2^32 apart: [3, 3)."},
      {"KaimingShape", kShape, [] { Tensor::kaiming_uniform({3}); },
       "kaiming_uniform: needs at least 2 axes, got shape [3]."},
      {"GlorotShape", kShape, [] { Tensor::glorot_uniform({}); },
       "glorot_uniform: needs at least 2 axes, got shape []."},
      {"DropoutShare", kArgument, [] { zeros({2}).dropout(1.5); },
       "dropout: the probability must lie between 0 and 1, got 1.5."},
  };
}

std::vector<ErrorCase> movement_errors() {
  return {
      {"SizeAxis", kIndex, [] { zeros({2, 3}).size(2); }, "size: axis 2 is outside shape [2,3]."},
      {"ReshapeCount", kShape, [] { zeros({2, 3}).reshape({4}); },
       "reshape: the number of elements must stay the same: [2,3] has 6, [4] has 4."},
      {"ReshapeInfer", kShape, [] { zeros({2, 3}).reshape({4, -1}); },
       "reshape: -1 cannot be inferred: [2,3] has 6 elements, [4,-1] needs a multiple of 4."},
      {"ReshapeTwoUnknown", kShape, [] { zeros({2, 3}).reshape({-1, -1}); },
       "reshape: sizes must not be negative, but for one -1: [2,3] to [-1,-1]."},
      {"Expand", kShape, [] { zeros({2, 3}).expand({4, 3}); },
       "expand: only axes of size 1 can be stretched: [2,3] to [4,3]."},
      {"ExpandFewerAxes", kShape, [] { zeros({2, 3}).expand({3}); },
       "expand: only axes of size 1 can be stretched: [2,3] to [3]."},
      {"PermuteTwice", kArgument, [] { zeros({2, 3}).permute({0, 0}); },
       "permute: order must name each axis once: [0,0] for shape [2,3]."},
      {"TransposeAxis", kIndex, [] { zeros({2}).transpose(); },
       "transpose: axis 1 is outside shape [2]."},
      {"FlipTwice", kArgument, [] { zeros({2, 3}).flip({0, -2}); },
       "flip: axis 0 is named twice: [0,-2] of shape [2,3]."},
      {"ShrinkRange", kIndex, [] { zeros({3}).shrink({{1, 4}}); },
       "shrink: [1, 4) is outside axis 0 of shape [3]."},
      {"ShrinkCount", kArgument, [] { zeros({3}).shrink({}); },
       "shrink: needs one range an axis: 0 for shape [3]."},
      {"PadCount", kArgument, [] { zeros({3}).pad({}); },
       "pad: needs one (before, after) an axis: 0 for shape [3]."},
      {"PadCrop", kShape, [] { zeros({3}).pad({{-2, -2}}); },
       "pad: (-2, -2) crops more than axis 0 of shape [3] has."},
      {"PadValue", kArgument, [] { zeros({3}).pad({{1, 1}}, Tensor{1, 2}); },
       "pad: the value must be a number, got a tensor of shape [2]."},
      {"UnsqueezeAxis", kIndex, [] { zeros({3}).unsqueeze(3); },
       "unsqueeze: axis 3 is outside -2 to 1 for shape [3]."},
      {"FlattenOrder", kArgument, [] { zeros({2, 3}).flatten(1, 0); },
       "flatten: axis 1 stands after axis 0 in shape [2,3]."},
      {"Unflatten", kShape, [] { zeros({6}).unflatten(0, {4, 2}); },
       "unflatten: the number of elements must stay the same: [6] has 6, [4,2] has 8."},
      {"Repeat", kArgument, [] { zeros({2, 3}).repeat({2}); },
       "repeat: needs a count of at least 0 for each axis: [2] for shape [2,3]."},
      {"Tril", kShape, [] { zeros({3}).tril(); }, "tril: needs at least 2 axes, got shape [3]."},
      {"Diagonal", kShape, [] { zeros({2, 3}).diagonal(); },
       "diagonal: needs a square matrix, got shape [2,3]."},
      {"CatNothing", kArgument, [] { Tensor::cat({}); }, "cat: needs at least one tensor."},
      {"CatShapes", kShape, [] { Tensor::cat({zeros({2, 3}), zeros({2, 4})}); },
       "cat: shapes must agree except on axis 0: [2,3] and [2,4]."},
      {"StackShapes", kShape, [] { Tensor::stack({zeros({2}), zeros({3})}); },
       "stack: shapes must agree: [2] and [3]."},
      {"SplitSizes", kShape, [] { zeros({4}).split(std::vector<int64_t>{1, 2}); },
       "split: sizes [1,2] must add up to axis 0 of shape [4]."},
      {"SplitSize", kArgument, [] { zeros({4}).split(0); }, "split: the size must be positive: 0."},
      {"Chunks", kArgument, [] { zeros({4}).chunk(0); }, "chunk: the number must be positive: 0."},
  };
}

SymInt variable() { return Variable("n", 1, 4).bind(2); }
Tensor of_variable_size() { return zeros({4, 3}).shrink_to({variable(), -1}); }

std::vector<ErrorCase> arrange_errors() {
  return {
      {"PadToCount", kArgument, [] { zeros({3}).pad_to({4, 4}); },
       "pad_to: needs one size an axis: [4,4] for shape [3]."},
      {"PadToSize", kArgument, [] { zeros({3}).pad_to({-2}); },
       "pad_to: sizes must not be negative, but for -1: [-2]."},
      {"PadToValue", kArgument, [] { zeros({3}).pad_to({4}, Tensor{1, 2}); },
       "pad_to: the value must be a number, got a tensor of shape [2]."},
      {"ShrinkToCount", kArgument, [] { zeros({3}).shrink_to({}); },
       "shrink_to: needs one size an axis: 0 for shape [3]."},
      {"ShrinkToSize", kIndex, [] { zeros({3}).shrink_to({4}); },
       "shrink_to: axis 0 of shape [3] has not the first 4 elements."},
      {"ShrinkToNegative", kIndex, [] { zeros({3}).shrink_to({-2}); },
       "shrink_to: axis 0 of shape [3] has not the first -2 elements."},
      {"RepeatInterleave", kArgument, [] { zeros({3}).repeat_interleave(-1); },
       "repeat_interleave: the count must not be negative: -1."},
      {"RepeatInterleaveAxis", kIndex, [] { zeros({3}).repeat_interleave(2, 1); },
       "repeat_interleave: axis 1 is outside shape [3]."},
      {"Diag", kShape, [] { zeros({2, 3}).diag(); }, "diag: needs a vector, got shape [2,3]."},
      {"DiagVariable", kArgument, [] { of_variable_size()[{Slice(), 0}].diag(); },
       "diag: axis 0 of shape [n] has a variable size."},
      {"UnfoldAxis", kIndex, [] { kScalar.unfold(0, 1, 1); },
       "unfold: axis 0 is outside shape []."},
      {"UnfoldSize", kArgument, [] { zeros({2, 3}).unfold(1, 4, 1); },
       "unfold: windows of 4 elements, 1 apart, do not fit axis 1 of shape [2,3]."},
      {"UnfoldStep", kArgument, [] { zeros({2, 3}).unfold(1, 2, 0); },
       "unfold: windows of 2 elements, 0 apart, do not fit axis 1 of shape [2,3]."},
      {"UnfoldVariable", kArgument, [] { of_variable_size().unfold(0, 1, 1); },
       "unfold: axis 0 of shape [n,3] has a variable size."},
      {"MeshgridNothing", kArgument, [] { Tensor::meshgrid({}); },
       "meshgrid: needs at least one tensor."},
      {"InterpolateSizes", kArgument, [] { zeros({2, 3}).interpolate({}); },
       "interpolate: needs a size for one to 2 axes of shape [2,3], got []."},
      {"InterpolateTooMany", kArgument, [] { zeros({3}).interpolate({1, 2}); },
       "interpolate: needs a size for one to 1 axes of shape [3], got [1,2]."},
      {"InterpolateCorners", kArgument,
       [] { zeros({3}).interpolate({5}, InterpolateMode::Nearest, true); },
       "interpolate: align_corners goes with the mode Linear only."},
      {"InterpolateNegative", kArgument, [] { zeros({3}).interpolate({-1}); },
       "interpolate: sizes must not be negative: -1."},
      {"InterpolateNothing", kShape, [] { zeros({2, 0}).interpolate({5}); },
       "interpolate: axis 1 of shape [2,0] has no elements to make 5 of."},
      {"InterpolateHuge", kArgument, [] { zeros({8}).interpolate({int64_t{1} << 58}); },
       "interpolate: axis 0 of shape [8] is too long for 288230376151711744 places."},
      {"InterpolateVariable", kArgument, [] { of_variable_size().interpolate({5, 5}); },
       "interpolate: axis 0 of shape [n,3] has a variable size."},
      {"NonzeroSize", kArgument, [] { zeros({3}).nonzero({.size = -1}); },
       "nonzero: the size must not be negative: -1."},
  };
}

std::vector<ErrorCase> attention_errors() {
  const auto attend = [](const Shape& q, const Shape& k, const Shape& v,
                         const AttentionOptions& o = {}) {
    return zeros(q).scaled_dot_product_attention(zeros(k), zeros(v), o);
  };
  return {
      {"AttentionAxes", kShape, [=] { attend({2, 3}, {3}, {4, 3}); },
       "scaled_dot_product_attention: needs queries [..., n, size], keys [..., m, size] and values "
       "[..., m, out], got [2,3], [3] and [4,3]."},
      {"AttentionSize", kShape, [=] { attend({2, 3}, {4, 2}, {4, 3}); },
       "scaled_dot_product_attention: queries and keys differ in size: [2,3] and [4,2]."},
      {"AttentionKeys", kShape, [=] { attend({2, 3}, {4, 3}, {5, 3}); },
       "scaled_dot_product_attention: keys and values differ in number: [4,3] and [5,3]."},
      {"AttentionHeads", kShape,
       [=] { attend({3, 2, 3}, {2, 4, 3}, {2, 4, 3}, {.enable_gqa = true}); },
       "scaled_dot_product_attention: enable_gqa needs heads of queries that are a multiple of "
       "those of keys and values, on axis -3: [3,2,3], [2,4,3] and [2,4,3]."},
      {"AttentionHeadsOfValues", kShape,
       [=] { attend({4, 2, 3}, {2, 4, 3}, {4, 4, 3}, {.enable_gqa = true}); },
       "scaled_dot_product_attention: enable_gqa needs heads of queries that are a multiple of "
       "those of keys and values, on axis -3: [4,2,3], [2,4,3] and [4,4,3]."},
      {"AttentionBatch", kShape, [=] { attend({3, 2, 3}, {2, 4, 3}, {2, 4, 3}); },
       "scaled_dot_product_attention: shapes cannot be broadcast: [3] and [2] (3 vs 2 on axis -1). "
       "Hint: sizes must be equal or 1, counted from the last axis."},
      {"AttentionTwoMasks", kArgument,
       [=] {
         const Tensor mask = zeros({2, 4});
         attend({2, 3}, {4, 3}, {4, 3}, {.attn_mask = &mask, .is_causal = true});
       },
       "scaled_dot_product_attention: is_causal and attn_mask exclude each other."},
      {"AttentionMask", kShape,
       [=] {
         const Tensor mask = zeros({3, 4});
         attend({2, 3}, {4, 3}, {4, 3}, {.attn_mask = &mask});
       },
       "scaled_dot_product_attention: shapes cannot be broadcast: [2,4] and [3,4] (2 vs 3 on axis "
       "-2). Hint: sizes must be equal or 1, counted from the last axis."},
      {"AttentionCausal", kShape, [=] { attend({3}, {4, 3}, {4, 3}, {.is_causal = true}); },
       "scaled_dot_product_attention: is_causal needs queries [..., n, size]: the scores have "
       "shape [4]."},
      {"AttentionDropout", kArgument,
       [=] { attend({2, 3}, {4, 3}, {4, 3}, {.dropout_p = 2}); },
       "scaled_dot_product_attention: dropout_p must lie between 0 and 1, got 2."},
      {"Unpool", kShape, [] { zeros({2, 2}).max_unpool2d(ints({2, 3})); },
       "max_unpool2d: needs a place for each value: [2,2] and indices [2,3]."},
      {"UnpoolIndices", kDType, [] { zeros({2, 2}).max_unpool2d(zeros({2, 2})); },
       "max_unpool2d: index tensors must hold integers, got float32. Hint: cast the index to "
       "int32."},
      {"UnpoolKernel", kArgument, [] { zeros({2}).max_unpool2d(ints({2})); },
       "max_unpool2d: kernel_size [2,2] does not fit shape [2]."},
      {"UnpoolSize", kArgument,
       [] { zeros({2, 2}).max_unpool2d(ints({2, 2}), {.output_size = {4}}); },
       "max_unpool2d: the result cannot have the sizes [4] on 2 axes."},
      {"UnpoolPadding", kArgument,
       [] { zeros({1, 1}).max_unpool2d(ints({1, 1}), {.padding = {9}}); },
       "max_unpool2d: the result cannot have the sizes [-16,-16] on 2 axes."},
      {"PoolWithIndices", kShape, [] { zeros({1, 1}).max_pool2d_with_indices(); },
       "max_pool2d_with_indices: the window is larger than the padded input: window 2 (kernel 2, "
       "dilation 1) on axis of size 1 padded by (0, 0)."},
      {"QR", kShape, [] { zeros({3}).qr(); }, "qr: needs a matrix, got shape [3]."},
      {"SVD", kShape, [] { kScalar.svd(); }, "svd: needs a matrix, got shape []."},
      {"CholeskyShape", kShape, [] { zeros({2, 3}).cholesky(); },
       "cholesky: needs a square matrix, got shape [2,3]."},
      {"SolveShape", kShape, [] { zeros({3}).solve_triangular(zeros({3, 1})); },
       "solve_triangular: needs a square matrix, got shape [3]."},
      {"SolveSide", kShape, [] { zeros({3, 3}).solve_triangular(zeros({2, 1})); },
       "solve_triangular: needs a right side [..., n, k] for a matrix [..., n, n], got [2,1] for "
       "[3,3]."},
      {"SolveOtherSide", kShape,
       [] { zeros({3, 3}).solve_triangular(zeros({3, 1}), {.left = false}); },
       "solve_triangular: needs a right side [..., k, n] for a matrix [..., n, n], got [3,1] for "
       "[3,3]."},
      {"FftPairs", kShape, [] { zeros({4}).fft(); },
       "fft: needs complex numbers as pairs on a last axis of size 2, got shape [4]. Hint: rfft "
       "takes real numbers."},
      {"IfftAxis", kIndex, [] { zeros({4, 2}).ifft(1); }, "ifft: axis 1 is outside shape [4]."},
      {"RfftEmpty", kShape, [] { zeros({3, 0}).rfft(); },
       "rfft: axis 1 of shape [3,0] has no elements."},
      {"RfftVariable", kArgument, [] { of_variable_size().rfft(); },
       "rfft: axis 0 of shape [n,3] has a variable size."},
      {"IrfftSize", kArgument, [] { zeros({1, 2}).irfft(); },
       "irfft: the size must be at least 1, got 0 for [1,2]."},
      {"IrfftTooLong", kArgument, [] { zeros({3, 2}).irfft(int64_t{1} << 40); },
       "irfft: at most 16777216 numbers are transformed together, got 1099511627776."},
      {"GridSampleShapes", kShape, [] { zeros({1, 1, 2, 2}).grid_sample(zeros({1, 3, 3})); },
       "grid_sample: needs [batch, channels, spatial...] and a grid [batch, out..., axes], axes "
       "being the number of spatial axes, got [1,1,2,2] and [1,3,3]."},
      {"GridSampleDtype", kDType, [] { zeros({1, 1, 2}).grid_sample(ints({1, 3, 1})); },
       "grid_sample: the grid must be a float, got int32."},
      {"GridSampleEmpty", kShape, [] { zeros({1, 1, 0}).grid_sample(zeros({1, 3, 1})); },
       "grid_sample: axis 2 of shape [1,1,0] has no elements."},
      {"AffineGridShape", kShape, [] { zeros({1, 2, 3}).affine_grid({4}); },
       "affine_grid: needs maps [batch, axes, axes + 1] and a size for each axis, got [1,2,3] and "
       "[4]."},
      {"AffineGridSize", kShape, [] { zeros({1, 1, 2}).affine_grid({0}); },
       "affine_grid: sizes must be at least 1, got [0]."},
      {"SVDVariable", kArgument, [] { of_variable_size().svd(); },
       "svd: axis 0 of shape [n,3] has a variable size."},
      {"KeccakScalar", kShape, [] { kScalar.keccak(); },
       "keccak: needs an axis of bytes, got a scalar."},
      {"KeccakCapacity", kArgument, [] { zeros({3}).keccak({.capacity = 100}); },
       "keccak: the capacity must be a multiple of 64 bits below 1600, got 100."},
      {"KeccakSize", kArgument, [] { zeros({3}).keccak({.size = -1}); },
       "keccak: gives 0 to 4096 bytes, asked for -1."},
      {"RandomBitsKey", kArgument, [] { ints({2}).random_bits(ints({2}), 3); },
       "random_bits: key and counter must be uint32[2], got int32[2]."},
      {"RandomBitsNumber", kArgument,
       [] {
         const Tensor words = ints({2}).cast(DType::UInt32);
         words.random_bits(words, -1);
       },
       "random_bits: gives up to 2^32 words, asked for -1."},
      {"MultinomialShape", kShape, [] { zeros({1, 2, 3}).multinomial(); },
       "multinomial: needs weights [places] or [rows, places], got shape [1,2,3]."},
      {"MultinomialMany", kArgument, [] { zeros({2}).multinomial(3); },
       "multinomial: cannot draw 3 of 2 places without replacement."},
      {"MultinomialNone", kArgument, [] { zeros({2, 0}).multinomial(1, true); },
       "multinomial: cannot draw 1 of 0 places with replacement."},
  };
}

std::vector<ErrorCase> index_errors() {
  return {
      {"IndexOutside", kIndex, [] { zeros({2, 3})[{0, 3}]; },
       "index: 3 is out of bounds for an axis of size 3 of shape [2,3]."},
      {"IndexOutsideBelow", kIndex, [] { zeros({2})[-3]; },
       "index: -3 is out of bounds for an axis of size 2 of shape [2]."},
      {"IndexTooMany", kIndex, [] { zeros({2})[{0, 0}]; },
       "index: too many indices: 2 for shape [2]."},
      {"IndexTwoEllipses", kIndex, [] { zeros({2})[{Ellipsis, Ellipsis}]; },
       "index: only a single ellipsis is allowed."},
      {"IndexStep", kArgument, [] { zeros({2})[Slice({}, {}, 0)]; },
       "index: the step of a slice must not be 0."},
      {"IndexFloat", kIndex, [] { zeros({2})[zeros({1})]; },
       "index: index tensors must hold integers or bool, got float32. Hint: cast the index to int32."},
      {"IndexBroadcast", kShape, [] { zeros({2, 3})[{ints({2}), ints({3})}]; },
       "index: shapes cannot be broadcast: [2] and [3] (2 vs 3 on axis -1). Hint: sizes must be "
       "equal or 1, counted from "
       "the last axis."},
      {"SetTensorDtype", kDType, [] { zeros({2}).set({ints({1})}, ints({1})); },
       "set: dtypes differ: target float32, value int32. Hint: cast the value."},
      {"SetTensorShape", kShape, [] { zeros({4, 2}).set({ints({3})}, zeros({2, 2})); },
       "set: shapes cannot be broadcast: [3,2] and [2,2] (3 vs 2 on axis -2). Hint: sizes must be "
       "equal or 1, counted from the last axis."},
      {"SetTensorRank", kShape, [] { zeros({4}).set({ints({3})}, zeros({2, 3})); },
       "set: the value does not fit the places: [2,3] to [3]."},
      {"SetTooManyIndices", kIndex, [] { zeros({2}).set({ints({1}), 0}, 1); },
       "set: too many indices: 2 for shape [2]."},
      {"MaskedSelectDtype", kDType, [] { zeros({2}).masked_select(ints({2})); },
       "masked_select: the mask must be bool, got int32. Hint: compare it with something."},
      {"MaskedSelectSize", kArgument,
       [] { zeros({2}).masked_select(zeros({2}) > 0, {.size = -1}); },
       "masked_select: the size must not be negative: -1."},
      {"GatherShape", kShape, [] { zeros({2, 3}).gather(0, ints({1, 4})); },
       "gather: the index must have as many axes, none longer except axis 0: [2,3] and index "
       "[1,4]."},
      {"ScatterReduceDtype", kDType,
       [] {
         zeros({3}).scatter_reduce(0, ints({3}), ints({3}), ScatterReduction::Sum);
       },
       "scatter_reduce: values must have the dtype of what they meet: int32 and float32."},
      {"ScatterValues", kShape, [] { zeros({3}).scatter(0, ints({2}), zeros({3})); },
       "scatter: index and values differ in shape: [2] and [3]."},
      {"OneHotDtype", kDType, [] { zeros({2}).one_hot(3); },
       "one_hot: labels must be integers, got float32."},
      {"OneHotClasses", kArgument, [] { ints({2}).one_hot(-1); },
       "one_hot: the number of classes must not be negative: -1."},
  };
}

std::vector<ErrorCase> arithmetic_errors() {
  return {
      {"Broadcast", kShape, [] { zeros({2, 3}) + zeros({4}); },
       "add: shapes cannot be broadcast: [2,3] and [4] (3 vs 4 on axis -1). Hint: sizes must be "
       "equal or 1, counted from "
       "the last axis."},
      {"BroadcastInner", kShape, [] { zeros({2, 3}).lt(zeros({5, 3})); },
       "lt: shapes cannot be broadcast: [2,3] and [5,3] (2 vs 5 on axis -2). Hint: sizes must be "
       "equal or 1, counted from "
       "the last axis."},
      {"BitsOfFloats", kDType, [] { zeros({2}) & zeros({2}); },
       "bitwise_and: needs integers or bool, got float32. Hint: cast to an integer first."},
      {"NotOfFloats", kDType, [] { ~zeros({2}); },
       "bitwise_not: needs integers or bool, got float32. Hint: cast to an integer first."},
      {"ShiftOfFloats", kDType, [] { zeros({2}) << 1; },
       "lshift: needs integers or bool, got float32. Hint: cast to an integer first."},
      {"IntegerPower", kDType, [] { ints({2}).pow(-1); },
       "pow: an integer base (int32) needs a whole exponent that is a number and not negative. "
       "Hint: cast the base to "
       "float32."},
      {"WhereCondition", kDType, [] { zeros({2}).where(1, 2); },
       "where: the condition must be bool, got float32. Hint: compare it with something."},
      {"CastVoid", kDType, [] { zeros({2}).cast(DType::Index); }, "cast: index cannot be stored."},
      {"BitcastSize", kShape, [] { zeros({2, 3}).bitcast(DType::Int64); },
       "bitcast: rows of shape [2,3] of float32 are no whole number of int64. Hint: use cast to "
       "convert values."},
      {"BitcastScalarSize", kShape, [] { kScalar.bitcast(DType::UInt8); },
       "bitcast: rows of shape [] of float32 are no whole number of uint8. Hint: use cast to "
       "convert values."},
  };
}

std::vector<ErrorCase> reduce_errors() {
  return {
      {"SumAxis", kIndex, [] { zeros({2, 3}).sum({.axis = {2}}); },
       "sum: axis 2 is outside shape [2,3]."},
      {"SumTwice", kArgument, [] { zeros({2, 3}).sum({.axis = {1, -1}}); },
       "sum: axis 1 is named twice: [1,-1] of shape [2,3]."},
      {"ArgmaxOfNothing", kArgument, [] { zeros({2, 0}).argmax({.axis = 1}); },
       "argmax: axis 1 of shape [2,0] is empty and has no argmax."},
      {"ArgminOfNothing", kArgument, [] { zeros({0}).argmin(); },
       "argmin: axis 0 of shape [0] is empty and has no argmin."},
      {"SoftmaxAxis", kIndex, [] { zeros({2}).softmax(1); },
       "softmax: axis 1 is outside shape [2]."},
  };
}

std::vector<ErrorCase> network_errors() {
  return {
      {"MatmulInner", kShape, [] { zeros({64, 128}).matmul(zeros({10, 128})); },
       "matmul: inner sizes differ: lhs [64,128] @ rhs [10,128] (128 vs 10). Hint: transpose rhs."},
      {"MatmulInnerNoHint", kShape, [] { zeros({64, 128}).matmul(zeros({256, 10})); },
       "matmul: inner sizes differ: lhs [64,128] @ rhs [256,10] (128 vs 256)."},
      {"MatmulScalar", kShape, [] { zeros({2}).matmul(kScalar); },
       "matmul: needs at least 1 axis on both sides: lhs [2] @ rhs []. Hint: use * for scalars."},
      {"MatmulBatch", kShape, [] { zeros({2, 3, 4}).matmul(zeros({5, 4, 1})); },
       "matmul: batch axes cannot be broadcast: lhs [2,3,4] @ rhs [5,4,1] (2 vs 5 on axis -3). "
       "Hint: sizes must be equal or 1."},
      {"ConvRank", kShape, [] { zeros({3, 3}).conv2d(zeros({1, 1})); },
       "conv2d: needs [batch, channels, spatial...] and a weight of as many axes: input [3,3], "
       "weight [1,1]."},
      {"ConvChannels", kShape, [] { zeros({1, 3, 5, 5}).conv2d(zeros({4, 2, 3, 3})); },
       "conv2d: channels differ: input [1,3,5,5], weight [4,2,3,3], groups 1 (3 vs 2)."},
      {"ConvGroups", kArgument,
       [] { zeros({1, 3, 5, 5}).conv2d(zeros({4, 1, 3, 3}), {.groups = 2}); },
       "conv2d: groups must divide both channel counts: groups 2, input [1,3,5,5], weight "
       "[4,1,3,3]."},
      {"ConvWindow", kShape, [] { zeros({1, 1, 2, 5}).conv2d(zeros({1, 1, 3, 3})); },
       "conv2d: the window is larger than the padded input: window 3 (kernel 3, dilation 1) on "
       "axis of size 2 padded by "
       "(0, 0)."},
      {"ConvStride", kArgument,
       [] { zeros({1, 1, 5, 5}).conv2d(zeros({1, 1, 3, 3}), {.stride = {0}}); },
       "conv2d: stride must be at least 1, got [0]."},
      {"ConvPadding", kArgument,
       [] { zeros({1, 1, 5, 5}).conv2d(zeros({1, 1, 3, 3}), {.padding = {1, 2, 3}}); },
       "conv2d: padding needs 1 or 2 numbers, got [1,2,3]."},
      {"ConvBias", kShape,
       [] {
         const Tensor b = zeros({3});
         zeros({1, 1, 5, 5}).conv2d(zeros({2, 1, 3, 3}), {.bias = &b});
       },
       "conv2d: bias must have shape [2], got [3]."},
      {"PoolRank", kArgument, [] { zeros({5}).max_pool2d(); },
       "max_pool2d: kernel_size [2,2] does not fit shape [5]."},
      {"BatchNormStatistics", kArgument, [] { zeros({2, 3}).batch_norm(); },
       "batch_norm: needs running_mean and running_var when not training. Hint: open a "
       "TrainingScope or pass {.training = "
       "true}."},
      {"BatchNormWeight", kShape,
       [] {
         const Tensor w = zeros({2});
         zeros({2, 3}).batch_norm({.weight = &w, .training = true});
       },
       "batch_norm: weight must have shape [3], got [2] (input [2,3])."},
      {"LayerNormBias", kShape,
       [] {
         const Tensor b = zeros({2});
         zeros({2, 3}).layer_norm({.bias = &b});
       },
       "layer_norm: bias must have shape [3], got [2] (input [2,3])."},
      {"LabelsDtype", kDType, [] { zeros({2, 3}).nll_loss(zeros({2})); },
       "nll_loss: labels must be integers, got float32."},
      {"LabelsShape", kShape, [] { zeros({2, 3}).cross_entropy(ints({3})); },
       "cross_entropy: labels must have shape [2] for an input of shape [2,3], got [3]."},
      {"Smoothing", kArgument,
       [] { zeros({2, 3}).cross_entropy(ints({2}), {.label_smoothing = 2}); },
       "cross_entropy: label_smoothing must lie between 0 and 1, got 2."},
      {"PairShapes", kShape, [] { zeros({2}).binary_crossentropy(zeros({3})); },
       "binary_crossentropy: input and target differ in shape: [2] and [3]."},
  };
}

std::vector<ErrorCase> storage_errors() {
  return {
      {"ItemOfMany", kShape, [] { zeros({2}).item<float>(); },
       "item: needs exactly one element, got shape [2]."},
      {"AssignDtype", kDType, [] { zeros({2}).assign(ints({2})); },
       "assign: dtypes differ: target float32, value int32. Hint: cast the value."},
      {"AssignShape", kShape, [] { zeros({2}).assign(zeros({2, 2})); },
       "assign: the value does not fit the target: [2,2] to [2]."},
      {"AssignOverlap", kArgument, [] { zeros({1}).expand({4}).assign(1); },
       "assign: the target of shape [4] names elements of its storage more than once. Hint: assign "
       "to a slice of the tensor that was expanded, or use where()."},
      {"BackwardShape", kShape, [] { zeros({2}).exp().backward(); },
       "backward: needs a scalar, got shape [2]. Hint: reduce it with sum() or mean(), or pass the "
       "gradient that reaches it."},
      {"BackwardDtype", kDType, [] { ints({2}).sum().backward(); },
       "backward: needs a float value, got int32."},
      {"BackwardSeed", kShape, [] { zeros({2}).exp().backward(zeros({3})); },
       "backward: the given gradient must have the value's shape: [3] and [2]."},
      {"NoGrad", kArgument, [] { zeros({2}).grad(); },
       "grad: no gradient has reached this tensor of shape [2]. Hint: call backward() on a loss "
       "that depends on it."},
      {"SetGrad", kShape, [] { zeros({2}).set_grad(zeros({3})); },
       "set_grad: the gradient must have the tensor's shape: [3] and [2]."},
      {"GradientTarget", kDType, [] { zeros({2}).sum().gradient({ints({2})}); },
       "gradient: target 0 must be a float, got int32."},
      {"GradientConstant", kArgument, [] { (kScalar * 2.0).gradient({kScalar}); },
       "gradient: target 0 is a constant of shape [], which equal constants would share. Hint: "
       "create it with full() or "
       "mark it with is_param_()."},
      {"GradcheckDtype", kDType,
       [] { gradcheck([](const auto& x) { return x[0] > 0; }, {zeros({1})}); },
       "gradcheck: the function must return a float, got bool."},
  };
}

class UserError : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(UserError, SaysExactlyWhatIsWrong) {
  EXPECT_EQ(GetParam().kind(GetParam().call), GetParam().message);
}

std::string name_of(const ::testing::TestParamInfo<ErrorCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Creation, UserError, ::testing::ValuesIn(creation_errors()), name_of);
INSTANTIATE_TEST_SUITE_P(Movement, UserError, ::testing::ValuesIn(movement_errors()), name_of);
INSTANTIATE_TEST_SUITE_P(Arrange, UserError, ::testing::ValuesIn(arrange_errors()), name_of);
INSTANTIATE_TEST_SUITE_P(Attention, UserError, ::testing::ValuesIn(attention_errors()), name_of);
INSTANTIATE_TEST_SUITE_P(Index, UserError, ::testing::ValuesIn(index_errors()), name_of);
INSTANTIATE_TEST_SUITE_P(Arithmetic, UserError, ::testing::ValuesIn(arithmetic_errors()), name_of);
INSTANTIATE_TEST_SUITE_P(Reduce, UserError, ::testing::ValuesIn(reduce_errors()), name_of);
INSTANTIATE_TEST_SUITE_P(Network, UserError, ::testing::ValuesIn(network_errors()), name_of);
INSTANTIATE_TEST_SUITE_P(Storage, UserError, ::testing::ValuesIn(storage_errors()), name_of);

std::vector<ErrorCase> further_errors() {
  return {
      {"CeluAlpha", kArgument, [] { zeros({2}).celu(0); }, "celu: alpha must not be 0."},
      {"SoftplusBeta", kArgument, [] { zeros({2}).softplus(0); }, "softplus: beta must not be 0."},
      {"UsumOfNone", kArgument, [] { Tensor::usum({}); }, "usum: needs at least one tensor."},
      {"UprodOfNone", kArgument, [] { Tensor::uprod({}); }, "uprod: needs at least one tensor."},
      {"ThreefryDtype", kDType, [] { ints({2}).threefry(0); },
       "threefry: needs uint64, got int32. Hint: cast counter and seed to uint64."},
      {"CloseShapes", kShape, [] { zeros({2}).isclose(zeros({3})); },
       "isclose: shapes cannot be broadcast: [2] and [3] (2 vs 3 on axis -1). Hint: sizes must be "
       "equal or 1, counted from the last axis."},
      {"LerpWeight", kShape, [] { zeros({2}).lerp(1, zeros({3})); },
       "lerp: shapes cannot be broadcast: [2] and [3] (2 vs 3 on axis -1). Hint: sizes must be "
       "equal or 1, counted from the last axis."},
      {"NormalizeOrder", kArgument, [] { zeros({2, 2}).normalize({.p = std::nan("")}); },
       "normalize: p must be a number, got nan."},
      {"NormalizeAxis", kIndex, [] { zeros({2}).normalize(); },
       "normalize: axis 1 is outside shape [2]."},
      {"SoftmaxDtype", kDType, [] { zeros({2}).softmax(0, DType::Int32); },
       "softmax: needs a float dtype, got int32."},
      {"ScanAxis", kIndex, [] { zeros({2}).cumsum(1); }, "cumsum: axis 1 is outside shape [2]."},
      {"ScanAxisOfExtremes", kIndex, [] { zeros({2}).cummax(-2); },
       "cummax: axis -2 is outside shape [2]."},
      {"PadReflect", kShape, [] { zeros({2, 3}).pad({{0, 0}, {3, 0}}, PadMode::Reflect); },
       "pad: (3, 0) needs more elements than axis 1 of shape [2,3] has."},
      {"PadCircular", kShape, [] { zeros({2, 3}).pad({{0, 3}, {0, 0}}, PadMode::Circular); },
       "pad: (0, 3) needs more elements than axis 0 of shape [2,3] has."},
      {"PadReplicate", kShape, [] { zeros({0}).pad({{1, 0}}, PadMode::Replicate); },
       "pad: (1, 0) needs more elements than axis 0 of shape [0] has."},
      {"PadModeRank", kArgument, [] { zeros({2, 3}).pad({{1, 0}}, PadMode::Reflect); },
       "pad: needs one (before, after) an axis: 1 for shape [2,3]."},
      {"EinsumOperands", kArgument, [] { Tensor::einsum("i,j->ij", {zeros({2})}); },
       "einsum: 1 operands for 2 terms in \"i,j->ij\". Hint: letters name axes, as in "
       "\"ij,jk->ik\"."},
      {"EinsumRank", kArgument, [] { Tensor::einsum("ij->i", {zeros({2})}); },
       "einsum: \"ij\" names 2 axes of an operand of shape [2] in \"ij->i\". Hint: letters name "
       "axes, as in \"ij,jk->ik\"."},
      {"EinsumLetter", kArgument, [] { Tensor::einsum("i1->i", {zeros({2, 2})}); },
       "einsum: '1' is no letter in \"i1->i\". Hint: letters name axes, as in \"ij,jk->ik\"."},
      {"EinsumResult", kArgument, [] { Tensor::einsum("ij->ik", {zeros({2, 2})}); },
       "einsum: no operand has 'k' in \"ij->ik\". Hint: letters name axes, as in "
       "\"ij,jk->ik\"."},
      {"EinsumTwice", kArgument, [] { Tensor::einsum("ij->ii", {zeros({2, 2})}); },
       "einsum: 'i' stands twice in the result in \"ij->ii\". Hint: letters name axes, as in "
       "\"ij,jk->ik\"."},
      {"EinsumDiagonal", kArgument, [] { Tensor::einsum("ii->i", {zeros({2, 3})}); },
       "einsum: 'i' names axes of sizes 2 and 3 in \"ii->i\". Hint: letters name axes, as in "
       "\"ij,jk->ik\"."},
      {"EinsumSizes", kShape, [] { Tensor::einsum("i,i->", {zeros({2}), zeros({3})}); },
       "einsum: shapes cannot be broadcast: [2] and [3] (2 vs 3 on axis -1). Hint: sizes must be "
       "equal or 1, counted from the last axis."},
      {"TransposedRank", kShape, [] { zeros({2, 2}).conv_transpose2d(zeros({2, 2})); },
       "conv_transpose2d: needs [batch, channels, spatial...] and a weight of as many axes: input "
       "[2,2], weight [2,2]."},
      {"TransposedChannels", kShape, [] { zeros({1, 2, 3}).conv_transpose2d(zeros({3, 1, 2})); },
       "conv_transpose2d: channels differ: input [1,2,3], weight [3,1,2] (2 vs 3)."},
      {"TransposedGroups", kArgument,
       [] { zeros({1, 3, 3}).conv_transpose2d(zeros({3, 1, 2}), {.groups = 2}); },
       "conv_transpose2d: groups must divide the input's channels: groups 2, input [1,3,3], weight "
       "[3,1,2]."},
      {"TransposedOutputPadding", kArgument,
       [] { zeros({1, 1, 3}).conv_transpose2d(zeros({1, 1, 2}), {.output_padding = 1}); },
       "conv_transpose2d: output_padding must be below stride or dilation: 1 with 1 and 1."},
      {"RmsNormWeight", kShape,
       [] {
         const Tensor w = zeros({2});
         zeros({2, 3}).rms_norm({.weight = &w});
       },
       "rms_norm: weight must have shape [3], got [2] (input [2,3])."},
      {"GroupNormGroups", kArgument, [] { zeros({2, 3}).group_norm(2); },
       "group_norm: groups must divide the channels of [batch, channels, ...]: 2 groups, shape "
       "[2,3]."},
      {"GroupNormWeight", kShape,
       [] {
         const Tensor w = zeros({2});
         zeros({2, 3}).group_norm(3, {.weight = &w});
       },
       "group_norm: weight must have shape [3], got [2] (input [2,3])."},
  };
}
INSTANTIATE_TEST_SUITE_P(Further, UserError, ::testing::ValuesIn(further_errors()), name_of);

}  // namespace
}  // namespace tg
