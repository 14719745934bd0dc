// The interpreter's loop; see execute.h.
#include "backends/interp/execute.h"

#include <array>

#include "backends/interp/memory.h"
#include "support/check.h"

namespace tg::interp {
namespace {

class Machine {
 public:
  Machine(const Code& code, std::span<void* const> buffers, std::span<const int64_t> vars,
          int64_t begin, int64_t end);
  void run();

 private:
  void step(const Instruction& i);
  void alu(const Instruction& i);
  void lane_op(const Instruction& i);
  void vreduce(const Instruction& i);
  void loop_begin(const Instruction& i);
  void loop_end(const Instruction& i);
  void load(const Instruction& i);
  void store(const Instruction& i);

  Scalar& at(Register r, int lane = 0) {
    return registers_[static_cast<size_t>(r) + static_cast<size_t>(lane)];
  }
  bool active(const Instruction& i, int lane);
  int64_t checked_index(const Instruction& i, const Array& a, int lane);
  void check_alignment(const Instruction& i, const Array& a, int64_t index) const;
  [[noreturn]] void bad(const Instruction& i, const std::string& message) const {
    fail(code_.name, i.position, message);
  }

  const Code& code_;
  std::vector<Scalar> registers_;
  std::vector<Array> arrays_;
  std::vector<int64_t> limits_;  // of a LoopBegin, by instruction
  std::vector<Scalar> moved_;    // next values of carries, before any is overwritten
  int64_t chunk_begin_;
  int64_t chunk_end_;
  size_t pc_ = 0;
};

Machine::Machine(const Code& code, std::span<void* const> buffers, std::span<const int64_t> vars,
                 int64_t begin, int64_t end)
    : code_(code),
      registers_(code.registers),
      limits_(code.instructions.size()),
      chunk_begin_(begin),
      chunk_end_(end) {
  TG_CHECK(buffers.size() == code.params, "kernel {} has {} parameters, got {}", code.name,
           code.params, buffers.size());
  TG_CHECK(vars.size() == code.vars.size(), "kernel {} has {} variables, got {}", code.name,
           code.vars.size(), vars.size());
  TG_CHECK(begin >= 0 && begin <= end && end <= code.chunks, "chunks [{}, {}) of {} in kernel {}",
           begin, end, code.chunks, code.name);
  for (size_t v = 0; v < vars.size(); ++v) {
    const UOp& node = code.var_nodes[v];
    TG_CHECK(vars[v] >= node.arg(1) && vars[v] <= node.arg(2),
             "variable {} of kernel {} is {}, outside [{}, {}]", v, code.name, vars[v], node.arg(1),
             node.arg(2));
    if (code.vars[v] != kNone) at(code.vars[v]) = Scalar::of_int(vars[v], node.dtype());
  }
  arrays_.reserve(code.memories.size());
  for (const Memory& m : code.memories) {
    arrays_.emplace_back(m, m.slot >= 0 ? buffers[static_cast<size_t>(m.slot)] : nullptr);
  }
}

void Machine::run() {
  for (pc_ = 0; pc_ < code_.instructions.size(); ++pc_) step(code_.instructions[pc_]);
}

void Machine::step(const Instruction& i) {
  switch (i.kind) {
    case Kind::Alu:
      return alu(i);
    case Kind::Load:
      return load(i);
    case Kind::Store:
      return store(i);
    case Kind::LoopBegin:
      return loop_begin(i);
    case Kind::LoopEnd:
      return loop_end(i);
    case Kind::VReduce:
      return vreduce(i);
    case Kind::If:
      if (!at(i.src[0]).truthy()) pc_ = i.link;
      return;
    case Kind::EndIf:
      return;
    default:
      return lane_op(i);
  }
}

void Machine::alu(const Instruction& i) {
  const EvalFn eval = record(i.op).eval;
  const size_t n = i.src.size();
  std::array<Scalar, 4> args;
  for (int lane = 0; lane < i.lanes; ++lane) {
    for (size_t s = 0; s < n; ++s) args[s] = at(i.src[s], lane);
    at(i.dst, lane) = eval({args.data(), n}, i.dtype, i.arg);
  }
}

void Machine::lane_op(const Instruction& i) {
  for (int lane = 0; lane < i.lanes; ++lane) {
    const auto word = [&] { return static_cast<int>(i.arg[static_cast<size_t>(lane)]); };
    Scalar& to = at(i.dst, lane);
    switch (i.kind) {
      case Kind::Out:
        to = at(i.src[0], lane);
        break;
      case Kind::Splat:
        to = at(i.src[0]);
        break;
      case Kind::Ramp:
        to = Scalar::of_uint(
            at(i.src[0]).u64() + static_cast<uint64_t>(lane) * static_cast<uint64_t>(i.arg[1]),
            i.dtype);
        break;
      case Kind::Stack:
        to = at(i.src[static_cast<size_t>(lane)]);
        break;
      case Kind::Extract:
        to = at(i.src[0], static_cast<int>(i.arg[0]));
        break;
      case Kind::Shuffle:
        to = word() < i.index_lanes ? at(i.src[0], word()) : at(i.src[1], word() - i.index_lanes);
        break;
      default:
        bad(i, "an instruction of unknown kind");
    }
  }
}

// Halves the lanes until one is left; of an odd number the middle one waits.
void Machine::vreduce(const Instruction& i) {
  const EvalFn eval = record(i.op).eval;
  std::vector<Scalar> v;
  for (int lane = 0; lane < i.index_lanes; ++lane) v.push_back(at(i.src[0], lane));
  while (v.size() > 1) {
    const size_t half = (v.size() + 1) / 2;
    for (size_t k = 0; k + half < v.size(); ++k) {
      const std::array<Scalar, 2> pair = {v[k], v[k + half]};
      v[k] = eval(pair, i.dtype, {});
    }
    v.resize(half);
  }
  at(i.dst) = v[0];
}

// ---- loops
void Machine::loop_begin(const Instruction& i) {
  for (const CarryMove& m : i.moves) {
    for (int lane = 0; lane < m.lanes; ++lane) at(m.to, lane) = at(m.from, lane);
  }
  const int64_t extent = at(i.src[0]).i64();
  if (i.chunk && chunk_end_ > extent)
    bad(i, fmt::format("{} chunks of a range of {}", chunk_end_, extent));
  const int64_t first = i.chunk ? chunk_begin_ : 0;
  limits_[pc_] = i.chunk ? chunk_end_ : extent;
  if (first >= limits_[pc_]) {
    pc_ = i.link;
    return;
  }
  at(i.dst) = Scalar::of_int(first, i.dtype);
}

void Machine::loop_end(const Instruction& i) {
  moved_.clear();
  for (const CarryMove& m : i.moves) {
    for (int lane = 0; lane < m.lanes; ++lane) moved_.push_back(at(m.from, lane));
  }
  size_t next = 0;
  for (const CarryMove& m : i.moves) {
    for (int lane = 0; lane < m.lanes; ++lane) at(m.to, lane) = moved_[next++];
  }
  const Instruction& begin = code_.instructions[i.link];
  const int64_t index = at(begin.dst).i64() + 1;
  if (index >= limits_[i.link]) return;
  at(begin.dst) = Scalar::of_int(index, begin.dtype);
  pc_ = i.link;
}

// ---- memory
bool Machine::active(const Instruction& i, int lane) {
  if (i.gate == kNone) return true;
  return at(i.gate, i.gate_lanes == 1 ? 0 : lane).truthy();
}

int64_t Machine::checked_index(const Instruction& i, const Array& a, int lane) {
  const bool scattered = i.index_lanes > 1;
  const int64_t index =
      saturating_add(at(i.src[0], scattered ? lane : 0).i64(), scattered ? 0 : lane);
  if (!a.in_bounds(index)) {
    bad(i, fmt::format("{} of index {} (lane {}) outside {}, which has {} elements",
                       i.kind == Kind::Load ? "load" : "store", index, lane,
                       code_.memories[static_cast<size_t>(i.memory)].text, a.elements()));
  }
  if (scattered || lane == 0) check_alignment(i, a, index);
  return index;
}

void Machine::check_alignment(const Instruction& i, const Array& a, int64_t index) const {
  if (i.align <= 1 || a.address(index) % static_cast<uint64_t>(i.align) == 0) return;
  bad(i, fmt::format("{} of index {} in {} claims an alignment of {} bytes that it does not have",
                     i.kind == Kind::Load ? "load" : "store", index,
                     code_.memories[static_cast<size_t>(i.memory)].text, i.align));
}

void Machine::load(const Instruction& i) {
  const Array& a = arrays_[static_cast<size_t>(i.memory)];
  for (int lane = 0; lane < i.lanes; ++lane) {
    if (!active(i, lane)) {
      at(i.dst, lane) = Scalar::of_int(0, i.dtype);
      continue;
    }
    const int64_t index = checked_index(i, a, lane);
    if (!a.written(index)) {
      bad(i, fmt::format("load of index {} in {}, which was never written", index,
                         code_.memories[static_cast<size_t>(i.memory)].text));
    }
    at(i.dst, lane) = a.read(index);
  }
}

void Machine::store(const Instruction& i) {
  Array& a = arrays_[static_cast<size_t>(i.memory)];
  for (int lane = 0; lane < i.lanes; ++lane) {
    if (!active(i, lane)) continue;
    const int64_t index = checked_index(i, a, lane);
    if (!i.combine) {
      a.write(index, at(i.src[1], lane));
      continue;
    }
    if (!a.written(index))
      bad(i, fmt::format("store combines with index {} of scratch that was never written", index));
    const std::array<Scalar, 2> pair = {a.read(index), at(i.src[1], lane)};
    a.write(index, record(i.op).eval(pair, i.dtype, {}));
  }
}

}  // namespace

void execute(const Code& code, std::span<void* const> buffers, std::span<const int64_t> vars,
             int64_t begin, int64_t end) {
  Machine(code, buffers, vars, begin, end).run();
}

}  // namespace tg::interp
