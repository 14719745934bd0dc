// Element types: one Python object for each, comparable by identity, with the facts that programs
// ask for. Beside those of tensors there are the two weak ones, which Python's numbers have before
// they meet a tensor: they have a place in the order and no storage. Names beside the canonical one
// (float, half, ...) stand in tinygrad_cpp/dtype.py.
#include <array>
#include <cstring>

#include "core.h"

namespace tg_python {
namespace {

struct DTypeFacts {
  tg_dtype code;
  const char* name;
  const char* letter;  // of the struct module; "": none
  size_t size;
  const char* shown;  // what repr() says
};

// In the order in which they give way to each other.
constexpr std::array<DTypeFacts, 19> kFacts = {{
    {TG_DTYPE_BOOL, "bool", "?", 1, "bool"},
    {kWeakInt, "weakint", "", 0, "weakint"},
    {TG_DTYPE_INT8, "int8", "b", 1, "char"},
    {TG_DTYPE_UINT8, "uint8", "B", 1, "uchar"},
    {TG_DTYPE_INT16, "int16", "h", 2, "short"},
    {TG_DTYPE_UINT16, "uint16", "H", 2, "ushort"},
    {TG_DTYPE_INT32, "int32", "i", 4, "int"},
    {TG_DTYPE_UINT32, "uint32", "I", 4, "uint"},
    {TG_DTYPE_INT64, "int64", "q", 8, "long"},
    {TG_DTYPE_UINT64, "uint64", "Q", 8, "ulong"},
    {kWeakFloat, "weakfloat", "", 0, "weakfloat"},
    {TG_DTYPE_FP8E4M3, "fp8e4m3", "", 1, "fp8e4m3"},
    {TG_DTYPE_FP8E5M2, "fp8e5m2", "", 1, "fp8e5m2"},
    {TG_DTYPE_FP8E4M3FNUZ, "fp8e4m3fnuz", "", 1, "fp8e4m3fnuz"},
    {TG_DTYPE_FP8E5M2FNUZ, "fp8e5m2fnuz", "", 1, "fp8e5m2fnuz"},
    {TG_DTYPE_FLOAT16, "float16", "e", 2, "half"},
    {TG_DTYPE_BFLOAT16, "bfloat16", "", 2, "bfloat16"},
    {TG_DTYPE_FLOAT32, "float32", "f", 4, "float"},
    {TG_DTYPE_FLOAT64, "float64", "d", 8, "double"},
}};

const DTypeFacts* find(int64_t code) {
  for (const DTypeFacts& facts : kFacts) {
    if (facts.code == code) return &facts;
  }
  return nullptr;
}

DTypeObject* cast(PyObject* object) { return reinterpret_cast<DTypeObject*>(object); }
const DTypeFacts& facts_of(PyObject* object) { return *find(cast(object)->code); }

PyObject* get_name(PyObject* self, void*) { return PyUnicode_FromString(facts_of(self).name); }
PyObject* get_size(PyObject* self, void*) { return PyLong_FromSize_t(facts_of(self).size); }
PyObject* get_bits(PyObject* self, void*) {
  const bool is_bool = cast(self)->code == TG_DTYPE_BOOL;
  return PyLong_FromSize_t(is_bool ? 1 : facts_of(self).size * 8);
}
PyObject* get_code(PyObject* self, void*) { return PyLong_FromLong(cast(self)->code); }
PyObject* get_letter(PyObject* self, void*) {
  const char* letter = facts_of(self).letter;
  if (*letter == 0) Py_RETURN_NONE;
  return PyUnicode_FromString(letter);
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("dtypes.%s", facts_of(self).shown); }

PyObject* reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("O(s)", reinterpret_cast<PyObject*>(Py_TYPE(self)), facts_of(self).name);
}

// DType("float32"): the object of this name.
PyObject* new_dtype(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* name = nullptr;
  if (PyArg_ParseTuple(args, "U", &name) == 0) return nullptr;
  tg_dtype code{};
  return to_dtype(name, &code) ? dtype_object(code) : nullptr;
}

// Narrower before wider, unsigned before signed, integers before floats.
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (!PyObject_TypeCheck(b, registry.dtype)) Py_RETURN_NOTIMPLEMENTED;
  Py_RETURN_RICHCOMPARE(&facts_of(a), &facts_of(b), op);
}
Py_hash_t hash(PyObject* self) { return static_cast<Py_hash_t>(cast(self)->code); }

PyGetSetDef getters[] = {
    {"name", get_name, nullptr, "\"float32\"", nullptr},
    {"itemsize", get_size, nullptr, "bytes of an element", nullptr},
    {"bitsize", get_bits, nullptr, "bits of an element", nullptr},
    {"fmt", get_letter, nullptr, "letter of the struct module, or None", nullptr},
    {"code", get_code, nullptr, "its number in the C interface", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_dtype)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_tp_getset, getters},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {"tinygrad_cpp._core.DType", sizeof(DTypeObject), 0, Py_TPFLAGS_DEFAULT, slots};

bool make_dtype(const DTypeFacts& facts) {
  PyObject* object = registry.dtype->tp_alloc(registry.dtype, 0);
  PyObject* code = PyLong_FromLong(facts.code);
  if (object == nullptr || code == nullptr) return false;
  cast(object)->code = facts.code;
  const bool done = PyDict_SetItemString(registry.dtypes, facts.name, object) == 0 &&
                    PyDict_SetItem(registry.dtypes, code, object) == 0;
  Py_DECREF(object);
  Py_DECREF(code);
  return done;
}

}  // namespace

bool add_dtype_type(PyObject* module) {
  registry.dtype = add_type(module, &spec, "DType");
  registry.dtypes = PyDict_New();
  if (registry.dtype == nullptr || registry.dtypes == nullptr) return false;
  for (const DTypeFacts& facts : kFacts) {
    if (!make_dtype(facts)) return false;
  }
  return PyModule_AddObjectRef(module, "dtypes_by_name", registry.dtypes) == 0;
}

PyObject* dtype_object(tg_dtype code) {
  PyObject* key = PyLong_FromLong(code);
  if (key == nullptr) return nullptr;
  PyObject* object = PyDict_GetItemWithError(registry.dtypes, key);
  Py_DECREF(key);
  if (object == nullptr && PyErr_Occurred() == nullptr)
    PyErr_Format(PyExc_TypeError, "unknown dtype %d", static_cast<int>(code));
  return Py_XNewRef(object);
}

bool to_dtype(PyObject* object, tg_dtype* code) {
  if (PyUnicode_Check(object)) {
    PyObject* found = PyDict_GetItemWithError(registry.dtypes, object);
    if (found == nullptr) {
      if (PyErr_Occurred() == nullptr)
        PyErr_Format(error_class(kNoSuchDType), "there is no dtype '%U'", object);
      return false;
    }
    object = found;
  }
  if (!PyObject_TypeCheck(object, registry.dtype)) {
    PyErr_Format(error_class(kNoSuchDType), "expected a dtype, got %s", Py_TYPE(object)->tp_name);
    return false;
  }
  if (facts_of(object).size == 0) {
    PyErr_Format(PyExc_RuntimeError, "dtypes.%s has no storage: name a dtype that has",
                 facts_of(object).name);
    return false;
  }
  *code = cast(object)->code;
  return true;
}

size_t element_size(tg_dtype code) {
  const DTypeFacts* facts = find(code);
  return facts == nullptr ? 1 : facts->size;
}

const char* format_letter(tg_dtype code) {
  const DTypeFacts* facts = find(code);
  return facts == nullptr ? "" : facts->letter;
}

}  // namespace tg_python
