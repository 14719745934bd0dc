/* The callbacks that C calls, which hand over to those of jit.go: the user data is the number of a
 * cgo.Handle, which is no pointer. */
#include "_cgo_export.h"

static tg_status run_body(void* user, const tg_value* arguments, size_t count, tg_value* results,
                          size_t capacity, size_t* result_count) {
  return (tg_status)tgGoRunBody((tg_go)user, (tg_value*)arguments, count, results, capacity,
                                result_count);
}

static void free_body(void* user) { tgGoFreeBody((tg_go)user); }

tg_status tg_go_jit_create(tg_go user, tg_go* out) {
  TG_GO_MAKE(tg_jit, tg_jit_create(run_body, (void*)user, free_body, NULL, &made));
}
