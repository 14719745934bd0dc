// cuBLAS as a peer of bench/gpu/run: products of square matrices, and copies from one place of the
// device to another, whose rate is what memory can do. Both libraries are opened at run time; where
// one is missing, the worker says so and ends.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "../peers/protocol.h"

namespace tg::peers {
namespace {

// ---- what we use of the two libraries; values as their manuals give them

struct CublasContext;
enum class Cuda : int { Success = 0 };
enum class Cublas : int { Success = 0 };
constexpr int kDeviceToDevice = 3;
constexpr int kNoTranspose = 0;
constexpr int kReal32 = 0, kReal16 = 2, kReal16B = 14;
constexpr int kCompute32 = 68, kCompute32FastTf32 = 77;
constexpr int kDefaultAlgorithm = -1;

class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL); handle_ != nullptr) return;
    }
    throw std::runtime_error(fmt::format("{} cannot be opened", *names.begin()));
  }
  template <typename F>
  void find(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(dlsym(handle_, name));
    if (function == nullptr) throw std::runtime_error(fmt::format("there is no {}", name));
  }

 private:
  void* handle_ = nullptr;  // stays open
};

struct Api {
  Api() {
    const Library runtime{"libcudart.so", "libcudart.so.13", "libcudart.so.12"};
    const Library blas{"libcublas.so", "libcublas.so.13", "libcublas.so.12"};
    runtime.find(allocate, "cudaMalloc");
    runtime.find(release, "cudaFree");
    runtime.find(copy, "cudaMemcpyAsync");
    runtime.find(clear, "cudaMemset");
    runtime.find(wait, "cudaDeviceSynchronize");
    blas.find(create, "cublasCreate_v2");
    blas.find(version, "cublasGetVersion_v2");
    blas.find(gemm, "cublasGemmEx");
  }
  Cuda (*allocate)(void**, size_t);
  Cuda (*release)(void*);
  Cuda (*copy)(void* to, const void* from, size_t bytes, int kind, void* stream);
  Cuda (*clear)(void*, int value, size_t bytes);
  Cuda (*wait)();
  Cublas (*create)(CublasContext**);
  Cublas (*version)(CublasContext*, int*);
  Cublas (*gemm)(CublasContext*, int, int, int m, int n, int k, const void* alpha, const void* a,
                 int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c,
                 int c_type, int ldc, int compute, int algorithm);
};

template <typename Status>
void check(Status s, const char* what) {
  if (s != Status::Success)
    throw std::runtime_error(fmt::format("{} failed with {}", what, static_cast<int>(s)));
}

// ---- work

class Memory {
 public:
  Memory(const Api& api, int64_t bytes) : api_(api) {
    check(api_.allocate(&data_, static_cast<size_t>(bytes)), "cudaMalloc");
    check(api_.clear(data_, 0, static_cast<size_t>(bytes)), "cudaMemset");
  }
  ~Memory() { api_.release(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  const Api& api_;
  void* data_ = nullptr;
};

// A kind of number of shapes.py: in memory, in the sum.
struct Numbers {
  int type, bytes, compute;
};
Numbers numbers_of(int64_t kind) {
  constexpr Numbers kAll[] = {{kReal32, 4, kCompute32},
                              {kReal32, 4, kCompute32FastTf32},
                              {kReal16, 2, kCompute32},
                              {kReal16B, 2, kCompute32}};
  return kAll[static_cast<size_t>(kind)];
}

class Worker {
 public:
  Worker() {
    check(api_.create(&blas_), "cublasCreate");
    check(api_.version(blas_, &version_), "cublasGetVersion");
  }
  std::string version() const { return fmt::format("{}", version_); }

  Call prepare(std::optional<int64_t> times, std::string_view kind,
               std::span<const int64_t> sizes) const {
    std::function<void()> one;
    if (kind == "gemm" && sizes.size() == 2 && sizes[0] >= 0 && sizes[0] <= 3) {
      one = gemm(numbers_of(sizes[0]), sizes[1]);
    } else if (kind == "copy" && sizes.size() == 1) {
      one = copy(sizes[0] * 4);
    } else {
      throw std::runtime_error(fmt::format("not part of this comparison: {}", kind));
    }
    return [this, one, n = times.value_or(1)] {
      for (int64_t i = 0; i < n; ++i) one();
      check(api_.wait(), "cudaDeviceSynchronize");
    };
  }

 private:
  std::function<void()> gemm(const Numbers& t, int64_t n) const {
    const auto memory = std::make_shared<const Memory>(api_, 3 * n * n * t.bytes);
    return [this, memory, t, n] {
      constexpr float kOne = 1, kZero = 0;
      auto* a = static_cast<char*>(memory->data());
      const int side = static_cast<int>(n);
      check(api_.gemm(blas_, kNoTranspose, kNoTranspose, side, side, side, &kOne, a, t.type, side,
                      a + n * n * t.bytes, t.type, side, &kZero, a + 2 * n * n * t.bytes, t.type,
                      side, t.compute, kDefaultAlgorithm),
            "cublasGemmEx");
    };
  }

  std::function<void()> copy(int64_t bytes) const {
    const auto memory = std::make_shared<const Memory>(api_, 2 * bytes);
    return [this, memory, bytes] {
      auto* data = static_cast<char*>(memory->data());
      check(api_.copy(data + bytes, data, static_cast<size_t>(bytes), kDeviceToDevice, nullptr),
            "cudaMemcpyAsync");
    };
  }

  const Api api_;
  CublasContext* blas_ = nullptr;
  int version_ = 0;
};

}  // namespace
}  // namespace tg::peers

int main() {
  try {
    const tg::peers::Worker worker;
    tg::peers::serve(worker.version(), [&](auto times, auto kind, auto sizes) {
      return worker.prepare(times, kind, sizes);
    });
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cublas_worker: {}\n", error.what());
    return 1;
  }
}
