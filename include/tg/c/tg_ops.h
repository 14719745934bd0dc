/* Generated from bindings/manifest.json by tg-bindgen; do not edit.
 *
 * Every function of tensors, layers and optimisers. Arguments that must be given stand in order;
 * the others are fields of an options structure, which may be null:
 *
 *   tg_tensor y = NULL;
 *   tg_softmax_options options = {sizeof options};
 *   options.axis = tg_int(0);
 *   if (tg_softmax(x, &options, &y) != TG_OK) puts(tg_error_message());
 *
 * A field that stays 0 is TG_NONE, the default. Results are owned by the caller: handles go by
 * tg_release, a tg_value by tg_value_clear. What functions share, and all rules: tg.h.
 */
#pragma once

#include "tg/c/tg.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t tg_activation;
enum {
  TG_ACTIVATION_RELU = 0,
  TG_ACTIVATION_GELU = 1
};

typedef int32_t tg_gelu_form;
enum {
  TG_GELU_FORM_TANH = 0,
  TG_GELU_FORM_ERF = 1
};

typedef int32_t tg_grid_indexing;
enum {
  TG_GRID_INDEXING_IJ = 0,
  TG_GRID_INDEXING_XY = 1
};

typedef int32_t tg_grid_sample_mode;
enum {
  TG_GRID_SAMPLE_MODE_LINEAR = 0,
  TG_GRID_SAMPLE_MODE_NEAREST = 1
};

typedef int32_t tg_grid_sample_padding;
enum {
  TG_GRID_SAMPLE_PADDING_ZEROS = 0,
  TG_GRID_SAMPLE_PADDING_BORDER = 1,
  TG_GRID_SAMPLE_PADDING_REFLECTION = 2
};

typedef int32_t tg_interpolate_mode;
enum {
  TG_INTERPOLATE_MODE_LINEAR = 0,
  TG_INTERPOLATE_MODE_NEAREST = 1,
  TG_INTERPOLATE_MODE_NEAREST_EXACT = 2
};

typedef int32_t tg_keccak_variant;
enum {
  TG_KECCAK_VARIANT_SHA3_224 = 0,
  TG_KECCAK_VARIANT_SHA3_256 = 1,
  TG_KECCAK_VARIANT_SHA3_384 = 2,
  TG_KECCAK_VARIANT_SHA3_512 = 3,
  TG_KECCAK_VARIANT_SHAKE128 = 4,
  TG_KECCAK_VARIANT_SHAKE256 = 5
};

typedef int32_t tg_pad_mode;
enum {
  TG_PAD_MODE_REFLECT = 0,
  TG_PAD_MODE_REPLICATE = 1,
  TG_PAD_MODE_CIRCULAR = 2
};

typedef int32_t tg_reduction;
enum {
  TG_REDUCTION_NONE = 0,
  TG_REDUCTION_MEAN = 1,
  TG_REDUCTION_SUM = 2
};

typedef int32_t tg_rounding;
enum {
  TG_ROUNDING_NONE = 0,
  TG_ROUNDING_TRUNC = 1,
  TG_ROUNDING_FLOOR = 2
};

typedef int32_t tg_scatter_reduction;
enum {
  TG_SCATTER_REDUCTION_SUM = 0,
  TG_SCATTER_REDUCTION_MEAN = 1,
  TG_SCATTER_REDUCTION_PROD = 2,
  TG_SCATTER_REDUCTION_MAX = 3,
  TG_SCATTER_REDUCTION_MIN = 4
};

/* ---- Creation ---- */

/** A copy of raw elements, row-major, little endian.
 * Shape: the result has the given shape. Dtype: the asked one, else as stored.
 * bytes: the elements (bytes).
 * shape: sizes of the axes (elements).
 * stored: dtype of the bytes.
 * dtype: converts to this dtype. Default: as stored.
 * device: where it lives. Default: the default device.
 * Errors: ShapeError if the bytes do not fill the shape.
 */
typedef struct tg_from_bytes_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_from_bytes_options;
TG_C_API tg_status tg_from_bytes(const void* bytes, size_t bytes_count, const int64_t* shape,
    size_t shape_count, tg_dtype stored, const tg_from_bytes_options* options, tg_tensor* result);

/** Storage whose contents are undefined.
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
 */
typedef struct tg_empty_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_empty_options;
TG_C_API tg_status tg_empty(const int64_t* shape, size_t shape_count,
    const tg_empty_options* options, tg_tensor* result);

/** One value everywhere.
 * Shape: the result has the given shape. Dtype: the asked one, else that of the value.
 * sizes: sizes of the axes (elements).
 * value: a number.
 * dtype: element type. Default: that of the value.
 * device: where it lives. Default: the default device.
 * buffer: gives it storage of its own. Default: true.
 * Errors: ShapeError for a value that is no scalar.
 */
typedef struct tg_full_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
  tg_value buffer; /**< bool */
} tg_full_options;
TG_C_API tg_status tg_full(const int64_t* sizes, size_t sizes_count, tg_value value,
    const tg_full_options* options, tg_tensor* result);

/** 0 everywhere.
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * sizes: sizes of the axes (elements).
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
 */
typedef struct tg_zeros_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_zeros_options;
TG_C_API tg_status tg_zeros(const int64_t* sizes, size_t sizes_count,
    const tg_zeros_options* options, tg_tensor* result);

/** 1 everywhere.
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * sizes: sizes of the axes (elements).
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
 */
typedef struct tg_ones_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_ones_options;
TG_C_API tg_status tg_ones(const int64_t* sizes, size_t sizes_count,
    const tg_ones_options* options, tg_tensor* result);

/** Evenly spaced values from start up to stop, which is excluded.
 * Shape: [ceil((stop - start) / step)], [0] if that is negative. Dtype: the asked one, else int32
 * if start, stop and step are whole (int64 if the values need it), else float32.
 * stop: end, excluded.
 * start: first value. Default: 0.
 * step: distance of neighbours, not 0. Default: 1.
 * dtype: element type. Default: int32 for whole numbers, else float32.
 * device: where it lives. Default: the default device.
 * Errors: ArgumentError for a step of 0 or ends that are not finite.
 */
typedef struct tg_arange_options {
  size_t struct_size;
  tg_value start; /**< float */
  tg_value step; /**< float */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_arange_options;
TG_C_API tg_status tg_arange(double stop, const tg_arange_options* options,
    tg_tensor* result);

/** Evenly spaced values, both ends included.
 * Shape: [steps]. Dtype: the asked one, else default_float().
 * start: first value.
 * stop: last value.
 * steps: how many (elements).
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ArgumentError for a negative number of steps.
 */
typedef struct tg_linspace_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_linspace_options;
TG_C_API tg_status tg_linspace(double start, double stop, int64_t steps,
    const tg_linspace_options* options, tg_tensor* result);

/** Ones on the diagonal, zeros elsewhere.
 * Shape: [n, m]. Dtype: the asked one, else default_float().
 * n: rows (elements).
 * m: columns; as many as rows if negative (elements). Default: -1.
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
 */
typedef struct tg_eye_options {
  size_t struct_size;
  tg_value m; /**< int */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_eye_options;
TG_C_API tg_status tg_eye(int64_t n, const tg_eye_options* options, tg_tensor* result);

/** One value everywhere, of this tensor's shape, dtype and device.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * value: a number.
 * Errors: ShapeError for a value that is no scalar.
 */
TG_C_API tg_status tg_full_like(tg_tensor self, tg_value value, tg_tensor* result);

/** 0 everywhere, of this tensor's shape, dtype and device.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_zeros_like(tg_tensor self, tg_tensor* result);

/** 1 everywhere, of this tensor's shape, dtype and device.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_ones_like(tg_tensor self, tg_tensor* result);

/** Undefined contents of this tensor's shape, dtype and device.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_empty_like(tg_tensor self, tg_tensor* result);

/* ---- Random numbers ---- */

/** Uniform in [0, 1): every bit of the mantissa is random. The numbers depend on the seed and on how
 * many were drawn before, on nothing else.
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
 */
typedef struct tg_rand_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_rand_options;
TG_C_API tg_status tg_rand(const int64_t* shape, size_t shape_count,
    const tg_rand_options* options, tg_tensor* result);

/** Standard normal, by Box and Muller.
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
 */
typedef struct tg_randn_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_randn_options;
TG_C_API tg_status tg_randn(const int64_t* shape, size_t shape_count,
    const tg_randn_options* options, tg_tensor* result);

/** Whole numbers, each of the range equally likely.
 * Shape: the result has the given shape. Dtype: the asked one, else int32.
 * shape: sizes of the axes (elements).
 * low: smallest value. Default: 0.
 * high: one past the largest value. Default: 10.
 * dtype: element type. Default: int32.
 * device: where it lives. Default: the default device.
 * Errors: ArgumentError unless low < high, at most 2^32 apart; DTypeError for a dtype that is no
 * integer.
 */
typedef struct tg_randint_options {
  size_t struct_size;
  tg_value low; /**< int */
  tg_value high; /**< int */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_randint_options;
TG_C_API tg_status tg_randint(const int64_t* shape, size_t shape_count,
    const tg_randint_options* options, tg_tensor* result);

/** The numbers below n in random order, each order equally likely.
 * Shape: [n]. Dtype: the asked one, else int32.
 * n: how many (elements).
 * dtype: element type. Default: int32.
 * device: where it lives. Default: the default device.
 * Errors: ArgumentError for a negative n, or one above 2^31; DTypeError for a dtype that is no
 * integer, or too small for n.
 */
typedef struct tg_randperm_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_randperm_options;
TG_C_API tg_status tg_randperm(int64_t n, const tg_randperm_options* options,
    tg_tensor* result);

/** Places drawn with the weights that stand there, which need not add up to 1; of a matrix, for each
 * row.
 * Shape: [places] gives [num_samples], [rows, places] gives [rows, num_samples]. Dtype: int32.
 * num_samples: how many. Default: 1.
 * replacement: whether a place may be drawn again. Default: false.
 * Errors: ShapeError for other than 1 or 2 axes; ArgumentError for fewer places than samples
 * without replacement, no place, no sample, or an axis of variable size.
 */
typedef struct tg_multinomial_options {
  size_t struct_size;
  tg_value num_samples; /**< int */
  tg_value replacement; /**< bool */
} tg_multinomial_options;
TG_C_API tg_status tg_multinomial(tg_tensor self, const tg_multinomial_options* options,
    tg_tensor* result);

/** Words of the Threefry stream of this key. Nothing but key and counter decides them.
 * Shape: [num]. Dtype: uint32.
 * counter: [2], uint32: which part of the stream.
 * num: how many words.
 * Errors: ArgumentError unless key and counter are uint32 of shape [2] and num lies between 0 and
 * 2^32.
 */
TG_C_API tg_status tg_random_bits(tg_tensor self, tg_tensor counter, int64_t num,
    tg_tensor* result);

/** Uniform in [low, high); whole numbers of them for an integer dtype.
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * low: lower end, included. Default: 0.
 * high: upper end, excluded. Default: 1.
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ArgumentError unless low < high; DTypeError for bool; ShapeError for a negative size.
 */
typedef struct tg_uniform_options {
  size_t struct_size;
  tg_value low; /**< float */
  tg_value high; /**< float */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_uniform_options;
TG_C_API tg_status tg_uniform(const int64_t* shape, size_t shape_count,
    const tg_uniform_options* options, tg_tensor* result);

/** Normal with the given mean and deviation.
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * mean: mean. Default: 0.
 * std: deviation. Default: 1.
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ArgumentError for a negative deviation; DTypeError for a dtype that is no float;
 * ShapeError for a negative size.
 */
typedef struct tg_normal_options {
  size_t struct_size;
  tg_value mean; /**< float */
  tg_value std; /**< float */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_normal_options;
TG_C_API tg_status tg_normal(const int64_t* shape, size_t shape_count,
    const tg_normal_options* options, tg_tensor* result);

/** Uniform in +-1/sqrt(number of elements).
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
 */
typedef struct tg_scaled_uniform_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_scaled_uniform_options;
TG_C_API tg_status tg_scaled_uniform(const int64_t* shape, size_t shape_count,
    const tg_scaled_uniform_options* options, tg_tensor* result);

/** Uniform in +-sqrt(6 / (shape[0] + product of the rest)).
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
 */
typedef struct tg_glorot_uniform_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_glorot_uniform_options;
TG_C_API tg_status tg_glorot_uniform(const int64_t* shape, size_t shape_count,
    const tg_glorot_uniform_options* options, tg_tensor* result);

/** Uniform in +-sqrt(6 / ((1 + a^2) * product of all sizes but the first)).
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * a: slope of the leaky relu that follows. Default: 0.01.
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
 */
typedef struct tg_kaiming_uniform_options {
  size_t struct_size;
  tg_value a; /**< float */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_kaiming_uniform_options;
TG_C_API tg_status tg_kaiming_uniform(const int64_t* shape, size_t shape_count,
    const tg_kaiming_uniform_options* options, tg_tensor* result);

/** Normal with deviation sqrt(2 / ((1 + a^2) * product of all sizes but the first)).
 * Shape: the result has the given shape. Dtype: the asked one, else default_float().
 * shape: sizes of the axes (elements).
 * a: slope of the leaky relu that follows. Default: 0.01.
 * dtype: element type. Default: float32.
 * device: where it lives. Default: the default device.
 * Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
 */
typedef struct tg_kaiming_normal_options {
  size_t struct_size;
  tg_value a; /**< float */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_kaiming_normal_options;
TG_C_API tg_status tg_kaiming_normal(const int64_t* shape, size_t shape_count,
    const tg_kaiming_normal_options* options, tg_tensor* result);

/** rand of this tensor's shape, dtype and device.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * Errors: DTypeError for a dtype that is no float.
 */
TG_C_API tg_status tg_rand_like(tg_tensor self, tg_tensor* result);

/** randn of this tensor's shape, dtype and device.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * Errors: DTypeError for a dtype that is no float.
 */
TG_C_API tg_status tg_randn_like(tg_tensor self, tg_tensor* result);

/** While training, zeroes elements at random and scales the others up so that the mean stays; else
 * the tensor itself.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * p: share of zeroed elements (probability). Default: 0.5.
 * Errors: ArgumentError for a probability outside [0, 1].
 */
typedef struct tg_dropout_options {
  size_t struct_size;
  tg_value p; /**< float */
} tg_dropout_options;
TG_C_API tg_status tg_dropout(tg_tensor self, const tg_dropout_options* options,
    tg_tensor* result);

/* ---- Facts ---- */

/** Sizes of the axes; where one is an expression of variables, the largest that it can be.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_shape(tg_tensor self, tg_value* result);

/** Sizes of the axes, with their variables.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_sizes(tg_tensor self, tg_value* result);

/** Size of one axis.
 * Shape: not a tensor. Dtype: not a tensor.
 * axis: which.
 * Errors: IndexError for an axis outside the shape.
 */
TG_C_API tg_status tg_size_of(tg_tensor self, int64_t axis, int64_t* result);

/** Element type.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_dtype_of(tg_tensor self, tg_dtype* result);

/** Name of the device; empty for constants, which live nowhere.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_device(tg_tensor self, tg_value* result);

/** Number of axes.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_ndim(tg_tensor self, int64_t* result);

/** Number of elements.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_numel(tg_tensor self, int64_t* result);

/** Number of elements, with the values that variable sizes have now.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_existing_elements(tg_tensor self, int64_t* result);

/** Size of one element, bytes.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_element_size(tg_tensor self, int64_t* result);

/** Size of all elements, bytes.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_nbytes(tg_tensor self, int64_t* result);

/** Whether the dtype is a float.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_is_floating_point(tg_tensor self, bool* result);

/* ---- Movement ---- */

/** The same elements, row-major, under other sizes.
 * Shape: the given sizes. Dtype: that of this tensor.
 * sizes: new sizes; one may be -1, which is inferred (elements).
 * Errors: ShapeError if the number of elements differs or -1 cannot be inferred, or if a variable
 * size would be merged with an axis before it.
 */
TG_C_API tg_status tg_reshape(tg_tensor self, const int64_t* sizes, size_t sizes_count,
    tg_tensor* result);

/** Another name of reshape.
 * Shape: the given sizes. Dtype: that of this tensor.
 * sizes: as of reshape (elements).
 * Errors: as reshape.
 */
TG_C_API tg_status tg_view(tg_tensor self, const int64_t* sizes, size_t sizes_count,
    tg_tensor* result);

/** Stretches axes of size 1 without copying; new axes stand in front.
 * Shape: the given sizes. Dtype: that of this tensor.
 * sizes: new sizes; -1 keeps one (elements).
 * Errors: ShapeError if an axis of another size than 1 would change.
 */
TG_C_API tg_status tg_expand(tg_tensor self, const int64_t* sizes, size_t sizes_count,
    tg_tensor* result);

/** Axes in another order.
 * Shape: sizes reordered. Dtype: that of this tensor.
 * order: for each new axis, the old one.
 * Errors: ArgumentError unless each axis is named once; IndexError for an axis outside the shape.
 */
TG_C_API tg_status tg_permute(tg_tensor self, const int64_t* order, size_t order_count,
    tg_tensor* result);

/** Swaps two axes.
 * Shape: two sizes swapped. Dtype: that of this tensor.
 * axis0: one axis. Default: 1.
 * axis1: the other. Default: 0.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_transpose_options {
  size_t struct_size;
  tg_value axis0; /**< int */
  tg_value axis1; /**< int */
} tg_transpose_options;
TG_C_API tg_status tg_transpose(tg_tensor self, const tg_transpose_options* options,
    tg_tensor* result);

/** transpose() of the first two axes.
 * Shape: two sizes swapped. Dtype: that of this tensor.
 * Errors: IndexError for an axis outside the shape.
 */
TG_C_API tg_status tg_T(tg_tensor self, tg_tensor* result);

/** Reverses axes.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * axes: which; none named: all.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
TG_C_API tg_status tg_flip(tg_tensor self, const int64_t* axes, size_t axes_count,
    tg_tensor* result);

/** A window.
 * Shape: end - begin on every axis. Dtype: that of this tensor.
 * ranges: [begin, end) of every axis (elements).
 * Errors: IndexError for a range outside its axis; ArgumentError unless there is one an axis.
 */
TG_C_API tg_status tg_shrink(tg_tensor self, const int64_t* ranges, size_t ranges_count,
    tg_tensor* result);

/** A border of one value, or continued from the elements.
 * Shape: before + size + after on every axis. Dtype: that of this tensor.
 * padding: (before, after) of every axis; negative numbers crop (elements).
 * value: a number, or a tensor of one element. Default: 0.
 * mode: instead of a value: Reflect mirrors without the edge, Replicate repeats the edge, Circular
 * goes on from the other end. Default: none.
 * Errors: ArgumentError unless there is one pair an axis and the value is a number; ShapeError if
 * more is cropped or continued than there is.
 */
typedef struct tg_pad_options {
  size_t struct_size;
  tg_value value; /**< tensor */
  tg_value mode; /**< choice */
} tg_pad_options;
TG_C_API tg_status tg_pad(tg_tensor self, const int64_t* padding, size_t padding_count,
    const tg_pad_options* options, tg_tensor* result);

/** Drops axes of size 1: all, or the named one if its size is 1.
 * Shape: without the dropped axes. Dtype: that of this tensor.
 * axis: which. Default: all.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_squeeze_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_squeeze_options;
TG_C_API tg_status tg_squeeze(tg_tensor self, const tg_squeeze_options* options,
    tg_tensor* result);

/** A new axis of size 1.
 * Shape: one axis more. Dtype: that of this tensor.
 * axis: where it stands afterwards; -1: last.
 * Errors: IndexError for an axis outside the shape.
 */
TG_C_API tg_status tg_unsqueeze(tg_tensor self, int64_t axis, tg_tensor* result);

/** Merges neighbouring axes.
 * Shape: the product of the sizes on one axis. Dtype: that of this tensor.
 * first: first axis. Default: 0.
 * last: last axis. Default: -1.
 * Errors: IndexError for an axis outside the shape; ArgumentError if first stands after last.
 */
typedef struct tg_flatten_options {
  size_t struct_size;
  tg_value first; /**< int */
  tg_value last; /**< int */
} tg_flatten_options;
TG_C_API tg_status tg_flatten(tg_tensor self, const tg_flatten_options* options,
    tg_tensor* result);

/** Splits one axis.
 * Shape: the axis replaced by the sizes. Dtype: that of this tensor.
 * axis: which.
 * sizes: its new sizes; one may be -1 (elements).
 * Errors: ShapeError if the sizes do not multiply to the axis.
 */
TG_C_API tg_status tg_unflatten(tg_tensor self, int64_t axis, const int64_t* sizes,
    size_t sizes_count, tg_tensor* result);

/** Tiles: the whole tensor again and again along each axis; more counts than axes add axes in front.
 * Shape: sizes times counts. Dtype: that of this tensor.
 * repeats: how often, for each axis.
 * Errors: ArgumentError for fewer counts than axes or a negative one.
 */
TG_C_API tg_status tg_repeat(tg_tensor self, const int64_t* repeats, size_t repeats_count,
    tg_tensor* result);

/** Shifts circularly along an axis.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * shift: how far towards the end; negative: back (elements).
 * axis: which axis; negative: from the end. Default: 0.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_roll_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_roll_options;
TG_C_API tg_status tg_roll(tg_tensor self, int64_t shift, const tg_roll_options* options,
    tg_tensor* result);

/** Keeps the lower triangle of the last two axes, 0 above.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * diagonal: last diagonal kept; positive: above the main one. Default: 0.
 * Errors: ShapeError for fewer than 2 axes.
 */
typedef struct tg_tril_options {
  size_t struct_size;
  tg_value diagonal; /**< int */
} tg_tril_options;
TG_C_API tg_status tg_tril(tg_tensor self, const tg_tril_options* options, tg_tensor* result);

/** Keeps the upper triangle of the last two axes, 0 below.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * diagonal: first diagonal kept; positive: above the main one. Default: 0.
 * Errors: ShapeError for fewer than 2 axes.
 */
typedef struct tg_triu_options {
  size_t struct_size;
  tg_value diagonal; /**< int */
} tg_triu_options;
TG_C_API tg_status tg_triu(tg_tensor self, const tg_triu_options* options, tg_tensor* result);

/** Main diagonal of a square matrix.
 * Shape: [n, n] gives [n]. Dtype: that of this tensor.
 * Errors: ShapeError for anything but a square matrix.
 */
TG_C_API tg_status tg_diagonal(tg_tensor self, tg_tensor* result);

/** Joins along an existing axis.
 * Shape: the sizes along the axis added up. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * tensors: at least one.
 * axis: which axis; negative: from the end. Default: 0.
 * Errors: ShapeError if other sizes differ; ArgumentError for no tensor.
 */
typedef struct tg_cat_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_cat_options;
TG_C_API tg_status tg_cat(const tg_tensor* tensors, size_t tensors_count,
    const tg_cat_options* options, tg_tensor* result);

/** Joins along a new axis.
 * Shape: one axis more, as long as there are tensors. Dtype: the promoted dtype of the operands;
 * numbers give way.
 * tensors: at least one, of equal shapes.
 * axis: which axis; negative: from the end. Default: 0.
 * Errors: ShapeError if the shapes differ; ArgumentError for no tensor.
 */
typedef struct tg_stack_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_stack_options;
TG_C_API tg_status tg_stack(const tg_tensor* tensors, size_t tensors_count,
    const tg_stack_options* options, tg_tensor* result);

/** Pieces along an axis: of one size (the last may be smaller), or of the listed sizes.
 * Shape: as this tensor, but for the axis. Dtype: that of this tensor.
 * size: of each piece (elements). Default: none.
 * sizes: of all pieces; they add up to the axis (elements). Default: none.
 * axis: which axis; negative: from the end. Default: 0.
 * Errors: ShapeError if the sizes do not add up; ArgumentError for a size below 1.
 */
typedef struct tg_split_options {
  size_t struct_size;
  tg_value size; /**< int */
  tg_value sizes; /**< ints */
  tg_value axis; /**< int */
} tg_split_options;
TG_C_API tg_status tg_split(tg_tensor self, const tg_split_options* options,
    tg_value* result);

/** At most so many pieces of equal size along an axis; the last may be smaller.
 * Shape: as this tensor, but for the axis. Dtype: that of this tensor.
 * chunks: largest number of pieces.
 * axis: which axis; negative: from the end. Default: 0.
 * Errors: ArgumentError for a number below 1.
 */
typedef struct tg_chunk_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_chunk_options;
TG_C_API tg_status tg_chunk(tg_tensor self, int64_t chunks, const tg_chunk_options* options,
    tg_value* result);

/* ---- Arrangement and resampling ---- */

/** A border of one value at the ends of the axes, up to these sizes. Of an axis of variable size
 * what does not exist is border too.
 * Shape: the given sizes. Dtype: that of this tensor.
 * sizes: new sizes; -1 keeps one, a smaller one than there is crops (elements).
 * value: a number. Default: 0.
 * Errors: ArgumentError unless there is one size an axis, none below -1, and the value is a number.
 */
typedef struct tg_pad_to_options {
  size_t struct_size;
  tg_value value; /**< tensor */
} tg_pad_to_options;
TG_C_API tg_status tg_pad_to(tg_tensor self, const int64_t* sizes, size_t sizes_count,
    const tg_pad_to_options* options, tg_tensor* result);

/** The beginning of each axis.
 * Shape: the given sizes. Dtype: that of this tensor.
 * sizes: how many elements; -1 keeps all (elements).
 * Errors: IndexError for more elements than there are; ArgumentError unless there is one size an
 * axis.
 */
TG_C_API tg_status tg_shrink_to(tg_tensor self, const int64_t* sizes, size_t sizes_count,
    tg_tensor* result);

/** Each element several times, one after the other.
 * Shape: the axis, or the number of elements, times the count. Dtype: that of this tensor.
 * repeats: how often.
 * axis: along which; negative: from the end. Default: that of the flattened tensor.
 * Errors: IndexError for an axis outside the shape; ArgumentError for a negative count.
 */
typedef struct tg_repeat_interleave_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_repeat_interleave_options;
TG_C_API tg_status tg_repeat_interleave(tg_tensor self, int64_t repeats,
    const tg_repeat_interleave_options* options, tg_tensor* result);

/** A vector on the diagonal of a matrix, 0 elsewhere.
 * Shape: [n] gives [n, n]. Dtype: that of this tensor.
 * Errors: ShapeError for anything but a vector; ArgumentError if its size is variable.
 */
TG_C_API tg_status tg_diag(tg_tensor self, tg_tensor* result);

/** Windows of an axis: it counts them, and a new last axis goes through each.
 * Shape: [..., n, ...] gives [..., (n - size) / step + 1, ..., size]. Dtype: that of this tensor.
 * axis: which; negative: from the end.
 * size: of a window (elements).
 * step: from one window to the next (elements).
 * Errors: IndexError for an axis outside the shape; ArgumentError for windows larger than the axis,
 * a step below 1, or an axis of variable size.
 */
TG_C_API tg_status tg_unfold(tg_tensor self, int64_t axis, int64_t size, int64_t step,
    tg_tensor* result);

/** Axes split, reordered and merged, as einops says it.
 * Shape: the axes that stand after "->". Dtype: that of this tensor.
 * formula: names of axes before and after "->", parentheses for several in one, 1 for an axis of
 * size 1, "..." for any number; behind a comma the sizes that do not follow from the shape: "b (h
 * w) c -> b c h w, h=4".
 * Errors: ArgumentError for a formula that does not fit the shape.
 */
TG_C_API tg_status tg_rearrange(tg_tensor self, const char* formula, tg_tensor* result);

/** The coordinates of a grid along axes: for each tensor, which lists those of one axis, one of the
 * grid's shape. A single tensor stays as it is.
 * Shape: an axis for each tensor, as long as it. Dtype: that of this tensor.
 * tensors: at least one; flattened.
 * indexing: the order of the grid's axes: Ij that of the tensors, Xy with the first two swapped.
 * Default: Ij.
 * Errors: ArgumentError for no tensor.
 */
typedef struct tg_meshgrid_options {
  size_t struct_size;
  tg_value indexing; /**< choice */
} tg_meshgrid_options;
TG_C_API tg_status tg_meshgrid(const tg_tensor* tensors, size_t tensors_count,
    const tg_meshgrid_options* options, tg_value* result);

/** The last axes in other sizes. Integers are rounded towards 0 at the end, uint8 to the nearest
 * after each axis.
 * Shape: the last axes as given. Dtype: that of this tensor.
 * size: of the last axes (elements).
 * mode: Linear weighs the two neighbours on each axis, Nearest takes the element before the place,
 * NearestExact the one that the place lies in. Default: Linear.
 * align_corners: Linear: first and last elements stay at the ends, instead of all elements having
 * one width. Default: false.
 * Errors: ArgumentError for no size or more than axes, negative ones, align_corners with another
 * mode, or an axis of variable size; ShapeError for an axis without elements.
 */
typedef struct tg_interpolate_options {
  size_t struct_size;
  tg_value mode; /**< choice */
  tg_value align_corners; /**< bool */
} tg_interpolate_options;
TG_C_API tg_status tg_interpolate(tg_tensor self, const int64_t* size, size_t size_count,
    const tg_interpolate_options* options, tg_tensor* result);

/** What lies at the places of a grid, each spatial axis of this going from -1 to 1; the grid lists
 * them from the last one on. Places that are NaN read 0.
 * Shape: [batch, channels, spatial...] gives [batch, channels, out...]. Dtype: that of this tensor
 * (float32 for integers and bool) and the grid, promoted.
 * grid: [batch, out..., axes], a float.
 * mode: Linear weighs the neighbours along each axis, Nearest takes the nearest element (halves:
 * the one with the even number). Default: Linear.
 * padding: what lies outside: Zeros, Border (the edge), Reflection (the elements mirrored at the
 * edge). Default: Zeros.
 * align_corners: -1 and 1 are the middles of the end elements, not their edges. Default: false.
 * Errors: ShapeError if the shapes do not fit or a spatial axis has no elements; DTypeError unless
 * the grid is a float; ArgumentError for an axis of variable size.
 */
typedef struct tg_grid_sample_options {
  size_t struct_size;
  tg_value mode; /**< choice */
  tg_value padding; /**< choice */
  tg_value align_corners; /**< bool */
} tg_grid_sample_options;
TG_C_API tg_status tg_grid_sample(tg_tensor self, tg_tensor grid,
    const tg_grid_sample_options* options, tg_tensor* result);

/** The grid that affine maps make of the places of spatial sizes, each axis going from -1 to 1: what
 * grid_sample takes.
 * Shape: [batch, axes, axes + 1] gives [batch, size..., axes]. Dtype: floats stay, integers and
 * bool become float32.
 * size: of the spatial axes (elements).
 * align_corners: as of grid_sample. Default: false.
 * Errors: ShapeError if maps and sizes do not fit, or for sizes below 1; ArgumentError for an axis
 * of variable size.
 */
typedef struct tg_affine_grid_options {
  size_t struct_size;
  tg_value align_corners; /**< bool */
} tg_affine_grid_options;
TG_C_API tg_status tg_affine_grid(tg_tensor self, const int64_t* size, size_t size_count,
    const tg_affine_grid_options* options, tg_tensor* result);

/* ---- Indexing ---- */

/** One item an axis, as in PyTorch: integers drop it, Slice keeps a part, NewAxis adds one, Ellipsis
 * stands for the rest, integer tensors pick. Also written x[{...}]. Elements of index tensors count
 * from the end if negative; outside the axis they read 0. A mask, a tensor of bool, stands for as
 * many axes as it has and picks where it is true, as the columns of its nonzero() would: it is
 * computed now.
 * Shape: as in PyTorch: the axes of index tensors stand where the first was if they are neighbours
 * once integers have dropped theirs, else in front. Dtype: that of this tensor.
 * items: integers, Slice, Ellipsis, NewAxis, integer tensors, masks.
 * Errors: IndexError for an integer outside its axis, too many items, index tensors that hold
 * neither integers nor bool, or a mask of other sizes than its axes; ArgumentError for a step of 0.
 */
TG_C_API tg_status tg_index(tg_tensor self, const tg_index_item* items, size_t items_count,
    tg_tensor* result);

/** Assigns to the part that the items name, in place. Of places that an index tensor names twice the
 * last wins; places outside are left out. A mask, the only tensor among the items, is not computed
 * now: values go to its places in row-major order, those left over are not used, and places left
 * over keep what they have.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * items: as of index.
 * value: broadcast to the part.
 * Errors: as index and assign.
 */
TG_C_API tg_status tg_set(tg_tensor self, const tg_index_item* items, size_t items_count,
    tg_tensor value, tg_tensor* result);

/** out[i...] = this[..., index[i...] at the axis, ...].
 * Shape: that of the index. Dtype: that of this tensor.
 * axis: which.
 * index: integers, as many axes as this.
 * Errors: ShapeError if the index has other axes or is longer elsewhere; DTypeError unless it holds
 * integers.
 */
TG_C_API tg_status tg_gather(tg_tensor self, int64_t axis, tg_tensor index,
    tg_tensor* result);

/** A copy with src[p] put at index[p] along the axis for each p; of equal places the last wins,
 * places outside are dropped.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * axis: which.
 * index: integers, as many axes as this.
 * src: values of the index's shape, or a number.
 * Errors: ShapeError if the shapes do not fit; DTypeError unless the index holds integers.
 */
TG_C_API tg_status tg_scatter(tg_tensor self, int64_t axis, tg_tensor index, tg_value src,
    tg_tensor* result);

/** As scatter, but values are added to what is there.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * axis: which.
 * index: integers, as many axes as this.
 * src: values of the index's shape, or a number.
 * Errors: as scatter.
 */
TG_C_API tg_status tg_scatter_add(tg_tensor self, int64_t axis, tg_tensor index, tg_value src,
    tg_tensor* result);

/** As scatter, but of the values that meet at one place, and of what is there before, the sum, mean,
 * product, largest or smallest.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * axis: which.
 * index: integers, as many axes as this.
 * src: values of the index's shape and this dtype, or a number.
 * reduction: Sum, Mean, Prod, Max or Min.
 * include_self: whether what is there takes part. Default: true.
 * Errors: as scatter; DTypeError if the dtypes differ.
 */
typedef struct tg_scatter_reduce_options {
  size_t struct_size;
  tg_value include_self; /**< bool */
} tg_scatter_reduce_options;
TG_C_API tg_status tg_scatter_reduce(tg_tensor self, int64_t axis, tg_tensor index,
    tg_value src, tg_scatter_reduction reduction, const tg_scatter_reduce_options* options,
    tg_tensor* result);

/** 1 where the label stands along a new last axis, else 0.
 * Shape: [..., classes]. Dtype: int32.
 * classes: length of the new axis (elements).
 * Errors: DTypeError unless the labels are integers; ArgumentError for a negative number.
 */
TG_C_API tg_status tg_one_hot(tg_tensor self, int64_t classes, tg_tensor* result);

/** The elements where the mask is true, in row-major order.
 * Shape: [size]. Dtype: that of this tensor.
 * mask: bool, broadcast.
 * size: length of the result; left out, the mask is computed now (elements). Default: as many as
 * the mask selects.
 * fill_value: of places left over. Default: 0.
 * Errors: DTypeError unless the mask is bool; ArgumentError for a negative size; ShapeError if the
 * shapes cannot be broadcast.
 */
typedef struct tg_masked_select_options {
  size_t struct_size;
  tg_value size; /**< int */
  tg_value fill_value; /**< float */
} tg_masked_select_options;
TG_C_API tg_status tg_masked_select(tg_tensor self, tg_tensor mask,
    const tg_masked_select_options* options, tg_tensor* result);

/** The places of the elements that are not 0, in row-major order, a row each.
 * Shape: [size, axes]. Dtype: int32.
 * size: number of rows; left out, this tensor is computed now. Default: as many as are not 0.
 * fill_value: of rows left over. Default: 0.
 * Errors: ArgumentError for a negative size.
 */
typedef struct tg_nonzero_options {
  size_t struct_size;
  tg_value size; /**< int */
  tg_value fill_value; /**< float */
} tg_nonzero_options;
TG_C_API tg_status tg_nonzero(tg_tensor self, const tg_nonzero_options* options,
    tg_tensor* result);

/* ---- Order ---- */

/** The pair of the elements in order along an axis and their places, int32. NaN is the largest
 * number; equal elements keep their order, as -0 and 0.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * axis: axis to go along. Default: -1.
 * descending: from the largest on. Default: false.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_sort_options {
  size_t struct_size;
  tg_value axis; /**< int */
  tg_value descending; /**< bool */
} tg_sort_options;
TG_C_API tg_status tg_sort(tg_tensor self, const tg_sort_options* options, tg_value* result);

/** The places of the elements in order along an axis, those of sort.
 * Shape: the result has this tensor's shape. Dtype: int32.
 * axis: axis to go along. Default: -1.
 * descending: from the largest on. Default: false.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_argsort_options {
  size_t struct_size;
  tg_value axis; /**< int */
  tg_value descending; /**< bool */
} tg_argsort_options;
TG_C_API tg_status tg_argsort(tg_tensor self, const tg_argsort_options* options,
    tg_tensor* result);

/** The pair of the first k elements in order along an axis, from the largest or the smallest on, and
 * their places, int32; those of sort.
 * Shape: k along the axis. Dtype: that of this tensor.
 * k: how many (elements).
 * axis: axis to go along. Default: -1.
 * largest: from the largest on, else from the smallest. Default: true.
 * Errors: IndexError for an axis outside the shape; ArgumentError unless k lies between 0 and the
 * axis, or for an axis of variable size.
 */
typedef struct tg_topk_options {
  size_t struct_size;
  tg_value axis; /**< int */
  tg_value largest; /**< bool */
} tg_topk_options;
TG_C_API tg_status tg_topk(tg_tensor self, int64_t k, const tg_topk_options* options,
    tg_value* result);

/** The elements that differ, in order; of equal ones the first. Each NaN differs.
 * Shape: [size]. Dtype: that of this tensor.
 * size: length of the result; left out, the tensor is sorted now (elements). Default: as many as
 * differ.
 * fill_value: of places left over. Default: 0.
 * Errors: ArgumentError for a negative size.
 */
typedef struct tg_unique_options {
  size_t struct_size;
  tg_value size; /**< int */
  tg_value fill_value; /**< float */
} tg_unique_options;
TG_C_API tg_status tg_unique(tg_tensor self, const tg_unique_options* options,
    tg_tensor* result);

/* ---- Arithmetic, comparison, selection ---- */

/** Sum. Integers wrap; bool: or.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_add(tg_tensor self, tg_value other, tg_tensor* result);

/** Difference. Integers wrap.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_sub(tg_tensor self, tg_value other, tg_tensor* result);

/** Product. Integers wrap; bool: and.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_mul(tg_tensor self, tg_value other, tg_tensor* result);

/** True division; with a rounding the quotient towards 0 or down.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
 * float32 unless it is rounded.
 * other: the right operand, or a number.
 * rounding: None, Trunc (towards 0) or Floor (down). Default: None.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
typedef struct tg_div_options {
  size_t struct_size;
  tg_value rounding; /**< choice */
} tg_div_options;
TG_C_API tg_status tg_div(tg_tensor self, tg_value other, const tg_div_options* options,
    tg_tensor* result);

/** Quotient rounded down; 0 for a whole division by 0.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_floordiv(tg_tensor self, tg_value other, tg_tensor* result);

/** Remainder with the divisor's sign; 0 for a whole division by 0.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_mod(tg_tensor self, tg_value other, tg_tensor* result);

/** Remainder with the sign of this tensor; 0 for a whole division by 0.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_fmod(tg_tensor self, tg_value other, tg_tensor* result);

/** The larger; NaN if either is NaN.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_maximum(tg_tensor self, tg_value other, tg_tensor* result);

/** The smaller; NaN if either is NaN.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_minimum(tg_tensor self, tg_value other, tg_tensor* result);

/** And of bits.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_bitwise_and(tg_tensor self, tg_value other, tg_tensor* result);

/** Or of bits.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_bitwise_or(tg_tensor self, tg_value other, tg_tensor* result);

/** Exclusive or of bits.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * other: the right operand, or a number.
 * Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_bitwise_xor(tg_tensor self, tg_value other, tg_tensor* result);

/** Equal; false for NaN.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_eq(tg_tensor self, tg_value other, tg_tensor* result);

/** Not equal; true for NaN.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_ne(tg_tensor self, tg_value other, tg_tensor* result);

/** Less; false for NaN.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_lt(tg_tensor self, tg_value other, tg_tensor* result);

/** Less or equal; false for NaN.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_le(tg_tensor self, tg_value other, tg_tensor* result);

/** Greater; false for NaN.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_gt(tg_tensor self, tg_value other, tg_tensor* result);

/** Greater or equal; false for NaN.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_ge(tg_tensor self, tg_value other, tg_tensor* result);

/** Both are not 0.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_logical_and(tg_tensor self, tg_value other, tg_tensor* result);

/** One is not 0.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_logical_or(tg_tensor self, tg_value other, tg_tensor* result);

/** This to the power of the exponent; 0 to the power 0 is 1; NaN for a broken power of a negative
 * number.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * exponent: a number or a tensor.
 * Errors: DTypeError for an integer base unless the exponent is a whole number, not negative.
 */
TG_C_API tg_status tg_pow(tg_tensor self, tg_value exponent, tg_tensor* result);

/** Limited to [low, high].
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * low: lower bound, or a number.
 * high: upper bound, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_clip(tg_tensor self, tg_value low, tg_value high, tg_tensor* result);

/** Another name of clip.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * low: lower bound, or a number.
 * high: upper bound, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_clamp(tg_tensor self, tg_value low, tg_value high, tg_tensor* result);

/** Not below a bound; NaN stays.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * low: lower bound, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_clamp_min(tg_tensor self, tg_value low, tg_tensor* result);

/** Not above a bound; NaN stays.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * high: upper bound, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_clamp_max(tg_tensor self, tg_value high, tg_tensor* result);

/** Complement of bits; bool: not.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * Errors: DTypeError for floats.
 */
TG_C_API tg_status tg_bitwise_not(tg_tensor self, tg_tensor* result);

/** Bits moved up; counts of 64 and more give 0.
 * Shape: the operands' shapes, broadcast. Dtype: that of this tensor.
 * count: how far (bits).
 * Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_lshift(tg_tensor self, tg_tensor count, tg_tensor* result);

/** Bits moved down; the sign stays.
 * Shape: the operands' shapes, broadcast. Dtype: that of this tensor.
 * count: how far (bits).
 * Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_rshift(tg_tensor self, tg_tensor count, tg_tensor* result);

/** Is 0.
 * Shape: the result has this tensor's shape. Dtype: bool.
 */
TG_C_API tg_status tg_logical_not(tg_tensor self, tg_tensor* result);

/** a where this is true, else b.
 * Shape: all three, broadcast. Dtype: the promoted dtype of a and b.
 * a: taken where true, or a number.
 * b: taken where false, or a number.
 * Errors: DTypeError unless this is bool; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_where(tg_tensor self, tg_value a, tg_value b, tg_tensor* result);

/** The value where the mask is true, else this.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * mask: bool.
 * value: a tensor or a number.
 * Errors: DTypeError unless the mask is bool; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_masked_fill(tg_tensor self, tg_tensor mask, tg_value value,
    tg_tensor* result);

/** The size of this with the sign of the other, of -0 and NaN too.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
 * float32.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_copysign(tg_tensor self, tg_value other, tg_tensor* result);

/** Logarithm of exp(x) + exp(y), without overflow.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
 * float32.
 * other: the right operand, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_logaddexp(tg_tensor self, tg_value other, tg_tensor* result);

/** This + weight * (end - this).
 * Shape: all three, broadcast. Dtype: the promoted dtype of this and end; integers and bool become
 * float32.
 * end: what weight 1 gives, or a number.
 * weight: share of the end, or a number.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_lerp(tg_tensor self, tg_value end, tg_value weight, tg_tensor* result);

/** Sum of one or more tensors.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * tensors: one or more, or numbers.
 * Errors: ArgumentError for none; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_usum(const tg_tensor* tensors, size_t tensors_count, tg_tensor* result);

/** Product of one or more tensors.
 * Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
 * way.
 * tensors: one or more, or numbers.
 * Errors: ArgumentError for none; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_uprod(const tg_tensor* tensors, size_t tensors_count,
    tg_tensor* result);

/** |x - y| <= atol + rtol |y|, or both the same infinity.
 * Shape: the operands' shapes, broadcast. Dtype: bool.
 * other: what to compare with, or a number.
 * rtol: tolerance relative to the other tensor. Default: 1e-5.
 * atol: absolute tolerance. Default: 1e-8.
 * equal_nan: NaN is close to NaN. Default: false.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
typedef struct tg_isclose_options {
  size_t struct_size;
  tg_value rtol; /**< float */
  tg_value atol; /**< float */
  tg_value equal_nan; /**< bool */
} tg_isclose_options;
TG_C_API tg_status tg_isclose(tg_tensor self, tg_value other,
    const tg_isclose_options* options, tg_tensor* result);

/** All elements are close.
 * Shape: []. Dtype: bool.
 * other: what to compare with, or a number.
 * rtol: tolerance relative to the other tensor. Default: 1e-5.
 * atol: absolute tolerance. Default: 1e-8.
 * equal_nan: NaN is close to NaN. Default: false.
 * Errors: ShapeError if the shapes cannot be broadcast.
 */
typedef struct tg_allclose_options {
  size_t struct_size;
  tg_value rtol; /**< float */
  tg_value atol; /**< float */
  tg_value equal_nan; /**< bool */
} tg_allclose_options;
TG_C_API tg_status tg_allclose(tg_tensor self, tg_value other,
    const tg_allclose_options* options, tg_tensor* result);

/** Threefry-2x32 with 20 rounds: the two words of each number, encrypted under the two words of the
 * seed. What rand() is made of.
 * Shape: the operands' shapes, broadcast. Dtype: uint64.
 * seed: the key: uint64, or a number.
 * Errors: DTypeError unless both are uint64; ShapeError if the shapes cannot be broadcast.
 */
TG_C_API tg_status tg_threefry(tg_tensor self, tg_value seed, tg_tensor* result);

/* ---- Elementwise functions ---- */

/** Negation; bool: not.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_neg(tg_tensor self, tg_tensor* result);

/** Size without sign.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_abs(tg_tensor self, tg_tensor* result);

/** -1, 0 or 1; NaN stays.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_sign(tg_tensor self, tg_tensor* result);

/** x * x.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_square(tg_tensor self, tg_tensor* result);

/** Square root; NaN below 0.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_sqrt(tg_tensor self, tg_tensor* result);

/** 1 / square root.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_rsqrt(tg_tensor self, tg_tensor* result);

/** 1 / x.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_reciprocal(tg_tensor self, tg_tensor* result);

/** e to the power x.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_exp(tg_tensor self, tg_tensor* result);

/** 2 to the power x.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_exp2(tg_tensor self, tg_tensor* result);

/** Natural logarithm; -inf at 0, NaN below.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_log(tg_tensor self, tg_tensor* result);

/** Logarithm to base 2; -inf at 0, NaN below.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_log2(tg_tensor self, tg_tensor* result);

/** Logarithm to base 10; -inf at 0, NaN below.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_log10(tg_tensor self, tg_tensor* result);

/** Sine of radians.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_sin(tg_tensor self, tg_tensor* result);

/** Cosine of radians.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_cos(tg_tensor self, tg_tensor* result);

/** Tangent of radians.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_tan(tg_tensor self, tg_tensor* result);

/** Inverse sine, in [-pi/2, pi/2]; NaN outside [-1, 1].
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_asin(tg_tensor self, tg_tensor* result);

/** Inverse cosine, in [0, pi]; NaN outside [-1, 1].
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_acos(tg_tensor self, tg_tensor* result);

/** Inverse tangent, in [-pi/2, pi/2].
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_atan(tg_tensor self, tg_tensor* result);

/** Hyperbolic sine.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_sinh(tg_tensor self, tg_tensor* result);

/** Hyperbolic cosine.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_cosh(tg_tensor self, tg_tensor* result);

/** Inverse hyperbolic sine.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_asinh(tg_tensor self, tg_tensor* result);

/** Inverse hyperbolic cosine; NaN below 1.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_acosh(tg_tensor self, tg_tensor* result);

/** Inverse hyperbolic tangent; NaN outside [-1, 1].
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_atanh(tg_tensor self, tg_tensor* result);

/** Error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_erf(tg_tensor self, tg_tensor* result);

/** Rounded towards 0.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_trunc(tg_tensor self, tg_tensor* result);

/** Rounded down.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_floor(tg_tensor self, tg_tensor* result);

/** Rounded up.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_ceil(tg_tensor self, tg_tensor* result);

/** Rounded to the nearest whole number, halves to the even one.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_round(tg_tensor self, tg_tensor* result);

/** Is NaN.
 * Shape: the result has this tensor's shape. Dtype: bool.
 */
TG_C_API tg_status tg_isnan(tg_tensor self, tg_tensor* result);

/** Is plus or minus infinity.
 * Shape: the result has this tensor's shape. Dtype: bool.
 * positive: look for plus infinity. Default: true.
 * negative: look for minus infinity. Default: true.
 */
typedef struct tg_isinf_options {
  size_t struct_size;
  tg_value positive; /**< bool */
  tg_value negative; /**< bool */
} tg_isinf_options;
TG_C_API tg_status tg_isinf(tg_tensor self, const tg_isinf_options* options,
    tg_tensor* result);

/** Is neither NaN nor infinite.
 * Shape: the result has this tensor's shape. Dtype: bool.
 */
TG_C_API tg_status tg_isfinite(tg_tensor self, tg_tensor* result);

/** Values converted; floats truncate to integers, integers wrap.
 * Shape: the result has this tensor's shape. Dtype: the given one.
 * dtype: the new element type.
 * Errors: DTypeError for a dtype without storage.
 */
TG_C_API tg_status tg_cast(tg_tensor self, tg_dtype dtype, tg_tensor* result);

/** The same bits read as another dtype.
 * Shape: this tensor's; of a dtype of another size the last axis holds more or fewer elements, the
 * lowest bits first. Dtype: the given one.
 * dtype: the new element type.
 * Errors: ShapeError if rows of another size are no whole number of elements.
 */
TG_C_API tg_status tg_bitcast(tg_tensor self, tg_dtype dtype, tg_tensor* result);

/* ---- Activations ---- */

/** max(x, 0); NaN stays NaN.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_relu(tg_tensor self, tg_tensor* result);

/** min(max(x, 0), 6).
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_relu6(tg_tensor self, tg_tensor* result);

/** x, or slope * x below 0.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * slope: below 0. Default: 0.01.
 */
typedef struct tg_leaky_relu_options {
  size_t struct_size;
  tg_value slope; /**< float */
} tg_leaky_relu_options;
TG_C_API tg_status tg_leaky_relu(tg_tensor self, const tg_leaky_relu_options* options,
    tg_tensor* result);

/** 1 / (1 + exp(-x)), exact in both tails.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_sigmoid(tg_tensor self, tg_tensor* result);

/** Hyperbolic tangent, exact near 0 and in both tails.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_tanh(tg_tensor self, tg_tensor* result);

/** x * sigmoid(x).
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_silu(tg_tensor self, tg_tensor* result);

/** Another name of silu.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_swish(tg_tensor self, tg_tensor* result);

/** x times the normal distribution's share below x: x * sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)), or
 * exactly by erf.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * form: Tanh: the approximation; Erf: exact. Default: Tanh.
 */
typedef struct tg_gelu_options {
  size_t struct_size;
  tg_value form; /**< choice */
} tg_gelu_options;
TG_C_API tg_status tg_gelu(tg_tensor self, const tg_gelu_options* options, tg_tensor* result);

/** x * sigmoid(1.702 x).
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_quick_gelu(tg_tensor self, tg_tensor* result);

/** x, or alpha * (exp(x) - 1) below 0.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * alpha: size of the negative end. Default: 1.
 */
typedef struct tg_elu_options {
  size_t struct_size;
  tg_value alpha; /**< float */
} tg_elu_options;
TG_C_API tg_status tg_elu(tg_tensor self, const tg_elu_options* options, tg_tensor* result);

/** x, or alpha * (exp(x / alpha) - 1) below 0.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * alpha: size of the negative end, not 0. Default: 1.
 * Errors: ArgumentError for alpha 0.
 */
typedef struct tg_celu_options {
  size_t struct_size;
  tg_value alpha; /**< float */
} tg_celu_options;
TG_C_API tg_status tg_celu(tg_tensor self, const tg_celu_options* options, tg_tensor* result);

/** gamma * elu(alpha), which keeps mean and variance of deep networks.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * alpha: size of the negative end. Default: 1.6732632423543772.
 * gamma: scale. Default: 1.0507009873554805.
 */
typedef struct tg_selu_options {
  size_t struct_size;
  tg_value alpha; /**< float */
  tg_value gamma; /**< float */
} tg_selu_options;
TG_C_API tg_status tg_selu(tg_tensor self, const tg_selu_options* options, tg_tensor* result);

/** x * tanh(softplus(x)).
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_mish(tg_tensor self, tg_tensor* result);

/** log(1 + exp(beta * x)) / beta without overflow.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * beta: steepness, not 0. Default: 1.
 * Errors: ArgumentError for beta 0.
 */
typedef struct tg_softplus_options {
  size_t struct_size;
  tg_value beta; /**< float */
} tg_softplus_options;
TG_C_API tg_status tg_softplus(tg_tensor self, const tg_softplus_options* options,
    tg_tensor* result);

/** Logarithm of sigmoid, without overflow.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_logsigmoid(tg_tensor self, tg_tensor* result);

/** x / (1 + |x|).
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_softsign(tg_tensor self, tg_tensor* result);

/** alpha * x + beta, limited to [0, 1].
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * alpha: slope. Default: 1/6.
 * beta: value at 0. Default: 0.5.
 */
typedef struct tg_hardsigmoid_options {
  size_t struct_size;
  tg_value alpha; /**< float */
  tg_value beta; /**< float */
} tg_hardsigmoid_options;
TG_C_API tg_status tg_hardsigmoid(tg_tensor self, const tg_hardsigmoid_options* options,
    tg_tensor* result);

/** x * relu6(x + 3) / 6.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 */
TG_C_API tg_status tg_hardswish(tg_tensor self, tg_tensor* result);

/** Limited to [low, high].
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * low: lower bound. Default: -1.
 * high: upper bound. Default: 1.
 */
typedef struct tg_hardtanh_options {
  size_t struct_size;
  tg_value low; /**< float */
  tg_value high; /**< float */
} tg_hardtanh_options;
TG_C_API tg_status tg_hardtanh(tg_tensor self, const tg_hardtanh_options* options,
    tg_tensor* result);

/* ---- Reductions ---- */

/** Sum; 0 of nothing.
 * Shape: without the reduced axes. Dtype: the asked one; else floats stay (small ones accumulate in
 * float32), signed integers and bool become at least int32, unsigned at least uint32.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * dtype: of accumulation and result. Default: see dtype rule.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_sum_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
  tg_value dtype; /**< dtype */
} tg_sum_options;
TG_C_API tg_status tg_sum(tg_tensor self, const tg_sum_options* options, tg_tensor* result);

/** Product; 1 of nothing.
 * Shape: without the reduced axes. Dtype: the asked one; else floats stay (small ones accumulate in
 * float32), signed integers and bool become at least int32, unsigned at least uint32.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * dtype: of accumulation and result. Default: see dtype rule.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_prod_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
  tg_value dtype; /**< dtype */
} tg_prod_options;
TG_C_API tg_status tg_prod(tg_tensor self, const tg_prod_options* options, tg_tensor* result);

/** Maximum; NaN if any is NaN; of nothing the least value, -inf of floats.
 * Shape: without the reduced axes. Dtype: that of this tensor.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_max_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
} tg_max_options;
TG_C_API tg_status tg_max(tg_tensor self, const tg_max_options* options, tg_tensor* result);

/** Minimum; NaN if any is NaN; of nothing the largest value, inf of floats.
 * Shape: without the reduced axes. Dtype: that of this tensor.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_min_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
} tg_min_options;
TG_C_API tg_status tg_min(tg_tensor self, const tg_min_options* options, tg_tensor* result);

/** Arithmetic mean; NaN of nothing.
 * Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_mean_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
} tg_mean_options;
TG_C_API tg_status tg_mean(tg_tensor self, const tg_mean_options* options, tg_tensor* result);

/** Variance, sum of (x - mean)^2 over (n - correction).
 * Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * correction: the divisor is n - correction. Default: 1.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_var_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
  tg_value correction; /**< int */
} tg_var_options;
TG_C_API tg_status tg_var(tg_tensor self, const tg_var_options* options, tg_tensor* result);

/** Standard deviation, the root of var.
 * Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * correction: the divisor is n - correction. Default: 1.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_std_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
  tg_value correction; /**< int */
} tg_std_options;
TG_C_API tg_status tg_std(tg_tensor self, const tg_std_options* options, tg_tensor* result);

/** The pair of var and mean.
 * Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * correction: the divisor is n - correction. Default: 1.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_var_mean_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
  tg_value correction; /**< int */
} tg_var_mean_options;
TG_C_API tg_status tg_var_mean(tg_tensor self, const tg_var_mean_options* options,
    tg_value* result);

/** The pair of std and mean.
 * Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * correction: the divisor is n - correction. Default: 1.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_std_mean_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
  tg_value correction; /**< int */
} tg_std_mean_options;
TG_C_API tg_status tg_std_mean(tg_tensor self, const tg_std_mean_options* options,
    tg_value* result);

/** One is not 0; false of nothing.
 * Shape: without the reduced axes. Dtype: bool.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_any_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
} tg_any_options;
TG_C_API tg_status tg_any(tg_tensor self, const tg_any_options* options, tg_tensor* result);

/** None is 0; true of nothing.
 * Shape: without the reduced axes. Dtype: bool.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
 */
typedef struct tg_all_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
} tg_all_options;
TG_C_API tg_status tg_all(tg_tensor self, const tg_all_options* options, tg_tensor* result);

/** First place of the maximum; NaN is the largest.
 * Shape: without the reduced axes. Dtype: int32.
 * axis: axis to search. Default: the flattened tensor.
 * keepdim: keep reduced axes with size 1. Default: false.
 * Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
 */
typedef struct tg_argmax_options {
  size_t struct_size;
  tg_value axis; /**< int */
  tg_value keepdim; /**< bool */
} tg_argmax_options;
TG_C_API tg_status tg_argmax(tg_tensor self, const tg_argmax_options* options,
    tg_tensor* result);

/** First place of the minimum; NaN is the smallest.
 * Shape: without the reduced axes. Dtype: int32.
 * axis: axis to search. Default: the flattened tensor.
 * keepdim: keep reduced axes with size 1. Default: false.
 * Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
 */
typedef struct tg_argmin_options {
  size_t struct_size;
  tg_value axis; /**< int */
  tg_value keepdim; /**< bool */
} tg_argmin_options;
TG_C_API tg_status tg_argmin(tg_tensor self, const tg_argmin_options* options,
    tg_tensor* result);

/** exp(x) over the sum of exp(x) of its row, without overflow.
 * Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers and
 * bool become float32.
 * axis: the row's axis. Default: -1.
 * dtype: float in which it is computed and returned. Default: see dtype rule.
 * Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
 */
typedef struct tg_softmax_options {
  size_t struct_size;
  tg_value axis; /**< int */
  tg_value dtype; /**< dtype */
} tg_softmax_options;
TG_C_API tg_status tg_softmax(tg_tensor self, const tg_softmax_options* options,
    tg_tensor* result);

/** Logarithm of softmax, without overflow.
 * Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers and
 * bool become float32.
 * axis: the row's axis. Default: -1.
 * dtype: float in which it is computed and returned. Default: see dtype rule.
 * Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
 */
typedef struct tg_log_softmax_options {
  size_t struct_size;
  tg_value axis; /**< int */
  tg_value dtype; /**< dtype */
} tg_log_softmax_options;
TG_C_API tg_status tg_log_softmax(tg_tensor self, const tg_log_softmax_options* options,
    tg_tensor* result);

/** softmax of -x.
 * Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers and
 * bool become float32.
 * axis: the row's axis. Default: -1.
 * dtype: float in which it is computed and returned. Default: see dtype rule.
 * Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
 */
typedef struct tg_softmin_options {
  size_t struct_size;
  tg_value axis; /**< int */
  tg_value dtype; /**< dtype */
} tg_softmin_options;
TG_C_API tg_status tg_softmin(tg_tensor self, const tg_softmin_options* options,
    tg_tensor* result);

/** Logarithm of the sum of exp(x), without overflow.
 * Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
 * axis: axes to reduce. Default: all axes.
 * keepdim: keep reduced axes with size 1. Default: false.
 * Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
 */
typedef struct tg_logsumexp_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value keepdim; /**< bool */
} tg_logsumexp_options;
TG_C_API tg_status tg_logsumexp(tg_tensor self, const tg_logsumexp_options* options,
    tg_tensor* result);

/** Divided by its p-norm along an axis; a vector of zeros stays.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * p: order of the norm; 0 counts what is not 0, infinity takes the largest. Default: 2.
 * axis: axis whose vectors get length 1. Default: 1.
 * eps: least divisor. Default: 1e-12.
 * Errors: ArgumentError if p is NaN; IndexError for an axis outside the shape.
 */
typedef struct tg_normalize_options {
  size_t struct_size;
  tg_value p; /**< float */
  tg_value axis; /**< int */
  tg_value eps; /**< float */
} tg_normalize_options;
TG_C_API tg_status tg_normalize(tg_tensor self, const tg_normalize_options* options,
    tg_tensor* result);

/* ---- Scans ---- */

/** Sum of each element and all before it.
 * Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay (small ones
 * accumulate in float32), signed integers and bool become at least int32, unsigned at least uint32.
 * axis: axis to go along. Default: 0.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_cumsum_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_cumsum_options;
TG_C_API tg_status tg_cumsum(tg_tensor self, const tg_cumsum_options* options,
    tg_tensor* result);

/** Product of each element and all before it.
 * Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay (small ones
 * accumulate in float32), signed integers and bool become at least int32, unsigned at least uint32.
 * axis: axis to go along. Default: 0.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_cumprod_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_cumprod_options;
TG_C_API tg_status tg_cumprod(tg_tensor self, const tg_cumprod_options* options,
    tg_tensor* result);

/** The pair of the maximum so far, NaN from the first NaN on, and its latest place, int32.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * axis: axis to go along. Default: 0.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_cummax_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_cummax_options;
TG_C_API tg_status tg_cummax(tg_tensor self, const tg_cummax_options* options,
    tg_value* result);

/** The pair of the minimum so far, NaN from the first NaN on, and its latest place, int32.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * axis: axis to go along. Default: 0.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_cummin_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_cummin_options;
TG_C_API tg_status tg_cummin(tg_tensor self, const tg_cummin_options* options,
    tg_value* result);

/** Logarithm of the sum of exp of each element and all before it, without overflow.
 * Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
 * axis: axis to go along. Default: 0.
 * Errors: IndexError for an axis outside the shape.
 */
typedef struct tg_logcumsumexp_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_logcumsumexp_options;
TG_C_API tg_status tg_logcumsumexp(tg_tensor self, const tg_logcumsumexp_options* options,
    tg_tensor* result);

/* ---- Products, convolutions, pools ---- */

/** Matrix product of the last two axes; a vector is a row on the left, a column on the right. Small
 * floats accumulate in float32.
 * Shape: [..., m, k] @ [..., k, n] gives [..., m, n]; leading axes broadcast. Dtype: the promoted
 * dtype of the operands; numbers give way.
 * other: [..., k, n] or [k].
 * Errors: ShapeError if the inner sizes differ, a side is a scalar, or leading axes cannot be
 * broadcast.
 */
TG_C_API tg_status tg_matmul(tg_tensor self, tg_tensor other, tg_tensor* result);

/** Another name of matmul.
 * Shape: as matmul. Dtype: the promoted dtype of the operands; numbers give way.
 * other: as of matmul.
 * Errors: as matmul.
 */
TG_C_API tg_status tg_dot(tg_tensor self, tg_tensor other, tg_tensor* result);

/** Einstein summation of one or more operands, from left to right. A letter twice in one operand is
 * its diagonal; without "->" the letters that stand once remain, in alphabetical order, after what
 * the ellipses stand for.
 * Shape: the axes that stand after "->". Dtype: the promoted dtype of the operands; numbers give
 * way.
 * formula: letters name axes, "..." axes that are broadcast: "ij,jk->ik".
 * operands: one for each term.
 * Errors: ArgumentError for a formula that does not fit the operands; ShapeError if sizes of a
 * letter cannot be broadcast.
 */
TG_C_API tg_status tg_einsum(const char* formula, const tg_tensor* operands,
    size_t operands_count, tg_tensor* result);

/** x @ weight + bias; a weight of one axis multiplies elementwise.
 * Shape: [..., in] gives [..., out]. Dtype: the promoted dtype of the operands; numbers give way.
 * weight: [in, out] or [in].
 * bias: [out]. Default: none.
 * Errors: as matmul and add.
 */
typedef struct tg_linear_options {
  size_t struct_size;
  tg_value bias; /**< tensor */
} tg_linear_options;
TG_C_API tg_status tg_linear(tg_tensor self, tg_tensor weight,
    const tg_linear_options* options, tg_tensor* result);

/** Cross-correlation with a window, over any number of spatial axes.
 * Shape: [batch, in, spatial...] gives [batch, out, (size + padding - dilation (kernel - 1) - 1) /
 * stride + 1, ...]. Dtype: the promoted dtype of the operands; numbers give way.
 * weight: [out, in / groups, kernel...].
 * bias: [out]. Default: none.
 * groups: channel groups that do not mix. Default: 1.
 * stride: step of the window (elements). Default: 1.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: zeros around: one number, one an axis, or (before, after) for each (elements). Default:
 * 0.
 * Errors: ShapeError if channels, axes or bias do not fit or the window is larger than the padded
 * input; ArgumentError for groups that do not divide the channels and for numbers that do not fit
 * the axes.
 */
typedef struct tg_conv2d_options {
  size_t struct_size;
  tg_value bias; /**< tensor */
  tg_value groups; /**< int */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
} tg_conv2d_options;
TG_C_API tg_status tg_conv2d(tg_tensor self, tg_tensor weight,
    const tg_conv2d_options* options, tg_tensor* result);

/** The transpose of a convolution, over any number of spatial axes.
 * Shape: [batch, in, spatial...] gives [batch, out, (size - 1) stride + dilation (kernel - 1) + 1 -
 * padding + output_padding, ...]. Dtype: the promoted dtype of the operands; numbers give way.
 * weight: [in, out / groups, kernel...].
 * bias: [out]. Default: none.
 * groups: channel groups that do not mix. Default: 1.
 * stride: distance of the input's elements in the result (elements). Default: 1.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: cut off the result's border, as in conv2d (elements). Default: 0.
 * output_padding: more elements at the result's end (elements). Default: 0.
 * Errors: ShapeError if channels, axes or bias do not fit; ArgumentError for groups that do not
 * divide the channels, for output_padding that is not below stride or dilation, and for numbers
 * that do not fit the axes.
 */
typedef struct tg_conv_transpose2d_options {
  size_t struct_size;
  tg_value bias; /**< tensor */
  tg_value groups; /**< int */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value output_padding; /**< ints */
} tg_conv_transpose2d_options;
TG_C_API tg_status tg_conv_transpose2d(tg_tensor self, tg_tensor weight,
    const tg_conv_transpose2d_options* options, tg_tensor* result);

/** Largest of each window of the last axes.
 * Shape: pooled axes as those of conv2d. Dtype: that of this tensor.
 * kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
 * stride: step of the window (elements). Default: the window's size.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: border: one number, one an axis, or (before, after) for each (elements). Default: 0.
 * ceil_mode: also a last window that hangs over the end. Default: false.
 * count_include_pad: avg: padding counts in the divisor. Default: true.
 * Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that do
 * not fit the axes.
 */
typedef struct tg_max_pool2d_options {
  size_t struct_size;
  tg_value kernel_size; /**< ints */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value ceil_mode; /**< bool */
  tg_value count_include_pad; /**< bool */
} tg_max_pool2d_options;
TG_C_API tg_status tg_max_pool2d(tg_tensor self, const tg_max_pool2d_options* options,
    tg_tensor* result);

/** Mean of each window of the last axes.
 * Shape: pooled axes as those of conv2d. Dtype: floats stay, integers and bool become float32.
 * kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
 * stride: step of the window (elements). Default: the window's size.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: border: one number, one an axis, or (before, after) for each (elements). Default: 0.
 * ceil_mode: also a last window that hangs over the end. Default: false.
 * count_include_pad: avg: padding counts in the divisor. Default: true.
 * Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that do
 * not fit the axes.
 */
typedef struct tg_avg_pool2d_options {
  size_t struct_size;
  tg_value kernel_size; /**< ints */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value ceil_mode; /**< bool */
  tg_value count_include_pad; /**< bool */
} tg_avg_pool2d_options;
TG_C_API tg_status tg_avg_pool2d(tg_tensor self, const tg_avg_pool2d_options* options,
    tg_tensor* result);

/** The pair of max_pool2d and the first place of each maximum, int32, among all elements of the
 * pooled axes: what max_unpool2d takes. NaN is the largest.
 * Shape: pooled axes as those of conv2d. Dtype: that of this tensor.
 * kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
 * stride: step of the window (elements). Default: the window's size.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: border: one number, one an axis, or (before, after) for each (elements). Default: 0.
 * ceil_mode: also a last window that hangs over the end. Default: false.
 * count_include_pad: avg: padding counts in the divisor. Default: true.
 * Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that do
 * not fit the axes.
 */
typedef struct tg_max_pool2d_with_indices_options {
  size_t struct_size;
  tg_value kernel_size; /**< ints */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value ceil_mode; /**< bool */
  tg_value count_include_pad; /**< bool */
} tg_max_pool2d_with_indices_options;
TG_C_API tg_status tg_max_pool2d_with_indices(tg_tensor self,
    const tg_max_pool2d_with_indices_options* options, tg_value* result);

/** The inverse of max_pool2d: each value at its place, 0 elsewhere.
 * Shape: [..., windows...] gives [..., sizes...]. Dtype: that of this tensor.
 * indices: a place for each value, of max_pool2d_with_indices.
 * kernel_size: size of the window, a number for each axis (elements). Default: {2, 2}.
 * stride: step of the window (elements). Default: the window's size.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: border: one number, or one an axis (elements). Default: 0.
 * output_size: sizes of the result, of which the last count (elements). Default: what the numbers
 * say.
 * Errors: ShapeError unless there is a place for each value; ArgumentError for numbers that do not
 * fit the axes, or an axis of variable size; DTypeError unless indices are integers.
 */
typedef struct tg_max_unpool2d_options {
  size_t struct_size;
  tg_value kernel_size; /**< ints */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value output_size; /**< ints */
} tg_max_unpool2d_options;
TG_C_API tg_status tg_max_unpool2d(tg_tensor self, tg_tensor indices,
    const tg_max_unpool2d_options* options, tg_tensor* result);

/** softmax(this @ key^T / sqrt(size)) @ value, this being the queries. A row of the scores in which
 * nothing counts is NaN.
 * Shape: [..., n, size] gives [..., n, out]. Dtype: that of this tensor and the values, promoted.
 * key: [..., m, size].
 * value: [..., m, out].
 * attn_mask: bool: which keys count for a query; numbers: added to the scores; broadcast to [...,
 * n, m]. Default: none.
 * dropout_p: share of the weights dropped while training (probability). Default: 0.
 * is_causal: a query sees the keys up to its own place. Default: false.
 * enable_gqa: each head of keys and values, axis -3, serves several neighbouring ones of the
 * queries. Default: false.
 * Errors: ShapeError if the shapes do not fit; ArgumentError for is_causal with a mask, or
 * dropout_p outside [0, 1].
 */
typedef struct tg_scaled_dot_product_attention_options {
  size_t struct_size;
  tg_value attn_mask; /**< tensor */
  tg_value dropout_p; /**< float */
  tg_value is_causal; /**< bool */
  tg_value enable_gqa; /**< bool */
} tg_scaled_dot_product_attention_options;
TG_C_API tg_status tg_scaled_dot_product_attention(tg_tensor self, tg_tensor key,
    tg_tensor value, const tg_scaled_dot_product_attention_options* options, tg_tensor* result);

/* ---- Decompositions and hashes ---- */

/** The pair Q, R of a matrix on the last two axes, Q orthogonal, R upper triangular, whose product
 * it is.
 * Shape: [..., m, n] gives [..., m, m] and [..., m, n]. Dtype: floats stay, integers and bool
 * become float32.
 * Errors: ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size.
 */
TG_C_API tg_status tg_qr(tg_tensor self, tg_value* result);

/** U, S and V^T of a matrix on the last two axes: U diag(S) V^T is the matrix, the columns of U and
 * V are orthonormal, S falls and is not negative.
 * Shape: [..., m, n] gives [..., m, m], [..., min(m, n)] and [..., n, n]. Dtype: floats stay,
 * integers and bool become float32.
 * full_matrices: U and V^T square, else with as many columns and rows as there are values. Default:
 * true.
 * Errors: ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size.
 */
typedef struct tg_svd_options {
  size_t struct_size;
  tg_value full_matrices; /**< bool */
} tg_svd_options;
TG_C_API tg_status tg_svd(tg_tensor self, const tg_svd_options* options, tg_value* result);

/** L, lower triangular with a positive diagonal, whose product with L^T is this symmetric, positive
 * definite matrix; NaN where it is not positive definite.
 * Shape: [..., n, n], as this tensor. Dtype: floats stay, integers and bool become float32.
 * upper: U, upper triangular, with U^T U = this; the upper triangle is read, not the lower.
 * Default: false.
 * Errors: ShapeError for anything but square matrices; ArgumentError for an axis of variable size.
 */
typedef struct tg_cholesky_options {
  size_t struct_size;
  tg_value upper; /**< bool */
} tg_cholesky_options;
TG_C_API tg_status tg_cholesky(tg_tensor self, const tg_cholesky_options* options,
    tg_tensor* result);

/** X with this matrix times X = b, of which one triangle is read; infinities or NaN where it is
 * singular.
 * Shape: [..., n, n] and b give the shape of b; leading axes broadcast. Dtype: that of both
 * operands, promoted; integers and bool are float32.
 * b: [..., n, k]; without left [..., k, n].
 * upper: the upper triangle is read, not the lower. Default: false.
 * left: this times X is b, not X times this. Default: true.
 * unitriangular: the diagonal counts as ones and is not read. Default: false.
 * Errors: ShapeError for anything but square matrices and sides that fit; ArgumentError for an axis
 * of variable size.
 */
typedef struct tg_solve_triangular_options {
  size_t struct_size;
  tg_value upper; /**< bool */
  tg_value left; /**< bool */
  tg_value unitriangular; /**< bool */
} tg_solve_triangular_options;
TG_C_API tg_status tg_solve_triangular(tg_tensor self, tg_tensor b,
    const tg_solve_triangular_options* options, tg_tensor* result);

/** SHA-3 of the bytes of each row of the last axis.
 * Shape: [..., n] gives [..., size]. Dtype: uint8.
 * variant: Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128 or Shake256. Default: Sha3_256.
 * capacity: of the state, which no input reaches; a multiple of 64 below 1600 (bits). Default: that
 * of the variant.
 * size: of the result (bytes). Default: that of the variant.
 * Errors: ShapeError for a scalar; ArgumentError for a capacity or size out of bounds, or an axis
 * of variable size.
 */
typedef struct tg_keccak_options {
  size_t struct_size;
  tg_value variant; /**< choice */
  tg_value capacity; /**< int */
  tg_value size; /**< int */
} tg_keccak_options;
TG_C_API tg_status tg_keccak(tg_tensor self, const tg_keccak_options* options,
    tg_tensor* result);

/** Bytes that tell tensors of different contents apart: a tree of Shake128 over chunks of 4 KiB.
 * Those of larger tensors are computed now.
 * Shape: [16]. Dtype: uint8.
 * Errors: ArgumentError for an axis of variable size.
 */
TG_C_API tg_status tg_hash(tg_tensor self, tg_tensor* result);

/* ---- Fourier transforms ---- */

/** The discrete Fourier transform of complex numbers, which are pairs (real, imaginary) on a last
 * axis of size 2: sums of x[j] e^(-2 pi i j k / n), not divided. O(n) times the sum of the prime
 * factors of n; with large ones O(n log n).
 * Shape: [..., n, ..., 2], as this tensor. Dtype: floats stay, integers and bool become float32.
 * axis: along which; the axis of the pairs does not count; negative: from the end. Default: -1.
 * Errors: ShapeError unless the last axis has size 2 and the transformed one has elements;
 * IndexError for an axis outside the shape; ArgumentError for an axis of variable size, or of more
 * than 2^24 elements.
 */
typedef struct tg_fft_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_fft_options;
TG_C_API tg_status tg_fft(tg_tensor self, const tg_fft_options* options, tg_tensor* result);

/** The inverse of fft: the sign of the exponent turned, and divided by n.
 * Shape: [..., n, ..., 2], as this tensor. Dtype: floats stay, integers and bool become float32.
 * axis: along which; the axis of the pairs does not count; negative: from the end. Default: -1.
 * Errors: ShapeError unless the last axis has size 2 and the transformed one has elements;
 * IndexError for an axis outside the shape; ArgumentError for an axis of variable size, or of more
 * than 2^24 elements.
 */
typedef struct tg_ifft_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_ifft_options;
TG_C_API tg_status tg_ifft(tg_tensor self, const tg_ifft_options* options, tg_tensor* result);

/** fft of real numbers: the first half of the result, of which the rest are the conjugates. Pairs
 * (real, imaginary) stand on a new last axis.
 * Shape: [..., n, ...] gives [..., n / 2 + 1, ..., 2]. Dtype: floats stay, integers and bool become
 * float32.
 * axis: along which; the axis of the pairs does not count; negative: from the end. Default: -1.
 * Errors: ShapeError for an axis without elements; IndexError for an axis outside the shape;
 * ArgumentError for an axis of variable size, or of more than 2^24 elements.
 */
typedef struct tg_rfft_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_rfft_options;
TG_C_API tg_status tg_rfft(tg_tensor self, const tg_rfft_options* options, tg_tensor* result);

/** The inverse of rfft: real numbers of the first half of their transform, which is cropped or
 * continued by 0 to as many as the size needs. Imaginary parts of the first number, and of the one
 * in the middle, do not count.
 * Shape: [..., m, ..., 2] gives [..., size, ...]. Dtype: floats stay, integers and bool become
 * float32.
 * size: of the result's axis (elements). Default: twice m - 1.
 * axis: along which; the axis of the pairs does not count; negative: from the end. Default: -1.
 * Errors: as fft; ArgumentError for a size below 1 or above 2^24.
 */
typedef struct tg_irfft_options {
  size_t struct_size;
  tg_value size; /**< int */
  tg_value axis; /**< int */
} tg_irfft_options;
TG_C_API tg_status tg_irfft(tg_tensor self, const tg_irfft_options* options,
    tg_tensor* result);

/* ---- Normalisation ---- */

/** (x - mean) / sqrt(var + eps) * weight + bias for each channel. While training with this batch's
 * statistics, and the running ones are updated in place; else with the running ones.
 * Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands; numbers
 * give way.
 * weight: scale, [channels]. Default: none.
 * bias: shift, [channels]. Default: none.
 * running_mean: [channels]. Default: none.
 * running_var: [channels]; updated with the unbiased estimate. Default: none.
 * training: use this batch's statistics. Default: as TrainingScope says.
 * momentum: share of this batch in the running statistics. Default: 0.1.
 * eps: added to the variance. Default: 1e-5.
 * axis: the channels' axis. Default: 1.
 * Errors: ArgumentError without running statistics when not training; ShapeError for parameters
 * that are not [channels].
 */
typedef struct tg_batch_norm_options {
  size_t struct_size;
  tg_value weight; /**< tensor */
  tg_value bias; /**< tensor */
  tg_value running_mean; /**< tensor */
  tg_value running_var; /**< tensor */
  tg_value training; /**< bool */
  tg_value momentum; /**< float */
  tg_value eps; /**< float */
  tg_value axis; /**< int */
} tg_batch_norm_options;
TG_C_API tg_status tg_batch_norm(tg_tensor self, const tg_batch_norm_options* options,
    tg_tensor* result);

/** (x - mean) / sqrt(var + eps) * weight + bias over the named axes.
 * Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands; numbers
 * give way.
 * axis: axes normalised together. Default: -1.
 * weight: scale, of the axes' shape. Default: none.
 * bias: shift, of the axes' shape. Default: none.
 * eps: added to the variance. Default: 1e-5.
 * Errors: ShapeError for parameters of another shape; IndexError for an axis outside the shape.
 */
typedef struct tg_layer_norm_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value weight; /**< tensor */
  tg_value bias; /**< tensor */
  tg_value eps; /**< float */
} tg_layer_norm_options;
TG_C_API tg_status tg_layer_norm(tg_tensor self, const tg_layer_norm_options* options,
    tg_tensor* result);

/** x / sqrt(mean of x^2 + eps) * weight over the named axes.
 * Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands; numbers
 * give way.
 * axis: axes normalised together. Default: -1.
 * weight: scale, of the axes' shape. Default: none.
 * eps: added to the mean of squares. Default: 1e-6.
 * Errors: ShapeError for a weight of another shape; IndexError for an axis outside the shape.
 */
typedef struct tg_rms_norm_options {
  size_t struct_size;
  tg_value axis; /**< ints */
  tg_value weight; /**< tensor */
  tg_value eps; /**< float */
} tg_rms_norm_options;
TG_C_API tg_status tg_rms_norm(tg_tensor self, const tg_rms_norm_options* options,
    tg_tensor* result);

/** Each group of channels of each sample normalised to mean 0 and variance 1, then scaled and
 * shifted by channel.
 * Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands; numbers
 * give way.
 * groups: number of groups; as many as channels: instance norm.
 * weight: scale, [channels]. Default: none.
 * bias: shift, [channels]. Default: none.
 * eps: added to the variance. Default: 1e-5.
 * Errors: ArgumentError for groups that do not divide the channels (axis 1); ShapeError for
 * parameters that are not [channels].
 */
typedef struct tg_group_norm_options {
  size_t struct_size;
  tg_value weight; /**< tensor */
  tg_value bias; /**< tensor */
  tg_value eps; /**< float */
} tg_group_norm_options;
TG_C_API tg_status tg_group_norm(tg_tensor self, int64_t groups,
    const tg_group_norm_options* options, tg_tensor* result);

/* ---- Losses ---- */

/** -log softmax at the label; classes stand on axis 1 (axis 0 of a vector).
 * Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and bool
 * become float32.
 * target: integer labels [batch, ...], or probabilities of this shape.
 * reduction: None, Mean or Sum of the elements' losses. Default: Mean.
 * label_smoothing: share of the target spread over all classes (probability). Default: 0.
 * ignore_index: label of elements that do not count. Default: none.
 * weight: a weight for each class, [classes]. Default: none.
 * Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit; ArgumentError for
 * label_smoothing outside [0, 1].
 */
typedef struct tg_cross_entropy_options {
  size_t struct_size;
  tg_value reduction; /**< choice */
  tg_value label_smoothing; /**< float */
  tg_value ignore_index; /**< int */
  tg_value weight; /**< tensor */
} tg_cross_entropy_options;
TG_C_API tg_status tg_cross_entropy(tg_tensor self, tg_tensor target,
    const tg_cross_entropy_options* options, tg_tensor* result);

/** -log softmax at the label; classes stand on the last axis.
 * Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and bool
 * become float32.
 * target: integer labels [...]; of scores [classes] labels of any shape.
 * reduction: None, Mean or Sum of the elements' losses. Default: Mean.
 * label_smoothing: share of the target spread over all classes (probability). Default: 0.
 * ignore_index: label of elements that do not count. Default: none.
 * weight: a weight for each class, [classes]. Default: none.
 * Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit; ArgumentError for
 * label_smoothing outside [0, 1].
 */
typedef struct tg_sparse_categorical_crossentropy_options {
  size_t struct_size;
  tg_value reduction; /**< choice */
  tg_value label_smoothing; /**< float */
  tg_value ignore_index; /**< int */
  tg_value weight; /**< tensor */
} tg_sparse_categorical_crossentropy_options;
TG_C_API tg_status tg_sparse_categorical_crossentropy(tg_tensor self, tg_tensor target,
    const tg_sparse_categorical_crossentropy_options* options, tg_tensor* result);

/** -x at the label: cross-entropy of log-probabilities; classes stand on axis 1.
 * Shape: []; without reduction that of the elements' losses. Dtype: that of this tensor.
 * target: integer labels [batch, ...].
 * reduction: None, Mean or Sum of the elements' losses. Default: Mean.
 * ignore_index: label of elements that do not count. Default: none.
 * weight: a weight for each class, [classes]. Default: none.
 * Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit; ArgumentError for
 * label_smoothing outside [0, 1].
 */
typedef struct tg_nll_loss_options {
  size_t struct_size;
  tg_value reduction; /**< choice */
  tg_value ignore_index; /**< int */
  tg_value weight; /**< tensor */
} tg_nll_loss_options;
TG_C_API tg_status tg_nll_loss(tg_tensor self, tg_tensor target,
    const tg_nll_loss_options* options, tg_tensor* result);

/** -(y log x + (1 - y) log(1 - x)) for probabilities x in (0, 1).
 * Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and bool
 * become float32.
 * target: what should come out.
 * reduction: None, Mean or Sum of the elements' losses. Default: Mean.
 * Errors: ShapeError if the shapes differ.
 */
typedef struct tg_binary_crossentropy_options {
  size_t struct_size;
  tg_value reduction; /**< choice */
} tg_binary_crossentropy_options;
TG_C_API tg_status tg_binary_crossentropy(tg_tensor self, tg_tensor target,
    const tg_binary_crossentropy_options* options, tg_tensor* result);

/** The same for logits, without overflow.
 * Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and bool
 * become float32.
 * target: what should come out.
 * reduction: None, Mean or Sum of the elements' losses. Default: Mean.
 * Errors: ShapeError if the shapes differ.
 */
typedef struct tg_binary_crossentropy_logits_options {
  size_t struct_size;
  tg_value reduction; /**< choice */
} tg_binary_crossentropy_logits_options;
TG_C_API tg_status tg_binary_crossentropy_logits(tg_tensor self, tg_tensor target,
    const tg_binary_crossentropy_logits_options* options, tg_tensor* result);

/* ---- Storage and execution ---- */

/** Computes the value, or several values together, and keeps them as plain storage: gradients no
 * longer flow through it. Reading a value leaves them be.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * tensors: what to compute. Default: this one.
 * Errors: ArgumentError for a value that was overwritten in place before it was computed;
 * DeviceError if the device fails.
 */
typedef struct tg_realize_options {
  size_t struct_size;
  tg_value tensors; /**< tensors */
} tg_realize_options;
TG_C_API tg_status tg_realize(tg_tensor self, const tg_realize_options* options,
    tg_tensor* result);

/** Whether the value is storage, without a graph behind it.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_is_realized(tg_tensor self, bool* result);

/** Whether the value is storage, or will be once what was assigned to it, or to a view of it, has
 * run.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_has_storage(tg_tensor self, bool* result);

/** The same values in storage, row-major; the tensor itself if it is whole storage.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_contiguous(tg_tensor self, tg_tensor* result);

/** The same values in storage, by a kernel whose loops are unrolled as asked, where it allows that,
 * and not as the library would choose.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * upcast: (axis, points that are computed together) of the kernel's axes, those of the result
 * first, then those that are reduced.
 * unroll: the same of those that are reduced. Default: none.
 * Errors: ArgumentError for a negative axis, or less than one point.
 */
typedef struct tg_contiguous_unrolled_options {
  size_t struct_size;
  tg_value unroll; /**< ints */
} tg_contiguous_unrolled_options;
TG_C_API tg_status tg_contiguous_unrolled(tg_tensor self, const int64_t* upcast,
    size_t upcast_count, const tg_contiguous_unrolled_options* options, tg_tensor* result);

/** The same values; the gradient gets storage of its own on its way back.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_contiguous_backward(tg_tensor self, tg_tensor* result);

/** A copy: the same values in storage of its own, in any case.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_clone(tg_tensor self, tg_tensor* result);

/** The same values; gradients stop here.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_detach(tg_tensor self, tg_tensor* result);

/** The same values on another device; on several, all of them on each.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * device: its name, as in DEV, or several with commas between them.
 * Errors: DeviceError for an unknown or unusable device.
 */
TG_C_API tg_status tg_to(tg_tensor self, const char* device, tg_tensor* result);

/** The same values on several devices: an equal part on each along an axis, or all on each without
 * one.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * devices: their names with commas between them.
 * axis: which is split. Default: none.
 * Errors: DeviceError for an unknown device, one that is named twice, or a value that is on several
 * already; ShapeError if the axis cannot be split into equal parts; IndexError for one outside the
 * shape.
 */
typedef struct tg_shard_options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_shard_options;
TG_C_API tg_status tg_shard(tg_tensor self, const char* devices,
    const tg_shard_options* options, tg_tensor* result);

/** The same in place: the tensor and its copies are the value there from now on. A parameter stays
 * one.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * devices: their names with commas between them.
 * axis: which is split. Default: none.
 * Errors: DeviceError for an unknown device, one that is named twice, or a value that is on several
 * already; ShapeError if the axis cannot be split into equal parts; IndexError for one outside the
 * shape.
 */
typedef struct tg_shard__options {
  size_t struct_size;
  tg_value axis; /**< int */
} tg_shard__options;
TG_C_API tg_status tg_shard_(tg_tensor self, const char* devices,
    const tg_shard__options* options, tg_tensor* result);

/** The same values where another tensor is, split as it is; the tensor itself if that lives nowhere.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * like: whose devices and axis.
 * Errors: DeviceError for an unknown device, one that is named twice, or a value that is on several
 * already; ShapeError if the axis cannot be split into equal parts; IndexError for one outside the
 * shape.
 */
TG_C_API tg_status tg_shard_like(tg_tensor self, tg_tensor like, tg_tensor* result);

/** The axis along which several devices have a part each; none, -1 outside of C++, where each has
 * the whole value.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_shard_axis(tg_tensor self, int64_t* result);

/** Replaces the stored value in place, when it is next needed; copies and views see it. Without
 * storage it gets some.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * value: broadcast to this shape; of this dtype.
 * Errors: DTypeError if the dtypes differ; ShapeError if the value does not fit; ArgumentError for
 * a view of an expression, or one that names no memory.
 */
TG_C_API tg_status tg_assign(tg_tensor self, tg_tensor value, tg_tensor* result);

/** The elements' bytes in row-major order, little endian.
 * Shape: not a tensor. Dtype: not a tensor.
 * Errors: ArgumentError for a value that was overwritten in place before it was computed;
 * DeviceError if the device fails.
 */
TG_C_API tg_status tg_to_bytes(tg_tensor self, tg_value* result);

/** The operations that it is made of as text, a node a line, sources before users, the tensor last.
 * Computes nothing.
 * Shape: not a tensor. Dtype: not a tensor.
 * Errors: ArgumentError for a value that was overwritten before it was computed.
 */
TG_C_API tg_status tg_graph(tg_tensor self, tg_value* result);

/** NumPy-like text of the values, then dtype and shape; more than 1000 elements are summarised.
 * Shape: not a tensor. Dtype: not a tensor.
 * Errors: ArgumentError for a value that was overwritten in place before it was computed;
 * DeviceError if the device fails.
 */
TG_C_API tg_status tg_str(tg_tensor self, tg_value* result);

/* ---- Gradients ---- */

/** Adds d(this)/d(leaf) to the grad() of every live leaf: float tensors with storage, and those
 * marked by is_param_(), unless marked is_param_(false).
 * Shape: not a tensor. Dtype: not a tensor.
 * seed: gradient that reaches this value, of its shape. Default: 1, for a scalar.
 * inner: whether live tensors on the way to the leaves get theirs too. Default: false.
 * Errors: ShapeError unless this is a scalar or the seed has its shape; DTypeError unless it is a
 * float; ArgumentError if a realised value depends on nothing.
 */
typedef struct tg_backward_options {
  size_t struct_size;
  tg_value seed; /**< tensor */
  tg_value inner; /**< bool */
} tg_backward_options;
TG_C_API tg_status tg_backward(tg_tensor self, const tg_backward_options* options);

/** Whether backward has reached it.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_has_grad(tg_tensor self, bool* result);

/** The gradient that backward has filled.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * Errors: ArgumentError if there is none.
 */
TG_C_API tg_status tg_grad(tg_tensor self, tg_tensor* result);

/** Replaces the gradient.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * gradient: of this shape.
 * Errors: ShapeError if the shapes differ.
 */
TG_C_API tg_status tg_set_grad(tg_tensor self, tg_tensor gradient, tg_tensor* result);

/** Forgets the gradient.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 */
TG_C_API tg_status tg_zero_grad(tg_tensor self, tg_tensor* result);

/** d(this)/d(target) for each target; zeros where this does not depend on it. The results are graph
 * and can be differentiated again.
 * Shape: those of the targets. Dtype: those of the targets.
 * targets: floats.
 * seed: gradient that reaches this value, of its shape. Default: 1, for a scalar.
 * Errors: as backward; DTypeError for a target that is no float, or an op without gradient on the
 * way; ArgumentError for a target that is a constant.
 */
typedef struct tg_gradient_options {
  size_t struct_size;
  tg_value seed; /**< tensor */
} tg_gradient_options;
TG_C_API tg_status tg_gradient(tg_tensor self, const tg_tensor* targets, size_t targets_count,
    const tg_gradient_options* options, tg_value* result);

/** Whether it was marked as a parameter.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_is_param(tg_tensor self, bool* result);

/** Marks it as a parameter, or as none. A parameter that is an expression gets storage of its own,
 * filled when first needed.
 * Shape: the result has this tensor's shape. Dtype: that of this tensor.
 * flag: whether it is one. Default: true.
 */
typedef struct tg_is_param__options {
  size_t struct_size;
  tg_value flag; /**< bool */
} tg_is_param__options;
TG_C_API tg_status tg_is_param_(tg_tensor self, const tg_is_param__options* options,
    tg_tensor* result);

/* ---- Layers ---- */

/** x times the transposed weight [out, in], plus bias [out]. Starts uniform in +-1/sqrt(in).
 * Shape: [..., in] gives [..., out]. Dtype: the promoted dtype of input and parameters.
 * in: features or channels that come in (elements).
 * out: features or channels that come out (elements).
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_Linear_options {
  size_t struct_size;
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_Linear_options;
TG_C_API tg_status tg_nn_Linear(int64_t in, int64_t out, const tg_nn_Linear_options* options,
    tg_layer* result);

/** Cross-correlation with a learned kernel [out, in / groups, length]. Starts uniform in +-1/sqrt(in
 * / groups * length).
 * Shape: [batch, in, length] gives [batch, out, ...]. Dtype: the promoted dtype of input and
 * parameters.
 * in: features or channels that come in (elements).
 * out: features or channels that come out (elements).
 * kernel: length of the window (elements).
 * groups: channel groups that do not mix. Default: 1.
 * stride: step of the window (elements). Default: 1.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: zeros around the input (elements). Default: 0.
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of channels,
 * and for a kernel with other axes.
 */
typedef struct tg_nn_Conv1d_options {
  size_t struct_size;
  tg_value groups; /**< int */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_Conv1d_options;
TG_C_API tg_status tg_nn_Conv1d(int64_t in, int64_t out, int64_t kernel,
    const tg_nn_Conv1d_options* options, tg_layer* result);

/** Cross-correlation with a learned kernel [out, in / groups, height, width]. Starts uniform in
 * +-1/sqrt(in / groups * area).
 * Shape: [batch, in, height, width] gives [batch, out, ...]. Dtype: the promoted dtype of input and
 * parameters.
 * in: features or channels that come in (elements).
 * out: features or channels that come out (elements).
 * kernel: one number, or {height, width} (elements).
 * groups: channel groups that do not mix. Default: 1.
 * stride: step of the window (elements). Default: 1.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: zeros around the input (elements). Default: 0.
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of channels,
 * and for a kernel with other axes.
 */
typedef struct tg_nn_Conv2d_options {
  size_t struct_size;
  tg_value groups; /**< int */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_Conv2d_options;
TG_C_API tg_status tg_nn_Conv2d(int64_t in, int64_t out, const int64_t* kernel,
    size_t kernel_count, const tg_nn_Conv2d_options* options, tg_layer* result);

/** The transpose of a convolution, with a learned kernel [in, out / groups, length]. Starts uniform
 * in +-1/sqrt(out / groups * length).
 * Shape: [batch, in, length] gives [batch, out, ...]. Dtype: the promoted dtype of input and
 * parameters.
 * in: features or channels that come in (elements).
 * out: features or channels that come out (elements).
 * kernel: length of the window (elements).
 * groups: channel groups that do not mix. Default: 1.
 * stride: step of the window (elements). Default: 1.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: cut off the result's border (elements). Default: 0.
 * output_padding: more at the result's end (elements). Default: 0.
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of channels,
 * and for a kernel with other axes.
 */
typedef struct tg_nn_ConvTranspose1d_options {
  size_t struct_size;
  tg_value groups; /**< int */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value output_padding; /**< ints */
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_ConvTranspose1d_options;
TG_C_API tg_status tg_nn_ConvTranspose1d(int64_t in, int64_t out, int64_t kernel,
    const tg_nn_ConvTranspose1d_options* options, tg_layer* result);

/** The transpose of a convolution, with a learned kernel [in, out / groups, height, width]. Starts
 * uniform in +-1/sqrt(out / groups * area).
 * Shape: [batch, in, height, width] gives [batch, out, ...]. Dtype: the promoted dtype of input and
 * parameters.
 * in: features or channels that come in (elements).
 * out: features or channels that come out (elements).
 * kernel: one number, or {height, width} (elements).
 * groups: channel groups that do not mix. Default: 1.
 * stride: step of the window (elements). Default: 1.
 * dilation: distance of neighbouring taps (elements). Default: 1.
 * padding: cut off the result's border (elements). Default: 0.
 * output_padding: more at the result's end (elements). Default: 0.
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of channels,
 * and for a kernel with other axes.
 */
typedef struct tg_nn_ConvTranspose2d_options {
  size_t struct_size;
  tg_value groups; /**< int */
  tg_value stride; /**< ints */
  tg_value dilation; /**< ints */
  tg_value padding; /**< ints */
  tg_value output_padding; /**< ints */
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_ConvTranspose2d_options;
TG_C_API tg_status tg_nn_ConvTranspose2d(int64_t in, int64_t out, const int64_t* kernel,
    size_t kernel_count, const tg_nn_ConvTranspose2d_options* options, tg_layer* result);

/** Normalises each channel: by this batch inside a TrainingScope, which also moves the running
 * statistics, else by those.
 * Shape: that of the input. Dtype: the promoted dtype of input and parameters.
 * channels: length of axis 1 (elements).
 * eps: added to the variance. Default: 1e-5.
 * momentum: share of each batch in the running statistics. Default: 0.1.
 * affine: learn a scale, and a shift where there is one. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_BatchNorm_options {
  size_t struct_size;
  tg_value eps; /**< float */
  tg_value momentum; /**< float */
  tg_value affine; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_BatchNorm_options;
TG_C_API tg_status tg_nn_BatchNorm(int64_t channels, const tg_nn_BatchNorm_options* options,
    tg_layer* result);

/** Normalises the last axes of each element to mean 0 and variance 1, then scales and shifts.
 * Shape: that of the input. Dtype: the promoted dtype of input and parameters.
 * shape: sizes of the last axes (elements).
 * eps: added to the variance. Default: 1e-5.
 * affine: learn a scale, and a shift where there is one. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_LayerNorm_options {
  size_t struct_size;
  tg_value eps; /**< float */
  tg_value affine; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_LayerNorm_options;
TG_C_API tg_status tg_nn_LayerNorm(const int64_t* shape, size_t shape_count,
    const tg_nn_LayerNorm_options* options, tg_layer* result);

/** LayerNorm over the channels of each place.
 * Shape: [batch, channels, height, width], as the input. Dtype: the promoted dtype of input and
 * parameters.
 * channels: length of axis 1 (elements).
 * eps: added to the variance. Default: 1e-5.
 * affine: learn a scale, and a shift where there is one. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_LayerNorm2d_options {
  size_t struct_size;
  tg_value eps; /**< float */
  tg_value affine; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_LayerNorm2d_options;
TG_C_API tg_status tg_nn_LayerNorm2d(int64_t channels,
    const tg_nn_LayerNorm2d_options* options, tg_layer* result);

/** Normalises each group of channels of each element, then scales and shifts by channel.
 * Shape: that of the input. Dtype: the promoted dtype of input and parameters.
 * groups: number of groups (elements).
 * channels: length of axis 1 (elements).
 * eps: added to the variance. Default: 1e-5.
 * affine: learn a scale, and a shift where there is one. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, and unless the groups divide the channels.
 */
typedef struct tg_nn_GroupNorm_options {
  size_t struct_size;
  tg_value eps; /**< float */
  tg_value affine; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_GroupNorm_options;
TG_C_API tg_status tg_nn_GroupNorm(int64_t groups, int64_t channels,
    const tg_nn_GroupNorm_options* options, tg_layer* result);

/** GroupNorm with a group for every channel.
 * Shape: that of the input. Dtype: the promoted dtype of input and parameters.
 * channels: length of axis 1 (elements).
 * eps: added to the variance. Default: 1e-5.
 * affine: learn a scale, and a shift where there is one. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_InstanceNorm_options {
  size_t struct_size;
  tg_value eps; /**< float */
  tg_value affine; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_InstanceNorm_options;
TG_C_API tg_status tg_nn_InstanceNorm(int64_t channels,
    const tg_nn_InstanceNorm_options* options, tg_layer* result);

/** Divides the last axis by the root of its mean square, then scales.
 * Shape: that of the input. Dtype: the promoted dtype of input and parameters.
 * size: length of the last axis (elements).
 * eps: added to the mean square. Default: 1e-6.
 * affine: learn a scale, and a shift where there is one. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_RMSNorm_options {
  size_t struct_size;
  tg_value eps; /**< float */
  tg_value affine; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_RMSNorm_options;
TG_C_API tg_status tg_nn_RMSNorm(int64_t size, const tg_nn_RMSNorm_options* options,
    tg_layer* result);

/** A row of a learned table [entries, size] for each integer; negative ones count from the end,
 * those outside give zeros. Starts as glorot_uniform.
 * Shape: [...] gives [..., size]. Dtype: the promoted dtype of input and parameters.
 * entries: rows of the table (elements).
 * size: length of a row (elements).
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_Embedding_options {
  size_t struct_size;
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_Embedding_options;
TG_C_API tg_status tg_nn_Embedding(int64_t entries, int64_t size,
    const tg_nn_Embedding_options* options, tg_layer* result);

/** Tensor::dropout: zeroes elements and scales the rest inside a TrainingScope, else changes
 * nothing.
 * Shape: that of the input. Dtype: the promoted dtype of input and parameters.
 * p: share that is zeroed (probability). Default: 0.5.
 * Errors: ArgumentError for p outside [0, 1].
 */
typedef struct tg_nn_Dropout_options {
  size_t struct_size;
  tg_value p; /**< float */
} tg_nn_Dropout_options;
TG_C_API tg_status tg_nn_Dropout(const tg_nn_Dropout_options* options, tg_layer* result);

/* ---- Layers of sequences ---- */

/** One step of a long short-term memory: x and a pair (output, cell) give the next pair; without one
 * it starts from zeros. Starts uniform in +-1/sqrt(hidden).
 * Shape: [batch, in] gives a pair of [batch, hidden]. Dtype: the promoted dtype of input and
 * parameters.
 * in: features or channels that come in (elements).
 * hidden: features of the state (elements).
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_LSTMCell_options {
  size_t struct_size;
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_LSTMCell_options;
TG_C_API tg_status tg_nn_LSTMCell(int64_t in, int64_t hidden,
    const tg_nn_LSTMCell_options* options, tg_layer* result);

/** One step of a gated recurrent unit, gates in the order reset, update, new: x and a state give the
 * next state; without one it starts from zeros. Starts uniform in +-1/sqrt(hidden).
 * Shape: [..., in] gives [..., hidden]. Dtype: the promoted dtype of input and parameters.
 * in: features or channels that come in (elements).
 * hidden: features of the state (elements).
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1.
 */
typedef struct tg_nn_GRUCell_options {
  size_t struct_size;
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_GRUCell_options;
TG_C_API tg_status tg_nn_GRUCell(int64_t in, int64_t hidden,
    const tg_nn_GRUCell_options* options, tg_layer* result);

/** LSTMCells over the steps of a sequence, several layers of them. x, or x and the two tensors of a
 * state, give the outputs of all steps and the two tensors of the state after the last.
 * Shape: [steps, batch, in] gives [steps, batch, hidden] and twice [layers, batch, hidden]. Dtype:
 * the promoted dtype of input and parameters.
 * in: features or channels that come in (elements).
 * hidden: features of the state (elements).
 * layers: one on the other. Default: 1.
 * bias: add a learned shift. Default: true.
 * batch_first: x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
 * dropout: share of the outputs between layers, zeroed while training (probability). Default: 0.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, and a dropout outside [0, 1]; ShapeError for inputs of
 * other shapes, and for no steps.
 */
typedef struct tg_nn_LSTM_options {
  size_t struct_size;
  tg_value layers; /**< int */
  tg_value bias; /**< bool */
  tg_value batch_first; /**< bool */
  tg_value dropout; /**< float */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_LSTM_options;
TG_C_API tg_status tg_nn_LSTM(int64_t in, int64_t hidden, const tg_nn_LSTM_options* options,
    tg_layer* result);

/** GRUCells over the steps of a sequence, several layers of them. x, or x and a state, give the
 * outputs of all steps and the state after the last.
 * Shape: [steps, batch, in] gives [steps, batch, hidden] and [layers, batch, hidden]. Dtype: the
 * promoted dtype of input and parameters.
 * in: features or channels that come in (elements).
 * hidden: features of the state (elements).
 * layers: one on the other. Default: 1.
 * bias: add a learned shift. Default: true.
 * batch_first: x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
 * dropout: share of the outputs between layers, zeroed while training (probability). Default: 0.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, and a dropout outside [0, 1]; ShapeError for inputs of
 * other shapes, and for no steps.
 */
typedef struct tg_nn_GRU_options {
  size_t struct_size;
  tg_value layers; /**< int */
  tg_value bias; /**< bool */
  tg_value batch_first; /**< bool */
  tg_value dropout; /**< float */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_GRU_options;
TG_C_API tg_status tg_nn_GRU(int64_t in, int64_t hidden, const tg_nn_GRU_options* options,
    tg_layer* result);

/** Queries, keys and values are projected, each head attends with its part, and the heads are
 * projected together. Takes x, which attends to itself, or queries, keys and values; and behind
 * them a mask, broadcast to [..., heads, n, m]: bool says which keys count, numbers are added to
 * the scores.
 * Shape: queries [..., n, size], keys and values [..., m, size] give [..., n, size]. Dtype: the
 * promoted dtype of input and parameters.
 * size: features of x (elements).
 * heads: parts that attend on their own.
 * kv_heads: heads of keys and values, each for several of the queries. Default: as many as heads.
 * dropout: share of the weights dropped while training (probability). Default: 0.
 * is_causal: a query sees the keys up to its own place. Default: false.
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads that
 * do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other shapes.
 */
typedef struct tg_nn_MultiHeadAttention_options {
  size_t struct_size;
  tg_value kv_heads; /**< int */
  tg_value dropout; /**< float */
  tg_value is_causal; /**< bool */
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_MultiHeadAttention_options;
TG_C_API tg_status tg_nn_MultiHeadAttention(int64_t size, int64_t heads,
    const tg_nn_MultiHeadAttention_options* options, tg_layer* result);

/** Self-attention, then two linear layers with an activation between them, the result of each added
 * to its input and normalised. Takes x, and behind it a mask as MultiHeadAttention's.
 * Shape: [..., n, size], as the input. Dtype: the promoted dtype of input and parameters.
 * size: features of x (elements).
 * heads: parts that attend on their own.
 * feedforward: between the two linear layers (elements). Default: 2048.
 * dropout: share zeroed while training, in all parts (probability). Default: 0.1.
 * activation: Relu, or Gelu, exact. Default: Relu.
 * norm_first: normalise what a part takes, not what it gives. Default: false.
 * is_causal: x sees itself up to its own place. Default: false.
 * kv_heads: heads of keys and values, each for several of the queries. Default: as many as heads.
 * eps: added to the variance. Default: 1e-5.
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads that
 * do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other shapes.
 */
typedef struct tg_nn_TransformerEncoderLayer_options {
  size_t struct_size;
  tg_value feedforward; /**< int */
  tg_value dropout; /**< float */
  tg_value activation; /**< choice */
  tg_value norm_first; /**< bool */
  tg_value is_causal; /**< bool */
  tg_value kv_heads; /**< int */
  tg_value eps; /**< float */
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_TransformerEncoderLayer_options;
TG_C_API tg_status tg_nn_TransformerEncoderLayer(int64_t size, int64_t heads,
    const tg_nn_TransformerEncoderLayer_options* options, tg_layer* result);

/** TransformerEncoderLayer with attention to a memory between its two parts. Takes x and the memory,
 * and behind them a mask of x and one of the memory.
 * Shape: x [..., n, size] and memory [..., m, size] give [..., n, size]. Dtype: the promoted dtype
 * of input and parameters.
 * size: features of x (elements).
 * heads: parts that attend on their own.
 * feedforward: between the two linear layers (elements). Default: 2048.
 * dropout: share zeroed while training, in all parts (probability). Default: 0.1.
 * activation: Relu, or Gelu, exact. Default: Relu.
 * norm_first: normalise what a part takes, not what it gives. Default: false.
 * is_causal: x sees itself up to its own place. Default: false.
 * kv_heads: heads of keys and values, each for several of the queries. Default: as many as heads.
 * eps: added to the variance. Default: 1e-5.
 * bias: add a learned shift. Default: true.
 * dtype: of the parameters. Default: float32.
 * device: of the parameters. Default: the default device.
 * Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads that
 * do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other shapes.
 */
typedef struct tg_nn_TransformerDecoderLayer_options {
  size_t struct_size;
  tg_value feedforward; /**< int */
  tg_value dropout; /**< float */
  tg_value activation; /**< choice */
  tg_value norm_first; /**< bool */
  tg_value is_causal; /**< bool */
  tg_value kv_heads; /**< int */
  tg_value eps; /**< float */
  tg_value bias; /**< bool */
  tg_value dtype; /**< dtype */
  tg_value device; /**< string */
} tg_nn_TransformerDecoderLayer_options;
TG_C_API tg_status tg_nn_TransformerDecoderLayer(int64_t size, int64_t heads,
    const tg_nn_TransformerDecoderLayer_options* options, tg_layer* result);

/* ---- Optimisers ---- */

/** g += decay * p; b = momentum * b + g; p -= rate * b (nesterov: rate * (g + momentum * b)).
 * Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
 * model: whose parameters are changed.
 * lr: size of a step. Default: 0.001.
 * momentum: share of the last direction kept. Default: 0.
 * weight_decay: times the parameter, added to the gradient. Default: 0.
 * nesterov: look ahead along the momentum. Default: false.
 * Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
 * and shares outside [0, 1); DTypeError for parameters that are no floats.
 */
typedef struct tg_nn_SGD_options {
  size_t struct_size;
  tg_value lr; /**< float */
  tg_value momentum; /**< float */
  tg_value weight_decay; /**< float */
  tg_value nesterov; /**< bool */
} tg_nn_SGD_options;
TG_C_API tg_status tg_nn_SGD(const tg_tensor* model, size_t model_count,
    const tg_nn_SGD_options* options, tg_optimizer* result);

/** Steps along mean over root of mean square of the gradients (Kingma and Ba, 2015), decay apart.
 * Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
 * model: whose parameters are changed.
 * lr: size of a step. Default: 0.001.
 * beta1: decay of the mean of gradients. Default: 0.9.
 * beta2: decay of the mean of their squares. Default: 0.999.
 * eps: added to the root of the mean square. Default: 1e-8.
 * weight_decay: times rate and parameter, subtracted from it. Default: 0.
 * Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
 * and shares outside [0, 1); DTypeError for parameters that are no floats.
 */
typedef struct tg_nn_Adam_options {
  size_t struct_size;
  tg_value lr; /**< float */
  tg_value beta1; /**< float */
  tg_value beta2; /**< float */
  tg_value eps; /**< float */
  tg_value weight_decay; /**< float */
} tg_nn_Adam_options;
TG_C_API tg_status tg_nn_Adam(const tg_tensor* model, size_t model_count,
    const tg_nn_Adam_options* options, tg_optimizer* result);

/** Adam whose weight decay is on unless it is set to 0 (Loshchilov and Hutter, 2019).
 * Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
 * model: whose parameters are changed.
 * lr: size of a step. Default: 0.001.
 * beta1: decay of the mean of gradients. Default: 0.9.
 * beta2: decay of the mean of their squares. Default: 0.999.
 * eps: added to the root of the mean square. Default: 1e-8.
 * weight_decay: times rate and parameter, subtracted from it. Default: 0.01.
 * Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
 * and shares outside [0, 1); DTypeError for parameters that are no floats.
 */
typedef struct tg_nn_AdamW_options {
  size_t struct_size;
  tg_value lr; /**< float */
  tg_value beta1; /**< float */
  tg_value beta2; /**< float */
  tg_value eps; /**< float */
  tg_value weight_decay; /**< float */
} tg_nn_AdamW_options;
TG_C_API tg_status tg_nn_AdamW(const tg_tensor* model, size_t model_count,
    const tg_nn_AdamW_options* options, tg_optimizer* result);

/** Adam's direction plus decay, scaled for each parameter to the length of the parameter (You et
 * al., 2020).
 * Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
 * model: whose parameters are changed.
 * lr: size of a step. Default: 0.001.
 * beta1: decay of the mean of gradients. Default: 0.9.
 * beta2: decay of the mean of their squares. Default: 0.999.
 * eps: added to the root of the mean square. Default: 1e-6.
 * weight_decay: times the parameter, added to the direction. Default: 0.
 * Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
 * and shares outside [0, 1); DTypeError for parameters that are no floats.
 */
typedef struct tg_nn_LAMB_options {
  size_t struct_size;
  tg_value lr; /**< float */
  tg_value beta1; /**< float */
  tg_value beta2; /**< float */
  tg_value eps; /**< float */
  tg_value weight_decay; /**< float */
} tg_nn_LAMB_options;
TG_C_API tg_status tg_nn_LAMB(const tg_tensor* model, size_t model_count,
    const tg_nn_LAMB_options* options, tg_optimizer* result);

/** SGD with the gradient of each parameter scaled by trust * |p| / (|g| + decay * |p|) (You, Gitman
 * and Ginsburg, 2017).
 * Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
 * model: whose parameters are changed.
 * lr: size of a step. Default: 0.001.
 * momentum: share of the last direction kept. Default: 0.9.
 * weight_decay: times the parameter, added to the gradient. Default: 1e-4.
 * nesterov: look ahead along the momentum. Default: false.
 * trust: share of the parameter's length a step may take. Default: 0.001.
 * Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
 * and shares outside [0, 1); DTypeError for parameters that are no floats.
 */
typedef struct tg_nn_LARS_options {
  size_t struct_size;
  tg_value lr; /**< float */
  tg_value momentum; /**< float */
  tg_value weight_decay; /**< float */
  tg_value nesterov; /**< bool */
  tg_value trust; /**< float */
} tg_nn_LARS_options;
TG_C_API tg_status tg_nn_LARS(const tg_tensor* model, size_t model_count,
    const tg_nn_LARS_options* options, tg_optimizer* result);

/** The momentum of each matrix is replaced by the nearest orthogonal one, by a Newton-Schulz
 * iteration (Jordan et al., 2024); parameters of one axis follow their momentum.
 * Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
 * model: whose parameters are changed.
 * lr: size of a step. Default: 0.001.
 * momentum: share of the last direction kept. Default: 0.95.
 * weight_decay: times rate and parameter, subtracted from it. Default: 0.1.
 * nesterov: look ahead along the momentum. Default: true.
 * steps: iterations. Default: 5.
 * Errors: as SGD; ArgumentError for a negative decay or less than one iteration.
 */
typedef struct tg_nn_Muon_options {
  size_t struct_size;
  tg_value lr; /**< float */
  tg_value momentum; /**< float */
  tg_value weight_decay; /**< float */
  tg_value nesterov; /**< bool */
  tg_value steps; /**< int */
} tg_nn_Muon_options;
TG_C_API tg_status tg_nn_Muon(const tg_tensor* model, size_t model_count,
    const tg_nn_Muon_options* options, tg_optimizer* result);

/* ---- Training ---- */

/** Multiplies gradients by max_norm / (norm + 1e-6), or by 1 where that is more; gives the norm
 * before, of all as one vector. Between backward and step.
 * Shape: []. Dtype: float32, or float64 if a gradient is.
 * parameters: whose gradients are changed.
 * max_norm: what the norm is to be at most.
 * norm_type: p of the norm; infinity: the largest element. Default: 2.
 * Errors: ArgumentError for no parameters, a negative max_norm, and a norm_type that is not above
 * 0.
 */
typedef struct tg_nn_clip_grad_norm_options {
  size_t struct_size;
  tg_value norm_type; /**< float */
} tg_nn_clip_grad_norm_options;
TG_C_API tg_status tg_nn_clip_grad_norm(const tg_tensor* parameters, size_t parameters_count,
    double max_norm, const tg_nn_clip_grad_norm_options* options, tg_tensor* result);

/** Moves every element of the gradients into +-clip_value. Between backward and step.
 * Shape: each gradient keeps its own. Dtype: each gradient keeps its own.
 * parameters: whose gradients are changed.
 * clip_value: largest magnitude.
 * Errors: ArgumentError for no parameters, and a negative value.
 */
TG_C_API tg_status tg_nn_clip_grad_value(const tg_tensor* parameters, size_t parameters_count,
    double clip_value);

/* ---- Dtypes ---- */

/** Bytes of one element.
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 */
TG_C_API tg_status tg_dtype_size(tg_dtype t, int64_t* result);

/** Its name, "float32".
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 */
TG_C_API tg_status tg_dtype_name(tg_dtype t, tg_value* result);

/** Whether it is one of the eight floats.
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 */
TG_C_API tg_status tg_is_float(tg_dtype t, bool* result);

/** Whether it is one of the integers; bool is none.
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 */
TG_C_API tg_status tg_is_int(tg_dtype t, bool* result);

/** Whether it is an integer without sign.
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 */
TG_C_API tg_status tg_is_unsigned(tg_dtype t, bool* result);

/** Whether it is bool.
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 */
TG_C_API tg_status tg_is_bool(tg_dtype t, bool* result);

/** The dtype in which values of both are computed.
 * Shape: not a tensor. Dtype: not a tensor.
 * a: one.
 * b: the other.
 */
TG_C_API tg_status tg_promote(tg_dtype a, tg_dtype b, tg_dtype* result);

/** The dtype of a tensor with a plain number.
 * Shape: not a tensor. Dtype: not a tensor.
 * tensor: the tensor's.
 * scalar_is_float: whether the number is a float.
 */
TG_C_API tg_status tg_promote_weak(tg_dtype tensor, bool scalar_is_float, tg_dtype* result);

/** The dtype of floats that name none.
 * Shape: not a tensor. Dtype: not a tensor.
 */
TG_C_API tg_status tg_default_float(tg_dtype* result);

/** Sets the dtype of floats that name none; gives the one before.
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 * Errors: DTypeError for a dtype that is no float.
 */
TG_C_API tg_status tg_set_default_float(tg_dtype t, tg_dtype* result);

/** Itself for floats, else default_float().
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 */
TG_C_API tg_status tg_least_float(tg_dtype t, tg_dtype* result);

/** The dtype in which sums of it are given.
 * Shape: not a tensor. Dtype: not a tensor.
 * t: the dtype.
 */
TG_C_API tg_status tg_sum_dtype(tg_dtype t, tg_dtype* result);

/* ---- Graphs as text ---- */

/** A tensor with the value of a graph, as graph() gives it.
 * Shape: that of the last node. Dtype: that of the last node.
 * graph: a node a line, the value last.
 * Errors: ArgumentError for text that is no graph of tensors.
 */
TG_C_API tg_status tg_tensor_of_text(const char* graph, tg_tensor* result);

/** The kernels and copies between devices that evaluating the tensors together would run, an empty
 * line between two. Computes nothing.
 * Shape: not a tensor. Dtype: not a tensor.
 * tensors: what would be evaluated.
 * Errors: ArgumentError for a value that was overwritten before it was computed.
 */
TG_C_API tg_status tg_kernels_text(const tg_tensor* tensors, size_t tensors_count,
    tg_value* result);

#ifdef __cplusplus
}
#endif
