// Table of the entry points of NVRTC that we use, opened at run time: no header, nothing to link.
// What is done with them: nvrtc.h.
#pragma once

#include <cstddef>
#include <type_traits>

#include "support/dynamic_library.h"

namespace tg::nvidia {

struct NvrtcProgram;

/// The functions, by what they do. Results are 0, or a number that `error` explains.
struct NvrtcApi {
  const char* (*error)(int);
  int (*version)(int* major, int* minor);
  int (*arch_count)(int*);
  int (*archs)(int*);
  int (*create)(NvrtcProgram**, const char* source, const char* name, int, const char* const*,
                const char* const*);
  int (*destroy)(NvrtcProgram**);
  int (*compile)(NvrtcProgram*, int options, const char* const*);
  int (*log_size)(NvrtcProgram*, size_t*);
  int (*log)(NvrtcProgram*, char*);
  int (*cubin_size)(NvrtcProgram*, size_t*);
  int (*cubin)(NvrtcProgram*, char*);
  int (*ptx_size)(NvrtcProgram*, size_t*);
  int (*ptx)(NvrtcProgram*, char*);

  /// Throws DeviceError naming the function that `l` lacks.
  explicit NvrtcApi(const DynamicLibrary& l) {
    const auto find = [&l](const char* name, auto& f) {
      f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(l.symbol(name));
    };
    find("nvrtcGetErrorString", error);
    find("nvrtcVersion", version);
    find("nvrtcGetNumSupportedArchs", arch_count);
    find("nvrtcGetSupportedArchs", archs);
    find("nvrtcCreateProgram", create);
    find("nvrtcDestroyProgram", destroy);
    find("nvrtcCompileProgram", compile);
    find("nvrtcGetProgramLogSize", log_size);
    find("nvrtcGetProgramLog", log);
    find("nvrtcGetCUBINSize", cubin_size);
    find("nvrtcGetCUBIN", cubin);
    find("nvrtcGetPTXSize", ptx_size);
    find("nvrtcGetPTX", ptx);
  }
};

}  // namespace tg::nvidia
