// Tensors and memory of the host without a copy between them: memory of others as a tensor, and the
// address of a tensor's elements.
#include "runtime/buffer.h"
#include "runtime/device.h"
#include "tensor/ops.h"
#include "tensor/storage.h"
#include "tensor/symbolic.h"
#include "uop/devices.h"
#include "uop/limits.h"

namespace tg {

using namespace ops_detail;

Tensor Tensor::from_memory(void* data, const Shape& shape, DType dtype,
                           std::function<void()> release) {
  constexpr std::string_view kName = "from_memory";
  check_sizes(kName, shape);
  const int64_t element = dtype_size(storable(kName, dtype));
  const int64_t bytes = saturating_mul(tg::numel(shape), element);
  if (data == nullptr && bytes > 0)
    user_error<ArgumentError>(kName, fmt::format("no memory for a shape {}", text(shape)));
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(element) != 0)
    user_error<ArgumentError>(kName, fmt::format("the address must be a multiple of {} bytes for "
                                                 "{}, not {}",
                                                 element, dtype_name(dtype), fmt::ptr(data)));
  Device& host = reference_device();
  if (!release) release = [] {};
  const auto storage = make_ref<Buffer>(host, data, bytes, std::move(release));
  const auto id = device_id(host.name());
  return Tensor(make_state(buffer(shape, dtype, id, storage.get())));
}

void* Tensor::host_data() const {
  node_of(*this, "host_data");
  realize();
  UOp at = node_of(*this, "host_data");
  while (at.is(Op::Reshape) || at.is(Op::Detach)) at = at.src(0);
  if (!at.is(Op::Buffer) || !has_plain_sizes(state_->node())) return nullptr;
  auto* const storage = static_cast<Buffer*>(at.node()->resource);
  if (!storage->parts().empty()) return nullptr;
  Device& where = storage->device();
  if (!where.allocator().host_visible()) return nullptr;
  where.synchronize();
  return storage->data();
}

}  // namespace tg
