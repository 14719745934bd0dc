// The base type of tinygrad_cpp.Tensor: it owns a handle, tells facts about the tensor, lends its
// memory by the buffer protocol. What can be computed with it are functions (function.cpp) that
// Python puts into the class; how data comes in: data.cpp.
#include <cstring>

#include "core.h"

namespace tg_python {
namespace {

TensorObject* cast(PyObject* object) { return reinterpret_cast<TensorObject*>(object); }

tg_function sizes_function = nullptr;
tg_function device_function = nullptr;

PyObject* fact(PyObject* self, tg_function* slot, const char* name) {
  const tg_value argument = tensor_value(handle_of(self));
  tg_value result{};
  if (!call_named(slot, name, &argument, 1, &result)) return nullptr;
  return from_value(&result);
}

bool info_of(PyObject* self, tg_tensor_info* info) {
  *info = tg_tensor_info{};
  info->struct_size = sizeof *info;
  return ok(tg_tensor_get_info(handle_of(self), info));
}

PyObject* get_shape(PyObject* self, void*) {
  PyObject* shape = fact(self, &sizes_function, "sizes");
  if (shape == nullptr || PyTuple_Check(shape)) return shape;
  PyObject* tuple = PyTuple_Pack(1, shape);  // one size came as a number
  Py_DECREF(shape);
  return tuple;
}
PyObject* get_max_shape(PyObject* self, void*) {
  std::vector<int64_t> shape;
  return plain_shape(handle_of(self), &shape) ? int_tuple(shape.data(), shape.size()) : nullptr;
}
PyObject* get_stored_dtype(PyObject* self, void*) {
  tg_tensor_info info;
  return info_of(self, &info) ? dtype_object(info.dtype) : nullptr;
}
PyObject* get_dtype(PyObject* self, void*) {
  tg_tensor_info info;
  if (!info_of(self, &info)) return nullptr;
  if (!cast(self)->is_weak || info.dtype == TG_DTYPE_BOOL) return dtype_object(info.dtype);
  return dtype_object(info.dtype >= TG_DTYPE_FP8E4M3 ? kWeakFloat : kWeakInt);
}
PyObject* get_ndim(PyObject* self, void*) {
  tg_tensor_info info;
  return info_of(self, &info) ? PyLong_FromLong(info.ndim) : nullptr;
}
PyObject* get_is_realized(PyObject* self, void*) {
  tg_tensor_info info;
  return info_of(self, &info) ? PyBool_FromLong(info.is_realized) : nullptr;
}
// None for constants, which live nowhere; of several devices a tuple.
PyObject* get_device(PyObject* self, void*) {
  PyObject* name = fact(self, &device_function, "device");
  if (name != nullptr && PyUnicode_Check(name) && PyUnicode_GetLength(name) == 0) {
    Py_DECREF(name);
    Py_RETURN_NONE;
  }
  if (name == nullptr || std::strchr(PyUnicode_AsUTF8(name), ',') == nullptr) return name;
  PyObject* comma = PyUnicode_FromString(",");
  PyObject* names = comma == nullptr ? nullptr : PyUnicode_Split(name, comma, -1);
  PyObject* tuple = names == nullptr ? nullptr : PyList_AsTuple(names);
  Py_XDECREF(names);
  Py_XDECREF(comma);
  Py_DECREF(name);
  return tuple;
}
PyObject* get_is_param(PyObject* self, void*) { return PyBool_FromLong(cast(self)->is_param); }
int set_is_param(PyObject* self, PyObject* flag, void*) {
  const int truth = flag == nullptr ? 0 : PyObject_IsTrue(flag);
  if (truth < 0) return -1;
  cast(self)->is_param = truth == 1;
  return 0;
}

PyGetSetDef getters[] = {
    {"shape", get_shape, nullptr, "sizes of the axes, expressions where they vary", nullptr},
    {"max_shape", get_max_shape, nullptr, "sizes of the axes, of variable ones the largest",
     nullptr},
    {"dtype", get_dtype, nullptr, "element type", nullptr},
    {"_stored_dtype", get_stored_dtype, nullptr, "that of its storage, where dtype is weak",
     nullptr},
    {"device", get_device, nullptr, "name of the device, of several a tuple; None for constants",
     nullptr},
    {"ndim", get_ndim, nullptr, "number of axes", nullptr},
    {"is_realized", get_is_realized, nullptr,
     "whether the value is storage, without a graph behind it", nullptr},
    {"_is_param", get_is_param, set_is_param, "whether optimisers change it", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET,
     static_cast<Py_ssize_t>(offsetof(TensorObject, weak_references)), READONLY, nullptr},
    {"_is_held", T_BOOL, static_cast<Py_ssize_t>(offsetof(TensorObject, is_held)), 0,
     "whether an optimiser changes it"},
    {"_is_weak", T_BOOL, static_cast<Py_ssize_t>(offsetof(TensorObject, is_weak)), 0,
     "whether it gives way to the dtypes that it meets"},
    {"_gradient_object", T_OBJECT, static_cast<Py_ssize_t>(offsetof(TensorObject, gradient)), 0,
     "what grad gave last"},
    {nullptr, 0, 0, 0, nullptr},
};

// ---- life

// The ring of all objects, in the order of their making; its head holds no tensor.
TensorObject* ring() {
  static TensorObject head = {};
  if (head.next == nullptr) head.next = head.previous = &head;
  return &head;
}

PyObject* new_object(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* object = type->tp_alloc(type, 0);
  if (object == nullptr) return nullptr;
  TensorObject* t = cast(object);
  t->is_param = true;
  t->next = ring();
  t->previous = ring()->previous;
  t->previous->next = t->next->previous = t;
  return object;
}

void free_object(PyObject* object) {
  TensorObject* t = cast(object);
  t->previous->next = t->next;
  t->next->previous = t->previous;
  if (t->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  if (t->handle != nullptr) tg_release(t->handle);
  Py_CLEAR(t->gradient);
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

// ---- buffer protocol: the tensor's own memory where the host reaches it, else a copy

struct View {
  std::vector<int64_t> shape;
  std::vector<Py_ssize_t> extents, strides;
  std::unique_ptr<std::byte[]> copy;
};

bool read_elements(tg_tensor t, const tg_tensor_info& info, View* view, void** data) {
  tg_status status = without_gil([&] { return tg_tensor_host_pointer(t, data); });
  if (!ok(status)) return false;
  if (*data != nullptr || info.numel == 0) return no_signal();
  const auto bytes = static_cast<size_t>(info.nbytes);
  view->copy = std::make_unique<std::byte[]>(bytes == 0 ? 1 : bytes);
  *data = view->copy.get();
  status = without_gil([&] { return tg_tensor_read(t, *data, bytes); });
  return ok(status) && no_signal();
}

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
  buffer->obj = nullptr;
  tg_tensor_info info;
  auto view = std::make_unique<View>();
  void* data = nullptr;
  if (!info_of(self, &info) || !plain_shape(handle_of(self), &view->shape) ||
      !read_elements(handle_of(self), info, view.get(), &data))
    return -1;
  const auto item = static_cast<Py_ssize_t>(element_size(info.dtype));
  view->extents.assign(view->shape.begin(), view->shape.end());
  view->strides.assign(view->extents.size(), item);
  for (size_t i = view->extents.size(); i-- > 1;)
    view->strides[i - 1] = view->strides[i] * view->extents[i];
  static std::byte nothing[16];
  const char* letter = format_letter(info.dtype);
  buffer->buf = data == nullptr ? nothing : data;
  buffer->len = static_cast<Py_ssize_t>(info.nbytes);
  buffer->itemsize = item;
  buffer->readonly = 0;
  buffer->ndim = info.ndim;
  // Consumers that ask for no format take bytes.
  const bool as_bytes = *letter == 0;
  buffer->format =
      (flags & PyBUF_FORMAT) == 0 ? nullptr : const_cast<char*>(as_bytes ? "B" : letter);
  if (as_bytes) {
    buffer->itemsize = 1;
    buffer->ndim = 1;
    view->extents.assign(1, buffer->len);
    view->strides.assign(1, 1);
  }
  buffer->shape = (flags & PyBUF_ND) == 0 ? nullptr : view->extents.data();
  buffer->strides = (flags & PyBUF_STRIDES) != PyBUF_STRIDES ? nullptr : view->strides.data();
  buffer->suboffsets = nullptr;
  buffer->internal = view.release();
  buffer->obj = Py_NewRef(self);
  return 0;
}

void release_buffer(PyObject*, Py_buffer* buffer) { delete static_cast<View*>(buffer->internal); }

Py_hash_t hash(PyObject* self) { return _Py_HashPointer(self); }

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_object)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free_object)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_getset, getters},
    {Py_tp_members, members},
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
    {0, nullptr},
};

PyType_Spec spec = {"tinygrad_cpp._core.Tensor", sizeof(TensorObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

bool add_tensor_type(PyObject* module) {
  registry.tensor_base = add_type(module, &spec, "Tensor");
  return registry.tensor_base != nullptr;
}

PyObject* new_tensor(tg_tensor handle) {
  auto* type = reinterpret_cast<PyTypeObject*>(registry.tensor_class);
  if (type == nullptr) type = registry.tensor_base;
  PyObject* object = new_object(type, nullptr, nullptr);
  if (object == nullptr)
    tg_release(handle);
  else
    cast(object)->handle = handle;
  return object;
}

PyObject* live_tensors(PyObject*, PyObject*) {
  PyObject* list = PyList_New(0);
  for (TensorObject* t = ring()->next; list != nullptr && t != ring(); t = t->next) {
    // An object that is on its way out has no references left.
    if (t->handle == nullptr || Py_REFCNT(t) == 0) continue;
    if (PyList_Append(list, reinterpret_cast<PyObject*>(t)) < 0) Py_CLEAR(list);
  }
  return list;
}

bool plain_shape(tg_tensor tensor, std::vector<int64_t>* shape) {
  size_t ndim = 0;
  shape->resize(8);
  if (!ok(tg_tensor_shape(tensor, shape->data(), shape->size(), &ndim))) return false;
  const bool more = ndim > shape->size();
  shape->resize(ndim);
  return !more || ok(tg_tensor_shape(tensor, shape->data(), ndim, &ndim));
}

}  // namespace tg_python
