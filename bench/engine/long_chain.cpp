// A chain of dependent operations, sines and products with ever different tensors in turn: what a
// graph far deeper than a kernel or a call stack costs. `long_chain [OPERATIONS]`, 100,000 without.
// Prints seconds of building, of the first call (planned and compiled) and of a second one, and
// fails if the numbers are not those of the same chain in double precision.
#include <tg/tg.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr size_t kElements = 64;

double factor(size_t step, size_t element) {
  return 1.2 + 0.01 * static_cast<double>((step * 7 + element * 3) % 40);
}

std::vector<tg::Tensor> factors(size_t count) {
  std::vector<tg::Tensor> out;
  std::vector<float> values(kElements);
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < kElements; ++i) values[i] = static_cast<float>(factor(k, i));
    out.push_back(tg::Tensor(values));
  }
  return out;
}

tg::Tensor chain(const tg::Tensor& x, const std::vector<tg::Tensor>& by) {
  tg::Tensor y = x;
  for (const tg::Tensor& t : by) y = y.sin() * t;
  return y;
}

// Elapsed and CPU seconds since the last call, all threads.
class Clock {
 public:
  void print(const char* what) {
    const auto now = std::chrono::steady_clock::now();
    const double cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    std::printf("%-12s %8.3f s  (%.3f s of CPU)\n", what,
                std::chrono::duration<double>(now - time_).count(), cpu - cpu_);
    time_ = now;
    cpu_ = cpu;
  }

 private:
  std::chrono::steady_clock::time_point time_ = std::chrono::steady_clock::now();
  double cpu_ = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
};

bool right(const std::vector<float>& got, size_t length) {
  for (size_t i = 0; i < kElements; ++i) {
    double want = 1;
    for (size_t k = 0; k < length; ++k) want = std::sin(want) * static_cast<float>(factor(k, i));
    if (std::abs(got[i] - want) > 1e-5) {
      std::printf("element %zu is %g, should be %g\n", i, static_cast<double>(got[i]), want);
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const long long operations = argc > 1 ? std::atoll(argv[1]) : 100'000;
  if (operations < 2) {
    std::printf("usage: %s [OPERATIONS], at least 2\n", argv[0]);
    return 2;
  }
  const auto length = static_cast<size_t>(operations / 2);
  const tg::Tensor x(std::vector<float>(kElements, 1.F));
  const std::vector<tg::Tensor> by = factors(length);
  Clock clock;
  tg::Tensor first = chain(x, by);
  clock.print("build");
  tg::GlobalCounters::reset();
  first.realize();
  clock.print("first call");
  std::printf("%lld kernels\n", static_cast<long long>(tg::GlobalCounters::read().kernels));
  const bool fine = right(first.to_vector<float>(), length);
  first = chain(x, by);
  clock.print("build again");
  first.realize();
  clock.print("second call");
  return fine && right(first.to_vector<float>(), length) ? 0 : 1;
}
