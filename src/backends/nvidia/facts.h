// What an NVIDIA graphics processor is, as facts for the compiler; where no device is asked they
// are known by its architecture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "renderer/render.h"
#include "target/target.h"

namespace tg::nvidia {

/// What the driver says about a device. Sizes in bytes, clocks in kHz.
struct CudaFacts {
  std::string name;
  int capability = 80;  ///< 80 is compute capability 8.0
  int64_t multiprocessors = 108;
  int64_t clock_khz = 1'410'000;
  int64_t memory_clock_khz = 1'215'000;
  int64_t bus_bits = 5120;  ///< of its memory
  int64_t l2_bytes = 40 << 20;
  int64_t max_group_size = 1024;     ///< of a block
  int64_t shared_bytes = 163 << 10;  ///< that a block can ask for
  int64_t memory_bytes = 0;
};

/// A processor of compute capability `capability` as it is sold for computing: A100 for 80, H100
/// for 90; the A100's numbers for others.
CudaFacts typical_facts(int capability);

/// Facts for the compiler. `arch` is the name that the kernels are compiled for; `ptx`: from PTX,
/// as which units that read scratch are not spelled. Needs no driver.
Target cuda_target(const CudaFacts& facts, const std::string& arch, bool ptx);
CudaMachine machine_of(const CudaFacts& facts);
/// Text of `kernel` in PTX for `arch`, or in CUDA C.
std::string render_kernel(const LinearKernel& kernel, const CudaMachine& machine,
                          const std::string& arch, bool ptx);

}  // namespace tg::nvidia
