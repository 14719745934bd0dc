// Tensors and their data: in, out, lent in both directions.
#include <cstring>
#include <unordered_set>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/values.h"
#include "tensor/state.h"
#include "tg/ir/walk.h"

using namespace tg;
using namespace tg::capi;

tg_status tg_tensor_from_data(const void* data, size_t bytes, tg_dtype dtype, const int64_t* shape,
                              size_t ndim, const char* device, tg_tensor* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_tensor_from_data";
    given(result, kName, "result");
    if (bytes > 0) given(data, kName, "data");
    const std::span elements(static_cast<const std::byte*>(data), bytes);
    *result = make_handle<tg_tensor>(Tensor::from_bytes(elements, shape_from_c(shape, ndim, kName),
                                                        dtype_from_c(dtype, kName),
                                                        {.device = text_or_empty(device)}));
  });
}

tg_status tg_tensor_wrap(void* data, size_t bytes, tg_dtype dtype, const int64_t* shape,
                         size_t ndim, tg_free_callback release, void* user, tg_tensor* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_tensor_wrap";
    const auto lender = std::make_shared<Lender>(release, user);
    given(result, kName, "result");
    const Shape sizes = shape_from_c(shape, ndim, kName);
    Tensor t = Tensor::from_memory(data, sizes, dtype_from_c(dtype, kName), [lender] {});
    if (static_cast<int64_t>(bytes) != t.nbytes())
      user_error<ShapeError>(
          kName, fmt::format("the shape takes {} bytes, the data has {}", t.nbytes(), bytes));
    *result = make_handle<tg_tensor>(std::move(t));
  });
}

tg_status tg_tensor_get_info(tg_tensor tensor, tg_tensor_info* info) {
  return guarded([&] {
    const auto t = object<Tensor>(tensor, "tg_tensor_get_info");
    tg_tensor_info out = {};
    out.dtype = static_cast<tg_dtype>(t.dtype());
    out.ndim = static_cast<int32_t>(t.ndim());
    out.numel = t.numel();
    out.nbytes = t.existing_elements() * t.element_size();
    out.is_realized = t.is_realized();
    out.is_param = t.is_param();
    fill(info, out, "tg_tensor_get_info");
  });
}

tg_status tg_tensor_shape(tg_tensor tensor, int64_t* shape, size_t capacity, size_t* ndim) {
  return guarded([&] {
    const Shape sizes = object<Tensor>(tensor, "tg_tensor_shape").shape();
    given(ndim, "tg_tensor_shape", "ndim");
    if (std::min(capacity, sizes.size()) > 0) given(shape, "tg_tensor_shape", "shape");
    std::copy_n(sizes.begin(), std::min(capacity, sizes.size()), shape);
    *ndim = sizes.size();
  });
}

tg_status tg_tensor_read(tg_tensor tensor, void* out, size_t bytes) {
  return guarded([&] {
    const auto t = object<Tensor>(tensor, "tg_tensor_read");
    if (bytes > 0) given(out, "tg_tensor_read", "out");
    t.copy_bytes({static_cast<std::byte*>(out), bytes});
  });
}

tg_status tg_tensor_host_pointer(tg_tensor tensor, void** data) {
  return guarded([&] {
    given(data, "tg_tensor_host_pointer", "data");
    *data = object<Tensor>(tensor, "tg_tensor_host_pointer").host_data();
  });
}

tg_status tg_tensor_alias(tg_tensor tensor, tg_tensor* result) {
  return guarded([&] {
    given(result, "tg_tensor_alias", "result");
    *result = make_handle<tg_tensor>(object<Tensor>(tensor, "tg_tensor_alias"));
  });
}

tg_status tg_tensor_replace(tg_tensor tensor, tg_tensor value) {
  return guarded([&] {
    const auto t = object<Tensor>(tensor, "tg_tensor_replace");
    const auto v = object<Tensor>(value, "tg_tensor_replace");
    if (t.state() == v.state()) return;
    t.state()->leave_aliases();
    t.state()->join_aliases(*v.state());
    t.state()->set_number(v.state()->number());
    t.state()->set_node(v.state()->node());
  });
}

tg_status tg_tensor_depends(tg_tensor value, const tg_tensor* on, size_t count, bool* depends) {
  return guarded([&] {
    constexpr const char* kName = "tg_tensor_depends";
    const UOp root = object<Tensor>(value, kName).state()->node();
    if (count == 0) return;
    given(on, kName, "on");
    given(depends, kName, "depends");
    std::vector<UOp> inputs;
    for (size_t i = 0; i < count; ++i)
      inputs.push_back(object<Tensor>(on[i], kName).state()->node());
    std::unordered_set<const Node*> ends;
    for (const UOp& input : inputs) ends.insert(input.node());
    const auto walked =
        toposort(std::span(&root, 1), [&](const Node* n) { return ends.contains(n); });
    const std::unordered_set<const Node*> reached(walked.begin(), walked.end());
    for (size_t i = 0; i < count; ++i) depends[i] = reached.contains(inputs[i].node());
  });
}

tg_status tg_tensor_same(tg_tensor a, tg_tensor b, bool* same) {
  return guarded([&] {
    given(same, "tg_tensor_same", "same");
    *same =
        object<Tensor>(a, "tg_tensor_same").state() == object<Tensor>(b, "tg_tensor_same").state();
  });
}
