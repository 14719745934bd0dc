// Memory that Python and the library share: tensors on the memory of buffers and addresses, and
// DLPack in both directions, of version 1 and before (numpy.from_dlpack, torch.from_dlpack, ...).
#include <cstring>

#include "core.h"

// DLPack's structures (dlpack.h 1.0); the names and the layout are those of the standard.
struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
};

namespace tg_python {
namespace {

constexpr char kVersioned[] = "dltensor_versioned";
constexpr char kUsedVersioned[] = "used_dltensor_versioned";
constexpr char kOld[] = "dltensor";
constexpr char kUsedOld[] = "used_dltensor";

// A capsule that nobody took still owns its tensor.
void free_versioned(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kVersioned) == 0) return;
  auto* managed = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, kVersioned));
  if (managed->deleter != nullptr) managed->deleter(managed);
}
void free_old(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kOld) == 0) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kOld));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

// The same memory for consumers from before version 1.
DLManagedTensor* without_version(DLManagedTensorVersioned* inner) {
  auto* outer = new DLManagedTensor;
  outer->dl_tensor = inner->dl_tensor;
  outer->manager_ctx = inner;
  outer->deleter = [](DLManagedTensor* self) {
    auto* inner_again = static_cast<DLManagedTensorVersioned*>(self->manager_ctx);
    if (inner_again->deleter != nullptr) inner_again->deleter(inner_again);
    delete self;
  };
  return outer;
}

// to_dlpack(tensor, versioned) → capsule
PyObject* to_dlpack(PyObject*, PyObject* args) {
  PyObject* tensor = nullptr;
  int versioned = 0;
  if (PyArg_ParseTuple(args, "O!p", registry.tensor_base, &tensor, &versioned) == 0) return nullptr;
  DLManagedTensorVersioned* managed = nullptr;
  const tg_tensor handle = handle_of(tensor);
  if (!ok(without_gil([&] { return tg_tensor_to_dlpack(handle, &managed); }))) return nullptr;
  if (versioned != 0) return PyCapsule_New(managed, kVersioned, free_versioned);
  return PyCapsule_New(without_version(managed), kOld, free_old);
}

// from_dlpack(capsule) → tensor
PyObject* from_dlpack(PyObject*, PyObject* capsule) {
  tg_tensor handle = nullptr;
  if (PyCapsule_IsValid(capsule, kVersioned) != 0) {
    auto* managed =
        static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, kVersioned));
    if (!ok(tg_tensor_from_dlpack(managed, &handle))) return nullptr;
    PyCapsule_SetName(capsule, kUsedVersioned);
  } else if (PyCapsule_IsValid(capsule, kOld) != 0) {
    auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kOld));
    if (!ok(tg_tensor_from_dlpack_unversioned(managed, &handle))) return nullptr;
    PyCapsule_SetName(capsule, kUsedOld);
  } else {
    PyErr_SetString(PyExc_TypeError, "from_dlpack: expected a DLPack capsule that is not used yet");
    return nullptr;
  }
  return new_tensor(handle);
}

// ---- lent memory

// The library may call this from any thread.
void give_back(void* user) {
  auto* object = static_cast<PyObject*>(user);
  if (object != nullptr) drop_reference(object);
}

// wrap(address, bytes, dtype, shape, owner): a tensor on the memory; the owner lives as long.
PyObject* wrap(PyObject*, PyObject* args) {
  unsigned long long address = 0;
  unsigned long long bytes = 0;
  PyObject *dtype = nullptr, *shape_object = nullptr, *owner = nullptr;
  if (PyArg_ParseTuple(args, "KKOOO", &address, &bytes, &dtype, &shape_object, &owner) == 0)
    return nullptr;
  tg_dtype code{};
  std::vector<int64_t> shape;
  if (!to_dtype(dtype, &code) || !to_shape(shape_object, &shape)) return nullptr;
  Py_INCREF(owner);
  tg_tensor handle = nullptr;
  // On failure, too, the library gives the owner back.
  const tg_status status =
      tg_tensor_wrap(reinterpret_cast<void*>(static_cast<uintptr_t>(address)), bytes, code,
                     shape.data(), shape.size(), give_back, owner, &handle);
  return ok(status) ? new_tensor(handle) : nullptr;
}

// address_of(buffer) → (address, bytes): of an object that is contiguous and writable.
PyObject* address_of(PyObject*, PyObject* object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0) return nullptr;
  PyObject* result =
      Py_BuildValue("KK", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(view.buf)),
                    static_cast<unsigned long long>(view.len));
  PyBuffer_Release(&view);
  return result;
}

}  // namespace

PyMethodDef exchange_methods[] = {
    {"to_dlpack", to_dlpack, METH_VARARGS, "the tensor as a DLPack capsule"},
    {"from_dlpack", from_dlpack, METH_O, "a tensor on the memory of a DLPack capsule"},
    {"wrap", wrap, METH_VARARGS, "a tensor on memory that an object owns"},
    {"address_of", address_of, METH_O, "address and size of an object's memory"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace tg_python
