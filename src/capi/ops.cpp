// Generated from bindings/manifest.json by tg-bindgen; do not edit. The functions of tg_ops.h, each by
// the record of its name: see shim.h.
// clang-format off
#include "tg/c/tg_ops.h"

#include "capi/shim.h"

using tg::capi::option;
using tg::capi::Shim;

tg_status tg_from_bytes(const void* bytes, size_t bytes_count, const int64_t* shape, size_t shape_count, tg_dtype stored, const tg_from_bytes_options* options, tg_tensor* result) {
  static const Shim shim("from_bytes");
  const std::array<tg_value, 5> arguments = {{tg_bytes(bytes, bytes_count), tg_ints(shape, shape_count), tg_type(stored), option(options, &tg_from_bytes_options::dtype), option(options, &tg_from_bytes_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_empty(const int64_t* shape, size_t shape_count, const tg_empty_options* options, tg_tensor* result) {
  static const Shim shim("empty");
  const std::array<tg_value, 3> arguments = {{tg_ints(shape, shape_count), option(options, &tg_empty_options::dtype), option(options, &tg_empty_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_full(const int64_t* sizes, size_t sizes_count, tg_value value, const tg_full_options* options, tg_tensor* result) {
  static const Shim shim("full");
  const std::array<tg_value, 5> arguments = {{tg_ints(sizes, sizes_count), value, option(options, &tg_full_options::dtype), option(options, &tg_full_options::device), option(options, &tg_full_options::buffer)}};
  return shim(options, arguments, result);
}

tg_status tg_zeros(const int64_t* sizes, size_t sizes_count, const tg_zeros_options* options, tg_tensor* result) {
  static const Shim shim("zeros");
  const std::array<tg_value, 3> arguments = {{tg_ints(sizes, sizes_count), option(options, &tg_zeros_options::dtype), option(options, &tg_zeros_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_ones(const int64_t* sizes, size_t sizes_count, const tg_ones_options* options, tg_tensor* result) {
  static const Shim shim("ones");
  const std::array<tg_value, 3> arguments = {{tg_ints(sizes, sizes_count), option(options, &tg_ones_options::dtype), option(options, &tg_ones_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_arange(double stop, const tg_arange_options* options, tg_tensor* result) {
  static const Shim shim("arange");
  const std::array<tg_value, 5> arguments = {{tg_float(stop), option(options, &tg_arange_options::start), option(options, &tg_arange_options::step), option(options, &tg_arange_options::dtype), option(options, &tg_arange_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_linspace(double start, double stop, int64_t steps, const tg_linspace_options* options, tg_tensor* result) {
  static const Shim shim("linspace");
  const std::array<tg_value, 5> arguments = {{tg_float(start), tg_float(stop), tg_int(steps), option(options, &tg_linspace_options::dtype), option(options, &tg_linspace_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_eye(int64_t n, const tg_eye_options* options, tg_tensor* result) {
  static const Shim shim("eye");
  const std::array<tg_value, 4> arguments = {{tg_int(n), option(options, &tg_eye_options::m), option(options, &tg_eye_options::dtype), option(options, &tg_eye_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_full_like(tg_tensor self, tg_value value, tg_tensor* result) {
  static const Shim shim("full_like");
  const std::array<tg_value, 2> arguments = {{tg_of(self), value}};
  return shim(nullptr, arguments, result);
}

tg_status tg_zeros_like(tg_tensor self, tg_tensor* result) {
  static const Shim shim("zeros_like");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_ones_like(tg_tensor self, tg_tensor* result) {
  static const Shim shim("ones_like");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_empty_like(tg_tensor self, tg_tensor* result) {
  static const Shim shim("empty_like");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_rand(const int64_t* shape, size_t shape_count, const tg_rand_options* options, tg_tensor* result) {
  static const Shim shim("rand");
  const std::array<tg_value, 3> arguments = {{tg_ints(shape, shape_count), option(options, &tg_rand_options::dtype), option(options, &tg_rand_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_randn(const int64_t* shape, size_t shape_count, const tg_randn_options* options, tg_tensor* result) {
  static const Shim shim("randn");
  const std::array<tg_value, 3> arguments = {{tg_ints(shape, shape_count), option(options, &tg_randn_options::dtype), option(options, &tg_randn_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_randint(const int64_t* shape, size_t shape_count, const tg_randint_options* options, tg_tensor* result) {
  static const Shim shim("randint");
  const std::array<tg_value, 5> arguments = {{tg_ints(shape, shape_count), option(options, &tg_randint_options::low), option(options, &tg_randint_options::high), option(options, &tg_randint_options::dtype), option(options, &tg_randint_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_randperm(int64_t n, const tg_randperm_options* options, tg_tensor* result) {
  static const Shim shim("randperm");
  const std::array<tg_value, 3> arguments = {{tg_int(n), option(options, &tg_randperm_options::dtype), option(options, &tg_randperm_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_multinomial(tg_tensor self, const tg_multinomial_options* options, tg_tensor* result) {
  static const Shim shim("multinomial");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_multinomial_options::num_samples), option(options, &tg_multinomial_options::replacement)}};
  return shim(options, arguments, result);
}

tg_status tg_random_bits(tg_tensor self, tg_tensor counter, int64_t num, tg_tensor* result) {
  static const Shim shim("random_bits");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_of(counter), tg_int(num)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_uniform(const int64_t* shape, size_t shape_count, const tg_uniform_options* options, tg_tensor* result) {
  static const Shim shim("uniform");
  const std::array<tg_value, 5> arguments = {{tg_ints(shape, shape_count), option(options, &tg_uniform_options::low), option(options, &tg_uniform_options::high), option(options, &tg_uniform_options::dtype), option(options, &tg_uniform_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_normal(const int64_t* shape, size_t shape_count, const tg_normal_options* options, tg_tensor* result) {
  static const Shim shim("normal");
  const std::array<tg_value, 5> arguments = {{tg_ints(shape, shape_count), option(options, &tg_normal_options::mean), option(options, &tg_normal_options::std), option(options, &tg_normal_options::dtype), option(options, &tg_normal_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_scaled_uniform(const int64_t* shape, size_t shape_count, const tg_scaled_uniform_options* options, tg_tensor* result) {
  static const Shim shim("scaled_uniform");
  const std::array<tg_value, 3> arguments = {{tg_ints(shape, shape_count), option(options, &tg_scaled_uniform_options::dtype), option(options, &tg_scaled_uniform_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_glorot_uniform(const int64_t* shape, size_t shape_count, const tg_glorot_uniform_options* options, tg_tensor* result) {
  static const Shim shim("glorot_uniform");
  const std::array<tg_value, 3> arguments = {{tg_ints(shape, shape_count), option(options, &tg_glorot_uniform_options::dtype), option(options, &tg_glorot_uniform_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_kaiming_uniform(const int64_t* shape, size_t shape_count, const tg_kaiming_uniform_options* options, tg_tensor* result) {
  static const Shim shim("kaiming_uniform");
  const std::array<tg_value, 4> arguments = {{tg_ints(shape, shape_count), option(options, &tg_kaiming_uniform_options::a), option(options, &tg_kaiming_uniform_options::dtype), option(options, &tg_kaiming_uniform_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_kaiming_normal(const int64_t* shape, size_t shape_count, const tg_kaiming_normal_options* options, tg_tensor* result) {
  static const Shim shim("kaiming_normal");
  const std::array<tg_value, 4> arguments = {{tg_ints(shape, shape_count), option(options, &tg_kaiming_normal_options::a), option(options, &tg_kaiming_normal_options::dtype), option(options, &tg_kaiming_normal_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_rand_like(tg_tensor self, tg_tensor* result) {
  static const Shim shim("rand_like");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_randn_like(tg_tensor self, tg_tensor* result) {
  static const Shim shim("randn_like");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_dropout(tg_tensor self, const tg_dropout_options* options, tg_tensor* result) {
  static const Shim shim("dropout");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_dropout_options::p)}};
  return shim(options, arguments, result);
}

tg_status tg_shape(tg_tensor self, tg_value* result) {
  static const Shim shim("shape");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_sizes(tg_tensor self, tg_value* result) {
  static const Shim shim("sizes");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_size_of(tg_tensor self, int64_t axis, int64_t* result) {
  static const Shim shim("size");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_int(axis)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_dtype_of(tg_tensor self, tg_dtype* result) {
  static const Shim shim("dtype");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_device(tg_tensor self, tg_value* result) {
  static const Shim shim("device");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_ndim(tg_tensor self, int64_t* result) {
  static const Shim shim("ndim");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_numel(tg_tensor self, int64_t* result) {
  static const Shim shim("numel");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_existing_elements(tg_tensor self, int64_t* result) {
  static const Shim shim("existing_elements");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_element_size(tg_tensor self, int64_t* result) {
  static const Shim shim("element_size");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_nbytes(tg_tensor self, int64_t* result) {
  static const Shim shim("nbytes");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_is_floating_point(tg_tensor self, bool* result) {
  static const Shim shim("is_floating_point");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_reshape(tg_tensor self, const int64_t* sizes, size_t sizes_count, tg_tensor* result) {
  static const Shim shim("reshape");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_ints(sizes, sizes_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_view(tg_tensor self, const int64_t* sizes, size_t sizes_count, tg_tensor* result) {
  static const Shim shim("view");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_ints(sizes, sizes_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_expand(tg_tensor self, const int64_t* sizes, size_t sizes_count, tg_tensor* result) {
  static const Shim shim("expand");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_ints(sizes, sizes_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_permute(tg_tensor self, const int64_t* order, size_t order_count, tg_tensor* result) {
  static const Shim shim("permute");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_ints(order, order_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_transpose(tg_tensor self, const tg_transpose_options* options, tg_tensor* result) {
  static const Shim shim("transpose");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_transpose_options::axis0), option(options, &tg_transpose_options::axis1)}};
  return shim(options, arguments, result);
}

tg_status tg_T(tg_tensor self, tg_tensor* result) {
  static const Shim shim("T");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_flip(tg_tensor self, const int64_t* axes, size_t axes_count, tg_tensor* result) {
  static const Shim shim("flip");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_ints(axes, axes_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_shrink(tg_tensor self, const int64_t* ranges, size_t ranges_count, tg_tensor* result) {
  static const Shim shim("shrink");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_ints(ranges, ranges_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_pad(tg_tensor self, const int64_t* padding, size_t padding_count, const tg_pad_options* options, tg_tensor* result) {
  static const Shim shim("pad");
  const std::array<tg_value, 4> arguments = {{tg_of(self), tg_ints(padding, padding_count), option(options, &tg_pad_options::value), option(options, &tg_pad_options::mode)}};
  return shim(options, arguments, result);
}

tg_status tg_squeeze(tg_tensor self, const tg_squeeze_options* options, tg_tensor* result) {
  static const Shim shim("squeeze");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_squeeze_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_unsqueeze(tg_tensor self, int64_t axis, tg_tensor* result) {
  static const Shim shim("unsqueeze");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_int(axis)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_flatten(tg_tensor self, const tg_flatten_options* options, tg_tensor* result) {
  static const Shim shim("flatten");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_flatten_options::first), option(options, &tg_flatten_options::last)}};
  return shim(options, arguments, result);
}

tg_status tg_unflatten(tg_tensor self, int64_t axis, const int64_t* sizes, size_t sizes_count, tg_tensor* result) {
  static const Shim shim("unflatten");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_int(axis), tg_ints(sizes, sizes_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_repeat(tg_tensor self, const int64_t* repeats, size_t repeats_count, tg_tensor* result) {
  static const Shim shim("repeat");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_ints(repeats, repeats_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_roll(tg_tensor self, int64_t shift, const tg_roll_options* options, tg_tensor* result) {
  static const Shim shim("roll");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_int(shift), option(options, &tg_roll_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_tril(tg_tensor self, const tg_tril_options* options, tg_tensor* result) {
  static const Shim shim("tril");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_tril_options::diagonal)}};
  return shim(options, arguments, result);
}

tg_status tg_triu(tg_tensor self, const tg_triu_options* options, tg_tensor* result) {
  static const Shim shim("triu");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_triu_options::diagonal)}};
  return shim(options, arguments, result);
}

tg_status tg_diagonal(tg_tensor self, tg_tensor* result) {
  static const Shim shim("diagonal");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_cat(const tg_tensor* tensors, size_t tensors_count, const tg_cat_options* options, tg_tensor* result) {
  static const Shim shim("cat");
  const std::array<tg_value, 2> arguments = {{tg_tensors(tensors, tensors_count), option(options, &tg_cat_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_stack(const tg_tensor* tensors, size_t tensors_count, const tg_stack_options* options, tg_tensor* result) {
  static const Shim shim("stack");
  const std::array<tg_value, 2> arguments = {{tg_tensors(tensors, tensors_count), option(options, &tg_stack_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_split(tg_tensor self, const tg_split_options* options, tg_value* result) {
  static const Shim shim("split");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_split_options::size), option(options, &tg_split_options::sizes), option(options, &tg_split_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_chunk(tg_tensor self, int64_t chunks, const tg_chunk_options* options, tg_value* result) {
  static const Shim shim("chunk");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_int(chunks), option(options, &tg_chunk_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_pad_to(tg_tensor self, const int64_t* sizes, size_t sizes_count, const tg_pad_to_options* options, tg_tensor* result) {
  static const Shim shim("pad_to");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_ints(sizes, sizes_count), option(options, &tg_pad_to_options::value)}};
  return shim(options, arguments, result);
}

tg_status tg_shrink_to(tg_tensor self, const int64_t* sizes, size_t sizes_count, tg_tensor* result) {
  static const Shim shim("shrink_to");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_ints(sizes, sizes_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_repeat_interleave(tg_tensor self, int64_t repeats, const tg_repeat_interleave_options* options, tg_tensor* result) {
  static const Shim shim("repeat_interleave");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_int(repeats), option(options, &tg_repeat_interleave_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_diag(tg_tensor self, tg_tensor* result) {
  static const Shim shim("diag");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_unfold(tg_tensor self, int64_t axis, int64_t size, int64_t step, tg_tensor* result) {
  static const Shim shim("unfold");
  const std::array<tg_value, 4> arguments = {{tg_of(self), tg_int(axis), tg_int(size), tg_int(step)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_rearrange(tg_tensor self, const char* formula, tg_tensor* result) {
  static const Shim shim("rearrange");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_text(formula)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_meshgrid(const tg_tensor* tensors, size_t tensors_count, const tg_meshgrid_options* options, tg_value* result) {
  static const Shim shim("meshgrid");
  const std::array<tg_value, 2> arguments = {{tg_tensors(tensors, tensors_count), option(options, &tg_meshgrid_options::indexing)}};
  return shim(options, arguments, result);
}

tg_status tg_interpolate(tg_tensor self, const int64_t* size, size_t size_count, const tg_interpolate_options* options, tg_tensor* result) {
  static const Shim shim("interpolate");
  const std::array<tg_value, 4> arguments = {{tg_of(self), tg_ints(size, size_count), option(options, &tg_interpolate_options::mode), option(options, &tg_interpolate_options::align_corners)}};
  return shim(options, arguments, result);
}

tg_status tg_grid_sample(tg_tensor self, tg_tensor grid, const tg_grid_sample_options* options, tg_tensor* result) {
  static const Shim shim("grid_sample");
  const std::array<tg_value, 5> arguments = {{tg_of(self), tg_of(grid), option(options, &tg_grid_sample_options::mode), option(options, &tg_grid_sample_options::padding), option(options, &tg_grid_sample_options::align_corners)}};
  return shim(options, arguments, result);
}

tg_status tg_affine_grid(tg_tensor self, const int64_t* size, size_t size_count, const tg_affine_grid_options* options, tg_tensor* result) {
  static const Shim shim("affine_grid");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_ints(size, size_count), option(options, &tg_affine_grid_options::align_corners)}};
  return shim(options, arguments, result);
}

tg_status tg_index(tg_tensor self, const tg_index_item* items, size_t items_count, tg_tensor* result) {
  static const Shim shim("index");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_items(items, items_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_set(tg_tensor self, const tg_index_item* items, size_t items_count, tg_tensor value, tg_tensor* result) {
  static const Shim shim("set");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_items(items, items_count), tg_of(value)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_gather(tg_tensor self, int64_t axis, tg_tensor index, tg_tensor* result) {
  static const Shim shim("gather");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_int(axis), tg_of(index)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_scatter(tg_tensor self, int64_t axis, tg_tensor index, tg_value src, tg_tensor* result) {
  static const Shim shim("scatter");
  const std::array<tg_value, 4> arguments = {{tg_of(self), tg_int(axis), tg_of(index), src}};
  return shim(nullptr, arguments, result);
}

tg_status tg_scatter_add(tg_tensor self, int64_t axis, tg_tensor index, tg_value src, tg_tensor* result) {
  static const Shim shim("scatter_add");
  const std::array<tg_value, 4> arguments = {{tg_of(self), tg_int(axis), tg_of(index), src}};
  return shim(nullptr, arguments, result);
}

tg_status tg_scatter_reduce(tg_tensor self, int64_t axis, tg_tensor index, tg_value src, tg_scatter_reduction reduction, const tg_scatter_reduce_options* options, tg_tensor* result) {
  static const Shim shim("scatter_reduce");
  const std::array<tg_value, 6> arguments = {{tg_of(self), tg_int(axis), tg_of(index), src, tg_choice(reduction), option(options, &tg_scatter_reduce_options::include_self)}};
  return shim(options, arguments, result);
}

tg_status tg_one_hot(tg_tensor self, int64_t classes, tg_tensor* result) {
  static const Shim shim("one_hot");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_int(classes)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_masked_select(tg_tensor self, tg_tensor mask, const tg_masked_select_options* options, tg_tensor* result) {
  static const Shim shim("masked_select");
  const std::array<tg_value, 4> arguments = {{tg_of(self), tg_of(mask), option(options, &tg_masked_select_options::size), option(options, &tg_masked_select_options::fill_value)}};
  return shim(options, arguments, result);
}

tg_status tg_nonzero(tg_tensor self, const tg_nonzero_options* options, tg_tensor* result) {
  static const Shim shim("nonzero");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_nonzero_options::size), option(options, &tg_nonzero_options::fill_value)}};
  return shim(options, arguments, result);
}

tg_status tg_sort(tg_tensor self, const tg_sort_options* options, tg_value* result) {
  static const Shim shim("sort");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_sort_options::axis), option(options, &tg_sort_options::descending)}};
  return shim(options, arguments, result);
}

tg_status tg_argsort(tg_tensor self, const tg_argsort_options* options, tg_tensor* result) {
  static const Shim shim("argsort");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_argsort_options::axis), option(options, &tg_argsort_options::descending)}};
  return shim(options, arguments, result);
}

tg_status tg_topk(tg_tensor self, int64_t k, const tg_topk_options* options, tg_value* result) {
  static const Shim shim("topk");
  const std::array<tg_value, 4> arguments = {{tg_of(self), tg_int(k), option(options, &tg_topk_options::axis), option(options, &tg_topk_options::largest)}};
  return shim(options, arguments, result);
}

tg_status tg_unique(tg_tensor self, const tg_unique_options* options, tg_tensor* result) {
  static const Shim shim("unique");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_unique_options::size), option(options, &tg_unique_options::fill_value)}};
  return shim(options, arguments, result);
}

tg_status tg_add(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("add");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_sub(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("sub");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_mul(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("mul");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_div(tg_tensor self, tg_value other, const tg_div_options* options, tg_tensor* result) {
  static const Shim shim("div");
  const std::array<tg_value, 3> arguments = {{tg_of(self), other, option(options, &tg_div_options::rounding)}};
  return shim(options, arguments, result);
}

tg_status tg_floordiv(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("floordiv");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_mod(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("mod");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_fmod(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("fmod");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_maximum(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("maximum");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_minimum(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("minimum");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_bitwise_and(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("bitwise_and");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_bitwise_or(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("bitwise_or");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_bitwise_xor(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("bitwise_xor");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_eq(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("eq");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_ne(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("ne");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_lt(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("lt");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_le(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("le");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_gt(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("gt");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_ge(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("ge");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_logical_and(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("logical_and");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_logical_or(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("logical_or");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_pow(tg_tensor self, tg_value exponent, tg_tensor* result) {
  static const Shim shim("pow");
  const std::array<tg_value, 2> arguments = {{tg_of(self), exponent}};
  return shim(nullptr, arguments, result);
}

tg_status tg_clip(tg_tensor self, tg_value low, tg_value high, tg_tensor* result) {
  static const Shim shim("clip");
  const std::array<tg_value, 3> arguments = {{tg_of(self), low, high}};
  return shim(nullptr, arguments, result);
}

tg_status tg_clamp(tg_tensor self, tg_value low, tg_value high, tg_tensor* result) {
  static const Shim shim("clamp");
  const std::array<tg_value, 3> arguments = {{tg_of(self), low, high}};
  return shim(nullptr, arguments, result);
}

tg_status tg_clamp_min(tg_tensor self, tg_value low, tg_tensor* result) {
  static const Shim shim("clamp_min");
  const std::array<tg_value, 2> arguments = {{tg_of(self), low}};
  return shim(nullptr, arguments, result);
}

tg_status tg_clamp_max(tg_tensor self, tg_value high, tg_tensor* result) {
  static const Shim shim("clamp_max");
  const std::array<tg_value, 2> arguments = {{tg_of(self), high}};
  return shim(nullptr, arguments, result);
}

tg_status tg_bitwise_not(tg_tensor self, tg_tensor* result) {
  static const Shim shim("bitwise_not");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_lshift(tg_tensor self, tg_tensor count, tg_tensor* result) {
  static const Shim shim("lshift");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_of(count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_rshift(tg_tensor self, tg_tensor count, tg_tensor* result) {
  static const Shim shim("rshift");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_of(count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_logical_not(tg_tensor self, tg_tensor* result) {
  static const Shim shim("logical_not");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_where(tg_tensor self, tg_value a, tg_value b, tg_tensor* result) {
  static const Shim shim("where");
  const std::array<tg_value, 3> arguments = {{tg_of(self), a, b}};
  return shim(nullptr, arguments, result);
}

tg_status tg_masked_fill(tg_tensor self, tg_tensor mask, tg_value value, tg_tensor* result) {
  static const Shim shim("masked_fill");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_of(mask), value}};
  return shim(nullptr, arguments, result);
}

tg_status tg_copysign(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("copysign");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_logaddexp(tg_tensor self, tg_value other, tg_tensor* result) {
  static const Shim shim("logaddexp");
  const std::array<tg_value, 2> arguments = {{tg_of(self), other}};
  return shim(nullptr, arguments, result);
}

tg_status tg_lerp(tg_tensor self, tg_value end, tg_value weight, tg_tensor* result) {
  static const Shim shim("lerp");
  const std::array<tg_value, 3> arguments = {{tg_of(self), end, weight}};
  return shim(nullptr, arguments, result);
}

tg_status tg_usum(const tg_tensor* tensors, size_t tensors_count, tg_tensor* result) {
  static const Shim shim("usum");
  const std::array<tg_value, 1> arguments = {{tg_tensors(tensors, tensors_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_uprod(const tg_tensor* tensors, size_t tensors_count, tg_tensor* result) {
  static const Shim shim("uprod");
  const std::array<tg_value, 1> arguments = {{tg_tensors(tensors, tensors_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_isclose(tg_tensor self, tg_value other, const tg_isclose_options* options, tg_tensor* result) {
  static const Shim shim("isclose");
  const std::array<tg_value, 5> arguments = {{tg_of(self), other, option(options, &tg_isclose_options::rtol), option(options, &tg_isclose_options::atol), option(options, &tg_isclose_options::equal_nan)}};
  return shim(options, arguments, result);
}

tg_status tg_allclose(tg_tensor self, tg_value other, const tg_allclose_options* options, tg_tensor* result) {
  static const Shim shim("allclose");
  const std::array<tg_value, 5> arguments = {{tg_of(self), other, option(options, &tg_allclose_options::rtol), option(options, &tg_allclose_options::atol), option(options, &tg_allclose_options::equal_nan)}};
  return shim(options, arguments, result);
}

tg_status tg_threefry(tg_tensor self, tg_value seed, tg_tensor* result) {
  static const Shim shim("threefry");
  const std::array<tg_value, 2> arguments = {{tg_of(self), seed}};
  return shim(nullptr, arguments, result);
}

tg_status tg_neg(tg_tensor self, tg_tensor* result) {
  static const Shim shim("neg");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_abs(tg_tensor self, tg_tensor* result) {
  static const Shim shim("abs");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_sign(tg_tensor self, tg_tensor* result) {
  static const Shim shim("sign");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_square(tg_tensor self, tg_tensor* result) {
  static const Shim shim("square");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_sqrt(tg_tensor self, tg_tensor* result) {
  static const Shim shim("sqrt");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_rsqrt(tg_tensor self, tg_tensor* result) {
  static const Shim shim("rsqrt");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_reciprocal(tg_tensor self, tg_tensor* result) {
  static const Shim shim("reciprocal");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_exp(tg_tensor self, tg_tensor* result) {
  static const Shim shim("exp");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_exp2(tg_tensor self, tg_tensor* result) {
  static const Shim shim("exp2");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_log(tg_tensor self, tg_tensor* result) {
  static const Shim shim("log");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_log2(tg_tensor self, tg_tensor* result) {
  static const Shim shim("log2");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_log10(tg_tensor self, tg_tensor* result) {
  static const Shim shim("log10");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_sin(tg_tensor self, tg_tensor* result) {
  static const Shim shim("sin");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_cos(tg_tensor self, tg_tensor* result) {
  static const Shim shim("cos");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_tan(tg_tensor self, tg_tensor* result) {
  static const Shim shim("tan");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_asin(tg_tensor self, tg_tensor* result) {
  static const Shim shim("asin");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_acos(tg_tensor self, tg_tensor* result) {
  static const Shim shim("acos");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_atan(tg_tensor self, tg_tensor* result) {
  static const Shim shim("atan");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_sinh(tg_tensor self, tg_tensor* result) {
  static const Shim shim("sinh");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_cosh(tg_tensor self, tg_tensor* result) {
  static const Shim shim("cosh");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_asinh(tg_tensor self, tg_tensor* result) {
  static const Shim shim("asinh");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_acosh(tg_tensor self, tg_tensor* result) {
  static const Shim shim("acosh");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_atanh(tg_tensor self, tg_tensor* result) {
  static const Shim shim("atanh");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_erf(tg_tensor self, tg_tensor* result) {
  static const Shim shim("erf");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_trunc(tg_tensor self, tg_tensor* result) {
  static const Shim shim("trunc");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_floor(tg_tensor self, tg_tensor* result) {
  static const Shim shim("floor");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_ceil(tg_tensor self, tg_tensor* result) {
  static const Shim shim("ceil");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_round(tg_tensor self, tg_tensor* result) {
  static const Shim shim("round");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_isnan(tg_tensor self, tg_tensor* result) {
  static const Shim shim("isnan");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_isinf(tg_tensor self, const tg_isinf_options* options, tg_tensor* result) {
  static const Shim shim("isinf");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_isinf_options::positive), option(options, &tg_isinf_options::negative)}};
  return shim(options, arguments, result);
}

tg_status tg_isfinite(tg_tensor self, tg_tensor* result) {
  static const Shim shim("isfinite");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_cast(tg_tensor self, tg_dtype dtype, tg_tensor* result) {
  static const Shim shim("cast");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_type(dtype)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_bitcast(tg_tensor self, tg_dtype dtype, tg_tensor* result) {
  static const Shim shim("bitcast");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_type(dtype)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_relu(tg_tensor self, tg_tensor* result) {
  static const Shim shim("relu");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_relu6(tg_tensor self, tg_tensor* result) {
  static const Shim shim("relu6");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_leaky_relu(tg_tensor self, const tg_leaky_relu_options* options, tg_tensor* result) {
  static const Shim shim("leaky_relu");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_leaky_relu_options::slope)}};
  return shim(options, arguments, result);
}

tg_status tg_sigmoid(tg_tensor self, tg_tensor* result) {
  static const Shim shim("sigmoid");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_tanh(tg_tensor self, tg_tensor* result) {
  static const Shim shim("tanh");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_silu(tg_tensor self, tg_tensor* result) {
  static const Shim shim("silu");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_swish(tg_tensor self, tg_tensor* result) {
  static const Shim shim("swish");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_gelu(tg_tensor self, const tg_gelu_options* options, tg_tensor* result) {
  static const Shim shim("gelu");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_gelu_options::form)}};
  return shim(options, arguments, result);
}

tg_status tg_quick_gelu(tg_tensor self, tg_tensor* result) {
  static const Shim shim("quick_gelu");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_elu(tg_tensor self, const tg_elu_options* options, tg_tensor* result) {
  static const Shim shim("elu");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_elu_options::alpha)}};
  return shim(options, arguments, result);
}

tg_status tg_celu(tg_tensor self, const tg_celu_options* options, tg_tensor* result) {
  static const Shim shim("celu");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_celu_options::alpha)}};
  return shim(options, arguments, result);
}

tg_status tg_selu(tg_tensor self, const tg_selu_options* options, tg_tensor* result) {
  static const Shim shim("selu");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_selu_options::alpha), option(options, &tg_selu_options::gamma)}};
  return shim(options, arguments, result);
}

tg_status tg_mish(tg_tensor self, tg_tensor* result) {
  static const Shim shim("mish");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_softplus(tg_tensor self, const tg_softplus_options* options, tg_tensor* result) {
  static const Shim shim("softplus");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_softplus_options::beta)}};
  return shim(options, arguments, result);
}

tg_status tg_logsigmoid(tg_tensor self, tg_tensor* result) {
  static const Shim shim("logsigmoid");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_softsign(tg_tensor self, tg_tensor* result) {
  static const Shim shim("softsign");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_hardsigmoid(tg_tensor self, const tg_hardsigmoid_options* options, tg_tensor* result) {
  static const Shim shim("hardsigmoid");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_hardsigmoid_options::alpha), option(options, &tg_hardsigmoid_options::beta)}};
  return shim(options, arguments, result);
}

tg_status tg_hardswish(tg_tensor self, tg_tensor* result) {
  static const Shim shim("hardswish");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_hardtanh(tg_tensor self, const tg_hardtanh_options* options, tg_tensor* result) {
  static const Shim shim("hardtanh");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_hardtanh_options::low), option(options, &tg_hardtanh_options::high)}};
  return shim(options, arguments, result);
}

tg_status tg_sum(tg_tensor self, const tg_sum_options* options, tg_tensor* result) {
  static const Shim shim("sum");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_sum_options::axis), option(options, &tg_sum_options::keepdim), option(options, &tg_sum_options::dtype)}};
  return shim(options, arguments, result);
}

tg_status tg_prod(tg_tensor self, const tg_prod_options* options, tg_tensor* result) {
  static const Shim shim("prod");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_prod_options::axis), option(options, &tg_prod_options::keepdim), option(options, &tg_prod_options::dtype)}};
  return shim(options, arguments, result);
}

tg_status tg_max(tg_tensor self, const tg_max_options* options, tg_tensor* result) {
  static const Shim shim("max");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_max_options::axis), option(options, &tg_max_options::keepdim)}};
  return shim(options, arguments, result);
}

tg_status tg_min(tg_tensor self, const tg_min_options* options, tg_tensor* result) {
  static const Shim shim("min");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_min_options::axis), option(options, &tg_min_options::keepdim)}};
  return shim(options, arguments, result);
}

tg_status tg_mean(tg_tensor self, const tg_mean_options* options, tg_tensor* result) {
  static const Shim shim("mean");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_mean_options::axis), option(options, &tg_mean_options::keepdim)}};
  return shim(options, arguments, result);
}

tg_status tg_var(tg_tensor self, const tg_var_options* options, tg_tensor* result) {
  static const Shim shim("var");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_var_options::axis), option(options, &tg_var_options::keepdim), option(options, &tg_var_options::correction)}};
  return shim(options, arguments, result);
}

tg_status tg_std(tg_tensor self, const tg_std_options* options, tg_tensor* result) {
  static const Shim shim("std");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_std_options::axis), option(options, &tg_std_options::keepdim), option(options, &tg_std_options::correction)}};
  return shim(options, arguments, result);
}

tg_status tg_var_mean(tg_tensor self, const tg_var_mean_options* options, tg_value* result) {
  static const Shim shim("var_mean");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_var_mean_options::axis), option(options, &tg_var_mean_options::keepdim), option(options, &tg_var_mean_options::correction)}};
  return shim(options, arguments, result);
}

tg_status tg_std_mean(tg_tensor self, const tg_std_mean_options* options, tg_value* result) {
  static const Shim shim("std_mean");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_std_mean_options::axis), option(options, &tg_std_mean_options::keepdim), option(options, &tg_std_mean_options::correction)}};
  return shim(options, arguments, result);
}

tg_status tg_any(tg_tensor self, const tg_any_options* options, tg_tensor* result) {
  static const Shim shim("any");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_any_options::axis), option(options, &tg_any_options::keepdim)}};
  return shim(options, arguments, result);
}

tg_status tg_all(tg_tensor self, const tg_all_options* options, tg_tensor* result) {
  static const Shim shim("all");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_all_options::axis), option(options, &tg_all_options::keepdim)}};
  return shim(options, arguments, result);
}

tg_status tg_argmax(tg_tensor self, const tg_argmax_options* options, tg_tensor* result) {
  static const Shim shim("argmax");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_argmax_options::axis), option(options, &tg_argmax_options::keepdim)}};
  return shim(options, arguments, result);
}

tg_status tg_argmin(tg_tensor self, const tg_argmin_options* options, tg_tensor* result) {
  static const Shim shim("argmin");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_argmin_options::axis), option(options, &tg_argmin_options::keepdim)}};
  return shim(options, arguments, result);
}

tg_status tg_softmax(tg_tensor self, const tg_softmax_options* options, tg_tensor* result) {
  static const Shim shim("softmax");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_softmax_options::axis), option(options, &tg_softmax_options::dtype)}};
  return shim(options, arguments, result);
}

tg_status tg_log_softmax(tg_tensor self, const tg_log_softmax_options* options, tg_tensor* result) {
  static const Shim shim("log_softmax");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_log_softmax_options::axis), option(options, &tg_log_softmax_options::dtype)}};
  return shim(options, arguments, result);
}

tg_status tg_softmin(tg_tensor self, const tg_softmin_options* options, tg_tensor* result) {
  static const Shim shim("softmin");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_softmin_options::axis), option(options, &tg_softmin_options::dtype)}};
  return shim(options, arguments, result);
}

tg_status tg_logsumexp(tg_tensor self, const tg_logsumexp_options* options, tg_tensor* result) {
  static const Shim shim("logsumexp");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_logsumexp_options::axis), option(options, &tg_logsumexp_options::keepdim)}};
  return shim(options, arguments, result);
}

tg_status tg_normalize(tg_tensor self, const tg_normalize_options* options, tg_tensor* result) {
  static const Shim shim("normalize");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_normalize_options::p), option(options, &tg_normalize_options::axis), option(options, &tg_normalize_options::eps)}};
  return shim(options, arguments, result);
}

tg_status tg_cumsum(tg_tensor self, const tg_cumsum_options* options, tg_tensor* result) {
  static const Shim shim("cumsum");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_cumsum_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_cumprod(tg_tensor self, const tg_cumprod_options* options, tg_tensor* result) {
  static const Shim shim("cumprod");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_cumprod_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_cummax(tg_tensor self, const tg_cummax_options* options, tg_value* result) {
  static const Shim shim("cummax");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_cummax_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_cummin(tg_tensor self, const tg_cummin_options* options, tg_value* result) {
  static const Shim shim("cummin");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_cummin_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_logcumsumexp(tg_tensor self, const tg_logcumsumexp_options* options, tg_tensor* result) {
  static const Shim shim("logcumsumexp");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_logcumsumexp_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_matmul(tg_tensor self, tg_tensor other, tg_tensor* result) {
  static const Shim shim("matmul");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_of(other)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_dot(tg_tensor self, tg_tensor other, tg_tensor* result) {
  static const Shim shim("dot");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_of(other)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_einsum(const char* formula, const tg_tensor* operands, size_t operands_count, tg_tensor* result) {
  static const Shim shim("einsum");
  const std::array<tg_value, 2> arguments = {{tg_text(formula), tg_tensors(operands, operands_count)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_linear(tg_tensor self, tg_tensor weight, const tg_linear_options* options, tg_tensor* result) {
  static const Shim shim("linear");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_of(weight), option(options, &tg_linear_options::bias)}};
  return shim(options, arguments, result);
}

tg_status tg_conv2d(tg_tensor self, tg_tensor weight, const tg_conv2d_options* options, tg_tensor* result) {
  static const Shim shim("conv2d");
  const std::array<tg_value, 7> arguments = {{tg_of(self), tg_of(weight), option(options, &tg_conv2d_options::bias), option(options, &tg_conv2d_options::groups), option(options, &tg_conv2d_options::stride), option(options, &tg_conv2d_options::dilation), option(options, &tg_conv2d_options::padding)}};
  return shim(options, arguments, result);
}

tg_status tg_conv_transpose2d(tg_tensor self, tg_tensor weight, const tg_conv_transpose2d_options* options, tg_tensor* result) {
  static const Shim shim("conv_transpose2d");
  const std::array<tg_value, 8> arguments = {{tg_of(self), tg_of(weight), option(options, &tg_conv_transpose2d_options::bias), option(options, &tg_conv_transpose2d_options::groups), option(options, &tg_conv_transpose2d_options::stride), option(options, &tg_conv_transpose2d_options::dilation), option(options, &tg_conv_transpose2d_options::padding), option(options, &tg_conv_transpose2d_options::output_padding)}};
  return shim(options, arguments, result);
}

tg_status tg_max_pool2d(tg_tensor self, const tg_max_pool2d_options* options, tg_tensor* result) {
  static const Shim shim("max_pool2d");
  const std::array<tg_value, 7> arguments = {{tg_of(self), option(options, &tg_max_pool2d_options::kernel_size), option(options, &tg_max_pool2d_options::stride), option(options, &tg_max_pool2d_options::dilation), option(options, &tg_max_pool2d_options::padding), option(options, &tg_max_pool2d_options::ceil_mode), option(options, &tg_max_pool2d_options::count_include_pad)}};
  return shim(options, arguments, result);
}

tg_status tg_avg_pool2d(tg_tensor self, const tg_avg_pool2d_options* options, tg_tensor* result) {
  static const Shim shim("avg_pool2d");
  const std::array<tg_value, 7> arguments = {{tg_of(self), option(options, &tg_avg_pool2d_options::kernel_size), option(options, &tg_avg_pool2d_options::stride), option(options, &tg_avg_pool2d_options::dilation), option(options, &tg_avg_pool2d_options::padding), option(options, &tg_avg_pool2d_options::ceil_mode), option(options, &tg_avg_pool2d_options::count_include_pad)}};
  return shim(options, arguments, result);
}

tg_status tg_max_pool2d_with_indices(tg_tensor self, const tg_max_pool2d_with_indices_options* options, tg_value* result) {
  static const Shim shim("max_pool2d_with_indices");
  const std::array<tg_value, 7> arguments = {{tg_of(self), option(options, &tg_max_pool2d_with_indices_options::kernel_size), option(options, &tg_max_pool2d_with_indices_options::stride), option(options, &tg_max_pool2d_with_indices_options::dilation), option(options, &tg_max_pool2d_with_indices_options::padding), option(options, &tg_max_pool2d_with_indices_options::ceil_mode), option(options, &tg_max_pool2d_with_indices_options::count_include_pad)}};
  return shim(options, arguments, result);
}

tg_status tg_max_unpool2d(tg_tensor self, tg_tensor indices, const tg_max_unpool2d_options* options, tg_tensor* result) {
  static const Shim shim("max_unpool2d");
  const std::array<tg_value, 7> arguments = {{tg_of(self), tg_of(indices), option(options, &tg_max_unpool2d_options::kernel_size), option(options, &tg_max_unpool2d_options::stride), option(options, &tg_max_unpool2d_options::dilation), option(options, &tg_max_unpool2d_options::padding), option(options, &tg_max_unpool2d_options::output_size)}};
  return shim(options, arguments, result);
}

tg_status tg_scaled_dot_product_attention(tg_tensor self, tg_tensor key, tg_tensor value, const tg_scaled_dot_product_attention_options* options, tg_tensor* result) {
  static const Shim shim("scaled_dot_product_attention");
  const std::array<tg_value, 7> arguments = {{tg_of(self), tg_of(key), tg_of(value), option(options, &tg_scaled_dot_product_attention_options::attn_mask), option(options, &tg_scaled_dot_product_attention_options::dropout_p), option(options, &tg_scaled_dot_product_attention_options::is_causal), option(options, &tg_scaled_dot_product_attention_options::enable_gqa)}};
  return shim(options, arguments, result);
}

tg_status tg_qr(tg_tensor self, tg_value* result) {
  static const Shim shim("qr");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_svd(tg_tensor self, const tg_svd_options* options, tg_value* result) {
  static const Shim shim("svd");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_svd_options::full_matrices)}};
  return shim(options, arguments, result);
}

tg_status tg_cholesky(tg_tensor self, const tg_cholesky_options* options, tg_tensor* result) {
  static const Shim shim("cholesky");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_cholesky_options::upper)}};
  return shim(options, arguments, result);
}

tg_status tg_solve_triangular(tg_tensor self, tg_tensor b, const tg_solve_triangular_options* options, tg_tensor* result) {
  static const Shim shim("solve_triangular");
  const std::array<tg_value, 5> arguments = {{tg_of(self), tg_of(b), option(options, &tg_solve_triangular_options::upper), option(options, &tg_solve_triangular_options::left), option(options, &tg_solve_triangular_options::unitriangular)}};
  return shim(options, arguments, result);
}

tg_status tg_keccak(tg_tensor self, const tg_keccak_options* options, tg_tensor* result) {
  static const Shim shim("keccak");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_keccak_options::variant), option(options, &tg_keccak_options::capacity), option(options, &tg_keccak_options::size)}};
  return shim(options, arguments, result);
}

tg_status tg_hash(tg_tensor self, tg_tensor* result) {
  static const Shim shim("hash");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_fft(tg_tensor self, const tg_fft_options* options, tg_tensor* result) {
  static const Shim shim("fft");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_fft_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_ifft(tg_tensor self, const tg_ifft_options* options, tg_tensor* result) {
  static const Shim shim("ifft");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_ifft_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_rfft(tg_tensor self, const tg_rfft_options* options, tg_tensor* result) {
  static const Shim shim("rfft");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_rfft_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_irfft(tg_tensor self, const tg_irfft_options* options, tg_tensor* result) {
  static const Shim shim("irfft");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_irfft_options::size), option(options, &tg_irfft_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_batch_norm(tg_tensor self, const tg_batch_norm_options* options, tg_tensor* result) {
  static const Shim shim("batch_norm");
  const std::array<tg_value, 9> arguments = {{tg_of(self), option(options, &tg_batch_norm_options::weight), option(options, &tg_batch_norm_options::bias), option(options, &tg_batch_norm_options::running_mean), option(options, &tg_batch_norm_options::running_var), option(options, &tg_batch_norm_options::training), option(options, &tg_batch_norm_options::momentum), option(options, &tg_batch_norm_options::eps), option(options, &tg_batch_norm_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_layer_norm(tg_tensor self, const tg_layer_norm_options* options, tg_tensor* result) {
  static const Shim shim("layer_norm");
  const std::array<tg_value, 5> arguments = {{tg_of(self), option(options, &tg_layer_norm_options::axis), option(options, &tg_layer_norm_options::weight), option(options, &tg_layer_norm_options::bias), option(options, &tg_layer_norm_options::eps)}};
  return shim(options, arguments, result);
}

tg_status tg_rms_norm(tg_tensor self, const tg_rms_norm_options* options, tg_tensor* result) {
  static const Shim shim("rms_norm");
  const std::array<tg_value, 4> arguments = {{tg_of(self), option(options, &tg_rms_norm_options::axis), option(options, &tg_rms_norm_options::weight), option(options, &tg_rms_norm_options::eps)}};
  return shim(options, arguments, result);
}

tg_status tg_group_norm(tg_tensor self, int64_t groups, const tg_group_norm_options* options, tg_tensor* result) {
  static const Shim shim("group_norm");
  const std::array<tg_value, 5> arguments = {{tg_of(self), tg_int(groups), option(options, &tg_group_norm_options::weight), option(options, &tg_group_norm_options::bias), option(options, &tg_group_norm_options::eps)}};
  return shim(options, arguments, result);
}

tg_status tg_cross_entropy(tg_tensor self, tg_tensor target, const tg_cross_entropy_options* options, tg_tensor* result) {
  static const Shim shim("cross_entropy");
  const std::array<tg_value, 6> arguments = {{tg_of(self), tg_of(target), option(options, &tg_cross_entropy_options::reduction), option(options, &tg_cross_entropy_options::label_smoothing), option(options, &tg_cross_entropy_options::ignore_index), option(options, &tg_cross_entropy_options::weight)}};
  return shim(options, arguments, result);
}

tg_status tg_sparse_categorical_crossentropy(tg_tensor self, tg_tensor target, const tg_sparse_categorical_crossentropy_options* options, tg_tensor* result) {
  static const Shim shim("sparse_categorical_crossentropy");
  const std::array<tg_value, 6> arguments = {{tg_of(self), tg_of(target), option(options, &tg_sparse_categorical_crossentropy_options::reduction), option(options, &tg_sparse_categorical_crossentropy_options::label_smoothing), option(options, &tg_sparse_categorical_crossentropy_options::ignore_index), option(options, &tg_sparse_categorical_crossentropy_options::weight)}};
  return shim(options, arguments, result);
}

tg_status tg_nll_loss(tg_tensor self, tg_tensor target, const tg_nll_loss_options* options, tg_tensor* result) {
  static const Shim shim("nll_loss");
  const std::array<tg_value, 5> arguments = {{tg_of(self), tg_of(target), option(options, &tg_nll_loss_options::reduction), option(options, &tg_nll_loss_options::ignore_index), option(options, &tg_nll_loss_options::weight)}};
  return shim(options, arguments, result);
}

tg_status tg_binary_crossentropy(tg_tensor self, tg_tensor target, const tg_binary_crossentropy_options* options, tg_tensor* result) {
  static const Shim shim("binary_crossentropy");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_of(target), option(options, &tg_binary_crossentropy_options::reduction)}};
  return shim(options, arguments, result);
}

tg_status tg_binary_crossentropy_logits(tg_tensor self, tg_tensor target, const tg_binary_crossentropy_logits_options* options, tg_tensor* result) {
  static const Shim shim("binary_crossentropy_logits");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_of(target), option(options, &tg_binary_crossentropy_logits_options::reduction)}};
  return shim(options, arguments, result);
}

tg_status tg_realize(tg_tensor self, const tg_realize_options* options, tg_tensor* result) {
  static const Shim shim("realize");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_realize_options::tensors)}};
  return shim(options, arguments, result);
}

tg_status tg_is_realized(tg_tensor self, bool* result) {
  static const Shim shim("is_realized");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_has_storage(tg_tensor self, bool* result) {
  static const Shim shim("has_storage");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_contiguous(tg_tensor self, tg_tensor* result) {
  static const Shim shim("contiguous");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_contiguous_unrolled(tg_tensor self, const int64_t* upcast, size_t upcast_count, const tg_contiguous_unrolled_options* options, tg_tensor* result) {
  static const Shim shim("contiguous_unrolled");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_ints(upcast, upcast_count), option(options, &tg_contiguous_unrolled_options::unroll)}};
  return shim(options, arguments, result);
}

tg_status tg_contiguous_backward(tg_tensor self, tg_tensor* result) {
  static const Shim shim("contiguous_backward");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_clone(tg_tensor self, tg_tensor* result) {
  static const Shim shim("clone");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_detach(tg_tensor self, tg_tensor* result) {
  static const Shim shim("detach");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_to(tg_tensor self, const char* device, tg_tensor* result) {
  static const Shim shim("to");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_text(device)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_shard(tg_tensor self, const char* devices, const tg_shard_options* options, tg_tensor* result) {
  static const Shim shim("shard");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_text(devices), option(options, &tg_shard_options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_shard_(tg_tensor self, const char* devices, const tg_shard__options* options, tg_tensor* result) {
  static const Shim shim("shard_");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_text(devices), option(options, &tg_shard__options::axis)}};
  return shim(options, arguments, result);
}

tg_status tg_shard_like(tg_tensor self, tg_tensor like, tg_tensor* result) {
  static const Shim shim("shard_like");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_of(like)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_shard_axis(tg_tensor self, int64_t* result) {
  static const Shim shim("shard_axis");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_assign(tg_tensor self, tg_tensor value, tg_tensor* result) {
  static const Shim shim("assign");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_of(value)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_to_bytes(tg_tensor self, tg_value* result) {
  static const Shim shim("to_bytes");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_graph(tg_tensor self, tg_value* result) {
  static const Shim shim("graph");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_str(tg_tensor self, tg_value* result) {
  static const Shim shim("str");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_backward(tg_tensor self, const tg_backward_options* options) {
  static const Shim shim("backward");
  const std::array<tg_value, 3> arguments = {{tg_of(self), option(options, &tg_backward_options::seed), option(options, &tg_backward_options::inner)}};
  return shim(options, arguments, nullptr);
}

tg_status tg_has_grad(tg_tensor self, bool* result) {
  static const Shim shim("has_grad");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_grad(tg_tensor self, tg_tensor* result) {
  static const Shim shim("grad");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_set_grad(tg_tensor self, tg_tensor gradient, tg_tensor* result) {
  static const Shim shim("set_grad");
  const std::array<tg_value, 2> arguments = {{tg_of(self), tg_of(gradient)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_zero_grad(tg_tensor self, tg_tensor* result) {
  static const Shim shim("zero_grad");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_gradient(tg_tensor self, const tg_tensor* targets, size_t targets_count, const tg_gradient_options* options, tg_value* result) {
  static const Shim shim("gradient");
  const std::array<tg_value, 3> arguments = {{tg_of(self), tg_tensors(targets, targets_count), option(options, &tg_gradient_options::seed)}};
  return shim(options, arguments, result);
}

tg_status tg_is_param(tg_tensor self, bool* result) {
  static const Shim shim("is_param");
  const std::array<tg_value, 1> arguments = {{tg_of(self)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_is_param_(tg_tensor self, const tg_is_param__options* options, tg_tensor* result) {
  static const Shim shim("is_param_");
  const std::array<tg_value, 2> arguments = {{tg_of(self), option(options, &tg_is_param__options::flag)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_Linear(int64_t in, int64_t out, const tg_nn_Linear_options* options, tg_layer* result) {
  static const Shim shim("nn.Linear");
  const std::array<tg_value, 5> arguments = {{tg_int(in), tg_int(out), option(options, &tg_nn_Linear_options::bias), option(options, &tg_nn_Linear_options::dtype), option(options, &tg_nn_Linear_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_Conv1d(int64_t in, int64_t out, int64_t kernel, const tg_nn_Conv1d_options* options, tg_layer* result) {
  static const Shim shim("nn.Conv1d");
  const std::array<tg_value, 10> arguments = {{tg_int(in), tg_int(out), tg_int(kernel), option(options, &tg_nn_Conv1d_options::groups), option(options, &tg_nn_Conv1d_options::stride), option(options, &tg_nn_Conv1d_options::dilation), option(options, &tg_nn_Conv1d_options::padding), option(options, &tg_nn_Conv1d_options::bias), option(options, &tg_nn_Conv1d_options::dtype), option(options, &tg_nn_Conv1d_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_Conv2d(int64_t in, int64_t out, const int64_t* kernel, size_t kernel_count, const tg_nn_Conv2d_options* options, tg_layer* result) {
  static const Shim shim("nn.Conv2d");
  const std::array<tg_value, 10> arguments = {{tg_int(in), tg_int(out), tg_ints(kernel, kernel_count), option(options, &tg_nn_Conv2d_options::groups), option(options, &tg_nn_Conv2d_options::stride), option(options, &tg_nn_Conv2d_options::dilation), option(options, &tg_nn_Conv2d_options::padding), option(options, &tg_nn_Conv2d_options::bias), option(options, &tg_nn_Conv2d_options::dtype), option(options, &tg_nn_Conv2d_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_ConvTranspose1d(int64_t in, int64_t out, int64_t kernel, const tg_nn_ConvTranspose1d_options* options, tg_layer* result) {
  static const Shim shim("nn.ConvTranspose1d");
  const std::array<tg_value, 11> arguments = {{tg_int(in), tg_int(out), tg_int(kernel), option(options, &tg_nn_ConvTranspose1d_options::groups), option(options, &tg_nn_ConvTranspose1d_options::stride), option(options, &tg_nn_ConvTranspose1d_options::dilation), option(options, &tg_nn_ConvTranspose1d_options::padding), option(options, &tg_nn_ConvTranspose1d_options::output_padding), option(options, &tg_nn_ConvTranspose1d_options::bias), option(options, &tg_nn_ConvTranspose1d_options::dtype), option(options, &tg_nn_ConvTranspose1d_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_ConvTranspose2d(int64_t in, int64_t out, const int64_t* kernel, size_t kernel_count, const tg_nn_ConvTranspose2d_options* options, tg_layer* result) {
  static const Shim shim("nn.ConvTranspose2d");
  const std::array<tg_value, 11> arguments = {{tg_int(in), tg_int(out), tg_ints(kernel, kernel_count), option(options, &tg_nn_ConvTranspose2d_options::groups), option(options, &tg_nn_ConvTranspose2d_options::stride), option(options, &tg_nn_ConvTranspose2d_options::dilation), option(options, &tg_nn_ConvTranspose2d_options::padding), option(options, &tg_nn_ConvTranspose2d_options::output_padding), option(options, &tg_nn_ConvTranspose2d_options::bias), option(options, &tg_nn_ConvTranspose2d_options::dtype), option(options, &tg_nn_ConvTranspose2d_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_BatchNorm(int64_t channels, const tg_nn_BatchNorm_options* options, tg_layer* result) {
  static const Shim shim("nn.BatchNorm");
  const std::array<tg_value, 6> arguments = {{tg_int(channels), option(options, &tg_nn_BatchNorm_options::eps), option(options, &tg_nn_BatchNorm_options::momentum), option(options, &tg_nn_BatchNorm_options::affine), option(options, &tg_nn_BatchNorm_options::dtype), option(options, &tg_nn_BatchNorm_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_LayerNorm(const int64_t* shape, size_t shape_count, const tg_nn_LayerNorm_options* options, tg_layer* result) {
  static const Shim shim("nn.LayerNorm");
  const std::array<tg_value, 5> arguments = {{tg_ints(shape, shape_count), option(options, &tg_nn_LayerNorm_options::eps), option(options, &tg_nn_LayerNorm_options::affine), option(options, &tg_nn_LayerNorm_options::dtype), option(options, &tg_nn_LayerNorm_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_LayerNorm2d(int64_t channels, const tg_nn_LayerNorm2d_options* options, tg_layer* result) {
  static const Shim shim("nn.LayerNorm2d");
  const std::array<tg_value, 5> arguments = {{tg_int(channels), option(options, &tg_nn_LayerNorm2d_options::eps), option(options, &tg_nn_LayerNorm2d_options::affine), option(options, &tg_nn_LayerNorm2d_options::dtype), option(options, &tg_nn_LayerNorm2d_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_GroupNorm(int64_t groups, int64_t channels, const tg_nn_GroupNorm_options* options, tg_layer* result) {
  static const Shim shim("nn.GroupNorm");
  const std::array<tg_value, 6> arguments = {{tg_int(groups), tg_int(channels), option(options, &tg_nn_GroupNorm_options::eps), option(options, &tg_nn_GroupNorm_options::affine), option(options, &tg_nn_GroupNorm_options::dtype), option(options, &tg_nn_GroupNorm_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_InstanceNorm(int64_t channels, const tg_nn_InstanceNorm_options* options, tg_layer* result) {
  static const Shim shim("nn.InstanceNorm");
  const std::array<tg_value, 5> arguments = {{tg_int(channels), option(options, &tg_nn_InstanceNorm_options::eps), option(options, &tg_nn_InstanceNorm_options::affine), option(options, &tg_nn_InstanceNorm_options::dtype), option(options, &tg_nn_InstanceNorm_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_RMSNorm(int64_t size, const tg_nn_RMSNorm_options* options, tg_layer* result) {
  static const Shim shim("nn.RMSNorm");
  const std::array<tg_value, 5> arguments = {{tg_int(size), option(options, &tg_nn_RMSNorm_options::eps), option(options, &tg_nn_RMSNorm_options::affine), option(options, &tg_nn_RMSNorm_options::dtype), option(options, &tg_nn_RMSNorm_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_Embedding(int64_t entries, int64_t size, const tg_nn_Embedding_options* options, tg_layer* result) {
  static const Shim shim("nn.Embedding");
  const std::array<tg_value, 4> arguments = {{tg_int(entries), tg_int(size), option(options, &tg_nn_Embedding_options::dtype), option(options, &tg_nn_Embedding_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_Dropout(const tg_nn_Dropout_options* options, tg_layer* result) {
  static const Shim shim("nn.Dropout");
  const std::array<tg_value, 1> arguments = {{option(options, &tg_nn_Dropout_options::p)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_LSTMCell(int64_t in, int64_t hidden, const tg_nn_LSTMCell_options* options, tg_layer* result) {
  static const Shim shim("nn.LSTMCell");
  const std::array<tg_value, 5> arguments = {{tg_int(in), tg_int(hidden), option(options, &tg_nn_LSTMCell_options::bias), option(options, &tg_nn_LSTMCell_options::dtype), option(options, &tg_nn_LSTMCell_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_GRUCell(int64_t in, int64_t hidden, const tg_nn_GRUCell_options* options, tg_layer* result) {
  static const Shim shim("nn.GRUCell");
  const std::array<tg_value, 5> arguments = {{tg_int(in), tg_int(hidden), option(options, &tg_nn_GRUCell_options::bias), option(options, &tg_nn_GRUCell_options::dtype), option(options, &tg_nn_GRUCell_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_LSTM(int64_t in, int64_t hidden, const tg_nn_LSTM_options* options, tg_layer* result) {
  static const Shim shim("nn.LSTM");
  const std::array<tg_value, 8> arguments = {{tg_int(in), tg_int(hidden), option(options, &tg_nn_LSTM_options::layers), option(options, &tg_nn_LSTM_options::bias), option(options, &tg_nn_LSTM_options::batch_first), option(options, &tg_nn_LSTM_options::dropout), option(options, &tg_nn_LSTM_options::dtype), option(options, &tg_nn_LSTM_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_GRU(int64_t in, int64_t hidden, const tg_nn_GRU_options* options, tg_layer* result) {
  static const Shim shim("nn.GRU");
  const std::array<tg_value, 8> arguments = {{tg_int(in), tg_int(hidden), option(options, &tg_nn_GRU_options::layers), option(options, &tg_nn_GRU_options::bias), option(options, &tg_nn_GRU_options::batch_first), option(options, &tg_nn_GRU_options::dropout), option(options, &tg_nn_GRU_options::dtype), option(options, &tg_nn_GRU_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_MultiHeadAttention(int64_t size, int64_t heads, const tg_nn_MultiHeadAttention_options* options, tg_layer* result) {
  static const Shim shim("nn.MultiHeadAttention");
  const std::array<tg_value, 8> arguments = {{tg_int(size), tg_int(heads), option(options, &tg_nn_MultiHeadAttention_options::kv_heads), option(options, &tg_nn_MultiHeadAttention_options::dropout), option(options, &tg_nn_MultiHeadAttention_options::is_causal), option(options, &tg_nn_MultiHeadAttention_options::bias), option(options, &tg_nn_MultiHeadAttention_options::dtype), option(options, &tg_nn_MultiHeadAttention_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_TransformerEncoderLayer(int64_t size, int64_t heads, const tg_nn_TransformerEncoderLayer_options* options, tg_layer* result) {
  static const Shim shim("nn.TransformerEncoderLayer");
  const std::array<tg_value, 12> arguments = {{tg_int(size), tg_int(heads), option(options, &tg_nn_TransformerEncoderLayer_options::feedforward), option(options, &tg_nn_TransformerEncoderLayer_options::dropout), option(options, &tg_nn_TransformerEncoderLayer_options::activation), option(options, &tg_nn_TransformerEncoderLayer_options::norm_first), option(options, &tg_nn_TransformerEncoderLayer_options::is_causal), option(options, &tg_nn_TransformerEncoderLayer_options::kv_heads), option(options, &tg_nn_TransformerEncoderLayer_options::eps), option(options, &tg_nn_TransformerEncoderLayer_options::bias), option(options, &tg_nn_TransformerEncoderLayer_options::dtype), option(options, &tg_nn_TransformerEncoderLayer_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_TransformerDecoderLayer(int64_t size, int64_t heads, const tg_nn_TransformerDecoderLayer_options* options, tg_layer* result) {
  static const Shim shim("nn.TransformerDecoderLayer");
  const std::array<tg_value, 12> arguments = {{tg_int(size), tg_int(heads), option(options, &tg_nn_TransformerDecoderLayer_options::feedforward), option(options, &tg_nn_TransformerDecoderLayer_options::dropout), option(options, &tg_nn_TransformerDecoderLayer_options::activation), option(options, &tg_nn_TransformerDecoderLayer_options::norm_first), option(options, &tg_nn_TransformerDecoderLayer_options::is_causal), option(options, &tg_nn_TransformerDecoderLayer_options::kv_heads), option(options, &tg_nn_TransformerDecoderLayer_options::eps), option(options, &tg_nn_TransformerDecoderLayer_options::bias), option(options, &tg_nn_TransformerDecoderLayer_options::dtype), option(options, &tg_nn_TransformerDecoderLayer_options::device)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_SGD(const tg_tensor* model, size_t model_count, const tg_nn_SGD_options* options, tg_optimizer* result) {
  static const Shim shim("nn.SGD");
  const std::array<tg_value, 5> arguments = {{tg_tensors(model, model_count), option(options, &tg_nn_SGD_options::lr), option(options, &tg_nn_SGD_options::momentum), option(options, &tg_nn_SGD_options::weight_decay), option(options, &tg_nn_SGD_options::nesterov)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_Adam(const tg_tensor* model, size_t model_count, const tg_nn_Adam_options* options, tg_optimizer* result) {
  static const Shim shim("nn.Adam");
  const std::array<tg_value, 6> arguments = {{tg_tensors(model, model_count), option(options, &tg_nn_Adam_options::lr), option(options, &tg_nn_Adam_options::beta1), option(options, &tg_nn_Adam_options::beta2), option(options, &tg_nn_Adam_options::eps), option(options, &tg_nn_Adam_options::weight_decay)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_AdamW(const tg_tensor* model, size_t model_count, const tg_nn_AdamW_options* options, tg_optimizer* result) {
  static const Shim shim("nn.AdamW");
  const std::array<tg_value, 6> arguments = {{tg_tensors(model, model_count), option(options, &tg_nn_AdamW_options::lr), option(options, &tg_nn_AdamW_options::beta1), option(options, &tg_nn_AdamW_options::beta2), option(options, &tg_nn_AdamW_options::eps), option(options, &tg_nn_AdamW_options::weight_decay)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_LAMB(const tg_tensor* model, size_t model_count, const tg_nn_LAMB_options* options, tg_optimizer* result) {
  static const Shim shim("nn.LAMB");
  const std::array<tg_value, 6> arguments = {{tg_tensors(model, model_count), option(options, &tg_nn_LAMB_options::lr), option(options, &tg_nn_LAMB_options::beta1), option(options, &tg_nn_LAMB_options::beta2), option(options, &tg_nn_LAMB_options::eps), option(options, &tg_nn_LAMB_options::weight_decay)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_LARS(const tg_tensor* model, size_t model_count, const tg_nn_LARS_options* options, tg_optimizer* result) {
  static const Shim shim("nn.LARS");
  const std::array<tg_value, 6> arguments = {{tg_tensors(model, model_count), option(options, &tg_nn_LARS_options::lr), option(options, &tg_nn_LARS_options::momentum), option(options, &tg_nn_LARS_options::weight_decay), option(options, &tg_nn_LARS_options::nesterov), option(options, &tg_nn_LARS_options::trust)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_Muon(const tg_tensor* model, size_t model_count, const tg_nn_Muon_options* options, tg_optimizer* result) {
  static const Shim shim("nn.Muon");
  const std::array<tg_value, 6> arguments = {{tg_tensors(model, model_count), option(options, &tg_nn_Muon_options::lr), option(options, &tg_nn_Muon_options::momentum), option(options, &tg_nn_Muon_options::weight_decay), option(options, &tg_nn_Muon_options::nesterov), option(options, &tg_nn_Muon_options::steps)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_clip_grad_norm(const tg_tensor* parameters, size_t parameters_count, double max_norm, const tg_nn_clip_grad_norm_options* options, tg_tensor* result) {
  static const Shim shim("nn.clip_grad_norm");
  const std::array<tg_value, 3> arguments = {{tg_tensors(parameters, parameters_count), tg_float(max_norm), option(options, &tg_nn_clip_grad_norm_options::norm_type)}};
  return shim(options, arguments, result);
}

tg_status tg_nn_clip_grad_value(const tg_tensor* parameters, size_t parameters_count, double clip_value) {
  static const Shim shim("nn.clip_grad_value");
  const std::array<tg_value, 2> arguments = {{tg_tensors(parameters, parameters_count), tg_float(clip_value)}};
  return shim(nullptr, arguments, nullptr);
}

tg_status tg_dtype_size(tg_dtype t, int64_t* result) {
  static const Shim shim("dtype_size");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_dtype_name(tg_dtype t, tg_value* result) {
  static const Shim shim("dtype_name");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_is_float(tg_dtype t, bool* result) {
  static const Shim shim("is_float");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_is_int(tg_dtype t, bool* result) {
  static const Shim shim("is_int");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_is_unsigned(tg_dtype t, bool* result) {
  static const Shim shim("is_unsigned");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_is_bool(tg_dtype t, bool* result) {
  static const Shim shim("is_bool");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_promote(tg_dtype a, tg_dtype b, tg_dtype* result) {
  static const Shim shim("promote");
  const std::array<tg_value, 2> arguments = {{tg_type(a), tg_type(b)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_promote_weak(tg_dtype tensor, bool scalar_is_float, tg_dtype* result) {
  static const Shim shim("promote_weak");
  const std::array<tg_value, 2> arguments = {{tg_type(tensor), tg_bool(scalar_is_float)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_default_float(tg_dtype* result) {
  static const Shim shim("default_float");
  const std::array<tg_value, 0> arguments = {};
  return shim(nullptr, arguments, result);
}

tg_status tg_set_default_float(tg_dtype t, tg_dtype* result) {
  static const Shim shim("set_default_float");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_least_float(tg_dtype t, tg_dtype* result) {
  static const Shim shim("least_float");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_sum_dtype(tg_dtype t, tg_dtype* result) {
  static const Shim shim("sum_dtype");
  const std::array<tg_value, 1> arguments = {{tg_type(t)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_tensor_of_text(const char* graph, tg_tensor* result) {
  static const Shim shim("tensor_of_text");
  const std::array<tg_value, 1> arguments = {{tg_text(graph)}};
  return shim(nullptr, arguments, result);
}

tg_status tg_kernels_text(const tg_tensor* tensors, size_t tensors_count, tg_value* result) {
  static const Shim shim("kernels_text");
  const std::array<tg_value, 1> arguments = {{tg_tensors(tensors, tensors_count)}};
  return shim(nullptr, arguments, result);
}
