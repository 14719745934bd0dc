// Linear code → readable C with GNU vector types, one translation unit for many kernels, or →
// OpenCL C, CUDA C or the Metal shading language, or → LLVM IR, one module a kernel. No includes,
// no libm, nothing left to auto-vectorisation: what the text says is what the compiler does. It
// runs no compiler: flags, processes, libLLVM and caches are src/backends/cpu. What the linear code
// means: src/codegen/linear.h and the op records.
#pragma once

#include <span>
#include <string>

#include "codegen/linear.h"

namespace tg {

/// C source of all `kernels`; each becomes a function
/// `void NAME(void* const* bufs, const int64_t* vars, int64_t begin, int64_t end, char* scratch)`
/// that runs the chunks [begin, end) of its launch range: bufs by slot, vars in the order of
/// LinearKernel::vars, scratch aligned to 64 bytes. Equal kernels give equal text, in every
/// process. The text wants -fwrapv and -fno-strict-aliasing, and compiles without warnings under
/// -Wall -Wextra with gcc ≥ 12 and clang ≥ 14. Throws InternalError for ops and dtypes that
/// c_supports denies: they are decomposed before.
std::string render_c(std::span<const LinearKernel> kernels);

/// What the IR depends on: for what a processor lacks, LLVM would call a library function, and
/// kernels have no library.
struct LlvmMachine {
  std::string triple = "x86_64-unknown-linux-gnu";
  int vector_bits = 128;           ///< registers to prefer
  int vector_registers = 16;
  bool has_half_casts = false;     ///< instructions between half and float32 (F16C)
  bool has_rounding = false;       ///< an instruction for trunc (SSE 4.1)
  bool has_fma = false;            ///< one for float32 and float64 a·b + c, rounded once
  bool has_masked_access = false;  ///< vectors are masked for nothing (AVX-512)
};

/// LLVM IR of one kernel, for LLVM 15 and later: a function with the entry of render_c and its
/// body, whose pointers are arguments. Equal kernels give equal text, in every process. It calls
/// intrinsics only, and needs no pass that makes vectors. Throws as render_c does.
std::string render_llvm(const LinearKernel& kernel, const LlvmMachine& machine);

/// What OpenCL C depends on.
struct OpenClMachine {
  int64_t local_bytes = 32 << 10;  ///< local memory of a group
  bool has_fma = false;            ///< an instruction for fused float32 products and sums
  bool narrow_index = false;       ///< arithmetic of 64-bit integers costs more than of 32-bit ones
  bool has_half = false;           ///< cl_khr_fp16 converts between float16 and float32
};

/// OpenCL C 1.2 of one kernel, with one line to turn contraction off: a function
/// `__kernel void NAME(p0, o0, p1, o1, …, vars…, end, scratch)` of as many groups of
/// LinearKernel::group_size work-items as one likes, which share out the launch range. For each
/// parameter, by slot, a buffer and the place in it where the array starts, in elements (bytes, if
/// the kernel has no PARAM of that slot); vars in the order of LinearKernel::vars; `end` the number
/// of chunks; `scratch` only if opencl_scratch_bytes() is not 0: a buffer of that size for each
/// group. Buffers are aligned to 128 bytes, arrays in them to 64. Equal kernels give equal text, in
/// every process. Throws as render_c does.
std::string render_opencl(const LinearKernel& kernel, const OpenClMachine& machine);
/// Bytes of global memory that a group wants because its Scratch is larger than local memory; or 0.
int64_t opencl_scratch_bytes(const LinearKernel& kernel, const OpenClMachine& machine);

/// What CUDA C depends on.
struct CudaMachine {
  int64_t local_bytes = 48 << 10;  ///< shared memory that a block can have
  bool has_async_copy = false;     ///< cp.async: sm_80 and later
};

/// Groups of the kernel that a multiprocessor should hold at once, for which the compiler limits
/// the registers of a work-item: two of the larger ones, so that one computes while the other waits
/// at a barrier, and 1, which says nothing, where that is certain, or where a work-item's sums
/// alone would fill the registers. O(ops).
int cuda_groups_at_once(const LinearKernel& kernel);

/// CUDA C of one kernel, as NVRTC reads it, with no header: a function
/// `extern "C" __global__ void NAME(p0, p1, …, vars…, end)` of as many blocks of
/// LinearKernel::group_size threads in one dimension as one likes, which share out the launch
/// range. For each parameter, by slot, the address where the array starts; vars in the order of
/// LinearKernel::vars; `end` the number of chunks. The launch gives each block cuda_dynamic_bytes()
/// of shared memory. Arrays are aligned to 64 bytes. The text wants --std=c++17 and --fmad=false.
/// Functions between `#ifndef TG_EMULATED` and `#endif` are instructions of the device. Equal
/// kernels give equal text, in every process. Throws as render_c does, and InternalError for a
/// group of several work-items whose Scratch does not fit.
std::string render_cuda(const LinearKernel& kernel, const CudaMachine& machine);
/// Shared memory that the launch asks for: all of the kernel's, if it is more than a kernel may
/// declare; or 0.
int64_t cuda_dynamic_bytes(const LinearKernel& kernel, const CudaMachine& machine);

/// What the Metal shading language depends on.
struct MetalMachine {
  int64_t local_bytes = 32 << 10;  ///< threadgroup memory of a group
  int buffers = 31;                ///< that a kernel may be given
};

/// Metal source of one kernel: a function `kernel void NAME(p0, p1, …, arguments, group, groups,
/// work-item)` of as many groups of LinearKernel::group_size work-items as one likes, which share
/// out the launch range. Buffer k is the array of slot k, from its start; the buffer behind the
/// last is a struct NAME_arguments of 64-bit numbers: the variables in the order of
/// LinearKernel::vars, then `end`, the number of chunks. Vectors have at most 4 lanes. Equal
/// kernels give equal text, in every process. Throws as render_c does, and DeviceError for what
/// metal_refuses() names.
std::string render_metal(const LinearKernel& kernel, const MetalMachine& machine);
/// What the language or the machine lacks for the kernel, as "takes 40 buffers, and …"; or empty.
std::string metal_refuses(const LinearKernel& kernel, const MetalMachine& machine);

/// Whether all renderers can spell the elementwise or lowered op. What some can, machines say.
bool c_supports(Op op);
/// Whether they compute in dtype `t`; the small floats are only loaded, stored, moved, and half is
/// cast to and from float32.
bool c_supports(DType t);

}  // namespace tg
