// What is neither a tensor nor a function of tensors: devices, options, counters, switches of the
// thread, safetensors files, functions with a gradient of their own, and the registration of what
// the Python part of the package defines.
#include <cstring>
#include <string>

#include "core.h"

namespace tg_python {
namespace {

PyObject* none_if(tg_status status) {
  if (!ok(status)) return nullptr;
  Py_RETURN_NONE;
}

// ---- devices

// devices() → [(name, usable, reason)]
PyObject* devices(PyObject*, PyObject*) {
  PyObject* list = PyList_New(0);
  for (size_t i = 0; list != nullptr; ++i) {
    tg_value name{};
    tg_value reason{};
    bool usable = false;
    const tg_status status = tg_device_at(i, &name, &usable, &reason);
    if (status == TG_ERROR_INDEX) return list;
    PyObject* item = nullptr;
    if (ok(status)) {
      item =
          Py_BuildValue("(NNN)", from_value(&name), PyBool_FromLong(usable), from_value(&reason));
    }
    if (item == nullptr || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

PyObject* default_device(PyObject*, PyObject*) {
  tg_value name{};
  return ok(tg_default_device(&name)) ? from_value(&name) : nullptr;
}

PyObject* load_backend(PyObject*, PyObject* args) {
  const char* path = nullptr;
  if (PyArg_ParseTuple(args, "s", &path) == 0) return nullptr;
  tg_value name{};
  return ok(tg_load_backend(path, &name)) ? from_value(&name) : nullptr;
}

PyObject* synchronize(PyObject*, PyObject* args) {
  const char* device = nullptr;
  if (PyArg_ParseTuple(args, "z", &device) == 0) return nullptr;
  if (!ok(without_gil([&] { return tg_synchronize(device); })) || !no_signal()) return nullptr;
  Py_RETURN_NONE;
}

// ---- options and switches

PyObject* set_option(PyObject*, PyObject* args) {
  const char* name = nullptr;
  const char* value = nullptr;
  if (PyArg_ParseTuple(args, "sz", &name, &value) == 0) return nullptr;
  return none_if(without_gil([&] { return tg_set_option(name, value); }));
}

PyObject* get_option(PyObject*, PyObject* args) {
  const char* name = nullptr;
  if (PyArg_ParseTuple(args, "s", &name) == 0) return nullptr;
  tg_value value{};
  return ok(tg_get_option(name, &value)) ? from_value(&value) : nullptr;
}

PyObject* set_training(PyObject*, PyObject* flag) {
  const int on = PyObject_IsTrue(flag);
  bool before = false;
  if (on < 0 || !ok(tg_set_training(on == 1, &before))) return nullptr;
  return PyBool_FromLong(before);
}

PyObject* set_grad_enabled(PyObject*, PyObject* flag) {
  const int on = PyObject_IsTrue(flag);
  bool before = false;
  if (on < 0 || !ok(tg_set_grad_enabled(on == 1, &before))) return nullptr;
  return PyBool_FromLong(before);
}

PyObject* manual_seed(PyObject*, PyObject* seed) {
  PyObject* number = PyNumber_Index(seed);
  if (number == nullptr) return nullptr;
  const unsigned long long value = PyLong_AsUnsignedLongLongMask(number);
  Py_DECREF(number);
  return none_if(tg_manual_seed(value));
}

// counters() → (kernels, launches, ops, bytes, seconds, memory in use, peak memory)
PyObject* counters(PyObject*, PyObject*) {
  tg_counters c{};
  c.struct_size = sizeof c;
  if (!ok(tg_read_counters(&c))) return nullptr;
  return Py_BuildValue(
      "(LLLLdLL)", static_cast<long long>(c.kernels), static_cast<long long>(c.launches),
      static_cast<long long>(c.ops), static_cast<long long>(c.bytes), c.seconds,
      static_cast<long long>(c.memory_in_use), static_cast<long long>(c.peak_memory));
}

PyObject* reset_counters(PyObject*, PyObject*) { return none_if(tg_reset_counters()); }
PyObject* clear_caches(PyObject*, PyObject*) { return none_if(tg_clear_caches()); }

PyObject* kept_schedules(PyObject*, PyObject*) {
  int64_t count = 0;
  return ok(tg_kept_schedules(&count)) ? PyLong_FromLongLong(count) : nullptr;
}

PyObject* live_handles(PyObject*, PyObject*) { return PyLong_FromLongLong(tg_live_handles()); }
PyObject* version(PyObject*, PyObject*) { return PyUnicode_FromString(tg_version()); }

// ---- files

bool add_to_state(tg_state state, PyObject* dict) {
  PyObject* name = nullptr;
  PyObject* tensor = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &name, &tensor) != 0) {
    const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (text == nullptr || !is_tensor(tensor)) {
      if (PyErr_Occurred() == nullptr)
        PyErr_SetString(PyExc_TypeError, "safe_save: expected a dict of tensors by name");
      return false;
    }
    if (!ok(tg_state_set(state, text, handle_of(tensor)))) return false;
  }
  return true;
}

// save(dict, path)
PyObject* save(PyObject*, PyObject* args) {
  PyObject* dict = nullptr;
  const char* path = nullptr;
  if (PyArg_ParseTuple(args, "O!s", &PyDict_Type, &dict, &path) == 0) return nullptr;
  tg_state state = nullptr;
  if (!ok(tg_state_create(&state))) return nullptr;
  const bool done = add_to_state(state, dict) &&
                    ok(without_gil([&] { return tg_state_save(state, path); })) && no_signal();
  tg_release(state);
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

bool add_to_dict(PyObject* dict, tg_state state, size_t i) {
  tg_value name{};
  tg_tensor tensor = nullptr;
  if (!ok(tg_state_at(state, i, &name, &tensor))) return false;
  PyObject* key = from_value(&name);
  PyObject* value = new_tensor(tensor);
  const bool done = key != nullptr && value != nullptr && PyDict_SetItem(dict, key, value) == 0;
  Py_XDECREF(key);
  Py_XDECREF(value);
  return done;
}

// All tensors of a state, which goes.
PyObject* dict_of(tg_state state) {
  size_t count = 0;
  PyObject* dict = ok(tg_state_count(state, &count)) ? PyDict_New() : nullptr;
  for (size_t i = 0; dict != nullptr && i < count; ++i) {
    if (!add_to_dict(dict, state, i)) Py_CLEAR(dict);
  }
  tg_release(state);
  return dict;
}

// load(path, device) → dict
PyObject* load(PyObject*, PyObject* args) {
  const char* path = nullptr;
  const char* device = nullptr;
  if (PyArg_ParseTuple(args, "sz", &path, &device) == 0) return nullptr;
  tg_state state = nullptr;
  if (!ok(without_gil([&] { return tg_state_load(path, device, &state); }))) return nullptr;
  return dict_of(state);
}

// load_with_facts(path, device) → (dict, JSON text)
PyObject* load_with_facts(PyObject*, PyObject* args) {
  const char* path = nullptr;
  const char* device = nullptr;
  if (PyArg_ParseTuple(args, "sz", &path, &device) == 0) return nullptr;
  tg_state state = nullptr;
  tg_value facts{};
  if (!ok(without_gil([&] { return tg_state_load_with_facts(path, device, &state, &facts); })))
    return nullptr;
  PyObject* text = from_value(&facts);
  PyObject* dict = dict_of(state);
  if (text != nullptr && dict != nullptr) return Py_BuildValue("(NN)", dict, text);
  Py_XDECREF(text);
  Py_XDECREF(dict);
  return nullptr;
}

// ggml_tensor(bytes, count, type) → tensor
PyObject* ggml_tensor(PyObject*, PyObject* args) {
  PyObject* bytes = nullptr;
  long long count = 0;
  long long type = 0;
  if (PyArg_ParseTuple(args, "O!LL", registry.tensor_base, &bytes, &count, &type) == 0)
    return nullptr;
  tg_tensor result = nullptr;
  return ok(tg_ggml_tensor(handle_of(bytes), count, type, &result)) ? new_tensor(result) : nullptr;
}

// mnist(device) → dict
PyObject* mnist(PyObject*, PyObject* args) {
  const char* device = nullptr;
  if (PyArg_ParseTuple(args, "z", &device) == 0) return nullptr;
  tg_state state = nullptr;
  if (!ok(without_gil([&] { return tg_dataset_mnist(device, &state, nullptr); }))) return nullptr;
  return dict_of(state);
}

// ---- functions with a gradient of their own

// `user` is a tuple (forward, backward) of Python functions on tuples of tensors.
tg_status call_custom(void* user, Py_ssize_t which, const tg_tensor* arguments, size_t count,
                      tg_tensor* results, size_t capacity) {
  PyObject* function = PyTuple_GET_ITEM(static_cast<PyObject*>(user), which);
  PyObject* tensors = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; tensors != nullptr && i < count; ++i) {
    PyObject* tensor = tg_retain(arguments[i]) == TG_OK ? new_tensor(arguments[i]) : nullptr;
    if (tensor == nullptr)
      Py_CLEAR(tensors);
    else
      PyTuple_SET_ITEM(tensors, static_cast<Py_ssize_t>(i), tensor);
  }
  PyObject* made = tensors == nullptr ? nullptr : PyObject_CallObject(function, tensors);
  Py_XDECREF(tensors);
  PyObject* list = nullptr;
  if (made != nullptr && is_tensor(made))
    list = PyTuple_Pack(1, made);
  else if (made != nullptr)
    list = PySequence_Tuple(made);
  Py_XDECREF(made);
  if (list != nullptr && PyTuple_GET_SIZE(list) != static_cast<Py_ssize_t>(capacity)) {
    PyErr_Format(PyExc_ValueError, "a custom function gave %zd tensors where %zu were expected",
                 PyTuple_GET_SIZE(list), capacity);
    Py_CLEAR(list);
  }
  if (list == nullptr) return keep_exception();
  for (size_t i = 0; i < capacity; ++i) {
    PyObject* item = PyTuple_GET_ITEM(list, static_cast<Py_ssize_t>(i));
    results[i] = is_tensor(item) ? handle_of(item) : nullptr;
    if (results[i] != nullptr) tg_retain(results[i]);
  }
  Py_DECREF(list);
  return TG_OK;
}

template <Py_ssize_t kWhich>
tg_status custom_body(void* user, const tg_tensor* arguments, size_t count, tg_tensor* results,
                      size_t capacity) {
  const PyGILState_STATE state = PyGILState_Ensure();
  const tg_status status = call_custom(user, kWhich, arguments, count, results, capacity);
  PyGILState_Release(state);
  return status;
}

void free_custom(void* user) { drop_reference(static_cast<PyObject*>(user)); }

// custom(forward, backward, inputs) → tensor
PyObject* custom(PyObject*, PyObject* args) {
  PyObject *forward = nullptr, *backward = nullptr, *inputs = nullptr;
  if (PyArg_ParseTuple(args, "OOO", &forward, &backward, &inputs) == 0) return nullptr;
  Arena arena;
  tg_value tensors{};
  if (!to_value(inputs, Kind::Tensors, &tensors, arena)) return nullptr;
  PyObject* user = PyTuple_Pack(2, forward, backward);
  if (user == nullptr) return nullptr;
  const tg_tensor* list = tensors.kind == TG_TENSOR ? &tensors.as.tensor : tensors.as.tensors;
  const size_t count = tensors.kind == TG_TENSOR ? 1 : tensors.count;
  tg_tensor result = nullptr;
  const tg_status status =
      tg_custom(custom_body<0>, custom_body<1>, user, free_custom, list, count, &result);
  return ok(status) ? new_tensor(result) : nullptr;
}

// depends(tensor, tensors) → tuple of truth values: which of them it is made of
PyObject* depends(PyObject*, PyObject* args) {
  PyObject *value = nullptr, *inputs = nullptr;
  if (PyArg_ParseTuple(args, "O!O", registry.tensor_base, &value, &inputs) == 0) return nullptr;
  Arena arena;
  tg_value tensors{};
  if (!to_value(inputs, Kind::Tensors, &tensors, arena)) return nullptr;
  const tg_tensor* list = tensors.kind == TG_TENSOR ? &tensors.as.tensor : tensors.as.tensors;
  const size_t count = tensors.kind == TG_TENSOR ? 1 : tensors.count;
  const auto found = std::make_unique<bool[]>(count);
  if (!ok(tg_tensor_depends(handle_of(value), list, count, found.get()))) return nullptr;
  PyObject* result = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; result != nullptr && i < count; ++i)
    PyTuple_SET_ITEM(result, static_cast<Py_ssize_t>(i), PyBool_FromLong(found[i] ? 1 : 0));
  return result;
}

// ---- registration

// register(name, object): what the Python part defines for the native one.
PyObject* register_object(PyObject*, PyObject* args) {
  const char* name = nullptr;
  PyObject* object = nullptr;
  if (PyArg_ParseTuple(args, "sO", &name, &object) == 0) return nullptr;
  PyObject** place = std::strcmp(name, "tensor") == 0   ? &registry.tensor_class
                     : std::strcmp(name, "size") == 0   ? &registry.size_class
                     : std::strcmp(name, "errors") == 0 ? &registry.errors
                     : std::strcmp(name, "index") == 0  ? &registry.to_index
                                                        : nullptr;
  if (place == nullptr) {
    PyErr_Format(PyExc_ValueError, "register: nothing is called '%s'", name);
    return nullptr;
  }
  Py_XSETREF(*place, Py_NewRef(object));
  Py_RETURN_NONE;
}

}  // namespace

PyMethodDef system_methods[] = {
    {"devices", devices, METH_NOARGS, "[(name, usable, reason)]"},
    {"default_device", default_device, METH_NOARGS, "where tensors go that name none"},
    {"load_backend", load_backend, METH_VARARGS, "loads a backend's shared object"},
    {"synchronize", synchronize, METH_VARARGS, "waits for everything launched so far"},
    {"set_option", set_option, METH_VARARGS, "sets an option; None takes it back"},
    {"get_option", get_option, METH_VARARGS, "the option's value as text"},
    {"set_training", set_training, METH_O, "switches training; gives what it was"},
    {"set_grad_enabled", set_grad_enabled, METH_O, "switches gradients; gives what it was"},
    {"manual_seed", manual_seed, METH_O, "starts the random numbers of a seed"},
    {"counters", counters, METH_NOARGS, "totals of the process"},
    {"kept_schedules", kept_schedules, METH_NOARGS, "schedules in the cache"},
    {"clear_caches", clear_caches, METH_NOARGS, "forgets schedules and compiled kernels"},
    {"reset_counters", reset_counters, METH_NOARGS, "counts from 0 again"},
    {"live_handles", live_handles, METH_NOARGS, "objects of the library that are alive"},
    {"live_tensors", live_tensors, METH_NOARGS, "all tensors that Python holds"},
    {"version", version, METH_NOARGS, "of the library"},
    {"save", save, METH_VARARGS, "writes a safetensors file"},
    {"load", load, METH_VARARGS, "reads a file of tensors"},
    {"load_with_facts", load_with_facts, METH_VARARGS, "the same with what it says beside them"},
    {"ggml_tensor", ggml_tensor, METH_VARARGS, "elements of one of ggml's types, unpacked"},
    {"mnist", mnist, METH_VARARGS, "digits by hand: train.images, train.labels, test.images, ..."},
    {"custom", custom, METH_VARARGS, "forward(inputs) with the gradient that backward gives"},
    {"depends", depends, METH_VARARGS, "which tensors a value is made of"},
    {"register", register_object, METH_VARARGS, "names a Python object for the native part"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace tg_python
