// The decoder's state, shared by its two files: decode.cpp (control flow, values) and
// decode_memory.cpp (parameters, scratch, loads, stores). Not for use elsewhere; see code.h.
#pragma once

#include <unordered_map>

#include "backends/interp/code.h"

namespace tg::interp {

class Decoder {
 public:
  explicit Decoder(const LinearKernel& kernel) : kernel_(kernel) {}
  Code run();

 private:
  /// Where a node's value is, and the block that it was made in. Void nodes have no register.
  struct Definition {
    Register reg = kNone;
    int memory = -1;
    int block = 0;
  };
  /// An open loop or if. Block 0 is the kernel's body.
  struct Block {
    int id = 0;
    const Node* opener = nullptr;
    size_t instruction = 0;
    bool may_carry = false;  ///< nothing but carries since the range
    bool launch = false;     ///< over chunks or work-items
    bool may_split = false;  ///< over chunks or work-items, and nothing has run in it yet
    bool is_split = false;   ///< held work-item ranges, which have ended
  };

  void node(const UOp& u);
  void constant(const UOp& u);
  void variable(const UOp& u);
  void alu(const UOp& u);
  void lane_op(const UOp& u, Kind kind);
  void after(const UOp& u);
  void begin_loop(const UOp& u);
  void begin_work_items(const UOp& u, Instruction& begin);
  void barrier(const UOp& u);
  void mma(const UOp& u);
  void subgroup_shuffle(const UOp& u);
  void async_wait(const UOp& u);
  void carry(const UOp& u);
  void end_loop(const UOp& u);
  void out(const UOp& u);
  void begin_if(const UOp& u);
  void end_if(const UOp& u);
  void param(const UOp& u);
  void alloc(const UOp& u);
  void load(const UOp& u);
  void load_rows(const UOp& u);
  void store(const UOp& u);
  void async_copy(const UOp& u);
  void mma_async(const UOp& u);
  void mma_wait(const UOp& u);

  [[noreturn]] void bad(const std::string& message) const {
    fail(kernel_.name, position_, message);
  }
  void require(bool condition, const char* message) const {
    if (!condition) bad(message);
  }
  void check_lane_argument(const UOp& u) const;
  void access(const UOp& u, Instruction& i, int lanes, int gate_source);
  int use_memory(const UOp& user, int source);
  const Definition& use(const UOp& user, int source);
  Register use_value(const UOp& user, int source);
  void define(const UOp& u, Definition d);
  Register new_register(const UOp& u);
  Instruction& emit(Kind kind, const UOp& u);
  void open(const UOp& u);
  Block close();

  const LinearKernel& kernel_;
  Code code_;
  size_t position_ = 0;
  std::unordered_map<const Node*, Definition> defined_;
  std::unordered_map<const Node*, size_t> loop_of_end_;  // LoopBegin of an END
  std::vector<Block> blocks_{Block{}};
  std::vector<bool> block_open_{true};
  bool has_chunk_ = false;
};

}  // namespace tg::interp
