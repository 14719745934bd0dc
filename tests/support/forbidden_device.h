// A default device that must not be touched: whatever is allocated, compiled or run on it is an
// error. Programs that work on another device pass by it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "support/check.h"
#include "support/options.h"

namespace tg::test {

class ForbiddenDevice final : public Device, private Allocator {
 public:
  const std::string& name() const override { return name_; }
  const Target& target() const override { return device("INTERP").target(); }
  Allocator& allocator() override { return *this; }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override {
    user_error<DeviceError>("FORBIDDEN", fmt::format("asked to compile {}", kernels[0].name));
  }

 private:
  Allocation allocate(int64_t bytes) override {
    user_error<DeviceError>("FORBIDDEN", fmt::format("asked for {} bytes", bytes));
  }
  void free(Allocation) override {}
  bool host_visible() const override { return false; }
  void copy_in(Allocation, const void*, int64_t) override {}
  void copy_out(void*, Allocation, int64_t) override {}
  int64_t bytes_in_use() const override { return 0; }

  const std::string name_ = "FORBIDDEN";
};

/// Options with the forbidden device as the default one, known from the first use on.
inline Options forbidden_default() {
  static constexpr Backend kForbidden = {
      .name = "FORBIDDEN",
      .preference = -100,
      .probe = +[] { return std::string(); },
      .open = +[]() -> std::unique_ptr<Device> { return std::make_unique<ForbiddenDevice>(); }};
  static const bool added = [] {
    add_backend(kForbidden);
    return true;
  }();
  Options o = options();
  if (added) o.device = "FORBIDDEN";
  return o;
}

/// The same with another device as the default one.
inline Options default_on(const std::string& name) {
  Options o = options();
  o.device = name;
  return o;
}

}  // namespace tg::test
