// Data on its way into tensors and out of them: numbers, nested lists, objects with the buffer
// protocol (NumPy arrays, bytes, arrays), and back as bytes. All are copies; sharing memory is in
// exchange.cpp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core.h"
#include "tg/c/tg_ops.h"

namespace tg_python {
namespace {

constexpr int kMaxDepth = 32;

// ---- nested lists

enum class Leaf { None, Bool, Int, Float };

// Sizes, from the first elements of each level; what the leaves are, from all.
struct Nest {
  std::vector<int64_t> shape;
  Leaf leaf = Leaf::None;
  std::vector<PyObject*> leaves;  // borrowed from the lists
};

bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

Leaf leaf_of(PyObject* object) {
  if (PyBool_Check(object)) return Leaf::Bool;
  if (PyLong_Check(object)) return Leaf::Int;
  if (PyFloat_Check(object)) return Leaf::Float;
  if (PyIndex_Check(object) != 0) return Leaf::Int;
  return Py_TYPE(object)->tp_as_number != nullptr &&
                 Py_TYPE(object)->tp_as_number->nb_float != nullptr
             ? Leaf::Float
             : Leaf::None;
}

bool add_leaf(PyObject* object, Nest* nest) {
  const Leaf leaf = leaf_of(object);
  if (leaf == Leaf::None) {
    PyErr_Format(PyExc_TypeError, "Tensor: an element is a %s: expected numbers",
                 Py_TYPE(object)->tp_name);
    return false;
  }
  if (leaf > nest->leaf) nest->leaf = leaf;
  nest->leaves.push_back(object);
  return true;
}

bool collect(PyObject* object, size_t depth, Nest* nest) {
  if (depth == nest->shape.size()) {
    if (!is_list(object)) return add_leaf(object, nest);
    PyErr_SetString(PyExc_ValueError, "Tensor: inhomogeneous shape: lists and numbers are mixed");
    return false;
  }
  if (!is_list(object) || PySequence_Fast_GET_SIZE(object) != nest->shape[depth]) {
    PyErr_Format(PyExc_ValueError,
                 "Tensor: inhomogeneous shape: a list of level %zu differs in length", depth);
    return false;
  }
  PyObject** items = PySequence_Fast_ITEMS(object);
  for (int64_t i = 0; i < nest->shape[depth]; ++i) {
    if (!collect(items[i], depth + 1, nest)) return false;
  }
  return true;
}

bool read_nest(PyObject* object, Nest* nest) {
  for (PyObject* level = object; is_list(level);) {
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(level);
    nest->shape.push_back(count);
    if (nest->shape.size() > kMaxDepth) {
      PyErr_SetString(PyExc_ValueError, "Tensor: lists are nested too deeply");
      return false;
    }
    if (count == 0) break;
    level = PySequence_Fast_GET_ITEM(level, 0);
  }
  return collect(object, 0, nest);
}

// ---- elements

bool as_double(PyObject* object, double* out) {
  *out = PyFloat_AsDouble(object);
  return *out != -1.0 || PyErr_Occurred() == nullptr;
}

// Wraps as casts do; with `checked`, numbers that do not fit are refused.
template <typename T>
bool as_integer(PyObject* object, bool checked, T* out) {
  if (PyFloat_Check(object)) {
    const double x = PyFloat_AS_DOUBLE(object);
    *out = std::isfinite(x) && std::abs(x) < 9.2e18 ? static_cast<T>(static_cast<int64_t>(x)) : T{};
    return true;
  }
  PyObject* number = PyNumber_Index(object);
  if (number == nullptr) return false;
  int overflow = 0;
  const long long n = PyLong_AsLongLongAndOverflow(number, &overflow);
  bool fits = overflow == 0 && (n != -1 || PyErr_Occurred() == nullptr);
  if constexpr (std::is_same_v<T, uint64_t>) {
    PyLong_AsUnsignedLongLong(number);
    fits = PyErr_Occurred() == nullptr;
    PyErr_Clear();
  } else if (fits && checked) {
    fits = n >= static_cast<long long>(std::numeric_limits<T>::min()) &&
           n <= static_cast<long long>(std::numeric_limits<T>::max());
  }
  if (!fits && checked && PyErr_Occurred() == nullptr)
    PyErr_Format(PyExc_OverflowError, "Tensor: %R does not fit: name a dtype", object);
  *out = static_cast<T>(overflow == 0 ? static_cast<unsigned long long>(n)
                                      : PyLong_AsUnsignedLongLongMask(number));
  Py_DECREF(number);
  return !checked || fits;
}

// To float32 by rounding to odd: rounded once more, to a smaller float, it is as if it had been
// rounded once (Boldo, Melquiond: Emulation of FMA and correctly rounded sums, IEEE TC 2008).
float rounded_to_odd(double x) {
  float f = static_cast<float>(x);
  if (static_cast<double>(f) == x || std::isnan(x)) return f;
  if (std::abs(static_cast<double>(f)) > std::abs(x)) f = std::nextafter(f, 0.0F);
  uint32_t bits = 0;
  std::memcpy(&bits, &f, sizeof bits);
  bits |= 1U;
  std::memcpy(&f, &bits, sizeof bits);
  return f;
}

bool write_small_floats(const Nest& nest, std::byte* out) {
  for (PyObject* leaf : nest.leaves) {
    double x = 0;
    if (!as_double(leaf, &x)) return false;
    const float value = rounded_to_odd(x);
    std::memcpy(out, &value, sizeof value);
    out += sizeof value;
  }
  return true;
}

template <typename T>
bool write_all(const Nest& nest, bool checked, std::byte* out) {
  for (PyObject* leaf : nest.leaves) {
    T value{};
    if constexpr (std::is_floating_point_v<T>) {
      double x = 0;
      if (!as_double(leaf, &x)) return false;
      value = static_cast<T>(x);
    } else if (!as_integer<T>(leaf, checked, &value)) {
      return false;
    }
    std::memcpy(out, &value, sizeof value);
    out += sizeof value;
  }
  return true;
}

bool write_bools(const Nest& nest, std::byte* out) {
  for (PyObject* leaf : nest.leaves) {
    const int truth = PyObject_IsTrue(leaf);
    if (truth < 0) return false;
    *out++ = static_cast<std::byte>(truth);
  }
  return true;
}

bool write_elements(const Nest& nest, tg_dtype stored, bool checked, std::byte* out) {
  switch (stored) {
    case TG_DTYPE_BOOL:
      return write_bools(nest, out);
    case TG_DTYPE_INT8:
      return write_all<int8_t>(nest, checked, out);
    case TG_DTYPE_UINT8:
      return write_all<uint8_t>(nest, checked, out);
    case TG_DTYPE_INT16:
      return write_all<int16_t>(nest, checked, out);
    case TG_DTYPE_UINT16:
      return write_all<uint16_t>(nest, checked, out);
    case TG_DTYPE_INT32:
      return write_all<int32_t>(nest, checked, out);
    case TG_DTYPE_UINT32:
      return write_all<uint32_t>(nest, checked, out);
    case TG_DTYPE_INT64:
      return write_all<int64_t>(nest, checked, out);
    case TG_DTYPE_UINT64:
      return write_all<uint64_t>(nest, checked, out);
    case TG_DTYPE_FLOAT64:
      return write_all<double>(nest, checked, out);
    default:
      return write_all<float>(nest, checked, out);
  }
}

// What small floats are written as before they are cast.
tg_dtype stored_dtype(tg_dtype wanted) {
  return *format_letter(wanted) == 0 || wanted == TG_DTYPE_FLOAT16 ? TG_DTYPE_FLOAT32 : wanted;
}

// Do all integers fit the default dtype of integers, as far as that has 32 bits? What fits no int64
// either is an error when it is written.
bool fit_in_32_bits(const Nest& nest) {
  return std::ranges::all_of(nest.leaves, [](PyObject* leaf) {
    if (!PyLong_Check(leaf)) return true;
    int overflow = 0;
    const long long n = PyLong_AsLongLongAndOverflow(leaf, &overflow);
    return overflow == 0 && n >= std::numeric_limits<int32_t>::min() &&
           n <= std::numeric_limits<int32_t>::max();
  });
}

tg_dtype natural_dtype(const Nest& nest) {
  if (nest.leaf == Leaf::Bool) return TG_DTYPE_BOOL;
  if (nest.leaf != Leaf::Int) return registry.default_float;
  const bool grows = registry.default_int == TG_DTYPE_INT32 && !fit_in_32_bits(nest);
  return grows ? TG_DTYPE_INT64 : registry.default_int;
}

// ---- tensors

bool cast_handle(tg_tensor* handle, tg_dtype to) {
  static tg_function cast_function = nullptr;
  tg_value arguments[2] = {tensor_value(*handle), {}};
  arguments[1].kind = TG_DTYPE;
  arguments[1].as.integer = to;
  tg_value result{};
  const bool done = call_named(&cast_function, "cast", arguments, 2, &result);
  tg_release(*handle);
  *handle = done ? result.as.tensor : nullptr;
  return done;
}

bool copied_in(const void* data, size_t bytes, tg_dtype stored, const std::vector<int64_t>& shape,
               const tg_dtype* wanted, const char* device, tg_tensor* handle) {
  if (!ok(tg_tensor_from_data(data, bytes, stored, shape.data(), shape.size(), device, handle)))
    return false;
  return wanted == nullptr || *wanted == stored || cast_handle(handle, *wanted);
}

bool from_lists(PyObject* data, const tg_dtype* wanted, const char* device, tg_tensor* handle) {
  Nest nest;
  if (!read_nest(data, &nest)) return false;
  const tg_dtype target = wanted != nullptr ? *wanted : natural_dtype(nest);
  const tg_dtype stored = stored_dtype(target);
  std::vector<std::byte> bytes(nest.leaves.size() * element_size(stored));
  const bool is_small = stored == TG_DTYPE_FLOAT32 && target != stored;
  if (!(is_small ? write_small_floats(nest, bytes.data())
                 : write_elements(nest, stored, wanted == nullptr, bytes.data())))
    return false;
  return copied_in(bytes.data(), bytes.size(), stored, nest.shape, &target, device, handle);
}

bool from_number(PyObject* data, const tg_dtype* wanted, const char* device, tg_tensor* handle) {
  static tg_function full = nullptr;
  Arena arena;
  tg_value arguments[5] = {};
  arguments[0].kind = TG_INTS;
  if (!to_value(data, Kind::Tensor, &arguments[1], arena)) return false;
  if (wanted != nullptr) {
    arguments[2].kind = TG_DTYPE;
    arguments[2].as.integer = *wanted;
  }
  if (device != nullptr) {
    arguments[3].kind = TG_STRING;
    arguments[3].as.text = device;
  }
  arguments[4].kind = TG_BOOL;  // no storage: a constant
  tg_value result{};
  if (!call_named(&full, "full", arguments, 5, &result)) return false;
  *handle = result.as.tensor;
  return true;
}

// The dtype of a struct module's format; false (no error) if there is none.
bool dtype_of_format(const Py_buffer& view, tg_dtype* dtype) {
  const char* format = view.format == nullptr ? "B" : view.format;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == 0 || format[1] != 0) return false;
  const char letter = *format;
  if (letter == '?')
    *dtype = TG_DTYPE_BOOL;
  else if (letter == 'e')
    *dtype = TG_DTYPE_FLOAT16;
  else if (letter == 'f')
    *dtype = TG_DTYPE_FLOAT32;
  else if (letter == 'd')
    *dtype = TG_DTYPE_FLOAT64;
  else if (std::strchr("bhilqn", letter) != nullptr)
    *dtype = view.itemsize == 1   ? TG_DTYPE_INT8
             : view.itemsize == 2 ? TG_DTYPE_INT16
             : view.itemsize == 4 ? TG_DTYPE_INT32
                                  : TG_DTYPE_INT64;
  else if (std::strchr("BHILQNc", letter) != nullptr)
    *dtype = view.itemsize == 1   ? TG_DTYPE_UINT8
             : view.itemsize == 2 ? TG_DTYPE_UINT16
             : view.itemsize == 4 ? TG_DTYPE_UINT32
                                  : TG_DTYPE_UINT64;
  else
    return false;
  return true;
}

bool from_view(const Py_buffer& view, const tg_dtype* wanted, const char* device,
               tg_tensor* handle) {
  tg_dtype stored{};
  if (!dtype_of_format(view, &stored)) {
    PyErr_Format(PyExc_TypeError, "Tensor: elements of format '%s' have no dtype", view.format);
    return false;
  }
  const std::vector<int64_t> shape(view.shape, view.shape + view.ndim);
  const auto bytes = static_cast<size_t>(view.len);
  if (PyBuffer_IsContiguous(&view, 'C') != 0)
    return copied_in(view.buf, bytes, stored, shape, wanted, device, handle);
  std::vector<std::byte> copy(bytes);
  if (PyBuffer_ToContiguous(copy.data(), &view, view.len, 'C') < 0) return false;
  return copied_in(copy.data(), bytes, stored, shape, wanted, device, handle);
}

bool from_buffer(PyObject* data, const tg_dtype* wanted, const char* device, tg_tensor* handle) {
  Py_buffer view;
  if (PyObject_GetBuffer(data, &view, PyBUF_FORMAT | PyBUF_STRIDES) < 0) return false;
  const bool done = from_view(view, wanted, device, handle);
  PyBuffer_Release(&view);
  return done;
}

// Whether it is an integer that the numbers of the C interface cannot hold.
bool is_large_integer(PyObject* data) {
  int overflow = 0;
  return PyLong_Check(data) && PyLong_AsLongLongAndOverflow(data, &overflow) == -1 && overflow != 0;
}

bool make(PyObject* data, const tg_dtype* wanted, const char* device, tg_tensor* handle) {
  if (is_list(data) || is_large_integer(data)) return from_lists(data, wanted, device, handle);
  if (PyBool_Check(data) || PyLong_Check(data) || PyFloat_Check(data) || is_size(data))
    return from_number(data, wanted, device, handle);
  if (PyObject_CheckBuffer(data) != 0) return from_buffer(data, wanted, device, handle);
  PyErr_Format(PyExc_TypeError, "Tensor: cannot make a tensor of a %s", Py_TYPE(data)->tp_name);
  return false;
}

TensorObject* tensor_of(PyObject* object) {
  if (is_tensor(object)) return reinterpret_cast<TensorObject*>(object);
  PyErr_Format(PyExc_TypeError, "expected a tensor, got %s", Py_TYPE(object)->tp_name);
  return nullptr;
}

// fill(tensor, data, dtype, device): makes the new object a tensor of the data.
PyObject* fill(PyObject*, PyObject* args) {
  PyObject *self = nullptr, *data = nullptr, *dtype = nullptr;
  const char* device = nullptr;
  if (PyArg_ParseTuple(args, "OOOz", &self, &data, &dtype, &device) == 0) return nullptr;
  TensorObject* tensor = tensor_of(self);
  tg_dtype code{};
  if (tensor == nullptr || (dtype != Py_None && !to_dtype(dtype, &code))) return nullptr;
  tg_tensor handle = nullptr;
  if (!make(data, dtype == Py_None ? nullptr : &code, device, &handle)) return nullptr;
  if (tensor->handle != nullptr) tg_release(tensor->handle);
  tensor->handle = handle;
  tensor->is_weak = dtype == Py_None && is_weak_number(data);
  Py_RETURN_NONE;
}

// adopt(tensor, other): makes the new object another name of the other's value.
PyObject* adopt(PyObject*, PyObject* args) {
  PyObject *self = nullptr, *other = nullptr;
  if (PyArg_ParseTuple(args, "OO", &self, &other) == 0) return nullptr;
  TensorObject* a = tensor_of(self);
  TensorObject* b = tensor_of(other);
  tg_tensor handle = nullptr;
  if (a == nullptr || b == nullptr || !ok(tg_tensor_alias(b->handle, &handle))) return nullptr;
  if (a->handle != nullptr) tg_release(a->handle);
  a->handle = handle;
  a->is_weak = b->is_weak;
  Py_RETURN_NONE;
}

// replace(tensor, value): everybody who holds the tensor holds the value then.
PyObject* replace(PyObject*, PyObject* args) {
  PyObject *self = nullptr, *value = nullptr;
  if (PyArg_ParseTuple(args, "OO", &self, &value) == 0) return nullptr;
  TensorObject* a = tensor_of(self);
  TensorObject* b = tensor_of(value);
  if (a == nullptr || b == nullptr || !ok(tg_tensor_replace(a->handle, b->handle))) return nullptr;
  a->is_weak = b->is_weak;
  return Py_NewRef(self);
}

PyObject* same(PyObject*, PyObject* args) {
  PyObject *self = nullptr, *other = nullptr;
  if (PyArg_ParseTuple(args, "OO", &self, &other) == 0) return nullptr;
  TensorObject* a = tensor_of(self);
  TensorObject* b = tensor_of(other);
  bool result = false;
  if (a == nullptr || b == nullptr || !ok(tg_tensor_same(a->handle, b->handle, &result)))
    return nullptr;
  return PyBool_FromLong(result);
}

// read(tensor): its elements as a bytearray, row-major.
PyObject* read(PyObject*, PyObject* object) {
  TensorObject* tensor = tensor_of(object);
  tg_tensor_info info{};
  info.struct_size = sizeof info;
  if (tensor == nullptr || !ok(tg_tensor_get_info(tensor->handle, &info))) return nullptr;
  PyObject* bytes = PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(info.nbytes));
  if (bytes == nullptr) return nullptr;
  void* out = PyByteArray_AS_STRING(bytes);
  const tg_tensor handle = tensor->handle;
  const tg_status status =
      without_gil([&] { return tg_tensor_read(handle, out, static_cast<size_t>(info.nbytes)); });
  if (ok(status) && no_signal()) return bytes;
  Py_DECREF(bytes);
  return nullptr;
}

PyObject* set_default_dtypes(PyObject*, PyObject* args) {
  PyObject *of_floats = nullptr, *of_ints = nullptr;
  if (PyArg_ParseTuple(args, "OO", &of_floats, &of_ints) == 0) return nullptr;
  if (!to_dtype(of_floats, &registry.default_float) || !to_dtype(of_ints, &registry.default_int))
    return nullptr;
  tg_dtype before = registry.default_float;
  if (!ok(tg_set_default_float(registry.default_float, &before))) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace

PyMethodDef data_methods[] = {
    {"set_default_dtypes", set_default_dtypes, METH_VARARGS,
     "the dtypes of floats and integers that name none"},
    {"fill", fill, METH_VARARGS, "makes a new object a tensor of the data"},
    {"adopt", adopt, METH_VARARGS, "makes a new object another name of a tensor"},
    {"replace", replace, METH_VARARGS, "makes a tensor a name of what the value is now"},
    {"same", same, METH_VARARGS, "whether both name one value"},
    {"read", read, METH_O, "the elements as a bytearray"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace tg_python
