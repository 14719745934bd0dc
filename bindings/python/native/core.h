// What the files of the extension module `_core` share: the Python objects that hold handles of the
// C interface, the conversion of arguments and results, and errors. The module knows nothing of
// single functions; their names and parameters come from Python (tinygrad_cpp/_table.py).
//
// Everything here runs with the GIL held unless a comment says otherwise.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tg/c/tg.h"

namespace tg_python {

// ---- objects

/// A counted handle of the C interface as a Python object; the base of tinygrad_cpp.Tensor.
struct TensorObject {
  PyObject_HEAD tg_tensor handle;
  bool is_param;       ///< tinygrad's flag: true until somebody says otherwise
  bool is_held;        ///< an optimiser changes it
  bool is_weak;        ///< it gives way to the dtypes that it meets (weak.cpp)
  PyObject* gradient;  ///< the object that `grad` gave last, or null
  PyObject* weak_references;
  TensorObject* next;  ///< all objects that are alive are a ring
  TensorObject* previous;
};

/// A whole number that depends on variables; the base of tinygrad_cpp.Variable.
struct SizeObject {
  PyObject_HEAD tg_size handle;
};

/// An element type.
struct DTypeObject {
  PyObject_HEAD tg_dtype code;
};

/// Everything global of the module: types, and the classes that Python registers on import.
struct Registry {
  PyTypeObject* tensor_base = nullptr;
  PyTypeObject* size_base = nullptr;
  PyTypeObject* dtype = nullptr;
  PyTypeObject* function = nullptr;
  PyTypeObject* jit = nullptr;
  PyObject* tensor_class = nullptr;  ///< what results become
  PyObject* size_class = nullptr;    ///< what expressions of variables become
  PyObject* errors = nullptr;        ///< dict: status → exception class
  PyObject* dtypes = nullptr;        ///< dict: name or code → the one object of a dtype
  PyObject* log = nullptr;           ///< who receives the library's lines; null: standard error
  tg_dtype default_float = TG_DTYPE_FLOAT32;  ///< of tensors that name no dtype
  tg_dtype default_int = TG_DTYPE_INT32;
  PyObject* to_index = nullptr;  ///< Python: (list or array, tensor or None) → index item
};
extern Registry registry;

bool add_tensor_type(PyObject* module);
bool add_size_type(PyObject* module);
bool add_dtype_type(PyObject* module);
bool add_function_type(PyObject* module);
bool add_jit_type(PyObject* module);

// The module's functions, by subject.
extern PyMethodDef data_methods[];
extern PyMethodDef exchange_methods[];
extern PyMethodDef system_methods[];
extern PyMethodDef log_methods[];

/// Adds a type made of `spec` to the module; null with a Python error if that fails.
PyTypeObject* add_type(PyObject* module, PyType_Spec* spec, const char* name);

// ---- errors

/// Numbers of exception classes beside those of tg_status, in errors.py.
inline constexpr long kDeviceMemory = -5, kNoSuchDType = -100, kJit = -101, kIndexShape = -102;
/// The class that Python registered for a number, borrowed; RuntimeError if it did not.
PyObject* error_class(long number);
/// Raises the exception of a status with the library's message. Always null.
PyObject* raise_status(tg_status status);
/// True if the call went well; else the exception is raised.
inline bool ok(tg_status status) {
  if (status == TG_OK) return true;
  raise_status(status);
  return false;
}
/// Lets signals (Ctrl-C) stop what the library does; false with a Python error.
bool listen_to_signals();
/// Inside a callback of the library: keeps the Python exception for the call on the outside.
tg_status keep_exception();
/// Where computing stopped by Ctrl-C or a callback's exception is noticed: true if nothing is to be
/// raised.
bool no_signal();

/// Gives Python the lines that the library has said meanwhile (log.cpp).
void deliver_lines();

/// Runs `f` without the GIL.
template <typename F>
tg_status without_gil(F&& f) {
  PyThreadState* state = PyEval_SaveThread();
  const tg_status status = f();
  PyEval_RestoreThread(state);
  deliver_lines();
  return status;
}

/// Gives up a reference from any thread, with or without the GIL.
void drop_reference(PyObject* object);

// ---- values

/// What a parameter takes, as its letter in the table.
enum class Kind : char {
  Any = 'a',     ///< by the object's own type
  Tensor = 't',  ///< a tensor, or anything that becomes one
  Int = 'i',     ///< an integer or an expression of variables
  Float = 'f',
  Bool = 'b',
  DType = 'd',  ///< a dtype or its name
  String = 's',
  Ints = 'I',     ///< an integer or a sequence of them
  Sizes = 'S',    ///< integers and expressions of variables
  Tensors = 'T',  ///< a sequence of tensors
  Pairs = 'P',    ///< a sequence of pairs, or a flat one
  Index = 'x',    ///< what stands between brackets
  Choice = 'c',   ///< a number of an enumeration
  Reverse = 'r',  ///< swaps the first two arguments
  Ignored = '-',  ///< accepted for programs that give it
};

/// Memory and references that arguments need until the call is over. Small calls allocate nothing.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    if (!kept_.empty()) drop();
  }

  template <typename T>
  T* array(size_t count) {
    return static_cast<T*>(bytes(count * sizeof(T)));
  }
  /// Keeps a reference; null (with a Python error set) stays null.
  PyObject* keep(PyObject* object);

  /// The first tensor among the arguments, borrowed, or null: what is made of lists lives with it.
  PyObject* subject = nullptr;

 private:
  void* bytes(size_t count);
  void drop();

  alignas(16) std::byte fixed_[1024];
  size_t used_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> more_;
  std::vector<PyObject*> kept_;
};

/// The object as an argument; false with a Python error. None becomes "not given".
bool to_value(PyObject* object, Kind kind, tg_value* value, Arena& arena);
/// Integers and expressions of variables as a list of them; false with a Python error.
bool to_sizes(PyObject* const* objects, size_t count, tg_value* value, Arena& arena);
/// What stands between brackets, as items.
bool to_index(PyObject* object, tg_value* value, Arena& arena);
/// The result as an object; takes what it holds. Lists of tensors become tuples.
PyObject* from_value(tg_value* value);

inline bool is_tensor(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == registry.tensor_class ||
         PyObject_TypeCheck(object, registry.tensor_base);
}
inline tg_tensor handle_of(PyObject* tensor) {
  return reinterpret_cast<TensorObject*>(tensor)->handle;
}
inline bool is_size(PyObject* object) { return PyObject_TypeCheck(object, registry.size_base); }
inline tg_size size_of(PyObject* size) { return reinterpret_cast<SizeObject*>(size)->handle; }

/// An object that owns the handle; on failure the handle is released.
PyObject* new_tensor(tg_tensor handle);
PyObject* new_size(tg_size handle);
/// All tensors that Python holds.
PyObject* live_tensors(PyObject*, PyObject*);
/// The one object of a dtype, a new reference.
PyObject* dtype_object(tg_dtype code);
/// A dtype object or a name; false with a Python error.
bool to_dtype(PyObject* object, tg_dtype* code);

// ---- weak dtypes

/// What became of promoted operands: the result gives way, too.
struct Promotion {
  bool is_weak = false;
};
inline constexpr size_t kMostOperands = 8;
/// A Python number (no truth value) or an expression of variables: it gives way to what it meets.
bool is_weak_number(PyObject* object);
/// Brings the operands, bits by slot, to one dtype; `weak`: those that give way. False with a
/// Python error.
bool promote(tg_value* values, uint32_t operands, uint32_t weak, Arena& arena,
             Promotion* promotion);
/// Marks a tensor, or a tuple of them, as weak.
void mark_weak(PyObject* result);
/// The codes of dtypes.weakint and dtypes.weakfloat, behind those of the C interface.
inline constexpr auto kWeakInt = static_cast<tg_dtype>(100);
inline constexpr auto kWeakFloat = static_cast<tg_dtype>(101);

/// Size of an element, and the struct module's letter ("" where there is none).
size_t element_size(tg_dtype code);
const char* format_letter(tg_dtype code);
/// The tensor's sizes as plain numbers.
bool plain_shape(tg_tensor tensor, std::vector<int64_t>* shape);
/// (2, 3) → a tuple.
PyObject* int_tuple(const int64_t* values, size_t count);
/// A sequence of integers.
bool to_shape(PyObject* object, std::vector<int64_t>* shape);
/// Calls a function of the manifest that is looked up once: `slot` remembers it.
bool call_named(tg_function* slot, const char* name, const tg_value* arguments, size_t count,
                tg_value* result);
inline tg_value tensor_value(tg_tensor t) {
  tg_value v{};
  v.kind = TG_TENSOR;
  v.as.tensor = t;
  return v;
}

}  // namespace tg_python
