// See spread.h.
#include "engine/spread.h"

#include <algorithm>

#include "support/check.h"
#include "uop/device_groups.h"
#include "uop/join.h"

namespace tg {
namespace {

bool is_even(const UOp& x, int axis, size_t count) {
  return x.dim(axis) % static_cast<Dim>(count) == 0;
}

// The member of which `device` can have the whole value for nothing, or some other: each a
// different one, so that one link does not carry all.
const UOp& nearest(const Spread& x, DeviceId device, size_t k) {
  for (const UOp& p : x.parts) {
    if (p.device() == device || p.device() == 0) return p;
  }
  return x.parts[k % x.parts.size()];
}

// What lives nowhere is spelt where it is read.
UOp carried(const UOp& x, DeviceId device) { return x.device() == 0 ? x : copy_to(x, device); }

}  // namespace

UOp piece_of(const UOp& x, int axis, size_t k, size_t count) {
  if (axis == kWhole) return x;
  TG_CHECK(is_even(x, axis, count), "{} pieces along axis {}", count, axis);
  const Dim size = x.dim(axis) / static_cast<Dim>(count);
  return shrink_axis(x, axis, static_cast<Dim>(k) * size, size);
}

Spread spread(const UOp& x, DeviceId group, int axis) {
  const auto members = members_of(group);
  Spread out{group, axis, {}};
  for (size_t k = 0; k < members.size(); ++k)
    out.parts.push_back(carried(piece_of(x, axis, k, members.size()), members[k]));
  return out;
}

Spread moved_to(const Spread& x, DeviceId group, int axis) {
  const auto members = members_of(group);
  if (x.group == group && x.axis == axis) return x;
  Spread out{group, axis, {}};
  const bool same_pieces = x.axis == axis && x.parts.size() == members.size();
  for (size_t k = 0; k < members.size(); ++k) {
    const DeviceId here = members[k];
    if (x.axis == kWhole) {
      out.parts.push_back(carried(piece_of(nearest(x, here, k), axis, k, members.size()), here));
    } else if (same_pieces) {
      out.parts.push_back(carried(x.parts[k], here));
    } else if (x.axis == axis) {
      const Dim all = x.parts[0].dim(axis) * static_cast<Dim>(x.parts.size());
      const Dim size = all / static_cast<Dim>(members.size());
      out.parts.push_back(window_of(x, static_cast<Dim>(k) * size, size, {}, here));
    } else {
      std::vector<UOp> pieces;
      for (const UOp& p : x.parts)
        pieces.push_back(carried(piece_of(p, axis, k, members.size()), here));
      out.parts.push_back(joined(pieces, x.axis));
    }
  }
  return out;
}

UOp collected(const Spread& x, DeviceId device) {
  if (x.axis == kWhole) return carried(nearest(x, device, 0), device);
  std::vector<UOp> pieces;
  for (const UOp& p : x.parts) pieces.push_back(carried(p, device));
  return joined(pieces, x.axis);
}

UOp window_of(const Spread& x, Dim begin, Dim length, const Scalar& fill, DeviceId device) {
  const Dim size = x.parts[0].dim(x.axis), all = size * static_cast<Dim>(x.parts.size());
  const Dim first = std::clamp<Dim>(begin, 0, all),
            last = std::clamp<Dim>(begin + length, first, all);
  std::vector<UOp> pieces;
  for (size_t k = 0; k < x.parts.size(); ++k) {
    const Dim start = static_cast<Dim>(k) * size;
    const Dim from = std::max(first, start), to = std::min(last, start + size);
    if (from >= to) continue;
    pieces.push_back(carried(shrink_axis(x.parts[k], x.axis, from - start, to - from), device));
  }
  std::vector<int64_t> border(2 * x.parts[0].shape().size(), 0);
  const auto a = static_cast<size_t>(x.axis);
  if (pieces.empty()) {
    Shape shape = x.parts[0].shape_vec();
    shape[a] = length;
    return full(shape, fill);
  }
  border[2 * a] = first - begin;
  border[2 * a + 1] = begin + length - last;
  return pad(joined(pieces, x.axis), border, fill);
}

}  // namespace tg
