// A backend that works but for one fault, which the build chooses (FAULT). Its kernels do nothing.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tg/plugin/tg_backend.h"

namespace {

enum Fault {
  NONE,
  WRONG_VERSION,
  RETURNS_NULL,
  SMALL_TABLE,
  NO_LAUNCH,
  NO_RELEASE,
  NO_NAME,
  BAD_NAME,
  LONG_NAME,
  TAKEN_NAME,
  BAD_SOURCE,
  BAD_PREFERENCE,
  NO_SYMBOL,
  THROWS_AT_ENTRY,
  PROBE_FAILS,
  OPEN_FAILS,
  OPEN_IS_NULL,
  OPEN_THROWS,
  FACTS_FAIL,
  FACTS_ZERO,
  FACTS_NAN,
  FACTS_ODD_VECTOR,
  FACTS_NO_ARCH,
  FACTS_UNKNOWN_OP,
  FACTS_WORK_ITEMS_OF_C,
  FACTS_UNKNOWN_UNIT,
  FACTS_UNIT_OF_OTHERS,
  ALLOC_FAILS,
  ALLOC_NULL,
  ALLOC_MISALIGNED,
  ALLOC_OVERLAPS,
  MEMORY_FORGETS,
  COPY_FAILS,
  MAX_BYTES,
  ALLOC_FAILS_ONCE,
  COMPILE_FAILS,
  COMPILE_NULL,
  MAX_BUFFERS,
  LAUNCH_FAILS,
  LAUNCH_THROWS,
  LAUNCH_THROWS_ODDLY,
  DEVICE_LOST,
  SYNC_FAILS,
  RELEASE_FAILS,
  NO_MESSAGE,
  LONG_MESSAGE,
  ODD_STATUS,
  WANTS_LLVM,
  NEWER_TABLE,
  OLDER_TABLE,
  CUT_TABLE,
  NO_RECORD_EVENT,
  NO_RUN_GRAPH,
  SUBMIT_FAILS,
  EVENT_FAILS,
  EVENT_NULL,
  RECORD_FAILS,
  ELAPSED_FAILS,
  ELAPSED_NEGATIVE,
  ELAPSED_NAN,
  GRAPH_FAILS,
  GRAPH_NULL,
  GRAPH_LOST,
  GRAPH_THROWS,
  SET_CALL_FAILS,
  RUN_GRAPH_FAILS
};
constexpr Fault kFault = FAULT;
constexpr bool is(Fault f) { return kFault == f; }

int anything;
int64_t in_use = 0;
alignas(64) char block[1 << 16];

tg_status fail(tg_message* m, const char* why, tg_status status = TG_FAILED) {
  std::strncpy(m->text, why, m->text_size - 1);
  return status;
}

tg_status probe(tg_message* m) {
  return is(PROBE_FAILS) ? fail(m, "the driver is too old: install version 7.") : TG_OK;
}

tg_status open_device(void** device, tg_message* m) {
  if (is(OPEN_FAILS)) return fail(m, "the card is not plugged in");
  if (is(OPEN_THROWS)) throw std::runtime_error("no card");
  if (!is(OPEN_IS_NULL)) *device = &anything;
  return TG_OK;
}

void close_device(void*) {}

tg_status facts(void*, tg_facts* f, tg_message* m) {
  if (is(FACTS_FAIL)) return fail(m, "nobody knows");
  if (is(FACTS_ZERO)) f->l1_ways = 0;
  if (is(FACTS_NAN)) f->flops_per_second = NAN;
  if (is(FACTS_ODD_VECTOR)) f->vector_bytes = 24;
  if (is(FACTS_NO_ARCH)) f->arch = nullptr;
  if (is(FACTS_UNKNOWN_OP)) f->ops = "add mul matmul";
  if (is(FACTS_WORK_ITEMS_OF_C)) f->max_group_size = 256;
  if (is(FACTS_UNKNOWN_UNIT))
    f->max_group_size = 256, f->subgroup_size = 32, f->matrix_units = "m16n8k16_f16 m9n9k9_f16";
  if (is(FACTS_UNIT_OF_OTHERS))
    f->max_group_size = 256, f->subgroup_size = 64, f->matrix_units = "m16n8k16_f16";
  if (is(MAX_BYTES)) f->max_bytes = 1 << 20;
  if (is(MAX_BUFFERS)) f->max_buffers = 2;
  return TG_OK;
}

tg_status allocate(void*, int64_t bytes, void** address, tg_message* m) {
  if (is(ALLOC_FAILS)) return fail(m, "all 8 GB are taken", TG_OUT_OF_MEMORY);
  if (is(ALLOC_FAILS_ONCE) && in_use + bytes > (1 << 20))
    return fail(m, "1 MiB is all there is", TG_OUT_OF_MEMORY);
  if (is(ALLOC_NULL)) return TG_OK;
  if (is(ALLOC_OVERLAPS)) return *address = block, TG_OK;
  *address = std::aligned_alloc(64, static_cast<size_t>(bytes) + 64);
  in_use += bytes;
  if (is(ALLOC_MISALIGNED)) *address = static_cast<char*>(*address) + 8;
  return TG_OK;
}

tg_status release(void*, void* address, int64_t bytes, tg_message* m) {
  if (is(ALLOC_OVERLAPS)) return TG_OK;
  std::free(static_cast<char*>(address) - (is(ALLOC_MISALIGNED) ? 8 : 0));
  in_use -= bytes;
  if (is(RELEASE_FAILS) && bytes != 4096) return fail(m, "it is stuck");
  return TG_OK;
}

tg_status copy_in(void*, void* to, const void* from, int64_t bytes, tg_message* m) {
  if (is(COPY_FAILS) && bytes == 24) return fail(m, "the bus is broken");
  std::memcpy(to, from, static_cast<size_t>(bytes));
  return TG_OK;
}

tg_status copy_out(void*, void* to, const void* from, int64_t bytes, tg_message*) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
  if (is(MEMORY_FORGETS)) static_cast<char*>(to)[7] = 0;
  return TG_OK;
}

tg_status compile(void*, const tg_module* module, void** kernels, tg_message* m) {
  if (is(COMPILE_FAILS)) return fail(m, "line 3: what is a vector?");
  if (is(COMPILE_NULL)) return TG_OK;
  if (is(WANTS_LLVM) &&
      (module->kernel_count != 1 || std::strlen(module->text) != module->text_bytes ||
       std::strstr(module->text, "define void @") == nullptr))
    return fail(m, "this is no LLVM IR of one kernel");
  for (uint32_t i = 0; i < module->kernel_count; ++i) kernels[i] = &anything;
  return TG_OK;
}

void forget(void*, void*) {}

// How often each was called, in the order of the table.
struct Counts {
  int launches, submits, events, graphs, calls_set, graphs_run;
} counts;

tg_status launch(void*, const tg_call*, size_t, tg_message* m) {
  ++counts.launches;
  switch (kFault) {
    case LAUNCH_FAILS:
      return fail(m, "the fan has stopped.\n");
    case LAUNCH_THROWS:
      throw std::runtime_error("out of paper");
    case LAUNCH_THROWS_ODDLY:
      throw 7;
    case DEVICE_LOST:
      return fail(m, "it fell off the bus", TG_DEVICE_LOST);
    case NO_MESSAGE:
      return TG_FAILED;
    case ODD_STATUS:
      return fail(m, "so it is", 77);
    case LONG_MESSAGE:
      std::memset(m->text, 'x', m->text_size);
      return TG_FAILED;
    default:
      return TG_OK;
  }
}

tg_status synchronize(void*, tg_message* m) {
  return is(SYNC_FAILS) ? fail(m, "it does not come back") : TG_OK;
}

tg_status submit(void*, tg_message* m) {
  ++counts.submits;
  return is(SUBMIT_FAILS) ? fail(m, "it does not start") : TG_OK;
}

tg_status make_event(void*, void** event, tg_message* m) {
  if (is(EVENT_FAILS)) return fail(m, "it has no watch");
  if (is(EVENT_NULL)) return TG_OK;
  ++counts.events;
  *event = &anything;
  return TG_OK;
}
tg_status record_event(void*, void*, tg_message* m) {
  return is(RECORD_FAILS) ? fail(m, "its pencil is broken") : TG_OK;
}
tg_status elapsed(void*, void*, void*, double* seconds, tg_message* m) {
  if (is(ELAPSED_FAILS)) return fail(m, "it was asleep");
  *seconds = is(ELAPSED_NEGATIVE) ? -2.5 : is(ELAPSED_NAN) ? NAN : 0.125;
  return TG_OK;
}
void forget_event(void*, void*) { --counts.events; }

tg_status make_graph(void*, const tg_call*, const size_t*, size_t, void** graph, tg_message* m) {
  *graph = &anything;
  if (is(GRAPH_FAILS)) return fail(m, "it cannot draw");
  if (is(GRAPH_LOST)) return fail(m, "it fell off the bus", TG_DEVICE_LOST);
  if (is(GRAPH_THROWS)) throw std::runtime_error("out of paper");
  if (is(GRAPH_NULL)) return *graph = nullptr, TG_OK;
  ++counts.graphs;
  return TG_OK;
}
tg_status set_call(void*, void*, size_t, const tg_call*, tg_message* m) {
  ++counts.calls_set;
  return is(SET_CALL_FAILS) ? fail(m, "it is carved in stone") : TG_OK;
}
tg_status run_graph(void*, void*, tg_message* m) {
  ++counts.graphs_run;
  return is(RUN_GRAPH_FAILS) ? fail(m, "it lost the drawing") : TG_OK;
}
void forget_graph(void*, void*) { --counts.graphs; }

struct Newer {
  tg_backend_v1 table;
  void* more[8];
};

[[maybe_unused]] Newer make_table() {
  Newer n{};
  tg_backend_v1& t = n.table;
  t.version = is(WRONG_VERSION) ? 2 : TG_BACKEND_VERSION;
  t.struct_size = is(SMALL_TABLE)   ? 24
                  : is(NEWER_TABLE) ? sizeof n
                  : is(OLDER_TABLE) ? offsetof(tg_backend_v1, submit)
                  : is(CUT_TABLE)   ? offsetof(tg_backend_v1, run_graph)
                                    : sizeof t;
  t.name = is(NO_NAME)      ? nullptr
           : is(BAD_NAME)   ? "my device"
           : is(LONG_NAME)  ? "A_NAME_OF_MORE_THAN_THIRTY_TWO_LETTERS"
           : is(TAKEN_NAME) ? "INTERP"
                            : FAULT_NAME;
  t.preference = is(BAD_PREFERENCE) ? 1000 : -5;
  const bool has_work_items = is(FACTS_UNKNOWN_UNIT) || is(FACTS_UNIT_OF_OTHERS);
  t.source = is(BAD_SOURCE)                           ? 9
             : is(WANTS_LLVM)                         ? TG_SOURCE_LLVM
             : is(FACTS_UNKNOWN_OP) || has_work_items ? TG_SOURCE_LINEAR
                                                      : TG_SOURCE_C;
  t.open = open_device;
  t.close = close_device;
  t.facts = facts;
  t.allocate = allocate;
  t.release = is(NO_RELEASE) ? nullptr : release;
  t.copy_in = copy_in;
  t.copy_out = copy_out;
  t.compile = compile;
  t.forget = forget;
  t.launch = is(NO_LAUNCH) ? nullptr : launch;
  t.synchronize = synchronize;
  t.probe = probe;
  t.submit = submit;
  t.make_event = make_event;
  t.record_event = is(NO_RECORD_EVENT) ? nullptr : record_event;
  t.elapsed = elapsed;
  t.forget_event = forget_event;
  t.make_graph = make_graph;
  t.set_call = set_call;
  t.run_graph = is(NO_RUN_GRAPH) ? nullptr : run_graph;
  t.forget_graph = forget_graph;
  return n;
}

}  // namespace

extern "C" TG_BACKEND_EXPORT void* faulty_counts() { return &counts; }

#ifndef WITHOUT_ENTRY
const tg_backend_v1* tg_backend(uint32_t) {
  static Newer newer = make_table();
  if (is(THROWS_AT_ENTRY)) throw std::runtime_error("not today");
  return is(RETURNS_NULL) ? nullptr : &newer.table;
}
#endif
