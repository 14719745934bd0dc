// Sums of products as a user writes them; each call builds its graph again.
#include <fmt/format.h>

#include "kinds.h"
#include "support/check.h"
#include "support/options.h"

namespace tg::peers {
namespace {

// What the numbers of gpu_shapes.py mean; 1 is tf32, which is float32 under an option.
DType gemm_dtype(int64_t kind) {
  switch (kind) {
    case 0:
    case 1:
      if (options().allow_tf32 == (kind == 1)) return dtypes::float32;
      user_error<ArgumentError>("peer_worker",
                                kind == 1 ? "not part of this comparison: tf32 products"
                                          : "not part of this comparison: exact products",
                                "Hint: ALLOW_TF32 chooses between them.");
    case 2:
      return dtypes::float16;
    case 3:
      return dtypes::bfloat16;
    default:
      user_error<ArgumentError>("peer_worker", fmt::format("no kind of products: {}", kind));
  }
}

Expression gemm(Sizes n) {
  const DType t = gemm_dtype(n[0]);
  return [a = data({n[1], n[1]}).cast(t).realize(), b = data({n[1], n[1]}).cast(t).realize()] {
    return a.matmul(b);
  };
}

Expression matmul(Sizes n) {
  return [a = data({n[0], n[0]}), b = data({n[0], n[0]})] { return a.matmul(b); };
}

// In a dtype of its own; the product has it too.
auto matmul_of(DType t) {
  return [t](Sizes n) -> Expression {
    return [a = data({n[0], n[0]}).cast(t).realize(), b = data({n[0], n[0]}).cast(t).realize()] {
      return a.matmul(b);
    };
  };
}

Tensor bytes(const Shape& shape) {
  return Tensor::randint(shape, {.low = -127, .high = 128, .dtype = dtypes::int8}).realize();
}

Expression matmul_int8(Sizes n) {
  return [a = bytes({n[0], n[0]}), b = bytes({n[0], n[0]})] {
    return a.cast(dtypes::int32).matmul(b.cast(dtypes::int32));
  };
}

Expression matmul_batched(Sizes n) {
  return [a = data({n[0], n[1], n[1]}), b = data({n[0], n[1], n[1]})] { return a.matmul(b); };
}

// A · Aᵀ
Expression gram(Sizes n) {
  return [a = data({n[0], n[0]})] { return a.matmul(a.transpose()); };
}

Expression gemv(Sizes n) {
  return [a = data({n[0], n[0]}), b = data({n[0]})] { return a.matmul(b); };
}

// By a weight of 8 bits with a scale for each row.
Expression gemv_int8(Sizes n) {
  return [w = bytes({n[0], n[0]}), scale = data({n[0], 1}), x = data({n[0]})] {
    return (w.cast(dtypes::float32) * scale).matmul(x);
  };
}

// Images, channels in and out, side, kernel, stride, groups; as much padding as keeps the side.
Expression conv(Sizes n) {
  return [x = data({n[0], n[1], n[3], n[3]}), w = data({n[2], n[1] / n[6], n[4], n[4]}),
          padding = n[4] / 2, stride = n[5], groups = n[6]] {
    return x.conv2d(w, {.groups = groups, .stride = {stride}, .padding = {padding}});
  };
}

// Images, channels in and out, side, kernel, stride, padding.
Expression conv_transpose(Sizes n) {
  return [x = data({n[0], n[1], n[3], n[3]}), w = data({n[1], n[2], n[4], n[4]}), stride = n[5],
          padding = n[6]] {
    return x.conv_transpose2d(w, {.stride = {stride}, .padding = {padding}});
  };
}

// Heads, words, size of a head, and whether words see only those before them.
Expression attention(Sizes n) {
  return
      [q = data({n[0], n[1], n[2]}), k = data({n[0], n[1], n[2]}), v = data({n[0], n[1], n[2]}),
       causal = n[3] != 0] { return q.scaled_dot_product_attention(k, v, {.is_causal = causal}); };
}

}  // namespace

Kinds products() {
  return {{"gemm", expression(2, gemm)},
          {"matmul", expression(1, matmul)},
          {"matmul_f16", expression(1, matmul_of(dtypes::float16))},
          {"matmul_bf16", expression(1, matmul_of(dtypes::bfloat16))},
          {"matmul_f64", expression(1, matmul_of(dtypes::float64))},
          {"matmul_i8", expression(1, matmul_int8)},
          {"matmul_batched", expression(2, matmul_batched)},
          {"gram", expression(1, gram)},
          {"gemv", expression(1, gemv)},
          {"gemv_i8", expression(1, gemv_int8)},
          {"conv", expression(7, conv)},
          {"conv_transpose", expression(7, conv_transpose)},
          {"attention", expression(4, attention)}};
}

}  // namespace tg::peers
