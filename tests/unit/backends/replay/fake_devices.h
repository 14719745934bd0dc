// CUDA and Metal as devices that compute: everything is what the backends do on the fakes of their
// tests, and a kernel that a fake is asked to run is run by the interpreter on the fake's memory.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>

#include "../cuda/fake_cuda.h"
#include "../metal/fake_metal.h"
#include "backends/cuda/cuda_device.h"
#include "backends/metal/metal_device.h"
#include "runtime/device.h"

namespace tg::testing {

/// A device whose kernels are known to the interpreter too, by name.
class Interpreted final : public Device {
 public:
  /// Larger groups need much memory to interpret.
  static constexpr int64_t kMaxGroupSize = 32;

  Interpreted(std::string name, std::unique_ptr<Device> real)
      : name_(std::move(name)), real_(std::move(real)), target_(real_->target()) {
    target_.max_group_size = std::min(target_.max_group_size, kMaxGroupSize);
  }

  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return real_->allocator(); }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override {
    const std::vector<CompiledKernel> meanings = device("INTERP").compile(kernels);
    const std::lock_guard guard(lock_);
    for (size_t i = 0; i < kernels.size(); ++i)
      meanings_[kernels[i].name] = {meanings[i].program, kernels[i].params.size()};
    return real_->compile(kernels);
  }
  void launch(std::span<const Call> calls) override { real_->launch(calls); }
  std::unique_ptr<Replay> prepare(const CallSequence& s) override { return real_->prepare(s); }
  double timed(const Call& call) override { return real_->timed(call); }
  void synchronize() override { real_->synchronize(); }

  /// Forgets the kernels; the engine must have forgotten its programs.
  void forget() {
    const std::lock_guard guard(lock_);
    meanings_.clear();
  }
  /// Runs a kernel on memory of the host. `numbers`: variables, then the number of chunks.
  void run(const std::string& kernel, std::span<void* const> buffers,
           std::span<const int64_t> numbers) {
    meanings_.at(kernel).program->launch(buffers, numbers.first(numbers.size() - 1));
  }
  /// The same; `words` are addresses, then numbers.
  void run_words(const std::string& kernel, std::span<const uint64_t> words) {
    std::vector<void*> buffers;
    std::vector<int64_t> numbers;
    const size_t params = meanings_.at(kernel).params;
    for (uint64_t w : words.first(params)) buffers.push_back(reinterpret_cast<void*>(w));
    for (uint64_t w : words.subspan(params)) numbers.push_back(static_cast<int64_t>(w));
    run(kernel, buffers, numbers);
  }

 private:
  struct Meaning {
    Ref<Program> program;
    size_t params = 0;
  };
  const std::string name_;
  const std::unique_ptr<Device> real_;
  Target target_;
  std::mutex lock_;
  std::map<std::string, Meaning> meanings_;
};

inline FakeCuda& fake_cuda() {
  static const auto& library = *new DynamicLibrary(TG_FAKE_CUDA);  // never closed
  return *library.function<FakeCuda*()>("fake_cuda")();
}

inline FakeMetal& fake_metal() {
  static const auto& library = *new DynamicLibrary(TG_FAKE_METAL);
  return *library.function<FakeMetalEntry>("fake_metal")();
}

inline std::unique_ptr<Device> open_fake_cuda() {
  static const auto& driver = *cuda::open_driver(TG_FAKE_CUDA).release();
  static const auto& nvrtc = *new nvidia::Nvrtc(TG_FAKE_CUDA);
  auto made = std::make_unique<Interpreted>(
      "FAKE_CUDA", std::make_unique<cuda::CudaDevice>(driver, &nvrtc, nvidia::Choice{}));
  fake_cuda().on_launch = [d = made.get()](const FakeCudaLaunch& l) {
    d->run_words(l.kernel, l.arguments);
  };
  return made;
}

inline std::unique_ptr<Device> open_fake_metal() {
  static constexpr std::array<std::string_view, 1> kPath = {TG_FAKE_METAL};
  fake_metal();
  static const auto& objc = *metal::open_objc(kPath, kPath).release();
  auto made = std::make_unique<Interpreted>("FAKE_METAL", metal::open_device(&objc, 0));
  fake_metal().run = [d = made.get()](const FakeMetalLaunch& l) {
    const std::vector<void*> buffers(l.buffers.begin(), l.buffers.end());
    d->run(l.name, buffers, l.numbers);
  };
  return made;
}

/// Makes both known, once.
inline void add_fake_devices() {
  static const auto usable = [] { return std::string(); };
  static const Backend cuda{
      .name = "FAKE_CUDA", .preference = -100, .probe = +usable, .open = open_fake_cuda};
  static const Backend metal{
      .name = "FAKE_METAL", .preference = -100, .probe = +usable, .open = open_fake_metal};
  static const bool added = (add_backend(cuda), add_backend(metal), true);
  static_cast<void>(added);
}

}  // namespace tg::testing
