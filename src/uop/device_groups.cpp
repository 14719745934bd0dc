// The table of groups, which only grows. See device_groups.h.
#include "uop/device_groups.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "tg/ir/walk.h"
#include "uop/devices.h"

namespace tg {
namespace {

// Members stay where they are once they are known, so spans of them outlive the lock.
struct Groups {
  std::mutex lock;
  std::unordered_map<DeviceId, std::unique_ptr<const std::vector<DeviceId>>> members;
};
Groups& groups() {
  static auto* g = new Groups;
  return *g;
}
std::atomic<bool> any_groups{false};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

}  // namespace

std::vector<std::string> split_devices(std::string_view names) {
  std::vector<std::string> out;
  while (true) {
    const size_t end = names.find(kDeviceSeparator);
    out.emplace_back(trimmed(names.substr(0, end)));
    if (end == std::string_view::npos) return out;
    names.remove_prefix(end + 1);
  }
}

std::span<const DeviceId> members_of(DeviceId device) {
  if (device == 0 || !any_groups.load(std::memory_order_acquire)) return {};
  Groups& g = groups();
  std::lock_guard guard(g.lock);
  const auto found = g.members.find(device);
  return found == g.members.end() ? std::span<const DeviceId>() : *found->second;
}

void note_group(DeviceId device, std::string_view name) {
  if (name.find(kDeviceSeparator) == std::string_view::npos) return;
  std::vector<DeviceId> members;
  for (const std::string& member : split_devices(name)) members.push_back(device_id(member));
  Groups& g = groups();
  std::lock_guard guard(g.lock);
  g.members.try_emplace(device, std::make_unique<const std::vector<DeviceId>>(std::move(members)));
  any_groups.store(true, std::memory_order_release);
}

bool reaches_groups(std::span<const UOp> roots) {
  if (!any_groups.load(std::memory_order_acquire)) return false;
  DeviceId last = 0;  // most neighbours live at one place
  for (const Node* n : toposort(roots)) {
    if (n->device == last) continue;
    if (is_group(n->device)) return true;
    last = n->device;
  }
  return false;
}

}  // namespace tg
