// How failures cross between the C interface and Python: a status becomes the exception class that
// tinygrad_cpp/errors.py registered for it, and an exception inside a callback is kept until the
// call on the outside has failed with it.
#include <cstring>
#include <mutex>
#include <vector>

#include "core.h"

namespace tg_python {
namespace {

// The exception of a callback, for this thread's call on the outside.
thread_local PyObject* kept_type = nullptr;
thread_local PyObject* kept_value = nullptr;
thread_local PyObject* kept_traceback = nullptr;
thread_local bool kept_by_signal = false;

// References that were given up without the GIL.
struct Dropped {
  std::mutex mutex;
  std::vector<PyObject*> objects;
};
Dropped& dropped() {
  static auto* list = new Dropped;  // outlives everything: a buffer may go at the very end
  return *list;
}

int drop_pending(void*) {
  std::vector<PyObject*> objects;
  {
    const std::lock_guard lock(dropped().mutex);
    objects.swap(dropped().objects);
  }
  for (PyObject* object : objects) Py_DECREF(object);
  return 0;
}

void forget_kept() {
  Py_CLEAR(kept_type);
  Py_CLEAR(kept_value);
  Py_CLEAR(kept_traceback);
  kept_by_signal = false;
}

void raise_kept() {
  PyErr_Restore(kept_type, kept_value, kept_traceback);
  kept_type = kept_value = kept_traceback = nullptr;
  kept_by_signal = false;
}

// Asked by the library while it works: runs the handlers of signals that came meanwhile, as Python
// does between its instructions, and stops the work if one raises an exception. Threads that Python
// does not know, such as the library's own, leave that to others.
bool wants_to_stop(void*) {
  if (Py_IsInitialized() == 0 || PyGILState_GetThisThreadState() == nullptr) return false;
  const PyGILState_STATE state = PyGILState_Ensure();
  deliver_lines();
  const bool stop = PyErr_CheckSignals() != 0;
  if (stop) {
    forget_kept();
    PyErr_Fetch(&kept_type, &kept_value, &kept_traceback);
    kept_by_signal = true;
  }
  PyGILState_Release(state);
  return stop;
}

// Indices that do not fit together, not a value that does not fit what they name.
bool is_about_indices(const char* message) {
  for (const char* start : {"index: ", "set: shapes cannot be broadcast"}) {
    if (std::strncmp(message, start, std::strlen(start)) == 0) return true;
  }
  return false;
}

}  // namespace

bool listen_to_signals() { return ok(tg_set_interrupt(wants_to_stop, nullptr, nullptr)); }

PyObject* error_class(long number) {
  PyObject* key = PyLong_FromLong(number);
  PyObject* type =
      key == nullptr || registry.errors == nullptr ? nullptr : PyDict_GetItem(registry.errors, key);
  Py_XDECREF(key);
  return type == nullptr ? PyExc_RuntimeError : type;
}

PyObject* raise_status(tg_status status) {
  if (kept_type != nullptr) {
    raise_kept();
    return nullptr;
  }
  const char* message = tg_error_message();
  // Exhausted memory of a device has a class of its own in Python, where that is a MemoryError, and
  // so have calls that do not fit what was captured, and indices.
  long number = status;
  if (status == TG_ERROR_DEVICE && std::strstr(message, "no memory left") != nullptr)
    number = kDeviceMemory;
  if (std::strncmp(message, "TinyJit:", 8) == 0) number = kJit;
  if (status == TG_ERROR_SHAPE && is_about_indices(message)) number = kIndexShape;
  PyErr_SetString(error_class(number), message);
  return nullptr;
}

tg_status keep_exception() {
  forget_kept();
  PyErr_Fetch(&kept_type, &kept_value, &kept_traceback);
  return tg_fail(TG_ERROR_CALLBACK, "a Python function raised an exception");
}

bool no_signal() {
  if (kept_by_signal) {  // the work was done anyway
    raise_kept();
    return false;
  }
  forget_kept();  // the library went on without the callback's result
  return PyErr_CheckSignals() == 0;
}

void drop_reference(PyObject* object) {
  if (Py_IsInitialized() == 0) return;  // the process ends: there is nobody left to take it
  if (PyGILState_Check() != 0) {
    Py_DECREF(object);
    return;
  }
  // Waiting for the GIL here could wait for a thread that waits for a lock of the library.
  const std::lock_guard lock(dropped().mutex);
  dropped().objects.push_back(object);
  if (dropped().objects.size() == 1) Py_AddPendingCall(drop_pending, nullptr);
}

}  // namespace tg_python
