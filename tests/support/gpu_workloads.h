// Programs whose kernels stand for what a graphics processor is used for: a training step, rows
// that are normalised, products, convolutions, elementwise chains. Compiled by tests and by
// tg-cubins.
#pragma once

#include <string>
#include <vector>

#include "support/mnist_net.h"
#include "tg/tg.h"

namespace tg::test {

struct Workload {
  std::string name;
  void (*run)();  ///< on the default device
};

/// Of any values: what is asked is which kernels there are.
inline Tensor input(const Shape& shape, DType t = dtypes::float32) {
  return Tensor::empty(shape, {.dtype = t}).realize();
}
/// One step of Adam on the net for MNIST with batches of `batch`.
inline void mnist_step(int64_t batch) {
  const TrainingScope training;
  MnistNet net;
  nn::Adam adam(net);
  const Tensor images = input({batch, 1, 28, 28}), labels = input({batch}, dtypes::int32);
  const Tensor loss = net(images).cross_entropy(labels);
  adam.step(loss);
}

inline void square_product(int64_t n, DType t) {
  input({n, n}, t).matmul(input({n, n}, t)).realize();
}

inline std::vector<Workload> gpu_workloads() {
  return {
      {"MNIST step, batch 512", [] { mnist_step(512); }},
      {"softmax [4096, 1024]", [] { input({4096, 1024}).softmax().realize(); }},
      {"layer norm [4096, 768]", [] { input({4096, 768}).layer_norm().realize(); }},
      {"matmul 1024, float32", [] { square_product(1024, dtypes::float32); }},
      {"matmul 4096, float32", [] { square_product(4096, dtypes::float32); }},
      {"matmul 1024, float16", [] { square_product(1024, dtypes::float16); }},
      {"matmul 1024, bfloat16", [] { square_product(1024, dtypes::bfloat16); }},
      {"matmul 4096, float16", [] { square_product(4096, dtypes::float16); }},
      {"matmul 4096, bfloat16", [] { square_product(4096, dtypes::bfloat16); }},
      {"matmul 256, float64", [] { square_product(256, dtypes::float64); }},
      {"convolution [32, 64, 56, 56], 3 × 3",
       [] { input({32, 64, 56, 56}).conv2d(input({64, 64, 3, 3})).realize(); }},
      {"convolution [32, 64, 56, 56], 3 × 3, float16",
       [] {
         input({32, 64, 56, 56}, dtypes::float16)
             .conv2d(input({64, 64, 3, 3}, dtypes::float16))
             .realize();
       }},
      {"gelu [4096, 3072]", [] { input({4096, 3072}).gelu().realize(); }},
      {"sum of 2²⁴", [] { input({1 << 24}).sum().realize(); }},
      {"transpose 2048", [] { input({2048, 2048}).permute({1, 0}).contiguous().realize(); }},
      {"argmax [512, 50257]", [] { input({512, 50257}).argmax({.axis = 1}).realize(); }},
      {"cumulative sum [256, 4096]", [] { input({256, 4096}).cumsum(1).realize(); }},
  };
}

}  // namespace tg::test
