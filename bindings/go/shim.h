/* tg.h for Go. Handles are numbers with the type of pointers, which Go's collector must not see as
 * pointers: here they are uintptr_t. Where a call makes a handle, it is the last parameter. */
#pragma once

#include "tg/c/tg.h"

typedef uintptr_t tg_go;

#define TG_GO_MAKE(type, call)          \
  type made = NULL;                     \
  const tg_status status = call;        \
  if (status == TG_OK) *out = (tg_go)made; \
  return status

static inline tg_status tg_go_retain(tg_go h) { return tg_retain((const void*)h); }
static inline tg_status tg_go_release(tg_go h) { return tg_release((const void*)h); }
static inline tg_status tg_go_find(const char* name, tg_go* out) {
  TG_GO_MAKE(tg_function, tg_find_function(name, &made));
}
static inline tg_status tg_go_call(tg_go f, const tg_value* arguments, size_t count, tg_value* result) {
  return tg_call((tg_function)f, arguments, count, result);
}
static inline tg_status tg_go_from_data(const void* data, size_t bytes, tg_dtype dtype,
                                        const int64_t* shape, size_t ndim, const char* device,
                                        tg_go* out) {
  TG_GO_MAKE(tg_tensor, tg_tensor_from_data(data, bytes, dtype, shape, ndim, device, &made));
}
static inline tg_status tg_go_read(tg_go t, void* data, size_t bytes) {
  return tg_tensor_read((tg_tensor)t, data, bytes);
}
static inline tg_status tg_go_replace(tg_go t, tg_go value) {
  return tg_tensor_replace((tg_tensor)t, (tg_tensor)value);
}
static inline tg_status tg_go_same(tg_go a, tg_go b, bool* same) {
  return tg_tensor_same((tg_tensor)a, (tg_tensor)b, same);
}
static inline tg_status tg_go_host_pointer(tg_go t, void** data) {
  return tg_tensor_host_pointer((tg_tensor)t, data);
}
static inline tg_status tg_go_alias(tg_go t, tg_go* out) {
  TG_GO_MAKE(tg_tensor, tg_tensor_alias((tg_tensor)t, &made));
}
static inline tg_status tg_go_variable(const char* name, int64_t min, int64_t max, int64_t value,
                                       tg_go* out) {
  TG_GO_MAKE(tg_size, tg_variable(name, min, max, value, &made));
}
static inline tg_status tg_go_size_value(tg_go size, int64_t* value, int64_t* min, int64_t* max) {
  return tg_size_value((tg_size)size, value, min, max);
}
static inline tg_status tg_go_size_text(tg_go size, tg_value* text) {
  return tg_size_text((tg_size)size, text);
}
static inline tg_status tg_go_layer_call(tg_go layer, tg_go x, tg_go* out) {
  TG_GO_MAKE(tg_tensor, tg_layer_call((tg_layer)layer, (tg_tensor)x, &made));
}
static inline tg_status tg_go_layer_apply(tg_go layer, const tg_go* inputs, size_t count,
                                          tg_go* results, size_t capacity, size_t* result_count) {
  return tg_layer_apply((tg_layer)layer, (const tg_tensor*)inputs, count, (tg_tensor*)results,
                        capacity, result_count);
}
static inline tg_status tg_go_layer_state(tg_go layer, tg_go* out) {
  TG_GO_MAKE(tg_state, tg_layer_get_state((tg_layer)layer, &made));
}
static inline tg_status tg_go_step(tg_go optimizer, tg_go loss) {
  return tg_optimizer_step((tg_optimizer)optimizer, (tg_tensor)loss);
}
static inline tg_status tg_go_step_together(const tg_go* optimizers, size_t count, tg_go loss) {
  return tg_optimizer_step_together((const tg_optimizer*)optimizers, count, (tg_tensor)loss);
}
static inline tg_status tg_go_zero_grad(tg_go optimizer) {
  return tg_optimizer_zero_grad((tg_optimizer)optimizer);
}
static inline tg_status tg_go_rate(tg_go optimizer, double* rate) {
  return tg_optimizer_lr((tg_optimizer)optimizer, rate);
}
static inline tg_status tg_go_set_rate(tg_go optimizer, double rate) {
  return tg_optimizer_set_lr((tg_optimizer)optimizer, rate);
}
static inline tg_status tg_go_optimizer_state(tg_go optimizer, tg_go* out) {
  TG_GO_MAKE(tg_state, tg_optimizer_get_state((tg_optimizer)optimizer, &made));
}
static inline tg_status tg_go_state_create(tg_go* out) {
  TG_GO_MAKE(tg_state, tg_state_create(&made));
}
static inline tg_status tg_go_state_set(tg_go state, const char* name, tg_go tensor) {
  return tg_state_set((tg_state)state, name, (tg_tensor)tensor);
}
static inline tg_status tg_go_state_get(tg_go state, const char* name, tg_go* out) {
  TG_GO_MAKE(tg_tensor, tg_state_get((tg_state)state, name, &made));
}
static inline tg_status tg_go_state_merge(tg_go state, const char* prefix, tg_go from) {
  return tg_state_merge((tg_state)state, prefix, (tg_state)from);
}
static inline tg_status tg_go_state_count(tg_go state, size_t* count) {
  return tg_state_count((tg_state)state, count);
}
static inline tg_status tg_go_state_name(tg_go state, size_t i, tg_value* name) {
  return tg_state_at((tg_state)state, i, name, NULL);
}
static inline tg_status tg_go_state_save(tg_go state, const char* path) {
  return tg_state_save((tg_state)state, path);
}
static inline tg_status tg_go_state_load(const char* path, const char* device, tg_go* out) {
  TG_GO_MAKE(tg_state, tg_state_load(path, device, &made));
}
static inline tg_status tg_go_mnist(tg_go* out, tg_value* name) {
  TG_GO_MAKE(tg_state, tg_dataset_mnist(NULL, &made, name));
}
static inline tg_status tg_go_state_assign(tg_go into, tg_go from) {
  return tg_state_assign((tg_state)into, (tg_state)from);
}

/* callbacks.c: `user` is a number that the callbacks get. */
tg_status tg_go_jit_create(tg_go user, const tg_jit_options* options, tg_go* out);
tg_status tg_go_custom(tg_go user, const tg_go* inputs, size_t count, tg_go* out);
tg_status tg_go_wrap(void* data, size_t bytes, tg_dtype dtype, const int64_t* shape, size_t ndim,
                     tg_go user, tg_go* out);
tg_status tg_go_set_log(tg_go user);
static inline tg_status tg_go_jit_call(tg_go jit, const tg_value* arguments, size_t count,
                                       tg_go* results, size_t capacity, size_t* result_count) {
  return tg_jit_call((tg_jit)jit, arguments, count, (tg_tensor*)results, capacity, result_count);
}
static inline tg_status tg_go_jit_reset(tg_go jit) { return tg_jit_reset((tg_jit)jit); }
static inline tg_status tg_go_jit_stats(tg_go jit, tg_jit_stats* stats) {
  return tg_jit_get_stats((tg_jit)jit, stats);
}
