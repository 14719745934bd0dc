// The interface of backends outside the library, version 1: plain C99, a table of functions that a
// shared object hands out. The library loads it (option TG_BACKENDS or tg::load_backend), checks
// everything that it says, and then it is a device like any other. docs/adding-a-backend.md builds
// one line by line; tg-conformance tests it.
//
// Rules for all of it:
//  - Functions may be called by several threads at once, but for open, facts and close.
//  - A function that fails returns another status than TG_OK and writes a sentence without full
//    stop into `message->text`. The library throws it as tg::DeviceError with the names of plug-in
//    and function. No C++ exception may leave a function; the library survives one that does.
//  - Strings are UTF-8. What the plug-in hands out lives as long as the process; what the library
//    hands in lives until the call returns.
//  - Structures that may grow start with `struct_size`, set by the maker of the structure. New
//    members come last, so a reader takes those that fit into both sizes, and a plug-in built
//    against an older header stays valid. The others never change in version 1.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TG_BACKEND_VERSION 1
#if defined(_WIN32)
#define TG_BACKEND_EXPORT __declspec(dllexport)
#else
#define TG_BACKEND_EXPORT __attribute__((visibility("default")))
#endif

typedef int32_t tg_status;
enum {
  TG_OK = 0,
  TG_FAILED = 1,
  TG_OUT_OF_MEMORY = 2,  // of allocate: the library frees what it can and asks again
  TG_DEVICE_LOST = 3     // nothing on this device will work any more
};

// Where a function that fails says why. The library makes it, empty.
typedef struct tg_message {
  uint32_t struct_size;
  uint32_t text_size;  // bytes of text; what is longer must be cut
  char text[1008];     // ends with a zero byte
} tg_message;

// What kernels are handed over as; see tg_module.text.
enum {
  // C11 with GNU vector types, for gcc >= 12 and clang >= 14. Needs -fwrapv -fno-strict-aliasing,
  // no header and no library; a product and a sum of one expression may be fused. Each kernel is a
  // function of its name:
  //   void NAME(void* const* buffers, const int64_t* vars, int64_t begin, int64_t end, char*
  //   scratch)
  // which runs the chunks [begin, end). `scratch` holds tg_kernel.scratch_bytes, aligned to 64, for
  // this call alone.
  TG_SOURCE_C = 1,
  // LLVM IR for LLVM 15 and later, one kernel a module, with the same function.
  TG_SOURCE_LLVM = 2,
  // The list of operations itself, for a plug-in with a compiler of its own. Its grammar is in
  // docs/adding-a-backend.md, what each operation means in docs/ir.md.
  TG_SOURCE_LINEAR = 3,
  // CUDA C as NVRTC reads it, no header, for --std=c++17 --fmad=false, one kernel a program, its
  // work-items the threads of one-dimensional blocks, of as many as one likes:
  //   extern "C" __global__ void NAME(T0* p0, T1* p1, ..., long long var0, ..., long long end)
  // `end` is the number of chunks from 0 that the blocks share out. Where tg_kernel.scratch_bytes
  // is more than 48 KiB and not more than tg_facts.local_bytes, the kernel has `extern __shared__`
  // memory and is launched with so many bytes of it. What is between #ifndef TG_EMULATED and #endif
  // are instructions that only such a device has.
  TG_SOURCE_CUDA = 4,
  // The Metal shading language 2.3, one kernel a program, in one-dimensional threadgroups, of as
  // many as one likes: the function `kernel void NAME`, whose buffer k is buffer k of a call, and
  // whose last is a structure of 64-bit numbers, the variables and then `end` as above.
  TG_SOURCE_METAL = 5,
  // OpenCL C 1.2, one kernel a program, in one-dimensional groups, of as many as one likes:
  //   __kernel void NAME(__global T0* p0, long o0, ..., long var0, ..., long end,
  //                      __global char* scratch)
  // Buffer k of a call begins at element o_k of p_k, so that a buffer of the driver's and an offset
  // will do; at byte o_k if the kernel does not use it, and p_k is a `__global char*` then. `end`
  // as above. `scratch` is there only if tg_kernel.scratch_bytes is more than tg_facts.local_bytes:
  // so many bytes for each group.
  TG_SOURCE_OPENCL = 6
};

// Facts about the machine, by which kernels are shaped. The library fills in modest defaults and
// `struct_size`; a plug-in changes what it knows better, up to that size.
typedef struct tg_facts {
  uint32_t struct_size;
  int32_t vector_bytes;      // of a vector register: a power of two, 4 to 256
  int32_t vector_registers;  // 1 to 1024
  int32_t l1_ways;           // 1 to 64
  int64_t l1_bytes;          // a core's caches, and l3 shared by all: 1 KiB to 1 TiB
  int64_t l2_bytes;
  int64_t l3_bytes;
  int32_t threads;            // cores that one launch may use: 1 to 65536
  int32_t fma_latency;        // cycles, 1 to 1000
  double flops_per_second;    // of one core, float32; 1 to 1e18, as the next
  double bytes_per_second;    // main memory, all cores
  double launch_seconds;      // 1e-9 to 1
  int32_t has_fma;            // 0 or 1, as the next
  int32_t has_masked_access;  // loads and stores with a lane mask cost no more than plain ones
  int64_t max_bytes;          // largest single allocation; 0: unknown
  int32_t max_buffers;        // most buffers of one kernel; 0: any number
  int32_t max_kernels;        // most kernels of one call of compile; 0: any number
  const char* arch;           // short name of the architecture; part of cache keys
  // TG_SOURCE_LINEAR: names of the operations and dtypes that it computes, separated by blanks; "*"
  // is all but "subgroup_shuffle", which wants subgroups whose work-items can shuffle values.
  // Others are decomposed. Not read for other sources.
  const char* ops;
  const char* dtypes;
  // TG_SOURCE_LLVM: the target triple, and instructions between half and float32, and for rounding.
  // TG_SOURCE_OPENCL reads has_half_casts: cl_khr_fp16 converts them, rounding to nearest even.
  const char* triple;
  int32_t has_half_casts;
  int32_t has_rounding;
  // TG_SOURCE_LINEAR, _CUDA, _METAL and _OPENCL: work-items that run at the same time in one chunk
  // (a group then), share its scratch memory and wait at barriers. Without them all is 0 and
  // subgroup_size 1.
  int64_t max_group_size;  // of a group, 0 to 65536; 0: the device has none
  int64_t subgroup_size;   // that run in lockstep: 1 to 1024, neighbours' accesses are joined
  int64_t local_bytes;     // scratch memory of one group; 0: no limit
  int64_t max_groups;      // of one launch, which loop over the rest; 0: no limit
  double compile_seconds;  // of a small kernel, 0 to 100; 0: kernels cost nothing to make
  // The same sources: names of matrix units of a subgroup, separated by blanks, the one to be tried
  // first first; "": none. TG_SOURCE_CUDA: m16n8k16_f16 m16n8k16_bf16 m16n8k8_f16 m16n8k8_tf32,
  // which are mma.sync; TG_SOURCE_METAL: m8n8k8_f16 m8n8k8_f32, which are simdgroup_matrix;
  // TG_SOURCE_LINEAR: any, for the operation "mma"; TG_SOURCE_OPENCL: none.
  const char* matrix_units;
  // TG_SOURCE_LINEAR and _CUDA: most bytes that a work-item copies to scratch memory while it goes
  // on, 4, 8 or 16; 0: none. Of TG_SOURCE_CUDA that is cp.async, of TG_SOURCE_LINEAR the operations
  // "async_copy" and "async_wait".
  int64_t async_copy_bytes;
} tg_facts;

// Bits of tg_kernel.buffer_uses.
enum { TG_READ = 1, TG_WRITTEN = 2 };

// One kernel of a module. Its chunks do not depend on each other.
typedef struct tg_kernel {
  const char* name;       // a C identifier, unique in the module
  int64_t chunks;         // 1 or more: what a launch runs is a range of [0, chunks)
  int64_t least_chunks;   // fewer in one call waste what the kernel prepares at its start
  int64_t group_size;     // work-items of a chunk; 1 unless tg_facts.max_group_size asks for more
  int64_t scratch_bytes;  // memory that a call needs besides its buffers
  double flops;           // floating-point operations of all chunks
  double bytes;           // memory traffic of all chunks, at least
  uint32_t buffer_count;  // arguments of a call: buffers, then variables
  uint32_t var_count;     //
  const uint8_t* buffer_uses;    // one for each buffer
  const char* const* var_names;  // one for each variable
} tg_kernel;

// What else is known of a kernel of a module.
typedef struct tg_program {
  // The kernel's own part of the module's text, of TG_SOURCE_C all of it; ends with a zero byte.
  const char* text;
  size_t text_bytes;
  const int64_t* buffer_bytes;  // of each buffer, from the address of a call on; 0: not known
} tg_program;

typedef struct tg_module {
  uint32_t struct_size;
  uint32_t kernel_count;
  const tg_kernel* kernels;
  const char* text;  // all kernels, in the form that `source` asks for; ends with a zero byte
  size_t text_bytes;
  const tg_program* programs;  // one for each kernel
} tg_module;

// One run of chunks [begin, end) of a kernel, at least one. A kernel that serves many sizes is run
// over as many chunks as its variables ask for.
typedef struct tg_call {
  void* kernel;           // from compile
  void* const* buffers;   // addresses from allocate, possibly with a number of bytes added
  const int64_t* vars;    //
  uint32_t buffer_count;  //
  uint32_t var_count;     //
  int64_t begin;          // 0 for TG_SOURCE_CUDA, _METAL and _OPENCL
  int64_t end;
} tg_call;

typedef struct tg_backend_v1 {
  uint32_t version;      // TG_BACKEND_VERSION
  uint32_t struct_size;  // sizeof(tg_backend_v1)
  const char* name;      // of the device: A-Z, 0-9 and _, at most 32, a letter first
  int32_t
      preference;  // -100 to 100: the usable device with the most is the default; below 0: never
  int32_t source;  // one of TG_SOURCE_C, _LLVM, _LINEAR, _CUDA, _METAL, _OPENCL

  // Opens the one device; `*device` may be any address but NULL. Called once, and again only if it
  // failed.
  tg_status (*open)(void** device, tg_message* message);
  // Closes what was opened. Called if the library refuses the device; otherwise devices live as
  // long as the process.
  void (*close)(void* device);
  tg_status (*facts)(void* device, tg_facts* facts, tg_message* message);

  // At least `bytes` (a multiple of 64, not 0) of device memory at an address that is a multiple of
  // 64. The library adds offsets to the address and never follows it.
  tg_status (*allocate)(void* device, int64_t bytes, void** address, tg_message* message);
  tg_status (*release)(void* device, void* address, int64_t bytes, tg_message* message);
  // From the host to the device and back; `bytes` may be 0. Both happen after all calls launched
  // before, and are done when they return.
  tg_status (*copy_in)(void* device, void* to, const void* from, int64_t bytes,
                       tg_message* message);
  tg_status (*copy_out)(void* device, void* to, const void* from, int64_t bytes,
                        tg_message* message);

  // Compiles a module and puts one handle for each of its kernels into `kernels`, none of them
  // NULL. If it fails it has put none.
  tg_status (*compile)(void* device, const tg_module* module, void** kernels, tg_message* message);
  // Frees a kernel; it runs no more then.
  void (*forget)(void* device, void* kernel);
  // Runs calls that do not depend on each other, in any order or side by side, after what was
  // launched before. Returns when they are done or queued.
  tg_status (*launch)(void* device, const tg_call* calls, size_t count, tg_message* message);
  // Waits for all that was launched.
  tg_status (*synchronize)(void* device, tg_message* message);

  // ---- From here on every function may be NULL.

  // Whether the device can be used here; the message says why not and what to do.
  tg_status (*probe)(tg_message* message);
  // Which compiler makes the kernels, for people: "gcc 12 (/usr/bin/gcc)".
  const char* (*compiler)(void* device);

  // The queue: launches may be kept back so that several are handed over at once, but no longer
  // than until the next call of this function, of synchronize or of a copy. The library calls it
  // when nothing more will be launched soon.
  tg_status (*submit)(void* device, tg_message* message);

  // Events, by which kernels are timed: all four functions or none. An event is a mark in the
  // queue; make_event puts its handle, which is not NULL, into `*event`.
  tg_status (*make_event)(void* device, void** event, tg_message* message);
  // The mark stands behind all that was launched so far, and nowhere else any more.
  tg_status (*record_event)(void* device, void* event, tg_message* message);
  // Waits until the device has come to `to`, and says how many seconds of its clock it took from
  // `from`, which was recorded before.
  tg_status (*elapsed)(void* device, void* from, void* to, double* seconds, tg_message* message);
  void (*forget_event)(void* device, void* event);

  // Graphs, launches that will run many times: all four functions or none. Launch k is the calls
  // from ends[k - 1] (of the first launch: 0) to ends[k], of which the last is the number of all
  // calls; as those of `launch` they do not depend on each other, and come after the launch before.
  // A call may have no chunks: it does nothing then. What is pointed to must be copied. Fails if
  // the device makes no graph of these calls: the library launches them one after the other then.
  // Otherwise the handle in `*graph` is not NULL.
  tg_status (*make_graph)(void* device, const tg_call* calls, const size_t* ends,
                          size_t launch_count, void** graph, tg_message* message);
  // Other arguments and another range for a call, of the same kernel, in all runs from the next on.
  tg_status (*set_call)(void* device, void* graph, size_t index, const tg_call* call,
                        tg_message* message);
  // Runs the launches as `launch` would. The kernels are there as long as the graph.
  tg_status (*run_graph)(void* device, void* graph, tg_message* message);
  void (*forget_graph)(void* device, void* graph);  // a run of it may not be done yet
} tg_backend_v1;

// The one symbol of a plug-in: its table. `version` is the library's TG_BACKEND_VERSION; a plug-in
// that cannot serve it returns NULL.
TG_BACKEND_EXPORT const tg_backend_v1* tg_backend(uint32_t version);

#ifdef __cplusplus
}
#endif
