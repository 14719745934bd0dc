// The base type of tinygrad_cpp.TinyJit: a captured function. A call whose arguments are tensors,
// numbers and sizes goes straight to tg_jit_call; arguments of any other form are taken apart, and
// results put together, by the Python class (methods _take_apart, _run, _put_together).
#include "core.h"

namespace tg_python {
namespace {

constexpr size_t kMaxResults = 1024;

struct JitObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  tg_jit handle;
  bool plain_results;  // of the recorded call: one tensor
  PyObject* weak_references;
};

JitObject* cast(PyObject* object) { return reinterpret_cast<JitObject*>(object); }

// ---- the body: called by the library while it runs or records

PyObject* from_argument(const tg_value& value) {
  tg_value own = value;
  if (value.kind == TG_TENSOR && !ok(tg_retain(value.as.tensor))) return nullptr;
  if (value.kind == TG_SIZE && !ok(tg_retain(value.as.size))) return nullptr;
  return from_value(&own);
}

// The arguments as a tuple of leaves.
PyObject* leaves_of(const tg_value* arguments, size_t count) {
  PyObject* leaves = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; leaves != nullptr && i < count; ++i) {
    PyObject* leaf = from_argument(arguments[i]);
    if (leaf == nullptr)
      Py_CLEAR(leaves);
    else
      PyTuple_SET_ITEM(leaves, static_cast<Py_ssize_t>(i), leaf);
  }
  return leaves;
}

// _run gives a list of tensors; their handles go to the library.
bool hand_over(PyObject* list, tg_value* results, size_t capacity, size_t* count) {
  const Py_ssize_t n = PyList_GET_SIZE(list);
  if (static_cast<size_t>(n) > capacity) {
    PyErr_Format(PyExc_ValueError, "TinyJit: at most %zu results", capacity);
    return false;
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    const tg_tensor handle = handle_of(PyList_GET_ITEM(list, i));
    if (!ok(tg_retain(handle))) return false;
    results[i] = tensor_value(handle);
  }
  *count = static_cast<size_t>(n);
  return true;
}

tg_status run_body(void* user, const tg_value* arguments, size_t count, tg_value* results,
                   size_t capacity, size_t* result_count) {
  const PyGILState_STATE state = PyGILState_Ensure();
  auto* self = static_cast<PyObject*>(user);
  PyObject* leaves = leaves_of(arguments, count);
  PyObject* list = leaves == nullptr ? nullptr : PyObject_CallMethod(self, "_run", "(O)", leaves);
  Py_XDECREF(leaves);
  const bool done = list != nullptr && hand_over(list, results, capacity, result_count);
  Py_XDECREF(list);
  const tg_status status = done ? TG_OK : keep_exception();
  PyGILState_Release(state);
  return status;
}

bool create(JitObject* self) {
  if (self->handle != nullptr) return true;
  // The library calls the body only inside calls of this object: it needs no count of its own.
  return ok(tg_jit_create(run_body, self, nullptr, nullptr, &self->handle));
}

// ---- calls

bool is_leaf(PyObject* object) {
  return is_tensor(object) || PyLong_Check(object) || PyFloat_Check(object) || is_size(object);
}

bool leaf_value(PyObject* object, tg_value* value, Arena& arena) {
  *value = tg_value{};
  return to_value(object, Kind::Tensor, value, arena);
}

// The tensors that came out; they own the handles.
PyObject* result_list(tg_tensor* tensors, size_t count) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; i < count; ++i) {
    PyObject* tensor = list == nullptr ? nullptr : new_tensor(tensors[i]);
    if (list == nullptr) tg_release(tensors[i]);
    if (tensor == nullptr)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), tensor);
  }
  return list;
}

// Calls with leaves; gives the tensors, or with one plain result that one.
PyObject* call_leaves(JitObject* self, PyObject* const* leaves, size_t count, bool plain) {
  if (!create(self)) return nullptr;
  Arena arena;
  auto* values = arena.array<tg_value>(count);
  for (size_t i = 0; i < count; ++i) {
    if (!leaf_value(leaves[i], &values[i], arena)) return nullptr;
  }
  tg_tensor few[8];
  std::vector<tg_tensor> many;
  tg_tensor* results = few;
  size_t capacity = 8;
  if (!plain || !self->plain_results) {
    many.resize(kMaxResults);
    results = many.data();
    capacity = kMaxResults;
  }
  size_t result_count = 0;
  const tg_jit handle = self->handle;
  const tg_status status = without_gil(
      [&] { return tg_jit_call(handle, values, count, results, capacity, &result_count); });
  if (!ok(status)) return nullptr;
  const bool interrupted = !no_signal();
  if (!interrupted && plain && self->plain_results && result_count == 1)
    return new_tensor(results[0]);
  PyObject* list = interrupted ? nullptr : result_list(results, result_count);
  for (size_t i = 0; interrupted && i < result_count; ++i) tg_release(results[i]);
  return list;
}

// Arguments of any form: the Python class makes leaves of them.
PyObject* call_slowly(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  PyObject* positional = PyTuple_New(static_cast<Py_ssize_t>(count));
  if (positional == nullptr) return nullptr;
  for (size_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(positional, static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
  PyObject* keywords = PyDict_New();
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; keywords != nullptr && i < named; ++i) {
    if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, i), args[count + static_cast<size_t>(i)]) <
        0)
      Py_CLEAR(keywords);
  }
  PyObject* result = keywords == nullptr
                         ? nullptr
                         : PyObject_CallMethod(self, "_call_any", "(OO)", positional, keywords);
  Py_DECREF(positional);
  Py_XDECREF(keywords);
  return result;
}

PyObject* call(PyObject* object, PyObject* const* args, size_t nargsf, PyObject* names) {
  JitObject* self = cast(object);
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  bool leaves = names == nullptr && self->plain_results;
  for (size_t i = 0; leaves && i < count; ++i) leaves = is_leaf(args[i]);
  if (!leaves) return call_slowly(object, args, count, names);
  return call_leaves(self, args, count, true);
}

// _call_leaves(tuple) → list of tensors
PyObject* call_tuple(PyObject* object, PyObject* leaves) {
  if (!PyTuple_Check(leaves)) {
    PyErr_SetString(PyExc_TypeError, "_call_leaves: expected a tuple");
    return nullptr;
  }
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(leaves));
  PyObject* const* items = count == 0 ? nullptr : &PyTuple_GET_ITEM(leaves, 0);
  return call_leaves(cast(object), items, count, false);
}

PyObject* reset(PyObject* object, PyObject*) {
  JitObject* self = cast(object);
  self->plain_results = false;
  if (self->handle != nullptr && !ok(tg_jit_reset(self->handle))) return nullptr;
  Py_RETURN_NONE;
}

PyObject* stats(PyObject* object, PyObject*) {
  if (!create(cast(object))) return nullptr;
  tg_jit_stats s{};
  s.struct_size = sizeof s;
  if (!ok(tg_jit_get_stats(cast(object)->handle, &s))) return nullptr;
  return Py_BuildValue("{s:O,s:L,s:L,s:L}", "captured", s.captured ? Py_True : Py_False, "launches",
                       static_cast<long long>(s.launches), "kernels",
                       static_cast<long long>(s.kernels), "arena_bytes",
                       static_cast<long long>(s.arena_bytes));
}

PyObject* new_jit(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* object = type->tp_alloc(type, 0);
  if (object != nullptr) cast(object)->vectorcall = call;
  return object;
}

void free_jit(PyObject* object) {
  JitObject* self = cast(object);
  if (self->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  if (self->handle != nullptr) tg_release(self->handle);
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"_call_leaves", call_tuple, METH_O, nullptr},
    {"reset", reset, METH_NOARGS, "Forgets the recording: the next call is a first one."},
    {"stats", stats, METH_NOARGS, "What was recorded: captured, launches, kernels, arena_bytes."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, static_cast<Py_ssize_t>(offsetof(JitObject, vectorcall)),
     READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET,
     static_cast<Py_ssize_t>(offsetof(JitObject, weak_references)), READONLY, nullptr},
    {"_plain_results", T_BOOL, static_cast<Py_ssize_t>(offsetof(JitObject, plain_results)), 0,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_jit)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free_jit)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"tinygrad_cpp._core.Jit", sizeof(JitObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};

}  // namespace

bool add_jit_type(PyObject* module) {
  registry.jit = add_type(module, &spec, "Jit");
  return registry.jit != nullptr;
}

}  // namespace tg_python
