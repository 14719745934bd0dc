// Each node without a device is rebuilt once for each device that asks for it, from leaves that
// state the device. See placement.h.
#include "engine/placement.h"

#include <algorithm>
#include <unordered_map>

#include "uop/walk.h"

namespace tg {
namespace {

class Placement {
 public:
  explicit Placement(DeviceId otherwise) : otherwise_(otherwise) {}

  std::vector<UOp> run(std::span<const UOp> roots) {
    const std::vector<const Node*> order = toposort(roots);
    const auto elsewhere = [this](const Node* n) {
      return n->device != 0 && n->device != otherwise_;
    };
    std::vector<DeviceId> devices;
    for (const Node* n : order) {
      if (elsewhere(n) && std::ranges::find(devices, n->device) == devices.end())
        devices.push_back(n->device);
    }
    if (devices.empty()) return {roots.begin(), roots.end()};
    for (const DeviceId d : devices) place_under(order, d);
    for (const Node* n : order) rebuild(n);
    std::vector<UOp> out;
    for (const UOp& r : roots) out.push_back(rebuilt_.at(r.node()));
    return out;
  }

 private:
  using Nodes = std::unordered_map<const Node*, UOp>;

  // What has no device and stands under a node of device `d`, from users to sources; then built.
  void place_under(const std::vector<const Node*>& order, DeviceId d) {
    std::unordered_map<const Node*, bool> wanted;
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      const bool asks = ((*n)->device == d && (*n)->op != Op::Copy) || wanted.contains(*n);
      if (!asks) continue;
      for (const Node* s : (*n)->src()) {
        if (s->device == 0 && !is_size(s)) wanted.emplace(s, true);
      }
    }
    Nodes& there = on_[d];
    for (const Node* n : order) {
      if (!wanted.contains(n)) continue;
      if (n->n_src == 0) {
        there.emplace(n, make(n->op, {}, n->arg(), n->dtype, d));
        continue;
      }
      std::vector<UOp> src;
      for (const Node* s : n->src()) {
        const auto it = there.find(s);
        src.push_back(it == there.end() ? UOp::share(s) : it->second);
      }
      const UOp placed = with_sources(UOp::share(n), src);
      // Made of variables alone: stored where it has no other place, and copied.
      const bool kept = n->op == Op::Contiguous || n->op == Op::Scatter;
      there.emplace(n, kept && placed.device() == 0 ? copy_to(placed, d) : placed);
    }
  }

  // Sizes and variables are arguments of kernels on any device.
  static bool is_size(const Node* n) { return n->dtype == DType::Index && n->n_dim == 0; }

  void rebuild(const Node* n) {
    const auto of_device = n->op == Op::Copy ? on_.end() : on_.find(n->device);
    std::vector<UOp> src;
    for (const Node* s : n->src()) {
      src.push_back(rebuilt_.at(s));
      if (s->device != 0 || of_device == on_.end()) continue;
      const auto it = of_device->second.find(s);
      if (it != of_device->second.end()) src.back() = it->second;
    }
    rebuilt_.emplace(n, with_sources(UOp::share(n), src));
  }

  const DeviceId otherwise_;
  std::unordered_map<DeviceId, Nodes> on_;  // nodes without a device, as they are on each
  Nodes rebuilt_;
};

}  // namespace

std::vector<UOp> placed(std::span<const UOp> roots, DeviceId otherwise) {
  return Placement(otherwise).run(roots);
}

}  // namespace tg
