// Python objects as arguments of the C interface and its results as Python objects. What an
// argument may be is told by the letter of its parameter (Kind in core.h).
#include <cstring>

#include "core.h"

namespace tg_python {
namespace {

bool fail(PyObject* object, const char* wanted) {
  PyErr_Format(PyExc_TypeError, "expected %s, got %s", wanted, Py_TYPE(object)->tp_name);
  return false;
}

bool set_int(PyObject* object, tg_value* value) {
  const long long n = PyLong_AsLongLong(object);
  if (n == -1 && PyErr_Occurred() != nullptr) return false;
  value->kind = TG_INT;
  value->as.integer = n;
  return true;
}

// An integer, an object that says it is one (NumPy's), or an expression of variables.
bool int_value(PyObject* object, tg_value* value) {
  if (PyLong_CheckExact(object)) return set_int(object, value);
  if (is_size(object)) {
    value->kind = TG_SIZE;
    value->as.size = size_of(object);
    return true;
  }
  PyObject* number = PyNumber_Index(object);
  if (number == nullptr) return false;
  const bool done = set_int(number, value);
  Py_DECREF(number);
  return done;
}

bool float_value(PyObject* object, tg_value* value) {
  value->as.number = PyFloat_AsDouble(object);
  if (value->as.number == -1.0 && PyErr_Occurred() != nullptr) return false;
  value->kind = TG_FLOAT;
  return true;
}

bool bool_value(PyObject* object, tg_value* value) {
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) return false;
  value->kind = TG_BOOL;
  value->as.integer = truth;
  return true;
}

bool string_value(PyObject* object, tg_value* value) {
  if (!PyUnicode_Check(object)) return fail(object, "a string");
  value->as.text = PyUnicode_AsUTF8(object);
  value->kind = TG_STRING;
  return value->as.text != nullptr;
}

// Names of devices are handed over as one text, with commas between them.
bool string_argument(PyObject* object, tg_value* value, Arena& arena) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return string_value(object, value);
  PyObject* comma = arena.keep(PyUnicode_FromString(","));
  PyObject* joined = comma == nullptr ? nullptr : arena.keep(PyUnicode_Join(comma, object));
  return joined != nullptr && string_value(joined, value);
}

// A list or an array as a tensor that lives where the first tensor of the call does.
PyObject* made_tensor(PyObject* object, Arena& arena) {
  if (arena.subject == nullptr)
    return arena.keep(PyObject_CallOneArg(registry.tensor_class, object));
  PyObject* device = arena.keep(PyObject_GetAttrString(arena.subject, "device"));
  if (device == nullptr) return nullptr;
  return arena.keep(PyObject_CallFunctionObjArgs(registry.tensor_class, object, device, nullptr));
}

bool tensor_argument(PyObject* object, tg_value* value, Arena& arena) {
  if (is_tensor(object)) {
    value->kind = TG_TENSOR;
    value->as.tensor = handle_of(object);
    return true;
  }
  if (PyFloat_CheckExact(object)) return float_value(object, value);
  if (PyBool_Check(object)) return bool_value(object, value);
  if (PyLong_CheckExact(object)) return set_int(object, value);
  if (PyUnicode_Check(object)) return fail(object, "a tensor or a number");
  if (is_size(object)) return int_value(object, value);
  PyObject* made = made_tensor(object, arena);
  if (made == nullptr) return false;
  value->kind = TG_TENSOR;
  value->as.tensor = handle_of(made);
  return true;
}

bool sizes_value(PyObject* object, tg_value* value, Arena& arena) {
  if (PyTuple_Check(object)) {  // the caller holds it
    const auto count = static_cast<size_t>(PyTuple_GET_SIZE(object));
    return to_sizes(count == 0 ? nullptr : &PyTuple_GET_ITEM(object, 0), count, value, arena);
  }
  PyObject* sequence = arena.keep(PySequence_Fast(object, "expected integers or a sequence"));
  if (sequence == nullptr) return false;
  return to_sizes(PySequence_Fast_ITEMS(sequence),
                  static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence)), value, arena);
}

bool ints_or_one(PyObject* object, tg_value* value, Arena& arena) {
  if (PyLong_Check(object) || is_size(object)) return int_value(object, value);
  return sizes_value(object, value, arena);
}

// ((1, 2), (3, 4)) or (1, 2, 3, 4): flattened.
bool pairs_value(PyObject* object, tg_value* value, Arena& arena) {
  PyObject* outer = arena.keep(PySequence_Fast(object, "expected a sequence of pairs"));
  if (outer == nullptr) return false;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(outer);
  PyObject* flat = arena.keep(PyList_New(0));
  if (flat == nullptr) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(outer, i);
    if (PyTuple_Check(item) || PyList_Check(item)) {
      PyObject* extended = PySequence_InPlaceConcat(flat, item);
      if (extended == nullptr) return false;
      Py_DECREF(extended);
    } else if (PyList_Append(flat, item) < 0) {
      return false;
    }
  }
  return sizes_value(flat, value, arena);
}

bool tensors_value(PyObject* object, tg_value* value, Arena& arena) {
  if (is_tensor(object)) return tensor_argument(object, value, arena);
  PyObject* sequence = arena.keep(PySequence_Fast(object, "expected a sequence of tensors"));
  if (sequence == nullptr) return false;
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence));
  PyObject** items = PySequence_Fast_ITEMS(sequence);
  auto* tensors = arena.array<tg_tensor>(count);
  for (size_t i = 0; i < count; ++i) {
    PyObject* item = items[i];
    if (!is_tensor(item)) {
      item = made_tensor(item, arena);
      if (item == nullptr) return false;
    }
    tensors[i] = handle_of(item);
  }
  value->kind = TG_TENSORS;
  value->count = count;
  value->as.tensors = tensors;
  return true;
}

bool dtype_value(PyObject* object, tg_value* value) {
  tg_dtype code{};
  if (!to_dtype(object, &code)) return false;
  value->kind = TG_DTYPE;
  value->as.integer = code;
  return true;
}

bool any_value(PyObject* object, tg_value* value, Arena& arena) {
  if (PyUnicode_Check(object)) return string_value(object, value);
  if (PyObject_TypeCheck(object, registry.dtype)) return dtype_value(object, value);
  if (PyTuple_Check(object) || PyList_Check(object)) return sizes_value(object, value, arena);
  return tensor_argument(object, value, arena);
}

PyObject* tensor_tuple(const tg_value& value) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(value.count));
  for (size_t i = 0; tuple != nullptr && i < value.count; ++i) {
    tg_tensor one = value.as.tensors[i];
    PyObject* tensor = ok(tg_retain(one)) ? new_tensor(one) : nullptr;
    if (tensor == nullptr)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), tensor);
  }
  return tuple;
}

PyObject* size_tuple(const tg_value& value) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(value.count));
  for (size_t i = 0; tuple != nullptr && i < value.count; ++i) {
    const tg_value& one = value.as.values[i];
    PyObject* item = nullptr;
    if (one.kind == TG_INT)
      item = PyLong_FromLongLong(one.as.integer);
    else if (ok(tg_retain(one.as.size)))
      item = new_size(one.as.size);
    if (item == nullptr)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), item);
  }
  return tuple;
}

// Copies of what the value holds.
PyObject* copied(const tg_value& value) {
  switch (value.kind) {
    case TG_STRING:
      return PyUnicode_FromString(value.as.text);
    case TG_INTS:
      return int_tuple(value.as.ints, value.count);
    case TG_TENSORS:
      return tensor_tuple(value);
    case TG_SIZES:
      return size_tuple(value);
    case TG_BYTES:
      return PyBytes_FromStringAndSize(static_cast<const char*>(value.as.bytes),
                                       static_cast<Py_ssize_t>(value.count));
    default:
      PyErr_Format(PyExc_TypeError, "a result of kind %d has no Python object",
                   static_cast<int>(value.kind));
      return nullptr;
  }
}

}  // namespace

void Arena::drop() {
  for (PyObject* object : kept_) Py_DECREF(object);
}

PyObject* Arena::keep(PyObject* object) {
  if (object != nullptr) kept_.push_back(object);
  return object;
}

void* Arena::bytes(size_t count) {
  constexpr size_t kAlign = 16;
  const size_t rounded = (count + kAlign - 1) / kAlign * kAlign;
  if (used_ + rounded <= sizeof fixed_) {
    void* start = fixed_ + used_;
    used_ += rounded;
    return start;
  }
  more_.push_back(std::make_unique<std::byte[]>(rounded));
  return more_.back().get();
}

// All numbers: TG_INTS; else TG_SIZES.
bool to_sizes(PyObject* const* objects, size_t count, tg_value* value, Arena& arena) {
  auto* ints = arena.array<int64_t>(count);
  tg_value* values = nullptr;
  for (size_t i = 0; i < count; ++i) {
    tg_value one{};
    if (!int_value(objects[i], &one)) return false;
    if (one.kind == TG_SIZE && values == nullptr) {
      values = arena.array<tg_value>(count);
      for (size_t k = 0; k < i; ++k) {
        values[k] = tg_value{};
        values[k].kind = TG_INT;
        values[k].as.integer = ints[k];
      }
    }
    if (values != nullptr)
      values[i] = one;
    else
      ints[i] = one.as.integer;
  }
  value->kind = values == nullptr ? TG_INTS : TG_SIZES;
  value->count = count;
  if (values == nullptr)
    value->as.ints = ints;
  else
    value->as.values = values;
  return true;
}

bool to_value(PyObject* object, Kind kind, tg_value* value, Arena& arena) {
  if (object == Py_None && kind != Kind::Index) return true;
  switch (kind) {
    case Kind::Any:
      return any_value(object, value, arena);
    case Kind::Tensor:
      return tensor_argument(object, value, arena);
    case Kind::Choice:
      return PyUnicode_Check(object) ? string_value(object, value) : int_value(object, value);
    case Kind::Int:
      return int_value(object, value);
    case Kind::Float:
      return float_value(object, value);
    case Kind::Reverse:
    case Kind::Bool:
      return bool_value(object, value);
    case Kind::DType:
      return dtype_value(object, value);
    case Kind::String:
      return string_argument(object, value, arena);
    case Kind::Ints:
    case Kind::Sizes:
      return ints_or_one(object, value, arena);
    case Kind::Tensors:
      return tensors_value(object, value, arena);
    case Kind::Pairs:
      return pairs_value(object, value, arena);
    case Kind::Index:
      return to_index(object, value, arena);
    case Kind::Ignored:
      return true;
  }
  return fail(object, "a known kind of parameter");
}

PyObject* from_value(tg_value* value) {
  switch (value->kind) {
    case TG_NONE:
      Py_RETURN_NONE;
    case TG_BOOL:
      return PyBool_FromLong(static_cast<long>(value->as.integer));
    case TG_INT:
    case TG_CHOICE:
      return PyLong_FromLongLong(value->as.integer);
    case TG_FLOAT:
      return PyFloat_FromDouble(value->as.number);
    case TG_DTYPE:
      return dtype_object(static_cast<tg_dtype>(value->as.integer));
    case TG_TENSOR:
      return new_tensor(value->as.tensor);
    case TG_SIZE:
      return new_size(value->as.size);
    default:
      break;
  }
  PyObject* object = copied(*value);
  tg_value_clear(value);
  return object;
}

PyObject* int_tuple(const int64_t* values, size_t count) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; tuple != nullptr && i < count; ++i) {
    PyObject* number = PyLong_FromLongLong(values[i]);
    if (number == nullptr)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), number);
  }
  return tuple;
}

bool to_shape(PyObject* object, std::vector<int64_t>* shape) {
  Arena arena;
  tg_value value{};
  if (!sizes_value(object, &value, arena)) return false;
  if (value.kind != TG_INTS) return fail(object, "plain integers");
  shape->assign(value.as.ints, value.as.ints + value.count);
  return true;
}

}  // namespace tg_python
