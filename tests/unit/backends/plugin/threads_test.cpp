// Many threads load the same plug-ins and use them at once.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "plugin_test_util.h"

namespace tg {
namespace {

constexpr int kThreads = 8;

TEST(PluginThreads, LoadAFileOnceAndOpenItsDeviceOnce) {
  std::vector<std::string> names(kThreads);
  std::vector<Device*> devices(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      names[i] = load_backend(test::plugin_path("cc_backend_A"));
      devices[i] = &device(names[i]);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), std::set<std::string>{"CC_A"});
  EXPECT_EQ(std::set<Device*>(devices.begin(), devices.end()).size(), 1u);
}

TEST(PluginThreads, ComputeWhileOthersLoad) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const std::string name =
          load_backend(test::plugin_path(i % 2 ? "cc_backend_A" : "cc_backend_B"));
      for (int k = 1; k <= 5; ++k) {
        const Tensor x(std::vector<float>(static_cast<size_t>(10 * k), 2.0f), {.device = name});
        if ((x * (i + 1)).sum().item<float>() != static_cast<float>(20 * k * (i + 1))) ++wrong;
        for (const Backend* b : backends()) wrong += b->name.empty();
      }
      EXPECT_THROW(load_backend(test::plugin_path("faulty_RETURNS_NULL")), DeviceError);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tg
