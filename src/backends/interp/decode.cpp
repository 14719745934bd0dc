// Decoding: registers, scopes and control flow. Every rule of codegen/linear.h that needs no data
// is checked here, so that a kernel that decodes can only fail by what it does to memory.
#include "backends/interp/decode.h"

#include "support/check.h"
#include "support/symbol.h"

namespace tg::interp {

void fail(const std::string& kernel, size_t position, const std::string& message) {
  user_error<InternalError>("interp",
                            fmt::format("{}: kernel {}, op {}", message, kernel, position));
}

namespace {
// Does more than compute, and so may not stand before the work-item ranges.
bool runs(Op op) {
  switch (op) {
    case Op::Load:
    case Op::Store:
    case Op::If:
    case Op::Barrier:
    case Op::Mma:
    case Op::SubgroupShuffle:
    case Op::AsyncCopy:
    case Op::AsyncWait:
    case Op::MmaAsync:
    case Op::MmaWait:
    case Op::LoadRows:
      return true;
    default:
      return false;
  }
}
}  // namespace

Code decode(const LinearKernel& kernel) { return Decoder(kernel).run(); }

Code Decoder::run() {
  code_.name = kernel_.name;
  code_.chunks = kernel_.chunks;
  code_.chunk_limit = kernel_.chunk_limit;
  code_.params = kernel_.params.size();
  code_.var_nodes = kernel_.vars;
  code_.vars.assign(kernel_.vars.size(), kNone);
  for (position_ = 0; position_ < kernel_.ops.size(); ++position_) node(kernel_.ops[position_]);
  require(blocks_.size() == 1, "a loop or if is not closed");
  require(kernel_.chunks == 1 || has_chunk_, "there are chunks but no range over them");
  int64_t group_size = 1;
  for (int64_t n : code_.work_items) group_size = saturating_mul(group_size, n);
  require(kernel_.group_size == group_size,
          "group_size is not the product of the work-item ranges");
  require(code_.scratch_bytes <= kernel_.scratch_bytes,
          "scratch_bytes is less than the allocs take");
  return std::move(code_);
}

void Decoder::node(const UOp& u) {
  require(static_cast<bool>(u), "an empty op");
  const bool is_carry = u.is(Op::Carry);
  if (!is_carry) blocks_.back().may_carry = false;
  require(!blocks_.back().is_split || u.is(Op::End), "an op behind the work-item ranges");
  if (runs(u.op())) blocks_.back().may_split = false;
  switch (u.op()) {
    case Op::Const:
      return constant(u);
    case Op::Var:
      return variable(u);
    case Op::Param:
      return param(u);
    case Op::Alloc:
      return alloc(u);
    case Op::After:
      return after(u);
    case Op::Range:
      return begin_loop(u);
    case Op::Carry:
      return carry(u);
    case Op::End:
      return end_loop(u);
    case Op::Out:
      return out(u);
    case Op::If:
      return begin_if(u);
    case Op::EndIf:
      return end_if(u);
    case Op::Barrier:
      return barrier(u);
    case Op::Mma:
      return mma(u);
    case Op::SubgroupShuffle:
      return subgroup_shuffle(u);
    case Op::AsyncCopy:
      return async_copy(u);
    case Op::AsyncWait:
      return async_wait(u);
    case Op::MmaAsync:
      return mma_async(u);
    case Op::MmaWait:
      return mma_wait(u);
    case Op::Load:
      return load(u);
    case Op::LoadRows:
      return load_rows(u);
    case Op::Store:
      return store(u);
    case Op::Splat:
      return lane_op(u, Kind::Splat);
    case Op::Ramp:
      return lane_op(u, Kind::Ramp);
    case Op::Stack:
      return lane_op(u, Kind::Stack);
    case Op::Shuffle:
      return lane_op(u, Kind::Shuffle);
    case Op::Extract:
      return lane_op(u, Kind::Extract);
    case Op::VReduce:
      return lane_op(u, Kind::VReduce);
    default:
      break;
  }
  if (!in_group(u.op(), kElementwise))
    bad(fmt::format("{} does not belong into linear code", op_name(u.op())));
  alu(u);
}

// ---- values
void Decoder::constant(const UOp& u) {
  const Register r = new_register(u);
  code_.registers[static_cast<size_t>(r)] = u.scalar();
  define(u, {.reg = r});
}

void Decoder::variable(const UOp& u) {
  for (size_t i = 0; i < kernel_.vars.size(); ++i) {
    if (kernel_.vars[i] == u) {
      code_.vars[i] = new_register(u);
      return define(u, {.reg = code_.vars[i]});
    }
  }
  bad("a variable that is not in the kernel's list");
}

void Decoder::alu(const UOp& u) {
  Instruction i;
  for (int s = 0; s < u.n_src(); ++s) {
    require(u.src_node(s)->lanes == u.lanes(), "an elementwise op with different lanes");
    i.src.push_back(use_value(u, s));
  }
  require(i.src.size() <= 4, "an elementwise op with more than four sources");
  Instruction& added = emit(Kind::Alu, u);
  added.op = u.op();
  added.src = std::move(i.src);
  added.dst = new_register(u);
  define(u, {.reg = added.dst});
}

void Decoder::check_lane_argument(const UOp& u) const {
  const int64_t available =
      u.is(Op::Shuffle) ? u.src_node(0)->lanes + u.src_node(1)->lanes : u.src_node(0)->lanes;
  if (u.is(Op::Shuffle)) {
    require(u.src_node(0)->lanes == u.src_node(1)->lanes &&
                u.src_node(0)->dtype == u.src_node(1)->dtype,
            "shuffle of vectors that differ in type");
  }
  if (u.is(Op::Shuffle) || u.is(Op::Extract)) {
    for (int64_t lane : u.arg())
      require(lane >= 0 && lane < available, "a lane outside the vector");
  }
  if (u.is(Op::Stack)) {
    for (int s = 0; s < u.n_src(); ++s) {
      require(u.src_node(s)->lanes == 1 && u.src_node(s)->dtype == u.dtype(),
              "stack takes scalars of one dtype");
    }
  }
  if (u.is(Op::Ramp))
    require(is_int(u.dtype()) && u.arg().size() == 2, "ramp takes an integer, lanes and a step");
}

void Decoder::lane_op(const UOp& u, Kind kind) {
  check_lane_argument(u);
  std::vector<Register> src;
  for (int s = 0; s < u.n_src(); ++s) src.push_back(use_value(u, s));
  Instruction& i = emit(kind, u);
  i.src = std::move(src);
  if (kind == Kind::VReduce) {
    i.op = reduce_alu(static_cast<ReduceOp>(u.arg(0)));
    i.index_lanes = u.src_node(0)->lanes;
  }
  if (kind == Kind::Shuffle) i.index_lanes = u.src_node(0)->lanes;
  i.dst = new_register(u);
  define(u, {.reg = i.dst});
}

// A pointer or value under another name. Effects in closed loops may be named: they are done.
void Decoder::after(const UOp& u) {
  for (int s = 1; s < u.n_src(); ++s) {
    require(defined_.contains(u.src_node(s)), "after an effect that has not happened yet");
  }
  Definition d = use(u, 0);
  define(u, {.reg = d.reg, .memory = d.memory});
}

// ---- control flow
void Decoder::begin_loop(const UOp& u) {
  const bool chunk = u.arg().size() > 1 && u.arg(1) == 1;
  require(u.src_node(0)->lanes == 1, "a loop with a vector for its extent");
  const Register extent = use_value(u, 0);
  if (chunk) {
    require(!has_chunk_ && blocks_.size() == 1,
            "the range over chunks must be the outermost and only one");
    has_chunk_ = true;
  }
  const bool split = u.arg().size() > 1 && u.arg(1) == 2;
  require(!split || blocks_.back().may_split,
          "a work-item range that is not directly inside the range over chunks");
  if (!split) blocks_.back().may_split = false;
  open(u);
  Instruction& i = emit(Kind::LoopBegin, u);
  i.chunk = chunk;
  i.src = {extent};
  i.dst = new_register(u);
  if (split) begin_work_items(u, i);
  blocks_.back().may_carry = true;
  blocks_.back().launch = blocks_.back().may_split = chunk || split;
  define(u, {.reg = i.dst});
}

void Decoder::begin_work_items(const UOp& u, Instruction& begin) {
  require(u.src(0).is(Op::Const) && u.src(0).arg(0) > 0,
          "a work-item range without constant extent");
  begin.work_items = static_cast<int>(code_.work_items.size());
  code_.work_items.push_back(u.src(0).arg(0));
}

void Decoder::barrier(const UOp& u) {
  require(!code_.work_items.empty(), "a barrier outside the work-item ranges");
  for (int s = 0; s < u.n_src(); ++s) {
    require(defined_.contains(u.src_node(s)), "a barrier behind an effect that has not happened");
  }
  emit(Kind::Barrier, u);
  define(u, {});
}

void Decoder::mma(const UOp& u) {
  const MatrixUnit* unit = find_matrix_unit(symbol_name(u.arg(0)));
  require(unit != nullptr, "an mma by a unit that nobody knows");
  require(unit->is_of_one() || !code_.work_items.empty(), "an mma outside the work-item ranges");
  const FragmentMap* maps[] = {&unit->a, &unit->b, &unit->c};
  std::vector<Register> src;
  for (int s = 0; s < 3; ++s) {
    const Node* n = u.src_node(s);
    const DType t = s == 0 ? unit->input : s == 1 ? unit->second : unit->sum;
    require(n->dtype == t && n->lanes == maps[s]->registers(),
            "an mma of fragments that are not its unit's");
    src.push_back(use_value(u, s));
  }
  int64_t group_size = 1;
  for (int64_t n : code_.work_items) group_size = saturating_mul(group_size, n);
  require(group_size % unit->lanes() == 0,
          "an mma in a group that is no whole number of subgroups");
  Instruction& i = emit(unit->is_of_one() ? Kind::Dot : Kind::Mma, u);
  i.unit = unit;
  i.src = std::move(src);
  i.dst = new_register(u);
  define(u, {.reg = i.dst});
}

void Decoder::subgroup_shuffle(const UOp& u) {
  require(!code_.work_items.empty(), "a shuffle outside the work-item ranges");
  int64_t group_size = 1;
  for (int64_t n : code_.work_items) group_size = saturating_mul(group_size, n);
  const int64_t distance = u.arg(0);
  require(u.lanes() == 1 && distance > 0 && (distance & (distance - 1)) == 0,
          "a shuffle of a vector, or over no power of two");
  require(group_size % (2 * distance) == 0, "a shuffle with work-items that are not there");
  const Register value = use_value(u, 0);
  Instruction& i = emit(Kind::SubgroupShuffle, u);
  i.src = {value};
  i.dst = new_register(u);
  define(u, {.reg = i.dst});
}

void Decoder::async_wait(const UOp& u) {
  require(!code_.work_items.empty(), "an async_wait outside the work-item ranges");
  require(u.arg(0) >= 0, "an async_wait of fewer than no batches");
  emit(Kind::AsyncWait, u);
  define(u, {});
}

void Decoder::carry(const UOp& u) {
  const Block& loop = blocks_.back();
  require(loop.may_carry && loop.opener == u.src_node(0),
          "a carry does not follow its range directly");
  Instruction& begin = code_.instructions[loop.instruction];
  require(!loop.launch, "a carry over chunks or work-items, which run in any order");
  const Register initial = use_value(u, 1);
  require(defined_.at(u.src_node(1)).block != loop.id || u.src_node(1)->op == Op::Const,
          "the initial value of a carry is made inside its loop");
  const Register r = new_register(u);
  begin.moves.push_back({r, initial, u.lanes()});
  define(u, {.reg = r});
}

void Decoder::end_loop(const UOp& u) {
  require(u.arg().size() == 1 && u.arg(0) == 1, "end in ranged form");
  require(blocks_.back().opener == u.src_node(0) && u.src_node(0)->op == Op::Range,
          "end of a loop that is not innermost");
  const size_t begin = blocks_.back().instruction;
  const size_t carries = code_.instructions[begin].moves.size();
  require(static_cast<size_t>(u.n_src()) > carries, "end gives too few next values");
  std::vector<CarryMove> moves;
  for (size_t k = 0; k < carries; ++k) {
    const CarryMove& m = code_.instructions[begin].moves[k];
    const Node* next = u.src_node(static_cast<int>(k) + 1);
    require(next->lanes == m.lanes, "a next value with other lanes than its carry");
    moves.push_back({m.to, use_value(u, static_cast<int>(k) + 1), m.lanes});
  }
  for (size_t s = carries + 1; s < static_cast<size_t>(u.n_src()); ++s) {
    require(u.src_node(static_cast<int>(s))->dtype == DType::Void,
            "end gives more next values than there are carries");
  }
  Instruction& i = emit(Kind::LoopEnd, u);
  i.link = begin;
  i.work_items = code_.instructions[begin].work_items;
  i.moves = std::move(moves);
  code_.instructions[begin].link = code_.instructions.size() - 1;
  const bool split = i.work_items >= 0;
  close();
  blocks_.back().is_split = split;
  loop_of_end_[u.node()] = begin;
  define(u, {});
}

void Decoder::out(const UOp& u) {
  use(u, 0);
  auto it = loop_of_end_.find(u.src_node(0));
  require(it != loop_of_end_.end(), "out of something that ends no loop");
  const auto& moves = code_.instructions[it->second].moves;
  require(u.arg(0) >= 0 && u.arg(0) < static_cast<int64_t>(moves.size()),
          "out of a carry that does not exist");
  const Register carried = moves[static_cast<size_t>(u.arg(0))].to;
  Instruction& i = emit(Kind::Out, u);
  i.src = {carried};
  i.dst = new_register(u);
  define(u, {.reg = i.dst});
}

void Decoder::begin_if(const UOp& u) {
  require(u.src_node(0)->lanes == 1 && u.src_node(0)->dtype == DType::Bool,
          "if needs a scalar bool");
  const Register condition = use_value(u, 0);
  define(u, {});
  open(u);
  emit(Kind::If, u).src = {condition};
}

void Decoder::end_if(const UOp& u) {
  require(blocks_.back().opener == u.src_node(0) && u.src_node(0)->op == Op::If,
          "endif of an if that is not innermost");
  const size_t begin = close().instruction;
  emit(Kind::EndIf, u);
  code_.instructions[begin].link = code_.instructions.size() - 1;
  define(u, {});
}

// ---- scopes and registers
const Decoder::Definition& Decoder::use(const UOp& user, int source) {
  auto it = defined_.find(user.src_node(source));
  const std::string_view what = op_name(user.src_node(source)->op);
  if (it == defined_.end())
    bad(fmt::format("{} uses a {} that is not defined yet", op_name(user.op()), what));
  if (!block_open_[static_cast<size_t>(it->second.block)]) {
    bad(fmt::format("{} uses a {} outside the loop or if that made it", op_name(user.op()), what));
  }
  return it->second;
}

Register Decoder::use_value(const UOp& user, int source) {
  const Register r = use(user, source).reg;
  require(r != kNone, "an effect or pointer is used as a value");
  return r;
}

// The same node may be made again where the first one is out of sight, as in two loops one after
// the other.
void Decoder::define(const UOp& u, Definition d) {
  auto it = defined_.find(u.node());
  require(it == defined_.end() || !block_open_[static_cast<size_t>(it->second.block)],
          "a node is made twice");
  d.block = blocks_.back().id;
  defined_.insert_or_assign(u.node(), d);
}

Register Decoder::new_register(const UOp& u) {
  require(u.dtype() != DType::Void && u.lanes() >= 1, "a value without type");
  const auto first = static_cast<Register>(code_.registers.size());
  code_.registers.resize(code_.registers.size() + static_cast<size_t>(u.lanes()),
                         Scalar::of_int(0, u.dtype()));
  return first;
}

Instruction& Decoder::emit(Kind kind, const UOp& u) {
  Instruction& i = code_.instructions.emplace_back();
  i.kind = kind;
  i.dtype = u.dtype();
  i.lanes = static_cast<uint16_t>(u.lanes());
  i.arg.assign(u.arg().begin(), u.arg().end());
  i.position = position_;
  return i;
}

void Decoder::open(const UOp& u) {
  const int id = static_cast<int>(block_open_.size());
  block_open_.push_back(true);
  blocks_.push_back({.id = id, .opener = u.node(), .instruction = code_.instructions.size()});
}

Decoder::Block Decoder::close() {
  Block b = blocks_.back();
  block_open_[static_cast<size_t>(b.id)] = false;
  blocks_.pop_back();
  return b;
}

}  // namespace tg::interp
