// Sources before users, one node after the other. See partition.h.
#include "engine/partition.h"

#include <algorithm>
#include <array>

#include "engine/all_reduce.h"
#include "engine/move_parts.h"
#include "engine/plan.h"
#include "runtime/buffer.h"
#include "support/check.h"
#include "support/options.h"
#include "tg/ir/walk.h"
#include "uop/device_groups.h"
#include "uop/shape.h"

namespace tg {

Partition::Partition(std::span<const UOp> roots) {
  for (const Node* n : toposort(roots)) build(n);
}

const UOp& Partition::single(const Node* n) const { return single_.at(n); }
const Spread& Partition::parts(const Node* n) const { return parts_.at(n); }

UOp Partition::whole_of(const Node* part) const {
  const auto found = whole_.find(part);
  return found == whole_.end() ? UOp() : found->second;
}

int Partition::axis(const Node* n) const {
  const auto found = parts_.find(n);
  return found == parts_.end() ? kWhole : found->second.axis;
}

void Partition::build(const Node* n) {
  if (!is_group(n->device)) {
    single_.emplace(n, rebuilt(n));
  } else if (n->op != Op::Store) {  // it stands in the AFTER above it
    parts_.emplace(n, taken_apart(n));
  }
}

UOp Partition::rebuilt(const Node* n) const {
  if (n->op == Op::Copy && is_group(n->src()[0]->device))
    return collected(parts_.at(n->src()[0]), n->device);
  std::vector<UOp> src;
  for (const Node* s : n->src()) src.push_back(single_.at(s));
  return with_sources(UOp::share(n), src);
}

Spread Partition::taken_apart(const Node* n) {
  switch (n->op) {
    case Op::Buffer:
      return storage(n);
    case Op::Copy:
      return copied_to_group(n);
    case Op::After:
      return written(n);
    case Op::WithGradient:
      return operand(n->src()[0], n->device, axis(n->src()[0]));
    case Op::Const:
    case Op::Iota: {
      Spread out{n->device, kWhole, {}};
      for (const DeviceId d : members_of(n->device))
        out.parts.push_back(make(n->op, {}, n->arg(), n->dtype, d));
      return out;
    }
    default:
      return computed(n);
  }
}

// A part has the number of the whole: both are the same version of the contents.
Spread Partition::storage(const Node* n) {
  const auto* const buffer = static_cast<const Buffer*>(n->resource);
  const auto members = members_of(n->device);
  TG_CHECK(buffer != nullptr && buffer->parts().size() == members.size(),
           "storage on {} devices without its parts", members.size());
  std::vector<int64_t> arg(n->arg().begin(), n->arg().end());
  if (buffer->axis() != kWhole)
    arg[static_cast<size_t>(buffer->axis()) + 1] /= static_cast<Dim>(members.size());
  Spread out{n->device, buffer->axis(), {}};
  for (size_t k = 0; k < members.size(); ++k) {
    out.parts.push_back(UOp::adopt(intern({.op = Op::Buffer,
                                           .dtype = n->dtype,
                                           .src = {},
                                           .arg = arg,
                                           .device = members[k],
                                           .resource = buffer->parts()[k].get()})));
    whole_.emplace(out.parts.back().node(), UOp::share(n));
  }
  return out;
}

Spread Partition::operand(const Node* source, DeviceId group, int axis) const {
  if (is_group(source->device)) return moved_to(parts_.at(source), group, axis);
  return spread(single_.at(source), group, axis);
}

Spread Partition::copied_to_group(const Node* n) const {
  const auto axes = [this](const Node* s) { return axis(s); };
  return operand(n->src()[0], n->device, axis_of(n, axes));
}

namespace {

// The dtype in which terms of a reduction travel.
DType wire_of(const Node* n) {
  const Node* summand = n->src()[0];
  if (!options().allreduce_cast || n->op != Op::Reduce || summand->op != Op::Cast) return n->dtype;
  const DType narrow = summand->src()[0]->dtype;
  return narrow == DType::Float16 || narrow == DType::BFloat16 ? narrow : n->dtype;
}

}  // namespace

Spread Partition::computed(const Node* n) const {
  const auto axes = [this](const Node* s) { return axis(s); };
  if (in_group(n->op, kMovement))
    return moved_parts(n, operand(n->src()[0], n->device, axis(n->src()[0])));
  const int after = axis_of(n, axes), summed = summed_axis(n, axes);
  const bool scatters = n->op == Op::Scatter, gathers = n->op == Op::Gather;
  std::vector<Spread> src;
  for (size_t i = 0; i < n->n_src; ++i) {
    int here = after;
    if (n->op == Op::Reduce) here = axis(n->src()[0]);
    if (gathers && i == 0 && after == n->arg()[0]) here = kWhole;
    if (scatters && summed != kWhole) here = i == 0 ? kWhole : summed;
    src.push_back(operand(n->src()[i], n->device, here));
  }
  const bool adds_aside = scatters && summed != kWhole;
  Spread out{n->device, after, {}};
  std::vector<UOp> sources(n->n_src);
  for (size_t k = 0; k < members_of(n->device).size(); ++k) {
    for (size_t i = 0; i < n->n_src; ++i) sources[i] = src[i].parts[k];
    if (adds_aside) sources[0] = full(sources[0].shape_vec(), Scalar::of_int(0, n->dtype));
    out.parts.push_back(make(n->op, sources, n->arg(), n->dtype));
  }
  if (summed == kWhole) return out;
  const auto op = n->op == Op::Reduce ? static_cast<ReduceOp>(n->arg()[0]) : ReduceOp::Add;
  out = all_reduced(out, op, wire_of(n));
  for (size_t k = 0; adds_aside && k < out.parts.size(); ++k)
    out.parts[k] = src[0].parts[k] + out.parts[k];
  return out;
}

namespace {

// The movement ops from a view down to what it is a view of, the lowest first.
std::vector<const Node*> chain_above(const Node* base, const Node* view) {
  std::vector<const Node*> out;
  for (const Node* n = view; n != base; n = n->src()[0]) out.push_back(n);
  std::ranges::reverse(out);
  return out;
}

UOp rebased(std::span<const Node* const> chain, UOp base) {
  for (const Node* n : chain) {
    std::vector<UOp> src = {base};
    for (const Node* s : n->src().subspan(1)) src.push_back(UOp::share(s));
    base = with_sources(UOp::share(n), src);
  }
  return base;
}

// Storage of a whole value on one device, for the length of a run.
UOp scratch_like(const Node* whole, DeviceId device) {
  const Shape shape(whole->shape().begin(), whole->shape().end());
  Device& home = device_of(device);
  const auto storage = make_ref<Buffer>(home, numel(shape) * dtype_size(whole->dtype));
  return buffer(shape, whole->dtype, device, storage.get());
}

}  // namespace

Spread Partition::written(const Node* n) const {
  Spread out = parts_.at(n->src()[0]);
  for (const Node* effect : n->src().subspan(1)) {
    TG_CHECK(effect->op == Op::Store, "{} writes to several devices", op_name(effect->op));
    out = after_store(n->src()[0], effect, out);
  }
  return out;
}

// Views that stay within parts are written on each. Others name elements of several: each member
// writes into the whole value, and keeps its part of that.
Spread Partition::after_store(const Node* base, const Node* store, const Spread& before) const {
  const Node *view = store->src()[0], *value = store->src()[1];
  const auto chain = chain_above(base, view);
  Spread target = before;
  bool within = true;
  for (const Node* n : chain) {
    if (!within) break;
    const int axis_before = target.axis;
    if (n->op == Op::Detach) continue;
    const auto of = [&](const Node* s) { return s == n->src()[0] ? axis_before : kWhole; };
    within = moves_within_parts(n, axis_before, axis_of(n, of));
    if (within) target = moved_parts(n, target);
  }
  Spread out{before.group, before.axis, {}};
  const Spread values = operand(value, before.group, within ? target.axis : kWhole);
  const Spread whole = within ? Spread{} : moved_to(before, before.group, kWhole);
  for (size_t k = 0; k < before.parts.size(); ++k) {
    const UOp& part = before.parts[k];
    if (within) {
      out.parts.push_back(after(part, {{tg::store(target.parts[k], values.parts[k])}}));
      continue;
    }
    const UOp scratch = scratch_like(base, part.device());
    const UOp filled = after(scratch, {{tg::store(scratch, whole.parts[k])}});
    const UOp changed = after(filled, {{tg::store(rebased(chain, filled), values.parts[k])}});
    const UOp mine = piece_of(changed, before.axis, k, before.parts.size());
    out.parts.push_back(after(part, {{tg::store(part, mine)}}));
  }
  return out;
}

}  // namespace tg
