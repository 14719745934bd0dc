// Random graphs whose leaves are storage of a device, computed in one call, and their values.
#pragma once

#include <string>
#include <vector>

#include "engine/realize.h"
#include "runtime/buffer.h"
#include "support/random_graph.h"
#include "support/symbol.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg::test {

/// A BUFFER with these contents on `d`.
inline UOp device_leaf(Device& d, const TensorValue& v) {
  const std::vector<std::byte> bytes = v.to_bytes();
  Ref<Buffer> storage = make_ref<Buffer>(d, static_cast<int64_t>(bytes.size()));
  storage->copy_in(bytes.data(), storage->bytes());
  return buffer(v.shape, v.dtype, static_cast<DeviceId>(intern_symbol(d.name())), storage.get());
}

/// What a view of device storage holds now.
inline TensorValue device_value(const UOp& view) {
  BufferContents contents;
  for (const Node* n : toposort(view)) {
    if (n->op != Op::Buffer) continue;
    auto& storage = *static_cast<Buffer*>(n->resource);
    std::vector<std::byte> bytes(static_cast<size_t>(storage.bytes()));
    storage.copy_out(bytes.data(), storage.bytes());
    const Shape shape(n->shape().begin(), n->shape().end());
    contents.emplace(n, TensorValue::from_bytes(shape, n->dtype, bytes));
  }
  return evaluate(view, contents);
}

inline std::vector<TensorValue> realized_values(std::span<const UOp> roots) {
  std::vector<UOp> realized;
  realize(roots, realized);
  std::vector<TensorValue> out;
  for (const UOp& r : realized) out.push_back(device_value(r));
  return out;
}

}  // namespace tg::test
