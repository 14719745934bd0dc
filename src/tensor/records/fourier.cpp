// Records of Fourier transforms.
#include "tensor/records/call.h"

namespace tg {
namespace {

using namespace phrases;

const FnParam kLastAxis = {
    "axis", "int64_t", "-1",
    "along which; the axis of the pairs does not count; negative: from the end"};
constexpr std::string_view kComplex =
    "ShapeError unless the last axis has size 2 and the transformed one has elements; IndexError "
    "for an axis outside the shape; ArgumentError for an axis of variable size, "
    "or of more than 2^24 elements";

}  // namespace

FnFamily fourier_records() {
  return {
      "Fourier transforms",
      {
          {.name = "fft",
           .doc = "The discrete Fourier transform of complex numbers, which are pairs (real, "
                  "imaginary) on a last axis of size 2: sums of x[j] e^(-2 pi i j k / n), not "
                  "divided. O(n) times the sum of the prime factors of n; with large ones O(n log "
                  "n).",
           .params = {kLastAxis},
           .shapes = "[..., n, ..., 2], as this tensor",
           .dtype = kFloatDtype,
           .errors = kComplex,
           .gradient = kSmooth,
           .example = "Tensor({{1., 0.}, {3., 0.}}).fft()",
           .result = "[[ 4.  0.]\n [-2.  0.]] float32[2,2]",
           .call = call<&Tensor::fft>()},
          {.name = "ifft",
           .doc = "The inverse of fft: the sign of the exponent turned, and divided by n.",
           .params = {kLastAxis},
           .shapes = "[..., n, ..., 2], as this tensor",
           .dtype = kFloatDtype,
           .errors = kComplex,
           .gradient = kSmooth,
           .example = "Tensor({{4., 0.}, {-2., 0.}}).ifft()",
           .result = "[[1. 0.]\n [3. 0.]] float32[2,2]",
           .call = call<&Tensor::ifft>()},
          {.name = "rfft",
           .doc = "fft of real numbers: the first half of the result, of which the rest are the "
                  "conjugates. Pairs (real, imaginary) stand on a new last axis.",
           .params = {kLastAxis},
           .shapes = "[..., n, ...] gives [..., n / 2 + 1, ..., 2]",
           .dtype = kFloatDtype,
           .errors = "ShapeError for an axis without elements; IndexError for an axis outside the "
                     "shape; ArgumentError for an axis of variable size, or "
                     "of more than 2^24 elements",
           .gradient = kSmooth,
           .example = "Tensor{1., 3.}.rfft()",
           .result = "[[ 4.  0.]\n [-2.  0.]] float32[2,2]",
           .call = call<&Tensor::rfft>()},
          {.name = "irfft",
           .doc =
               "The inverse of rfft: real numbers of the first half of their transform, which is "
               "cropped or continued by 0 to as many as the size needs. Imaginary parts of the "
               "first number, and of the one in the middle, do not count.",
           .params = {{"size", "int64_t", "twice m - 1", "of the result's axis", "elements"},
                      kLastAxis},
           .shapes = "[..., m, ..., 2] gives [..., size, ...]",
           .dtype = kFloatDtype,
           .errors = "as fft; ArgumentError for a size below 1 or above 2^24",
           .gradient = kSmooth,
           .example = "Tensor({{4., 0.}, {-2., 0.}}).irfft()",
           .result = "[1. 3.] float32[2]",
           .call = call<&Tensor::irfft>()},
      }};
}

}  // namespace tg
