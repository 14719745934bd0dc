// What the extension module `_core` offers to the package's other extension modules, which share
// its tensors and errors: a table of functions in the capsule `_core.api`.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tg/c/tg.h"

namespace tg_python {

/// All are called with the GIL held.
struct CoreApi {
  bool (*is_tensor)(PyObject* object);
  tg_tensor (*handle_of)(PyObject* tensor);     ///< borrowed
  PyObject* (*new_tensor)(tg_tensor handle);    ///< owns the handle, also if it fails
  PyObject* (*raise_status)(tg_status status);  ///< always null
  void (*deliver_lines)();                      ///< after a call without the GIL
};
inline constexpr char kCoreApi[] = "tinygrad_cpp._core.api";

}  // namespace tg_python
