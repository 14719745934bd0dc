/* Prints what a program that was compiled with the C headers relies on: numbers of enumerations, sizes
 * and places of fields. bindings/abi.txt keeps it; what stands there never changes, lines are only
 * added. */
#include <stddef.h>
#include <stdio.h>

#include "tg/c/tg_ops.h"

#define VALUE(name) printf("value %s %d\n", #name, (int)name)
#define SIZE(type) printf("size %s %zu\n", #type, sizeof(type))
#define FIELD(type, field) printf("field %s.%s %zu\n", #type, #field, offsetof(type, field))

int main(void) {
  VALUE(TG_ABI_VERSION);
  VALUE(TG_OK);
  VALUE(TG_ERROR_SHAPE);
  VALUE(TG_ERROR_DTYPE);
  VALUE(TG_ERROR_INDEX);
  VALUE(TG_ERROR_ARGUMENT);
  VALUE(TG_ERROR_DEVICE);
  VALUE(TG_ERROR_FILE);
  VALUE(TG_ERROR_CANCELLED);
  VALUE(TG_ERROR_INTERNAL);
  VALUE(TG_ERROR_HANDLE);
  VALUE(TG_ERROR_MEMORY);
  VALUE(TG_ERROR_CALLBACK);
  VALUE(TG_DTYPE_BOOL);
  VALUE(TG_DTYPE_INT32);
  VALUE(TG_DTYPE_FLOAT16);
  VALUE(TG_DTYPE_FLOAT32);
  VALUE(TG_DTYPE_FLOAT64);
  VALUE(TG_NONE);
  VALUE(TG_BOOL);
  VALUE(TG_INT);
  VALUE(TG_FLOAT);
  VALUE(TG_DTYPE);
  VALUE(TG_STRING);
  VALUE(TG_INTS);
  VALUE(TG_TENSOR);
  VALUE(TG_TENSORS);
  VALUE(TG_SIZE);
  VALUE(TG_SIZES);
  VALUE(TG_INDEX);
  VALUE(TG_BYTES);
  VALUE(TG_LAYER);
  VALUE(TG_OPTIMIZER);
  VALUE(TG_CHOICE);
  VALUE(TG_INDEX_AT);
  VALUE(TG_INDEX_SLICE);
  VALUE(TG_INDEX_ELLIPSIS);
  VALUE(TG_INDEX_NEW_AXIS);
  VALUE(TG_INDEX_GATHER);
  SIZE(tg_value);
  FIELD(tg_value, kind);
  FIELD(tg_value, count);
  FIELD(tg_value, as);
  SIZE(tg_index_item);
  FIELD(tg_index_item, at);
  FIELD(tg_index_item, start);
  FIELD(tg_index_item, stop);
  FIELD(tg_index_item, step);
  FIELD(tg_tensor_info, dtype);
  FIELD(tg_tensor_info, ndim);
  FIELD(tg_tensor_info, numel);
  FIELD(tg_tensor_info, nbytes);
  FIELD(tg_tensor_info, is_realized);
  FIELD(tg_tensor_info, is_param);
  FIELD(tg_jit_options, alias_outputs);
  FIELD(tg_jit_stats, captured);
  FIELD(tg_jit_stats, launches);
  FIELD(tg_jit_stats, kernels);
  FIELD(tg_jit_stats, arena_bytes);
  FIELD(tg_counters, kernels);
  FIELD(tg_counters, launches);
  FIELD(tg_counters, ops);
  FIELD(tg_counters, bytes);
  FIELD(tg_counters, seconds);
  FIELD(tg_counters, memory_in_use);
  FIELD(tg_counters, peak_memory);
  FIELD(tg_sum_options, axis);
  FIELD(tg_conv2d_options, padding);
  return 0;
}
