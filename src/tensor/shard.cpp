// Tensors on several devices: getting there, and how they lie. What becomes of their graphs:
// src/engine/partition.h.
#include "engine/sharding.h"
#include "support/symbol.h"
#include "tensor/ops.h"
#include "tensor/storage.h"
#include "uop/device_groups.h"

namespace tg {
namespace ops_detail {

UOp lying_like(const UOp& x, const UOp& like) {
  const int axis = tg::shard_axis(like);
  return axis == kWhole ? x : copy_to(x, like.device(), axis);
}

}  // namespace ops_detail

namespace {

using namespace ops_detail;

constexpr std::string_view kShard = "shard";

void check_pieces(const UOp& x, int axis, size_t count) {
  need_plain_axis(kShard, x, axis);
  if (x.dim(axis) % static_cast<Dim>(count) == 0) return;
  user_error<ShapeError>(kShard,
                         fmt::format("axis {} of shape {} cannot be split into {} equal parts",
                                     axis, text(x.shape()), count),
                         "Hint: pad it, or leave the axis out to have all of it on each device.");
}

UOp sharded(const UOp& x, DeviceId id, std::optional<int64_t> axis) {
  const int along = axis ? axis_of(kShard, *axis, x.shape()) : kWhole;
  const size_t count = members_of(id).size();
  if (count == 0) return copy_to(x, id);
  if (is_group(x.device())) {
    if (x.device() == id && tg::shard_axis(x) == along) return x;
    user_error<DeviceError>(kShard,
                            fmt::format("a value of shape {} is on several devices already: {}",
                                        text(x.shape()), symbol_name(x.device())),
                            "Hint: bring it to one device with to() first.");
  }
  if (along == kWhole) return copy_to(x, id);
  check_pieces(x, along, count);
  return copy_to(x, id, along);
}

}  // namespace

std::optional<int64_t> Tensor::shard_axis() const {
  const int axis = tg::shard_axis(state_->node());
  return axis == kWhole ? std::optional<int64_t>() : axis;
}

Tensor Tensor::shard(const std::string& devices, std::optional<int64_t> axis) const {
  const UOp x = node_of(*this, kShard);
  const DeviceId id = asked_device(devices);
  if (id == 0) user_error<ArgumentError>(kShard, "no device is named");
  if (state_->is_number()) return *this;
  const UOp there = sharded(x, id, axis);
  return there == x ? *this : wrap(there);
}

const Tensor& Tensor::shard_(const std::string& devices, std::optional<int64_t> axis) const {
  const UOp before = node_of(*this, "shard_");
  const UOp there = shard(devices, axis).state()->node();
  if (there == before) return *this;
  state_->leave_aliases();
  state_->set_number({});
  // What was storage stays some: gradients end at it, and optimisers write to it.
  const bool stores = storage_under(before) || is_param();
  state_->set_node(!stores ? there
                           : stored(is_float(there.dtype()) ? tg::detach(there) : there, ""));
  state_->set_assigned_here();
  return *this;
}

Tensor Tensor::shard_like(const Tensor& like) const {
  const std::string devices = like.device();
  return devices.empty() ? *this : shard(devices, like.shard_axis());
}

}  // namespace tg
