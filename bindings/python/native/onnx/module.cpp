// The extension module `tinygrad_cpp._onnx`: ONNX models for tinygrad_cpp/nn/onnx.py, as capsules
// that own a handle. It contains the importer, which `_core` knows nothing of.
#include <memory>
#include <string>
#include <type_traits>

#include "../core_api.h"
#include "tg/c/tg_models.h"

namespace {

using tg_python::CoreApi;

const CoreApi* core = nullptr;
constexpr char kModel[] = "tinygrad_cpp._onnx.model";

bool ok(tg_status status) {
  if (status == TG_OK) return true;
  core->raise_status(status);
  return false;
}

// Runs `f` without the GIL.
template <typename F>
tg_status without_gil(F&& f) {
  PyThreadState* state = PyEval_SaveThread();
  const tg_status status = f();
  PyEval_RestoreThread(state);
  core->deliver_lines();
  return status;
}

struct Release {
  void operator()(const void* handle) const { tg_release(handle); }
};
using State = std::unique_ptr<std::remove_pointer_t<tg_state>, Release>;

void free_model(PyObject* capsule) { tg_release(PyCapsule_GetPointer(capsule, kModel)); }

tg_onnx model_of(PyObject* capsule) {
  return static_cast<tg_onnx>(PyCapsule_GetPointer(capsule, kModel));
}

PyObject* new_model(tg_onnx model) {
  PyObject* capsule =
      PyCapsule_New(const_cast<void*>(static_cast<const void*>(model)), kModel, free_model);
  if (capsule == nullptr) tg_release(model);
  return capsule;
}

// Null with a Python error.
State state_of(PyObject* tensors) {
  tg_state handle = nullptr;
  if (!ok(tg_state_create(&handle))) return nullptr;
  State state(handle);
  PyObject *name = nullptr, *tensor = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(tensors, &at, &name, &tensor) != 0;) {
    const char* text = PyUnicode_AsUTF8(name);
    if (text == nullptr) return nullptr;
    if (!core->is_tensor(tensor)) {
      PyErr_Format(PyExc_TypeError, "\"%s\" must be a Tensor, not %s", text,
                   Py_TYPE(tensor)->tp_name);
      return nullptr;
    }
    if (!ok(tg_state_set(handle, text, core->handle_of(tensor)))) return nullptr;
  }
  return state;
}

// Adds the i-th tensor; false with a Python error.
bool add_tensor(PyObject* dict, tg_state state, size_t i) {
  tg_value name{};
  tg_tensor tensor = nullptr;
  if (!ok(tg_state_at(state, i, &name, &tensor))) return false;
  PyObject* object = core->new_tensor(tensor);
  const bool added = object != nullptr && PyDict_SetItemString(dict, name.as.text, object) == 0;
  Py_XDECREF(object);
  tg_value_clear(&name);
  return added;
}

PyObject* dict_of(const State& state) {
  size_t count = 0;
  if (!ok(tg_state_count(state.get(), &count))) return nullptr;
  PyObject* dict = PyDict_New();
  for (size_t i = 0; dict != nullptr && i < count; ++i) {
    if (!add_tensor(dict, state.get(), i)) Py_CLEAR(dict);
  }
  return dict;
}

PyObject* load(PyObject*, PyObject* arguments) {
  const char *path = nullptr, *device = nullptr;
  if (PyArg_ParseTuple(arguments, "sz", &path, &device) == 0) return nullptr;
  tg_onnx model = nullptr;
  if (!ok(without_gil([&] { return tg_onnx_load(path, device, &model); }))) return nullptr;
  return new_model(model);
}

PyObject* parse(PyObject*, PyObject* arguments) {
  Py_buffer bytes;
  const char *folder = nullptr, *device = nullptr;
  if (PyArg_ParseTuple(arguments, "y*zz", &bytes, &folder, &device) == 0) return nullptr;
  tg_onnx model = nullptr;
  const tg_status status = without_gil([&] {
    return tg_onnx_parse(bytes.buf, static_cast<size_t>(bytes.len), folder, device, &model);
  });
  PyBuffer_Release(&bytes);
  return ok(status) ? new_model(model) : nullptr;
}

PyObject* describe(PyObject*, PyObject* capsule) {
  const tg_onnx model = model_of(capsule);
  tg_value text{};
  if (model == nullptr || !ok(tg_onnx_describe(model, &text))) return nullptr;
  PyObject* result = PyUnicode_FromString(text.as.text);
  tg_value_clear(&text);
  return result;
}

PyObject* call(PyObject*, PyObject* arguments) {
  PyObject *capsule = nullptr, *inputs = nullptr;
  if (PyArg_ParseTuple(arguments, "OO!", &capsule, &PyDict_Type, &inputs) == 0) return nullptr;
  const tg_onnx model = model_of(capsule);
  if (model == nullptr) return nullptr;
  const State given = state_of(inputs);
  if (given == nullptr) return nullptr;
  tg_state outputs = nullptr;
  if (!ok(without_gil([&] { return tg_onnx_call(model, given.get(), &outputs); }))) return nullptr;
  return dict_of(State(outputs));
}

PyObject* parameters(PyObject*, PyObject* capsule) {
  const tg_onnx model = model_of(capsule);
  tg_state own = nullptr;
  if (model == nullptr || !ok(tg_onnx_get_parameters(model, &own))) return nullptr;
  return dict_of(State(own));
}

PyObject* set_parameters(PyObject*, PyObject* arguments) {
  PyObject *capsule = nullptr, *tensors = nullptr;
  if (PyArg_ParseTuple(arguments, "OO!", &capsule, &PyDict_Type, &tensors) == 0) return nullptr;
  const tg_onnx model = model_of(capsule);
  if (model == nullptr) return nullptr;
  const State given = state_of(tensors);
  if (given == nullptr || !ok(tg_onnx_set_parameters(model, given.get()))) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"load", load, METH_VARARGS, "load(path, device): a model."},
    {"parse", parse, METH_VARARGS, "parse(bytes, folder, device): a model."},
    {"describe", describe, METH_O, "describe(model): what the file says, as JSON."},
    {"call", call, METH_VARARGS, "call(model, {name: Tensor}): {name: Tensor}."},
    {"parameters", parameters, METH_O, "parameters(model): {name: Tensor}."},
    {"set_parameters", set_parameters, METH_VARARGS, "set_parameters(model, {name: Tensor})."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "tinygrad_cpp._onnx",
                          "ONNX models: the native part of tinygrad_cpp.nn.onnx.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__onnx() {
  PyObject* module = PyImport_ImportModule("tinygrad_cpp._core");
  PyObject* api = module == nullptr ? nullptr : PyObject_GetAttrString(module, "api");
  if (api != nullptr)
    core = static_cast<const CoreApi*>(PyCapsule_GetPointer(api, tg_python::kCoreApi));
  Py_XDECREF(api);  // `_core` keeps it
  Py_XDECREF(module);
  return core == nullptr ? nullptr : PyModule_Create(&definition);
}
