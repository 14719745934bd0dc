// An engine for the tests of this layer while they are built without src/engine: the tensor
// evaluator computes the values.
#include <unordered_map>

#include "engine/realize.h"
#include "runtime/buffer.h"
#include "support/symbol.h"
#include "tensor/state.h"
#include "uop/evaluate_tensor.h"
#include "uop/shape.h"
#include "uop/walk.h"

namespace tg {
namespace {

Buffer& storage_of(const Node* buffer) { return *static_cast<Buffer*>(buffer->resource); }

UOp buffer_under(UOp u) {
  while (u.is(Op::After)) u = u.src(0);
  return u;
}

BufferContents contents_of(std::span<const Node* const> order) {
  BufferContents out;
  for (const Node* n : order) {
    if (n->op != Op::Buffer) continue;
    std::vector<std::byte> bytes(static_cast<size_t>(storage_of(n).bytes()));
    if (!bytes.empty()) storage_of(n).copy_out(bytes.data(), storage_of(n).bytes());
    out.emplace(n,
                TensorValue::from_bytes({n->shape().begin(), n->shape().end()}, n->dtype, bytes));
  }
  return out;
}

void write(const UOp& buffer, const TensorValue& value) {
  const auto bytes = value.to_bytes();
  if (!bytes.empty()) {
    storage_of(buffer.node()).copy_in(bytes.data(), static_cast<int64_t>(bytes.size()));
  }
}

UOp fresh(const TensorValue& value, const UOp& like) {
  const std::string name = like.device() == 0 ? default_device() : symbol_name(like.device());
  auto storage = make_ref<Buffer>(device(name), numel(value.shape) * dtype_size(value.dtype));
  UOp b =
      buffer(value.shape, value.dtype, static_cast<DeviceId>(intern_symbol(name)), storage.get());
  write(b, value);
  return b;
}

}  // namespace

void realize(std::span<const UOp> roots, std::vector<UOp>& realized) {
  const std::vector<UOp> wanted(roots.begin(), roots.end());
  const auto order = toposort(wanted);
  std::vector<UOp> versions;  // every executed version of a storage, oldest first
  for (const Node* n : order) {
    if (n->op == Op::After) versions.push_back(UOp::share(n));
  }
  std::vector<UOp> all = wanted;
  all.insert(all.end(), versions.begin(), versions.end());
  const auto values = evaluate(all, contents_of(order));
  realized.clear();
  for (size_t i = 0; i < wanted.size(); ++i) {
    UOp base = storage_under(wanted[i]);
    realized.push_back(base ? rebase(wanted[i], buffer_under(base)) : fresh(values[i], wanted[i]));
  }
  for (size_t i = 0; i < versions.size(); ++i)
    write(buffer_under(versions[i]), values[wanted.size() + i]);
}

}  // namespace tg
