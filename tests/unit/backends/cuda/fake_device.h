// A device of the backend on the driver and compiler of fake_cuda.h.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "../../renderer/kernels.h"
#include "backends/cuda/cuda_device.h"
#include "fake_cuda.h"
#include "support/device_error.h"
#include "support/file.h"
#include "support/options.h"

namespace tg::testing {

inline const std::string kFakeCuda = TG_FAKE_CUDA;

/// Resets the state, and holds a cache of its own.
class FakeCudaTest : public ::testing::Test {
 protected:
  FakeCudaTest() : folder_("tg-fake-cuda"), scope_(with_cache()) { state().reset(); }

  static FakeCuda& state() {
    static const DynamicLibrary library(kFakeCuda);
    return *library.function<FakeCuda*()>("fake_cuda")();
  }
  void fail(const std::string& call, int status, int times = 1, int after = 0) {
    state().faults[call] = {times, status, after};
  }
  const std::filesystem::path& cache() const { return folder_.path(); }

  /// Opened at the first use, with what the state says then.
  cuda::CudaDevice& device() {
    if (!device_) {
      driver_ = cuda::open_driver(kFakeCuda);
      nvrtc_ = std::make_unique<nvidia::Nvrtc>(kFakeCuda);
      device_ = std::make_unique<cuda::CudaDevice>(*driver_, nvrtc_.get(), choice);
    }
    return *device_;
  }
  void close() { device_.reset(); }
  Ref<Program> compiled(const LinearKernel& k) { return device().compile({&k, 1})[0].program; }

  nvidia::Choice choice;

 private:
  Options with_cache() const {
    Options o = options();
    o.cache_dir = folder_.path().string();
    return o;
  }

  TempDir folder_;
  OptionsScope scope_;
  std::unique_ptr<const cuda::Driver> driver_;
  std::unique_ptr<const nvidia::Nvrtc> nvrtc_;
  std::unique_ptr<cuda::CudaDevice> device_;
};

}  // namespace tg::testing
