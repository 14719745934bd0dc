// The base type of tinygrad_cpp.Variable: a whole number that is an expression of variables, with
// their values of this call. Arithmetic with integers and among each other gives new ones.
#include "core.h"

namespace tg_python {
namespace {

SizeObject* cast(PyObject* object) { return reinterpret_cast<SizeObject*>(object); }

// ---- arithmetic

bool operand(PyObject* object, tg_value* value) {
  *value = tg_value{};
  if (is_size(object)) {
    value->kind = TG_SIZE;
    value->as.size = size_of(object);
    return true;
  }
  if (!PyLong_Check(object)) return false;
  value->kind = TG_INT;
  value->as.integer = PyLong_AsLongLong(object);
  return value->as.integer != -1 || PyErr_Occurred() == nullptr;
}

template <char kOp>
PyObject* compute(PyObject* left, PyObject* right) {
  tg_value a;
  tg_value b;
  if (!operand(left, &a) || !operand(right, &b)) {
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_RETURN_NOTIMPLEMENTED;
  }
  tg_value result{};
  return ok(tg_size_compute(kOp, a, b, &result)) ? from_value(&result) : nullptr;
}

PyObject* negative(PyObject* self) {
  PyObject* zero = PyLong_FromLong(0);
  PyObject* result = zero == nullptr ? nullptr : compute<'-'>(zero, self);
  Py_XDECREF(zero);
  return result;
}

// ---- facts

PyObject* value_of(PyObject* self, int which) {
  int64_t values[3] = {};
  if (!ok(tg_size_value(size_of(self), &values[0], &values[1], &values[2]))) return nullptr;
  return PyLong_FromLongLong(values[which]);
}
PyObject* get_value(PyObject* self, void*) { return value_of(self, 0); }
PyObject* get_min(PyObject* self, void*) { return value_of(self, 1); }
PyObject* get_max(PyObject* self, void*) { return value_of(self, 2); }

PyObject* text(PyObject* self) {
  tg_value result{};
  return ok(tg_size_text(size_of(self), &result)) ? from_value(&result) : nullptr;
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  if (!is_size(b)) return PyBool_FromLong(op == Py_NE);
  PyObject* left = text(a);
  PyObject* right = text(b);
  PyObject* same = nullptr;
  if (left != nullptr && right != nullptr) {
    int64_t x = 0;
    int64_t y = 0;
    if (ok(tg_size_value(size_of(a), &x, nullptr, nullptr)) &&
        ok(tg_size_value(size_of(b), &y, nullptr, nullptr))) {
      const bool equal = x == y && PyUnicode_Compare(left, right) == 0;
      same = PyBool_FromLong(equal == (op == Py_EQ));
    }
  }
  Py_XDECREF(left);
  Py_XDECREF(right);
  return same;
}

Py_hash_t hash(PyObject* self) {
  PyObject* name = text(self);
  if (name == nullptr) return -1;
  const Py_hash_t h = PyObject_Hash(name);
  Py_DECREF(name);
  return h;
}

// ---- life

// _bind(name, min, max, value): makes this object that variable.
PyObject* bind(PyObject* self, PyObject* args) {
  const char* name = nullptr;
  long long min = 0;
  long long max = 0;
  long long value = 0;
  if (PyArg_ParseTuple(args, "sLLL", &name, &min, &max, &value) == 0) return nullptr;
  tg_size made = nullptr;
  if (!ok(tg_variable(name, min, max, value, &made))) return nullptr;
  if (cast(self)->handle != nullptr) tg_release(cast(self)->handle);
  cast(self)->handle = made;
  Py_RETURN_NONE;
}

void free_size(PyObject* self) {
  // Subclasses written in Python may be part of cycles; their type tracks them.
  if (cast(self)->handle != nullptr) tg_release(cast(self)->handle);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef getters[] = {
    {"val", get_value, nullptr, "the value of this call", nullptr},
    {"vmin", get_min, nullptr, "smallest value", nullptr},
    {"vmax", get_max, nullptr, "largest value", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"_bind", bind, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(free_size)},
    {Py_tp_repr, reinterpret_cast<void*>(text)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_tp_getset, getters},
    {Py_tp_methods, methods},
    {Py_nb_add, reinterpret_cast<void*>(compute<'+'>)},
    {Py_nb_subtract, reinterpret_cast<void*>(compute<'-'>)},
    {Py_nb_multiply, reinterpret_cast<void*>(compute<'*'>)},
    {Py_nb_floor_divide, reinterpret_cast<void*>(compute<'/'>)},
    {Py_nb_remainder, reinterpret_cast<void*>(compute<'%'>)},
    {Py_nb_negative, reinterpret_cast<void*>(negative)},
    {0, nullptr},
};

PyType_Spec spec = {"tinygrad_cpp._core.Size", sizeof(SizeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

bool add_size_type(PyObject* module) {
  registry.size_base = add_type(module, &spec, "Size");
  return registry.size_base != nullptr;
}

PyObject* new_size(tg_size handle) {
  auto* type = reinterpret_cast<PyTypeObject*>(registry.size_class);
  if (type == nullptr) type = registry.size_base;
  PyObject* object = type->tp_alloc(type, 0);
  if (object == nullptr) {
    tg_release(handle);
    return nullptr;
  }
  cast(object)->handle = handle;
  return object;
}

}  // namespace tg_python
