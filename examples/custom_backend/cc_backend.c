// A complete backend in one C file: the device CC, a processor that is given C source. Kernels are
// compiled by the system's C compiler and run on the calling thread, in memory of the device's own.
// docs/adding-a-backend.md explains it from top to bottom.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tg/plugin/tg_backend.h"

// [message]
static tg_status fail(tg_message* message, tg_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message->text, message->text_size, format, arguments);
  va_end(arguments);
  return status;
}
// [message]

// [device]
typedef struct device {
  int64_t in_use;  // bytes handed out
} device;

// A shared object lives as long as one of its kernels.
typedef struct module {
  void* library;
  int64_t kernels;
} module;

typedef void entry(void* const* buffers, const int64_t* vars, int64_t begin, int64_t end,
                   char* scratch);

typedef struct kernel {
  module* module;
  entry* run;
  int64_t scratch_bytes;
} kernel;
// [device]

// [open]
static tg_status probe(tg_message* message) {
  if (access("/usr/bin/cc", X_OK) == 0) return TG_OK;
  return fail(message, TG_FAILED, "there is no C compiler /usr/bin/cc: install gcc or clang");
}

static tg_status open_device(void** out, tg_message* message) {
  device* d = calloc(1, sizeof *d);
  if (d == NULL) return fail(message, TG_OUT_OF_MEMORY, "no memory for the device");
  *out = d;
  return TG_OK;
}

static void close_device(void* opened) { free(opened); }
// [open]

// [facts]
static tg_status facts(void* opened, tg_facts* f, tg_message* message) {
  (void)opened, (void)message;
  f->vector_bytes = 16;
  f->vector_registers = 16;
  f->threads = 1;
  f->flops_per_second = 20e9;
  f->bytes_per_second = 10e9;
  f->compile_seconds = 50e-3;
  f->max_bytes = (int64_t)4 << 30;
  f->arch = "host";
  return TG_OK;
}
// [facts]

// [memory]
// The device's addresses are no addresses of the host: who follows one crashes. This is how memory
// behind a bus looks to the library, which only adds offsets to addresses.
static const uintptr_t kDeviceBase = (uintptr_t)1 << 56;

static void* to_device(void* host) { return (void*)((uintptr_t)host + kDeviceBase); }
static void* to_host(const void* address) { return (void*)((uintptr_t)address - kDeviceBase); }

static tg_status allocate(void* opened, int64_t bytes, void** address, tg_message* message) {
  device* d = opened;
  void* block = aligned_alloc(64, (size_t)bytes);
  if (block == NULL) {
    return fail(message, TG_OUT_OF_MEMORY, "the system has no memory left, %lld bytes are in use",
                (long long)d->in_use);
  }
  __atomic_add_fetch(&d->in_use, bytes, __ATOMIC_RELAXED);
  *address = to_device(block);
  return TG_OK;
}

static tg_status release(void* opened, void* address, int64_t bytes, tg_message* message) {
  device* d = opened;
  (void)message;
  free(to_host(address));
  __atomic_sub_fetch(&d->in_use, bytes, __ATOMIC_RELAXED);
  return TG_OK;
}

static tg_status copy_in(void* opened, void* to, const void* from, int64_t bytes,
                         tg_message* message) {
  (void)opened, (void)message;
  memcpy(to_host(to), from, (size_t)bytes);
  return TG_OK;
}

static tg_status copy_out(void* opened, void* to, const void* from, int64_t bytes,
                          tg_message* message) {
  (void)opened, (void)message;
  memcpy(to, to_host(from), (size_t)bytes);
  return TG_OK;
}
// [memory]

// [compile]
extern char** environ;

static int run_compiler(const char* source, const char* object) {
  char* arguments[] = {
      "cc",      "-O1",     "-std=gnu11",           "-w", "-Wno-psabi",  "-fPIC",
      "-shared", "-fwrapv", "-fno-strict-aliasing", "-o", (char*)object, (char*)source,
      NULL};
  pid_t child = 0;
  int status = 1;
  if (posix_spawn(&child, "/usr/bin/cc", NULL, NULL, arguments, environ) != 0) return 1;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return status;
}

static int write_text(const char* path, const tg_module* m) {
  FILE* file = fopen(path, "w");
  if (file == NULL) return 0;
  const int whole = fwrite(m->text, 1, m->text_bytes, file) == m->text_bytes;
  return fclose(file) == 0 && whole;
}

// The opened shared object, or NULL with the reason in the message. No file is left behind.
static void* build(const tg_module* m, tg_message* message) {
  char folder[] = "/tmp/cc-backend-XXXXXX", source[64], object[64];
  if (mkdtemp(folder) == NULL) {
    fail(message, TG_FAILED, "cannot make a folder in /tmp");
    return NULL;
  }
  snprintf(source, sizeof source, "%s/kernels.c", folder);
  snprintf(object, sizeof object, "%s/kernels.so", folder);
  void* library = NULL;
  if (!write_text(source, m)) {
    fail(message, TG_FAILED, "cannot write %s", source);
  } else if (run_compiler(source, object) != 0) {
    fail(message, TG_FAILED, "/usr/bin/cc refuses the source");
  } else if ((library = dlopen(object, RTLD_NOW | RTLD_LOCAL)) == NULL) {
    fail(message, TG_FAILED, "%s", dlerror());
  }
  unlink(source);
  unlink(object);
  rmdir(folder);
  return library;
}

static void drop(module* m) {
  if (__atomic_sub_fetch(&m->kernels, 1, __ATOMIC_ACQ_REL) != 0) return;
  dlclose(m->library);
  free(m);
}

static void forget(void* opened, void* handle) {
  kernel* k = handle;
  (void)opened;
  drop(k->module);
  free(k);
}

static kernel* make_kernel(module* shared, const tg_kernel* info, tg_message* message) {
  kernel* k = calloc(1, sizeof *k);
  if (k == NULL) {
    fail(message, TG_OUT_OF_MEMORY, "no memory for a kernel");
    return NULL;
  }
  k->module = shared;
  k->run = (entry*)dlsym(shared->library, info->name);
  k->scratch_bytes = info->scratch_bytes;
  if (k->run == NULL) {
    fail(message, TG_FAILED, "the object lacks %s", info->name);
    free(k);
    return NULL;
  }
  ++shared->kernels;
  return k;
}

static tg_status compile(void* opened, const tg_module* m, void** kernels, tg_message* message) {
  void* library = build(m, message);
  if (library == NULL) return TG_FAILED;
  module* shared = calloc(1, sizeof *shared);
  if (shared == NULL) {
    dlclose(library);
    return fail(message, TG_OUT_OF_MEMORY, "no memory for a module");
  }
  shared->library = library;
  shared->kernels = 1;  // this function itself, until it is done
  uint32_t made = 0;
  while (made < m->kernel_count &&
         (kernels[made] = make_kernel(shared, &m->kernels[made], message)))
    ++made;
  const tg_status status = made == m->kernel_count ? TG_OK : TG_FAILED;
  while (status != TG_OK && made > 0) {
    forget(opened, kernels[--made]);
    kernels[made] = NULL;
  }
  drop(shared);
  return status;
}
// [compile]

// [launch]
static tg_status run_call(const tg_call* c, tg_message* message) {
  if (c->begin == c->end) return TG_OK;  // possible in a graph
  const kernel* k = c->kernel;
  void** buffers = malloc((c->buffer_count + 1) * sizeof *buffers);
  char* scratch = aligned_alloc(64, (size_t)(k->scratch_bytes / 64 + 1) * 64);
  const int enough = buffers != NULL && scratch != NULL;
  if (enough) {
    for (uint32_t i = 0; i < c->buffer_count; ++i) buffers[i] = to_host(c->buffers[i]);
    k->run(buffers, c->vars, c->begin, c->end, scratch);
  }
  free(scratch);
  free(buffers);
  return enough ? TG_OK : fail(message, TG_OUT_OF_MEMORY, "no memory for the arguments");
}

static tg_status launch(void* opened, const tg_call* calls, size_t count, tg_message* message) {
  (void)opened;
  tg_status status = TG_OK;
  for (size_t i = 0; i < count && status == TG_OK; ++i) status = run_call(&calls[i], message);
  return status;
}

static tg_status synchronize(void* opened, tg_message* message) {
  (void)opened, (void)message;  // a launch is done when it returns
  return TG_OK;
}
// [launch]

// [events]
typedef struct event {
  struct timespec at;
} event;

static tg_status make_event(void* opened, void** out, tg_message* message) {
  (void)opened;
  *out = calloc(1, sizeof(event));
  return *out != NULL ? TG_OK : fail(message, TG_OUT_OF_MEMORY, "no memory for an event");
}

static tg_status record_event(void* opened, void* mark, tg_message* message) {
  (void)opened;
  event* e = mark;
  if (clock_gettime(CLOCK_MONOTONIC, &e->at) == 0) return TG_OK;
  return fail(message, TG_FAILED, "the system has no clock");
}

static tg_status elapsed(void* opened, void* from, void* to, double* seconds, tg_message* message) {
  (void)opened, (void)message;
  const event *a = from, *b = to;
  *seconds = (double)(b->at.tv_sec - a->at.tv_sec) + 1e-9 * (double)(b->at.tv_nsec - a->at.tv_nsec);
  return TG_OK;
}

static void forget_event(void* opened, void* mark) {
  (void)opened;
  free(mark);
}
// [events]

// [graph]
typedef struct graph {
  tg_call* calls;  // with arguments of their own
  size_t count;
} graph;

static tg_status set_call(void* opened, void* handle, size_t index, const tg_call* c,
                          tg_message* message) {
  (void)opened, (void)message;
  tg_call* own = &((graph*)handle)->calls[index];
  if (c->buffer_count > 0)
    memcpy((void*)own->buffers, c->buffers, c->buffer_count * sizeof *c->buffers);
  if (c->var_count > 0) memcpy((void*)own->vars, c->vars, c->var_count * sizeof *c->vars);
  own->begin = c->begin;
  own->end = c->end;
  return TG_OK;
}

static void forget_graph(void* opened, void* handle) {
  (void)opened;
  graph* g = handle;
  for (size_t i = 0; i < g->count; ++i) {
    free((void*)g->calls[i].buffers);
    free((void*)g->calls[i].vars);
  }
  free(g->calls);
  free(g);
}

static tg_status make_graph(void* opened, const tg_call* calls, const size_t* ends,
                            size_t launch_count, void** out, tg_message* message) {
  const size_t count = ends[launch_count - 1];
  graph* g = calloc(1, sizeof *g);
  int enough = g != NULL && (g->calls = calloc(count, sizeof *g->calls)) != NULL;
  for (size_t i = 0; i < count && enough; ++i) {
    tg_call* own = &g->calls[g->count++];
    *own = calls[i];
    own->buffers = malloc((calls[i].buffer_count + 1) * sizeof *own->buffers);
    own->vars = malloc((calls[i].var_count + 1) * sizeof *own->vars);
    enough = own->buffers != NULL && own->vars != NULL;
    if (enough) set_call(opened, g, i, &calls[i], message);
  }
  if (enough) {
    *out = g;
    return TG_OK;
  }
  if (g != NULL) forget_graph(opened, g);
  return fail(message, TG_OUT_OF_MEMORY, "no memory for a graph");
}

static tg_status run_graph(void* opened, void* handle, tg_message* message) {
  graph* g = handle;
  return launch(opened, g->calls, g->count, message);
}
// [graph]

// [table]
static const char* compiler(void* opened) {
  (void)opened;
  return "/usr/bin/cc";
}

#ifndef DEVICE_NAME
#define DEVICE_NAME "CC"
#endif

static const tg_backend_v1 table = {
    .version = TG_BACKEND_VERSION,
    .struct_size = sizeof(tg_backend_v1),
    .name = DEVICE_NAME,
    .preference = -3,
    .source = TG_SOURCE_C,
    .open = open_device,
    .close = close_device,
    .facts = facts,
    .allocate = allocate,
    .release = release,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .compile = compile,
    .forget = forget,
    .launch = launch,
    .synchronize = synchronize,
    .probe = probe,
    .compiler = compiler,
    .submit = NULL,  // nothing is kept back: a launch is done when it returns
    .make_event = make_event,
    .record_event = record_event,
    .elapsed = elapsed,
    .forget_event = forget_event,
    .make_graph = make_graph,
    .set_call = set_call,
    .run_graph = run_graph,
    .forget_graph = forget_graph,
};

const tg_backend_v1* tg_backend(uint32_t version) {
  return version >= TG_BACKEND_VERSION ? &table : NULL;
}
// [table]
