// The extension module `tinygrad_cpp._core`: puts the types and functions of the other files
// together. Programs use the package tinygrad_cpp, which stands on this.
#include "core.h"
#include "core_api.h"

namespace tg_python {

Registry registry;

PyTypeObject* add_type(PyObject* module, PyType_Spec* spec, const char* name) {
  PyObject* type = PyType_FromSpec(spec);
  if (type == nullptr) return nullptr;
  if (PyModule_AddObjectRef(module, name, type) < 0) {
    Py_DECREF(type);
    return nullptr;
  }
  return reinterpret_cast<PyTypeObject*>(type);
}

namespace {

// For the package's other extension modules.
constexpr CoreApi kApi = {is_tensor, handle_of, new_tensor, raise_status, deliver_lines};

bool add_api(PyObject* module) {
  PyObject* capsule = PyCapsule_New(const_cast<CoreApi*>(&kApi), kCoreApi, nullptr);
  const bool added = capsule != nullptr && PyModule_AddObjectRef(module, "api", capsule) == 0;
  Py_XDECREF(capsule);
  return added;
}

bool fill_module(PyObject* module) {
  return PyModule_AddFunctions(module, data_methods) == 0 &&
         PyModule_AddFunctions(module, exchange_methods) == 0 &&
         PyModule_AddFunctions(module, system_methods) == 0 &&
         PyModule_AddFunctions(module, log_methods) == 0 && add_tensor_type(module) &&
         add_size_type(module) && add_dtype_type(module) && add_function_type(module) &&
         add_jit_type(module) && add_api(module) && listen_to_signals();
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "tinygrad_cpp._core",
                          "The native part of tinygrad_cpp.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace tg_python

PyMODINIT_FUNC PyInit__core() {
  if (tg_abi_version() != TG_ABI_VERSION) {
    PyErr_Format(PyExc_ImportError,
                 "tinygrad_cpp was built for version %d of the C interface, the "
                 "library has %u",
                 TG_ABI_VERSION, tg_abi_version());
    return nullptr;
  }
  PyObject* module = PyModule_Create(&tg_python::definition);
  if (module == nullptr || tg_python::fill_module(module)) return module;
  Py_DECREF(module);
  return nullptr;
}
