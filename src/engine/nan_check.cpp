// See nan_check.h.
#include "engine/nan_check.h"

#include <cmath>

#include "engine/kernel_arguments.h"
#include "support/check.h"
#include "support/options.h"
#include "uop/shape.h"

namespace tg {
namespace {

using Bytes = std::vector<std::byte>;

bool is_number(const Scalar& value, bool infinities) {
  const double x = value.as_double();
  return infinities ? std::isfinite(x) : !std::isnan(x);
}

class NanCheckedProgram final : public Program {
 public:
  NanCheckedProgram(Device& device, const UOp& graph, ReadyKernelRef kernel)
      : device_(device),
        arguments_(arguments_of(graph)),
        kernel_(std::move(kernel)),
        infinities_(options().check_nan > 1) {}

  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override {
    device_.synchronize();
    const std::vector<Bytes> before = contents(buffers);
    kernel_->launch(buffers, vars);
    device_.synchronize();
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (!arguments_[i].written && first_nonfinite(i, {}, before[i]) >= 0) return;
    }
    const std::vector<Bytes> after = contents(buffers);
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (!arguments_[i].written) continue;
      const int64_t at = first_nonfinite(i, before[i], after[i]);
      if (at >= 0) fail(i, at, after[i]);
    }
  }

 private:
  // All arrays of floats, in the order of the arguments; empty for the others.
  std::vector<Bytes> contents(std::span<void* const> buffers) const {
    std::vector<Bytes> out(arguments_.size());
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const KernelArgument& a = arguments_[i];
      if (!a.param || !is_float(a.param.dtype())) continue;
      out[i].resize(static_cast<size_t>(a.bytes()));
      device_.allocator().copy_out(out[i].data(), {buffers[i], a.bytes()}, a.bytes());
    }
    return out;
  }
  int64_t first_nonfinite(size_t i, const Bytes& before, const Bytes& after) const {
    if (after.empty()) return -1;
    return tg::first_nonfinite(arguments_[i].param.dtype(), before, after, infinities_);
  }

  [[noreturn]] void fail(size_t i, int64_t at, const Bytes& data) const {
    const UOp& param = arguments_[i].param;
    const DType t = param.dtype();
    user_error<DeviceError>(
        "CHECK_NAN",
        fmt::format("kernel {} on {} writes {} to element {} of argument {} ({} {}), and reads no "
                    "such value",
                    kernel_->name, device_.name(),
                    element(t, &data[static_cast<size_t>(at * dtype_size(t))]).str(), at, i,
                    dtype_name(t), format_shape(param.shape())),
        "Hint: DEBUG=5 prints what each kernel computes.");
  }

  Device& device_;
  std::vector<KernelArgument> arguments_;
  ReadyKernelRef kernel_;
  bool infinities_;
};

}  // namespace

ReadyKernelRef nan_checked_kernel(Device& device, const UOp& graph, const ReadyKernelRef& kernel) {
  ReadyKernel out = *kernel;
  out.program = Ref<Program>::adopt(new NanCheckedProgram(device, graph, kernel));
  out.offsets.clear();
  out.runs_alone = true;
  return std::make_shared<const ReadyKernel>(std::move(out));
}

int64_t first_nonfinite(DType t, std::span<const std::byte> before,
                        std::span<const std::byte> after, bool infinities) {
  const auto size = static_cast<size_t>(dtype_size(t));
  for (size_t at = 0; at < after.size(); at += size) {
    if (is_number(element(t, &after[at]), infinities)) continue;
    if (before.empty() || is_number(element(t, &before[at]), infinities))
      return static_cast<int64_t>(at / size);
  }
  return -1;
}

}  // namespace tg
