// The end of the pipeline: a kernel as a list of UOps in execution order. This is what renderers
// spell, the interpreter runs and caches are keyed by. How it is made: lower.h. What each op means
// is in its record; the rules of the list are these:
//
//  - a node stands before every node that uses it; loops and ifs nest; a node made inside a loop is
//  used only inside it;
//  - RANGE{id} opens a loop over 0 … extent−1; the RANGE{id, 1} runs over the chunk [begin, end) of
//  the launch instead, and chunks from chunk_limit on do nothing;
//  - RANGE{id, 2}s, with constant extents, stand directly inside it, before any other loop, if or
//  access, and close directly before it does: all their points run at the same time, as the
//  work-items of one group (a chunk is a group then). The innermost is the fastest: neighbours in
//  it are neighbours in hardware. Who runs several groups in turn on the same work-items has them
//  wait for each other in between: scratch of one group is overwritten by the next;
//  - BARRIER{id}(effects…) is where every work-item of the group arrives before any goes on; each
//  then sees what the others did before. It stands only where all work-items take the same way: in
//  no if or loop whose condition or extent differs by work-item;
//  - CARRY{id}(range, init) follows its RANGE directly; END{1}(range, next₀, next₁, …) closes the
//  loop and gives the k-th CARRY
//    (in list order) its next value; OUT{k}(end) is its final value, or init if the loop did not
//    run;
//  - LOAD{lanes, align}(ptr, index, gate?): a scalar index reads `lanes` consecutive elements, a
//  vector index gathers; the gate is
//    scalar or a lane mask; where it is false no memory is touched and the value is 0. `align`:
//    proven alignment in bytes;
//  - STORE{combine, align}(ptr, index, value, gate?): the same for writing; scattered lanes are
//  written in lane order;
//  - pointers are PARAM, ALLOC{id, space, extents…} (Space::Scratch: of one thread, shared by the
//  work-items of a group; Space::Reg: of one work-item), or AFTER(pointer, effects…), which is the
//  pointer;
//    an index counts elements from the pointer's start;
//  - ASYNC_COPY{lanes, align}(to, index, from, index, gate?) begins to copy consecutive elements
//  from a parameter to scratch, zeros where the scalar gate is false. Nobody touches the place
//  until the work-item's ASYNC_WAIT{n} behind it: what it began to copy since the last ASYNC_WAIT
//  is a batch, and all but the last n batches have then arrived. Others see it behind a barrier
//  after that;
//  - SUBGROUP_SHUFFLE{distance}(scalar) is the value of the work-item whose place in the group is
//  this one's xor the distance, a power of two below the subgroup's size; like MMA it stands where
//  all work-items take the same way, in groups of whole subgroups;
//  - IF{id}(scalar bool) … ENDIF(if) runs what it encloses when the condition holds; no value made
//  inside is used outside;
//  - elementwise ops have equal lanes in all sources; scalars become vectors by SPLAT, RAMP or
//  STACK.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tg/ir/interval.h"
#include "tg/ir/uop.h"

namespace tg {

/// The dtype of an element in memory: a bool is a byte there.
inline DType stored_as(DType t) { return is_bool(t) ? DType::UInt8 : t; }

/// What a kernel does to one of its arguments.
struct ParamUse {
  bool read = false;
  bool written = false;
  /// Written from one end of its cache lines to the other by stores of so many bytes (16, 32 or
  /// 64), and so much that nobody will find it in a cache: renderers may let these stores go past
  /// the caches, which spares the reading of each line before it is written. 0: it is not.
  int64_t stream_bytes = 0;
};

/// Where the outermost parallel loop ends at a variable: the chunk from which on there is nothing
/// to do, ⌊(constant + Σ coef·vars[var]) / by⌋ · times.
struct ChunkLimit {
  struct Term {
    size_t var;  ///< position in LinearKernel::vars
    int64_t coef;
  };
  std::vector<Term> terms;
  int64_t constant = 0, by = 1, times = 1;
};

/// Chunks of a launch with these variables: those below the limit, `most` without one.
inline int64_t chunks_for(std::span<const int64_t> vars, int64_t most,
                          const std::optional<ChunkLimit>& limit) {
  if (!limit) return most;
  int64_t sum = limit->constant;
  for (const ChunkLimit::Term& t : limit->terms) sum += t.coef * vars[t.var];
  return std::clamp<int64_t>(floor_div(sum, limit->by) * limit->times, 0, most);
}

struct LinearKernel {
  std::string name;  ///< a C identifier, equal for equal kernels: "r_512_10_k3f2a…"
  std::vector<UOp> ops;
  std::vector<ParamUse> params;           ///< by slot
  std::vector<UOp> vars;                  ///< VAR nodes in the order of the launch's variable list
  int64_t chunks = 1;                     ///< extent of the launch range; 1 without one
  std::optional<ChunkLimit> chunk_limit;  ///< a launch runs those below, see chunks_for()
  int64_t group_size = 1;  ///< work-items of a group: product of the work-item ranges' extents
  /// Chunks that pay for what a call does before its first: copies that all chunks read.
  int64_t least_chunks = 1;
  int64_t scratch_bytes = 0;  ///< of all ALLOCs in Space::Scratch, each rounded up to 64 bytes
  double flops = 0;           ///< floating-point operations of all chunks, by the ranged kernel
  double bytes = 0;           ///< compulsory traffic of all chunks
};

}  // namespace tg
