// Runs linear kernels on a device on the contents of their arguments.
#pragma once

#include <gtest/gtest.h>

#include "../../renderer/elementwise_cases.h"
#include "backends/opencl/opencl_device.h"
#include "runtime/device.h"

/// Skips the test, with what to install, where there is no device.
#define TG_NEEDS_OPENCL()                                                    \
  if (const std::string why = opencl::missing_device_advice(); !why.empty()) \
  GTEST_SKIP() << "needs an OpenCL device: " << why

namespace tg::testing {

/// Arguments on a device, freed at the end.
class OnDevice {
 public:
  OnDevice(Device& d, const Contents& contents) : device_(d) {
    for (const std::vector<char>& c : contents) {
      const auto bytes = static_cast<int64_t>(c.size());
      held_.push_back(d.allocator().allocate(bytes));
      d.allocator().copy_in(held_.back(), c.data(), bytes);
      pointers_.push_back(held_.back().data);
    }
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    for (const Allocation& a : held_) device_.allocator().free(a);
  }
  std::span<void* const> pointers() const { return pointers_; }
  void read(Contents& contents) const {
    for (size_t i = 0; i < contents.size(); ++i)
      device_.allocator().copy_out(contents[i].data(), held_[i],
                                   static_cast<int64_t>(contents[i].size()));
  }

 private:
  Device& device_;
  std::vector<Allocation> held_;
  std::vector<void*> pointers_;
};

/// Runs `program` on `contents`, which it replaces.
inline void run_program(Device& d, Program& program, Contents& contents,
                        std::vector<int64_t> vars = {}) {
  const OnDevice arguments(d, contents);
  program.launch(arguments.pointers(), vars);
  arguments.read(contents);
}

}  // namespace tg::testing
