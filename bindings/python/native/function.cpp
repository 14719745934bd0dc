// The type of the functions of the manifest as Python sees them: callable with positional and
// keyword arguments, and methods when they stand in a class. A call converts its arguments into an
// array on the stack and goes to tg_call; nothing else is between Python and C++. Which parameters
// there are comes from Python (tinygrad_cpp/_table.py).
#include <array>
#include <utility>

#include "core.h"

namespace tg_python {
namespace {

constexpr size_t kMaxSlots = 24;

enum Flag : int {
  kComputes = 1,       // runs kernels: without the GIL
  kReturnsSelf = 2,    // the result is the first argument itself
  kReturnsList = 4,    // several results are a list, not a tuple
  kLeaf = 8,           // the result gets a gradient of its own if it is a float
  kAsSelf = 16,        // the result gives way if the first argument does
  kPromotes = 32,      // operands are promoted to one dtype, and the result gives way if that does
  kPromotesOnly = 64,  // the same, but the result never gives way
  kCreates = 128,      // makes a tensor of the default dtype if none is named
};

struct Param {
  PyObject* name = nullptr;      // interned
  PyObject* fallback = nullptr;  // what stands where nothing was given; null: the library's default
  Kind kind = Kind::Any;
  uint8_t slot = 0;  // of the C arguments
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  tg_function function;  // null until the first call
  PyObject* name;
  PyObject* c_name;
  PyObject* describe;  // Python: (function, attribute) → docstring or signature
  PyObject* slow;      // Python: what takes arguments of forms that this type refuses; or null
  std::vector<Param>* params;
  size_t slots;
  int gather;  // the parameter that takes all further positional arguments; -1: none
  int flags;
  uint32_t operands;   // that are promoted, a bit for each slot
  bool has_fallbacks;  // whether a parameter has one
};

FunctionObject* cast(PyObject* object) { return reinterpret_cast<FunctionObject*>(object); }

bool all_sizes(PyObject* const* objects, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!PyLong_CheckExact(objects[i]) && !is_size(objects[i])) return false;
  }
  return true;
}

// The arguments of one call on their way into C.
struct Call {
  FunctionObject* self;
  Arena arena;
  std::array<tg_value, kMaxSlots> values;
  std::array<bool, kMaxSlots> given{};  // by parameter
  bool reverse = false;
  uint32_t weak = 0;  // slots of tensors that give way

  explicit Call(FunctionObject* f) : self(f) {
    for (size_t i = 0; i < f->slots; ++i) values[i] = tg_value{};
  }

  bool set(size_t param, PyObject* object) {
    const Param& p = (*self->params)[param];
    given[param] = true;
    if (p.kind == Kind::Tensor && is_tensor(object)) {
      values[p.slot] = tensor_value(handle_of(object));
      if (reinterpret_cast<TensorObject*>(object)->is_weak) weak |= uint32_t{1} << p.slot;
      if (arena.subject == nullptr) arena.subject = object;
      return true;
    }
    if (p.kind == Kind::Ignored) return true;
    if (p.kind == Kind::Reverse) {
      reverse = PyObject_IsTrue(object) == 1;
      return PyErr_Occurred() == nullptr;
    }
    return to_value(object, p.kind, &values[p.slot], arena);
  }

  // All positional arguments from `first` on as one.
  bool set_gathered(size_t param, PyObject* const* objects, size_t count) {
    if (count == 1 && (PyTuple_Check(objects[0]) || PyList_Check(objects[0])))
      return set(param, objects[0]);
    const Param& p = (*self->params)[param];
    if (count > 1 && (PyTuple_Check(objects[0]) || PyList_Check(objects[0])) &&
        (p.kind == Kind::Sizes || p.kind == Kind::Ints)) {
      PyErr_Format(PyExc_ValueError, "%U: bad arg: a sequence and %zu more arguments", self->name,
                   count - 1);
      return false;
    }
    if (count > 0 && (p.kind == Kind::Sizes || p.kind == Kind::Ints) && all_sizes(objects, count)) {
      given[param] = true;
      return to_sizes(objects, count, &values[p.slot], arena);
    }
    PyObject* all = arena.keep(PyTuple_New(static_cast<Py_ssize_t>(count)));
    if (all == nullptr) return false;
    for (size_t i = 0; i < count; ++i) {
      Py_INCREF(objects[i]);
      PyTuple_SET_ITEM(all, static_cast<Py_ssize_t>(i), objects[i]);
    }
    return set(param, all);
  }
};

bool find(FunctionObject* f) {
  if (f->function != nullptr) return true;
  const char* name = PyUnicode_AsUTF8(f->c_name);
  if (name == nullptr) return false;
  if (tg_find_function(name, &f->function) == TG_OK) return true;
  f->function = nullptr;
  PyErr_Format(PyExc_NotImplementedError, "%U: the library has no function '%s'", f->name, name);
  return false;
}

bool set_positional(Call& call, PyObject* const* args, size_t count) {
  const size_t params = call.self->params->size();
  const size_t gather = call.self->gather < 0 ? SIZE_MAX : static_cast<size_t>(call.self->gather);
  const size_t plain = count < gather ? count : gather;
  if (plain > params) {
    PyErr_Format(PyExc_TypeError, "%U() takes at most %zu arguments (%zu given)", call.self->name,
                 params, count);
    return false;
  }
  for (size_t i = 0; i < plain; ++i) {
    if (!call.set(i, args[i])) return false;
  }
  return count <= gather || call.set_gathered(gather, args + gather, count - gather);
}

// The parameter of this name, or the number of parameters.
size_t find_param(const FunctionObject* f, PyObject* name) {
  const std::vector<Param>& params = *f->params;
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == name) return i;
  }
  for (size_t i = 0; i < params.size(); ++i) {
    if (PyUnicode_Compare(params[i].name, name) == 0) return i;
  }
  return params.size();
}

bool set_keywords(Call& call, PyObject* const* values, PyObject* names) {
  const Py_ssize_t count = PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    const size_t param = find_param(call.self, name);
    if (param == call.self->params->size()) {
      PyErr_Format(PyExc_TypeError, "%U() got an unexpected keyword argument '%U'", call.self->name,
                   name);
      return false;
    }
    if (call.given[param]) {
      PyErr_Format(PyExc_TypeError, "%U() got multiple values for argument '%U'", call.self->name,
                   name);
      return false;
    }
    if (!call.set(param, values[i])) return false;
  }
  return true;
}

// Sizes that are gathered may be none at all: x.reshape() is a scalar.
bool set_no_sizes(Call& call) {
  const int gather = call.self->gather;
  if (gather < 0 || call.given[static_cast<size_t>(gather)]) return true;
  const Kind kind = (*call.self->params)[static_cast<size_t>(gather)].kind;
  if (kind != Kind::Sizes && kind != Kind::Ints) return true;
  return call.set_gathered(static_cast<size_t>(gather), nullptr, 0);
}

bool set_fallbacks(Call& call) {
  if (!call.self->has_fallbacks) return true;
  const std::vector<Param>& params = *call.self->params;
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].fallback != nullptr && !call.given[i] && !call.set(i, params[i].fallback))
      return false;
  }
  return true;
}

bool is_float(tg_tensor t) {
  tg_tensor_info info{};
  info.struct_size = sizeof info;
  return tg_tensor_get_info(t, &info) == TG_OK && info.dtype >= TG_DTYPE_FP8E4M3;
}

// Marks a new tensor as one that backward gives a gradient.
bool make_leaf(const tg_value& tensor) {
  static tg_function mark = nullptr;
  if (!is_float(tensor.as.tensor)) return true;
  tg_value unused{};
  if (!call_named(&mark, "is_param_", &tensor, 1, &unused)) return false;
  tg_value_clear(&unused);
  return true;
}

// A new tensor that names no dtype has the default one: the library's own unless a program changed
// it.
void set_default_dtype(Call& call) {
  const bool changed =
      registry.default_float != TG_DTYPE_FLOAT32 || registry.default_int != TG_DTYPE_INT32;
  if (!changed || (call.self->flags & kCreates) == 0) return;
  tg_dtype dtype = registry.default_float;
  for (const Param& p : *call.self->params) {
    tg_value& v = call.values[p.slot];
    if (p.kind == Kind::Tensor && v.kind == TG_INT) dtype = registry.default_int;
    if (p.kind == Kind::Tensor && v.kind != TG_INT && v.kind != TG_FLOAT) return;
    if (p.kind != Kind::DType || v.kind != TG_NONE) continue;
    v.kind = TG_DTYPE;
    v.as.integer = dtype;
  }
}

// Whether operands have to be brought together here: the library does it for tensors of one kind.
bool needs_promotion(const Call& call) {
  const FunctionObject* f = call.self;
  if ((f->flags & (kPromotes | kPromotesOnly)) == 0) return false;
  if ((call.weak & f->operands) != 0) return true;
  int tensors = 0;
  for (size_t slot = 0; slot < f->slots && slot < kMostOperands; ++slot) {
    if ((f->operands >> slot & 1) == 0) continue;
    const tg_kind kind = call.values[slot].kind;
    if (kind == TG_INT || kind == TG_FLOAT || kind == TG_SIZE) return true;
    tensors += kind == TG_TENSOR ? 1 : 0;
  }
  return tensors > 1;
}

PyObject* finish(FunctionObject* f, PyObject* first, tg_value* result) {
  if ((f->flags & kLeaf) != 0 && result->kind == TG_TENSOR && !make_leaf(*result)) {
    tg_value_clear(result);
    return nullptr;
  }
  if ((f->flags & kReturnsSelf) != 0) {
    tg_value_clear(result);
    return Py_NewRef(first);
  }
  PyObject* object = from_value(result);
  if (object == nullptr || (f->flags & kReturnsList) == 0 || !PyTuple_Check(object)) return object;
  PyObject* list = PySequence_List(object);
  Py_DECREF(object);
  return list;
}

PyObject* call_function(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* names) {
  FunctionObject* f = cast(callable);
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  if (!find(f)) return nullptr;
  Call call(f);
  if (!set_positional(call, args, count) ||
      (names != nullptr && !set_keywords(call, args + count, names)) || !set_no_sizes(call) ||
      !set_fallbacks(call)) {
    if (f->slow == nullptr || (PyErr_ExceptionMatches(PyExc_TypeError) == 0 &&
                               PyErr_ExceptionMatches(PyExc_RuntimeError) == 0))
      return nullptr;
    PyErr_Clear();
    return PyObject_Vectorcall(f->slow, args, nargsf, names);
  }
  set_default_dtype(call);
  const bool first_is_weak = (call.weak & 1) != 0;
  if (call.reverse) {
    std::swap(call.values[0], call.values[1]);
    call.weak = (call.weak & ~uint32_t{3}) | (call.weak & 1) << 1 | (call.weak >> 1 & 1);
  }
  Promotion promotion;
  if (needs_promotion(call) &&
      !promote(call.values.data(), f->operands, call.weak, call.arena, &promotion))
    return nullptr;

  tg_value result{};
  tg_status status = TG_OK;
  if ((f->flags & kComputes) != 0) {
    status =
        without_gil([&] { return tg_call(f->function, call.values.data(), f->slots, &result); });
  } else {
    status = tg_call(f->function, call.values.data(), f->slots, &result);
  }
  if (!ok(status)) return nullptr;
  if ((f->flags & kComputes) != 0 && !no_signal()) {
    tg_value_clear(&result);
    return nullptr;
  }
  PyObject* object = finish(f, count > 0 ? args[0] : Py_None, &result);
  const bool is_weak = ((f->flags & kAsSelf) != 0 && first_is_weak) ||
                       ((f->flags & kPromotes) != 0 && promotion.is_weak);
  if (object != nullptr && is_weak) mark_weak(object);
  return object;
}

// ---- construction

bool add_param(FunctionObject* f, PyObject* item) {
  PyObject* name = nullptr;
  PyObject* fallback = nullptr;
  int letter = 0;
  int slot = 0;
  if (PyArg_ParseTuple(item, "UiCO", &name, &slot, &letter, &fallback) == 0) return false;
  if (slot < 0 || static_cast<size_t>(slot) >= kMaxSlots) {
    PyErr_Format(PyExc_ValueError, "%U: slot %d of '%U'", f->name, slot, name);
    return false;
  }
  Param p;
  p.name = Py_NewRef(name);
  PyUnicode_InternInPlace(&p.name);
  p.fallback = fallback == Py_None ? nullptr : Py_NewRef(fallback);
  f->has_fallbacks = f->has_fallbacks || p.fallback != nullptr;
  p.kind = static_cast<Kind>(letter);
  p.slot = static_cast<uint8_t>(slot);
  f->params->push_back(p);
  if (p.kind != Kind::Reverse && static_cast<size_t>(slot) + 1 > f->slots)
    f->slots = static_cast<size_t>(slot) + 1;
  return true;
}

// Function(name, c_name, params, gather, flags); flags: those above, and from bit 8 on the slots of
// the promoted operands; params: (name, slot, letter, fallback).
PyObject* new_function(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* name = nullptr;
  PyObject* c_name = nullptr;
  PyObject* params = nullptr;
  int gather = -1;
  int flags = 0;
  if (PyArg_ParseTuple(args, "UUO!ii", &name, &c_name, &PyTuple_Type, &params, &gather, &flags) ==
      0)
    return nullptr;
  PyObject* object = type->tp_alloc(type, 0);
  if (object == nullptr) return nullptr;
  FunctionObject* f = cast(object);
  f->vectorcall = call_function;
  f->name = Py_NewRef(name);
  f->c_name = Py_NewRef(c_name);
  f->params = new std::vector<Param>;
  f->gather = gather;
  f->flags = flags & 0xff;
  f->operands = static_cast<uint32_t>(flags) >> 8;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(params); ++i) {
    if (!add_param(f, PyTuple_GET_ITEM(params, i))) {
      Py_DECREF(object);
      return nullptr;
    }
  }
  return object;
}

void free_function(PyObject* object) {
  FunctionObject* f = cast(object);
  if (f->params != nullptr) {
    for (Param& p : *f->params) {
      Py_XDECREF(p.name);
      Py_XDECREF(p.fallback);
    }
    delete f->params;
  }
  Py_XDECREF(f->name);
  Py_XDECREF(f->c_name);
  Py_XDECREF(f->describe);
  Py_XDECREF(f->slow);
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* bind(PyObject* function, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(function);
  return PyMethod_New(function, object);
}

PyObject* repr(PyObject* object) {
  return PyUnicode_FromFormat("<function %U of tinygrad_cpp>", cast(object)->name);
}

PyObject* get_name(PyObject* object, void*) { return Py_NewRef(cast(object)->name); }
PyObject* get_c_name(PyObject* object, void*) { return Py_NewRef(cast(object)->c_name); }
PyObject* get_described(PyObject* object, void* attribute) {
  if (cast(object)->describe == nullptr) {
    PyErr_SetString(PyExc_AttributeError, static_cast<const char*>(attribute));
    return nullptr;
  }
  return PyObject_CallFunction(cast(object)->describe, "Os", object,
                               static_cast<const char*>(attribute));
}

int set_describe(PyObject* object, PyObject* describe, void*) {
  Py_XSETREF(cast(object)->describe, Py_XNewRef(describe));
  return 0;
}
int set_slow(PyObject* object, PyObject* slow, void*) {
  Py_XSETREF(cast(object)->slow, Py_XNewRef(slow));
  return 0;
}

char kDoc[] = "__doc__";
char kSignature[] = "__signature__";

PyGetSetDef getters[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_name, nullptr, nullptr, nullptr},
    {"c_name", get_c_name, nullptr, nullptr, nullptr},
    {"describe", nullptr, set_describe, nullptr, nullptr},
    {"slow", nullptr, set_slow, nullptr, nullptr},
    {"__doc__", get_described, nullptr, nullptr, kDoc},
    {"__signature__", get_described, nullptr, nullptr, kSignature},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET,
     static_cast<Py_ssize_t>(offsetof(FunctionObject, vectorcall)), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_function)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free_function)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_getset, getters},
    {Py_tp_members, members},
    {0, nullptr},
};

// Immutable: the interpreter remembers where a method is found only if its type cannot change.
PyType_Spec spec = {"tinygrad_cpp._core.Function", sizeof(FunctionObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
                        Py_TPFLAGS_IMMUTABLETYPE,
                    slots};

}  // namespace

bool add_function_type(PyObject* module) {
  registry.function = add_type(module, &spec, "Function");
  return registry.function != nullptr;
}

bool call_named(tg_function* slot, const char* name, const tg_value* arguments, size_t count,
                tg_value* result) {
  if (*slot == nullptr && !ok(tg_find_function(name, slot))) return false;
  return ok(tg_call(*slot, arguments, count, result));
}

}  // namespace tg_python
