/* The callbacks that C calls, which hand over to those of Go: the user data is the number of a
 * cgo.Handle, which is no pointer. */
#include "_cgo_export.h"

static tg_status run_body(void* user, const tg_value* arguments, size_t count, tg_value* results,
                          size_t capacity, size_t* result_count) {
  return (tg_status)tgGoRunBody((tg_go)user, (tg_value*)arguments, count, results, capacity,
                                result_count);
}

static tg_status run_forward(void* user, const tg_tensor* arguments, size_t count,
                             tg_tensor* results, size_t capacity) {
  return (tg_status)tgGoForward((tg_go)user, (tg_go*)arguments, count, (tg_go*)results, capacity);
}

static tg_status run_backward(void* user, const tg_tensor* arguments, size_t count,
                              tg_tensor* results, size_t capacity) {
  return (tg_status)tgGoBackward((tg_go)user, (tg_go*)arguments, count, (tg_go*)results, capacity);
}

static void run_log(void* user, const char* line) { tgGoLog((tg_go)user, (char*)line); }

/* What was handed over goes. */
static void forget(void* user) { tgGoForget((tg_go)user); }

static void run_release(void* user) { tgGoRelease((tg_go)user); }

tg_status tg_go_jit_create(tg_go user, const tg_jit_options* options, tg_go* out) {
  TG_GO_MAKE(tg_jit, tg_jit_create(run_body, (void*)user, forget, options, &made));
}

tg_status tg_go_custom(tg_go user, const tg_go* inputs, size_t count, tg_go* out) {
  TG_GO_MAKE(tg_tensor, tg_custom(run_forward, run_backward, (void*)user, forget,
                                  (const tg_tensor*)inputs, count, &made));
}

tg_status tg_go_wrap(void* data, size_t bytes, tg_dtype dtype, const int64_t* shape, size_t ndim,
                     tg_go user, tg_go* out) {
  TG_GO_MAKE(tg_tensor, tg_tensor_wrap(data, bytes, dtype, shape, ndim, run_release, (void*)user,
                                       &made));
}

tg_status tg_go_set_log(tg_go user) {
  return user == 0 ? tg_set_log(NULL, NULL, NULL) : tg_set_log(run_log, (void*)user, forget);
}
