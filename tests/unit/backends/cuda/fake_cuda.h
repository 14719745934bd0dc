// A driver and a compiler that are a shared object of our own: memory is the host's, everything
// runs at once, launches are recorded, and any call can be made to fail. Tests open it by path and
// set its state; the backend cannot tell.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tg::testing {

struct FakeCudaLaunch {
  std::string kernel;
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t shared_bytes = 0;
  std::vector<uint64_t> arguments;  // all have eight bytes
};

struct FakeCuda {
  // ---- what it pretends to be
  int driver_version = 13000, nvrtc_version = 13000;
  std::vector<std::string> devices = {"Fake A100", "Fake H100"};
  std::map<int, int> attributes = {{75, 8}, {76, 0}, {16, 4}, {1, 1024}, {97, 166912}};
  int64_t memory_bytes = int64_t{1} << 30;
  float elapsed_milliseconds = 0;  // between any two events

  // ---- faults: by name of the call, how often it fails, and with which status
  struct Fault {
    int times = 0;
    int status = 0;
    int after = 0;  // calls that succeed before
  };
  std::map<std::string, Fault> faults;
  int lost = 0;  // status of every further call on the device

  // ---- what was done
  std::mutex lock;
  std::map<uint64_t, int64_t> blocks;  // of the device
  std::map<uint64_t, int64_t> pinned;  // of the host
  std::map<std::string, int> calls;
  std::vector<std::string> order;  // of the calls that are counted
  int unpinned_copies = 0;
  int64_t held = 0;
  std::set<void*> modules, streams, events, graphs, graph_execs;
  std::vector<FakeCudaLaunch> launches;
  std::vector<std::string> options;  // of the last compilation
  std::function<void(const FakeCudaLaunch&)> on_launch;

  void reset() {
    devices = {"Fake A100", "Fake H100"};
    attributes = {{75, 8}, {76, 0}, {16, 4}, {1, 1024}, {97, 166912}};
    driver_version = nvrtc_version = 13000;
    memory_bytes = int64_t{1} << 30;
    faults.clear();
    calls.clear();
    order.clear();
    launches.clear();
    lost = unpinned_copies = 0;
    on_launch = nullptr;
  }
};

}  // namespace tg::testing
