// The library's lines for people on their way to Python. The library hands them over from any
// thread with a lock of its own held, where waiting for the GIL could wait for a thread that waits
// for that lock: so they are kept, and given to Python where the GIL is held anyway.
#include <atomic>
#include <mutex>
#include <string>

#include "core.h"

namespace tg_python {
namespace {

struct Lines {
  std::mutex mutex;
  std::vector<std::string> waiting;
  std::atomic<bool> any{false};
};
Lines& lines() {
  static auto* list = new Lines;  // outlives everything: the library may speak at the very end
  return *list;
}

int deliver_pending(void*) {
  deliver_lines();
  return 0;
}

void keep_line(void*, const char* line) {
  if (Py_IsInitialized() == 0) return;  // the process ends: there is nobody left to read it
  Lines& l = lines();
  const std::lock_guard lock(l.mutex);
  l.waiting.emplace_back(line);
  if (!l.any.exchange(true)) Py_AddPendingCall(deliver_pending, nullptr);
}

// set_log(function or None): gives what received the lines before.
PyObject* set_log(PyObject*, PyObject* sink) {
  deliver_lines();
  const bool any = sink != Py_None;
  if (!ok(tg_set_log(any ? keep_line : nullptr, nullptr, nullptr))) return nullptr;
  PyObject* before = registry.log == nullptr ? Py_NewRef(Py_None) : registry.log;
  registry.log = any ? Py_NewRef(sink) : nullptr;
  return before;
}

}  // namespace

void deliver_lines() {
  Lines& l = lines();
  if (!l.any.load(std::memory_order_relaxed)) return;
  std::vector<std::string> now;
  {
    const std::lock_guard lock(l.mutex);
    now.swap(l.waiting);
    l.any.store(false);
  }
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);  // lines may come while an exception is on its way
  PyObject* sink = Py_XNewRef(registry.log);
  for (const std::string& line : now) {
    if (sink == nullptr) break;
    PyObject* text =
        PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), "replace");
    PyObject* unused = text == nullptr ? nullptr : PyObject_CallOneArg(sink, text);
    if (unused == nullptr) PyErr_WriteUnraisable(sink);
    Py_XDECREF(unused);
    Py_XDECREF(text);
  }
  Py_XDECREF(sink);
  PyErr_Restore(type, value, traceback);
}

PyMethodDef log_methods[] = {
    {"set_log", set_log, METH_O, "who receives the library's lines; None: standard error"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace tg_python
