// Weak dtypes: what a Python number has, and what int8 + 0.5 or int64 with uint64 has. A weak value
// is stored as int32 or float32 and gives way to the dtype that it meets. The library knows this of
// numbers only; of other tensors their Python objects know it (TensorObject::is_weak), and here the
// operands of a call are brought to the dtype in which they meet. Which functions bring operands
// together: generator/spec.py. The order of dtypes as Python sees it:
// tinygrad_cpp/dtype_numbers.py.
#include "core.h"

namespace tg_python {
namespace {

bool is_float_code(tg_dtype code) { return code >= TG_DTYPE_FP8E4M3; }
bool is_signed_code(tg_dtype code) {
  return code == TG_DTYPE_INT8 || code == TG_DTYPE_INT16 || code == TG_DTYPE_INT32 ||
         code == TG_DTYPE_INT64;
}

bool dtype_of(tg_tensor tensor, tg_dtype* code) {
  static tg_function dtype_function = nullptr;
  const tg_value argument = tensor_value(tensor);
  tg_value result{};
  if (!call_named(&dtype_function, "dtype", &argument, 1, &result)) return false;
  *code = static_cast<tg_dtype>(result.as.integer);
  return true;
}

bool is_fp8_code(tg_dtype code) { return code >= TG_DTYPE_FP8E4M3 && code <= TG_DTYPE_FP8E5M2FNUZ; }
bool is_fp8_with_bfloat16(tg_dtype a, tg_dtype b) {
  return (is_fp8_code(a) && b == TG_DTYPE_BFLOAT16) || (is_fp8_code(b) && a == TG_DTYPE_BFLOAT16);
}

bool promoted(tg_dtype a, tg_dtype b, tg_dtype* code) {
  *code = TG_DTYPE_BFLOAT16;
  if (is_fp8_with_bfloat16(a, b)) return true;
  static tg_function promote_function = nullptr;
  tg_value arguments[2] = {{}, {}};
  arguments[0].kind = arguments[1].kind = TG_DTYPE;
  arguments[0].as.integer = a;
  arguments[1].as.integer = b;
  tg_value result{};
  if (!call_named(&promote_function, "promote", arguments, 2, &result)) return false;
  *code = static_cast<tg_dtype>(result.as.integer);
  return true;
}

// A tensor argument cast; the handle lives as long as the arena.
bool cast_operand(tg_value* value, tg_dtype to, Arena& arena) {
  static tg_function cast_function = nullptr;
  tg_value arguments[2] = {*value, {}};
  arguments[1].kind = TG_DTYPE;
  arguments[1].as.integer = to;
  tg_value result{};
  if (!call_named(&cast_function, "cast", arguments, 2, &result)) return false;
  PyObject* kept = arena.keep(new_tensor(result.as.tensor));
  if (kept == nullptr) return false;
  value->as.tensor = handle_of(kept);
  return true;
}

}  // namespace

bool is_weak_number(PyObject* object) {
  return !PyBool_Check(object) &&
         (PyLong_Check(object) || PyFloat_Check(object) || is_size(object));
}

bool promote(tg_value* values, uint32_t operands, uint32_t weak, Arena& arena,
             Promotion* promotion) {
  bool has_strong = false, weak_float = false, weak_int = false, is_split = false;
  bool is_small = false;  // the library would take a wider float
  tg_dtype strong = TG_DTYPE_BOOL, codes[kMostOperands] = {};
  for (size_t slot = 0; slot < kMostOperands; ++slot) {
    if ((operands >> slot & 1) == 0) continue;
    const tg_value& v = values[slot];
    weak_float = weak_float || v.kind == TG_FLOAT;
    weak_int = weak_int || v.kind == TG_INT || v.kind == TG_SIZE;
    if (v.kind == TG_BOOL) has_strong = true;
    if (v.kind != TG_TENSOR) continue;
    tg_dtype& code = codes[slot];
    if (!dtype_of(v.as.tensor, &code)) return false;
    if ((weak >> slot & 1) != 0) {
      (is_float_code(code) ? weak_float : weak_int) = true;
      continue;
    }
    is_split = is_split || (strong == TG_DTYPE_UINT64 && is_signed_code(code)) ||
               (code == TG_DTYPE_UINT64 && is_signed_code(strong));
    is_small = is_small || is_fp8_with_bfloat16(strong, code);
    if (has_strong && code != strong && !promoted(strong, code, &code)) return false;
    strong = code;
    has_strong = true;
  }
  // No integer holds all that both of these do: they are promoted to a float that gives way.
  is_split = is_split && !is_float_code(strong);
  if (is_split) weak_float = true;
  const bool becomes_weak = !has_strong || (!is_float_code(strong) &&
                                            (weak_float || (weak_int && strong == TG_DTYPE_BOOL)));
  promotion->is_weak = becomes_weak && (weak_float || weak_int);
  if (becomes_weak && !is_split) return true;
  const tg_dtype common = is_split ? TG_DTYPE_FLOAT32 : strong;
  for (size_t slot = 0; slot < kMostOperands; ++slot) {
    if ((operands >> slot & 1) == 0 || values[slot].kind != TG_TENSOR) continue;
    if (!is_split && !is_small && (weak >> slot & 1) == 0) continue;
    if (!cast_operand(&values[slot], common, arena)) return false;
  }
  return true;
}

void mark_weak(PyObject* result) {
  if (is_tensor(result)) reinterpret_cast<TensorObject*>(result)->is_weak = true;
  if (!PyTuple_Check(result)) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) mark_weak(PyTuple_GET_ITEM(result, i));
}

}  // namespace tg_python
