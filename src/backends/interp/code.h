// What the interpreter runs: a LinearKernel decoded once into compact instructions over numbered
// registers. Decoding (decode.cpp) checks everything that can be known without running: scopes,
// nesting, types, lanes, uses of parameters. Running (execute.h) checks the rest: indices,
// alignment, scratch that was never written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/linear.h"
#include "target/matrix_unit.h"

namespace tg::interp {

enum class Kind : uint8_t {
  Alu,        ///< elementwise: dst[l] = eval(src₀[l], …)
  LoopBegin,  ///< src₀ = extent (unused if chunk), dst = index; link = the LoopEnd; pairs = carry,
              ///< initial value
  LoopEnd,  ///< link = the LoopBegin; pairs = carry, next value
  Out,      ///< dst = src₀, the carry of a loop that has ended
  Splat,
  Ramp,
  Stack,
  Shuffle,
  Extract,
  VReduce,
  Load,      ///< src₀ = index, gate
  LoadRows,  ///< src₀ = index; arg = lanes, lanes of a row, elements from row to row
  Store,     ///< src₀ = index, src₁ = value, gate
  If,        ///< src₀ = condition; link = the EndIf
  EndIf,
  Barrier,
  Mma,              ///< dst = src₀ · src₁ + src₂, by all work-items of a subgroup
  Dot,              ///< the same by one work-item
  SubgroupShuffle,  ///< dst = src₀ of the work-item whose number is this one's xor arg₀
  AsyncCopy,        ///< src₀ = index, from: index, gate
  AsyncWait,        ///< arg₀ = batches that may be on their way
  MmaAsync,  ///< dst = rows at src₀ · rows of `from` at from_index + src₁, by a unit's lanes
  MmaWait,   ///< arg₀ = batches that may be under way
};

inline bool is_load(Kind k) { return k == Kind::Load || k == Kind::LoadRows; }

/// Registers are numbered by lane: a value of n lanes takes n consecutive ones.
using Register = int32_t;
inline constexpr Register kNone = -1;

struct CarryMove {
  Register to;
  Register from;
  int lanes;
};

struct Instruction {
  Kind kind = Kind::Alu;
  Op op = Op::Const;  ///< of an Alu; of Load, Store and VReduce the combining elementwise op
  DType dtype = DType::Void;  ///< of the result, or of what is stored
  bool chunk = false;         ///< LoopBegin over the launch's chunks
  int work_items = -1;       ///< LoopBegin, LoopEnd of a work-item range: which, from the outermost
  bool combine = false;      ///< Store that combines with what is there
  uint16_t lanes = 1;        ///< of the result, or of what is stored
  uint16_t index_lanes = 1;  ///< Load, Store
  uint16_t gate_lanes = 0;   ///< Load, Store: 0 without a gate
  Register dst = kNone;
  std::vector<Register> src;
  Register gate = kNone;
  int memory = -1;                   ///< Load, Store, AsyncCopy, MmaAsync: which of Code::memories
  int from = -1;                     ///< AsyncCopy: which of them is read; MmaAsync: the second
  Register from_index = kNone;       ///< AsyncCopy, MmaAsync
  int64_t align = 1;                 ///< claimed alignment, bytes
  size_t link = 0;                   ///< the matching instruction
  std::vector<int64_t> arg;          ///< the node's argument words
  const MatrixUnit* unit = nullptr;  ///< Mma, Dot, MmaAsync
  std::array<int64_t, 2> block_rows{};  ///< MmaAsync: of the factors' blocks
  std::vector<CarryMove> moves;      ///< LoopBegin, LoopEnd
  size_t position = 0;               ///< in LinearKernel::ops
};

/// A parameter or a scratch array.
struct Memory {
  int slot = -1;     ///< of a parameter, else -1
  bool own = false;  ///< each work-item has one
  int64_t elements = 0;
  int64_t block_rows = 1;  ///< the last extent but one
  DType dtype = DType::Void;
  std::string text;  ///< for messages: "parameter 2", "scratch 0"
};

struct Code {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<Scalar> registers;  ///< initial image: constants in place
  std::vector<Memory> memories;
  std::vector<Register> vars;  ///< where the launch's variables go
  std::vector<UOp> var_nodes;
  size_t params = 0;
  int64_t chunks = 1;
  std::optional<ChunkLimit> chunk_limit;
  std::vector<int64_t> work_items;  ///< extents of the work-item ranges, outermost first
  int64_t scratch_bytes = 0;
};

/// Checks and decodes. Throws InternalError naming kernel, position and op.
Code decode(const LinearKernel& kernel);

/// The list as text, a line an op: "  7  load.4 float32  %2 %6  {4, 16}".
std::string listing(const LinearKernel& kernel);

/// Throws InternalError: "interp: <message>: kernel <name>, op <position>".
[[noreturn]] void fail(const std::string& kernel, size_t position, const std::string& message);

}  // namespace tg::interp
