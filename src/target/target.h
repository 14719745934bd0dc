// Plain facts about a target: what the optimiser, the decompositions and the renderers need to know
// about a machine. No behaviour, no names of devices in decisions: code asks for facts. Where they
// come from: each backend's folder.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "tg/ir/op.h"

namespace tg {

struct MatrixUnit;  // target/matrix_unit.h

/// One machine as the compiler sees it. Sizes in bytes unless said otherwise.
struct Target {
  std::string arch = "generic";  ///< passed to the target's compiler and part of every cache key
  std::string machine;    ///< the machine that facts were measured on; empty: nothing to measure
  int vector_bytes = 16;  ///< width of a vector register
  int vector_registers = 16;
  int max_lanes = 64;  ///< of the widest vectors in the renderer's language, which may be several
                       ///< registers wide
  int l1_ways = 8;
  int64_t l1_bytes = 32 << 10;
  int64_t l2_bytes = 512 << 10;    ///< a core's share
  int64_t l3_bytes = 8 << 20;      ///< shared by all cores
  int threads = 1;                 ///< cores that one launch may use
  int fma_latency = 4;             ///< cycles
  double flops_per_second = 50e9;  ///< float32 fused multiply-adds of one core, counted twice
  double bytes_per_second = 20e9;  ///< main memory, all cores
  double launch_seconds = 1e-6;
  double compile_seconds = 0;  ///< of a small kernel; 0: programs cost nothing to make
  /// Work-items that a group may have, which share Scratch and wait at barriers; 0: the target runs
  /// chunks on threads, and no kernel has work-items.
  int64_t max_group_size = 0;
  int64_t subgroup_size = 1;  ///< work-items that run in lockstep: neighbours' accesses are joined
  int64_t local_bytes = 0;    ///< Scratch of one group; 0: no limit
  /// Most bytes that a work-item copies into Scratch by one ASYNC_COPY, and half of them, down to
  /// 4; 0: copies pass through registers.
  int64_t async_copy_bytes = 0;
  int64_t max_groups = 0;  ///< groups of one launch, which loop over the rest; 0: no limit
  int64_t max_arrays = 0;  ///< arrays that one kernel may be given; 0: no limit
  /// Units that multiply matrices for a subgroup, the one to be tried first first.
  std::vector<const MatrixUnit*> matrix_units;
  bool has_fma = false;
  /// Loads and stores with a lane mask cost no more than plain ones.
  bool has_masked_access = false;
  /// Loads of elements of four bytes or more do, but not stores: AVX2.
  bool has_masked_loads = false;
  std::bitset<kNumOps> ops;  ///< ops that the renderer can spell; the rest is decomposed
  std::bitset<kNumDTypes>
      dtypes;  ///< element types with arithmetic; the rest is computed in a wider one

  bool supports(Op op) const { return ops.test(static_cast<size_t>(op)); }
  bool supports(DType t) const { return dtypes.test(static_cast<size_t>(t)); }
  /// Lanes of `t` in one vector register.
  int lanes_of(DType t) const {
    return t == DType::Index ? vector_bytes / 8 : static_cast<int>(vector_bytes / dtype_size(t));
  }
};

}  // namespace tg
