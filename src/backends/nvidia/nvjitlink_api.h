// Table of the entry points of nvJitLink that we use, opened at run time: no header, nothing to
// link. What is done with them: assembler.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "support/dynamic_library.h"

namespace tg::nvidia {

/// The functions of nvJitLink that we use. Results are 0, or a number.
struct AssemblerApi {
  struct Linker;
  int (*version)(unsigned* major, unsigned* minor);
  int (*create)(Linker**, uint32_t options, const char* const*);
  int (*destroy)(Linker**);
  int (*add)(Linker*, int kind, const void* text, size_t size, const char* name);
  int (*complete)(Linker*);
  int (*cubin_size)(Linker*, size_t*);
  int (*cubin)(Linker*, void*);
  int (*error_size)(Linker*, size_t*);
  int (*error)(Linker*, void*);
  int (*info_size)(Linker*, size_t*);
  int (*info)(Linker*, void*);

  explicit AssemblerApi(const DynamicLibrary& l) {
    const auto find = [&l](const char* name, auto& f) {
      f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(l.symbol(name));
    };
    find("nvJitLinkVersion", version);
    find("nvJitLinkCreate", create);
    find("nvJitLinkDestroy", destroy);
    find("nvJitLinkAddData", add);
    find("nvJitLinkComplete", complete);
    find("nvJitLinkGetLinkedCubinSize", cubin_size);
    find("nvJitLinkGetLinkedCubin", cubin);
    find("nvJitLinkGetErrorLogSize", error_size);
    find("nvJitLinkGetErrorLog", error);
    find("nvJitLinkGetInfoLogSize", info_size);
    find("nvJitLinkGetInfoLog", info);
  }
};

}  // namespace tg::nvidia
