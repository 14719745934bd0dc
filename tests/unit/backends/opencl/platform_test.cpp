// What a device says about itself, and what the compiler is told of it, on a driver of our own.
#include <gtest/gtest.h>

#include <cstring>

#include "backends/opencl/platform.h"

namespace tg::testing {
namespace {

using namespace tg::opencl;

// A driver with one device, a graphics processor that says little.
struct OneDevice {
  static inline std::string extensions;
  static inline uint64_t half_config = 0;

  static Status platforms(uint32_t room, Platform** to, uint32_t* count) {
    if (room > 0) *to = reinterpret_cast<Platform*>(1);
    if (count != nullptr) *count = 1;
    return kSuccess;
  }
  static Status platform(Platform*, uint32_t, size_t, void*, size_t*) { return -1; }
  static Status devices(Platform*, uint64_t, uint32_t room, opencl::DeviceId** to,
                        uint32_t* count) {
    if (room > 0) *to = reinterpret_cast<opencl::DeviceId*>(2);
    if (count != nullptr) *count = 1;
    return kSuccess;
  }
  static Status device(opencl::DeviceId*, uint32_t what, size_t room, void* to, size_t* size) {
    if (what == 0x1030) {
      if (size != nullptr) *size = extensions.size() + 1;
      if (to != nullptr) std::memcpy(to, extensions.c_str(), extensions.size() + 1);
      return kSuccess;
    }
    uint64_t number = 0;
    if (what == 0x1000) number = 4;                                      // graphics
    if (what == 0x1026 || what == 0x1027 || what == 0x1028) number = 1;  // it works
    if (what == 0x1033) number = half_config;
    if (to == nullptr || number == 0) return -30;
    std::memcpy(to, &number, room);
    return kSuccess;
  }
  static DeviceInfo found(const std::string& names, uint64_t config) {
    extensions = names;
    half_config = config;
    Api a{};
    a.GetPlatformIDs = platforms;
    a.GetPlatformInfo = platform;
    a.GetDeviceIDs = devices;
    a.GetDeviceInfo = device;
    return find_devices(&a).at(0);
  }
};

TEST(OpenClFacts, HaveHalfWhereTheExtensionIsStrict) {
  const DeviceInfo strict = OneDevice::found("cl_khr_fp64 cl_khr_fp16 cl_khr_spir", 0x3f);
  EXPECT_TRUE(strict.has_half);
  EXPECT_TRUE(machine_of(strict, false).has_half);
  EXPECT_TRUE(OneDevice::found("cl_khr_fp16", 7).has_half);
}

TEST(OpenClFacts, HaveNoHalfThatFlushesOrCutsOff) {
  for (const uint64_t config : {0, 1, 6, 5, 3, 0x3e})
    EXPECT_FALSE(OneDevice::found("cl_khr_fp16", config).has_half) << config;
}

TEST(OpenClFacts, HaveNoHalfWithoutTheExtension) {
  for (const char* names : {"", "cl_khr_fp64", "cl_khr_fp16x", "xcl_khr_fp16"}) {
    const DeviceInfo info = OneDevice::found(names, 7);
    EXPECT_FALSE(info.has_half) << names;
    EXPECT_FALSE(machine_of(info, true).has_half);
  }
}

}  // namespace
}  // namespace tg::testing
