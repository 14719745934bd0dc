// The interpreter's loop; see execute.h.
#include "backends/interp/execute.h"

#include <array>

#include "backends/interp/memory.h"
#include "backends/interp/races.h"
#include "backends/interp/scratch_factor.h"
#include "support/check.h"

namespace tg::interp {
namespace {

class Machine {
 public:
  Machine(const Code& code, std::span<void* const> buffers, std::span<const int64_t> vars,
          int64_t begin, int64_t end);
  void run();

 private:
  /// An element of an asynchronous copy that has not arrived.
  struct AsyncElement {
    const Instruction* by;
    int64_t index;
    Scalar value;
  };
  /// A product that a matrix unit makes until it is waited for.
  struct ScratchProduct {
    const Instruction* by;
    ScratchFactor a, b;
    int64_t epoch;  // in which it began
  };
  /// What each work-item has for itself; of the kernel's body while there are none.
  struct State {
    std::vector<Scalar> registers;
    std::vector<int64_t> limits;      // of a LoopBegin, by instruction
    std::vector<Array> own;           // by memory; empty while there are no work-items
    std::vector<AsyncElement> batch;  // since the last async_wait
    std::vector<std::vector<AsyncElement>> batches;  // that are on their way, oldest first
    std::vector<ScratchProduct> products;            // since the last mma_wait
    std::vector<std::vector<ScratchProduct>> products_under_way;  // batches of them, oldest first
    size_t pc = 0;
  };

  void step(const Instruction& i);
  void run_group();
  void run_work_item(size_t end);
  void check_arrival(const std::vector<State>& work_items) const;
  void multiply(std::vector<State>& work_items) const;
  void multiply(const Instruction& i, std::span<State> subgroup) const;
  void subgroup_shuffle(std::vector<State>& work_items) const;
  void start_scratch();
  Array& array(const Instruction& i);
  void touch(const Instruction& i, int64_t index, bool writes);
  void alu(const Instruction& i);
  void lane_op(const Instruction& i);
  void vreduce(const Instruction& i);
  void loop_begin(const Instruction& i);
  void loop_end(const Instruction& i);
  void load(const Instruction& i);
  void store(const Instruction& i);
  void async_copy(const Instruction& i);
  void async_wait(const Instruction& i);
  void mma_async(const Instruction& i);
  void mma_wait(const Instruction& i);
  template <typename Fn>
  void for_factors(const ScratchProduct& p, const Fn& fn) const;
  void check_factor(const ScratchProduct& p, int memory, int64_t index);

  Scalar& at(Register r, int lane = 0) {
    return state_.registers[static_cast<size_t>(r) + static_cast<size_t>(lane)];
  }
  bool active(const Instruction& i, int lane);
  int64_t checked_index(const Instruction& i, const Array& a, int lane);
  void check_bounds(const Instruction& i, int memory, int64_t index, int lane,
                    const char* what) const;
  void check_alignment(const Instruction& i, const Array& a, int64_t index) const;
  [[noreturn]] void bad(const Instruction& i, const std::string& message) const {
    fail(code_.name, i.position, message);
  }

  const Code& code_;
  State state_;  // in hand
  std::vector<Array> arrays_;
  std::vector<Touches> touches_;  // by memory
  std::vector<Scalar> moved_;     // next values of carries, before any is overwritten
  int64_t chunk_begin_;
  int64_t chunk_end_;
  int64_t work_item_ = -1;  // in hand
  int64_t epoch_ = 0;
};

Machine::Machine(const Code& code, std::span<void* const> buffers, std::span<const int64_t> vars,
                 int64_t begin, int64_t end)
    : code_(code),
      state_{code.registers, std::vector<int64_t>(code.instructions.size()), {}},
      touches_(code.memories.size()),
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
  for (size_t& pc = state_.pc; pc < code_.instructions.size(); ++pc) {
    const Instruction& i = code_.instructions[pc];
    if (i.kind == Kind::LoopBegin && i.work_items == 0) {
      run_group();
    } else {
      step(i);
    }
  }
}

// ---- work-items
// All work-items of a group run up to the next barrier, one after the other, and then go on: at the
// instruction of the outermost work-item range, which becomes that of its end.
void Machine::run_group() {
  const size_t begin = state_.pc, end = code_.instructions[begin].link;
  int64_t n = 1;
  for (int64_t extent : code_.work_items) n *= extent;
  start_scratch();
  ++epoch_;
  State outside = state_;
  std::vector<State> work_items(static_cast<size_t>(n), state_);
  for (State& s : work_items) {
    for (const Memory& m : code_.memories) s.own.emplace_back(m.own ? m : Memory{}, nullptr);
  }
  while (work_items[0].pc != end) {
    for (work_item_ = 0; work_item_ < n; ++work_item_) {
      std::swap(state_, work_items[static_cast<size_t>(work_item_)]);
      run_work_item(end);
      std::swap(state_, work_items[static_cast<size_t>(work_item_)]);
    }
    check_arrival(work_items);
    const Kind kind = code_.instructions[work_items[0].pc].kind;
    if (kind == Kind::Mma) {
      multiply(work_items);
    } else if (kind == Kind::SubgroupShuffle) {
      subgroup_shuffle(work_items);
    } else {
      ++epoch_;
    }
  }
  for (const State& s : work_items) {
    if (!s.batch.empty() || !s.batches.empty())
      bad(code_.instructions[end], "an asynchronous copy that nobody waits for");
    if (!s.products.empty() || !s.products_under_way.empty())
      bad(code_.instructions[end], "an mma_async that nobody waits for");
  }
  work_item_ = -1;
  outside.pc = end;
  state_ = std::move(outside);
}

void Machine::run_work_item(size_t end) {
  const auto waits = [&] {
    const Kind kind = code_.instructions[state_.pc].kind;
    return kind == Kind::Barrier || kind == Kind::Mma || kind == Kind::SubgroupShuffle;
  };
  if (waits()) ++state_.pc;
  for (; state_.pc != end; ++state_.pc) {
    const Instruction& i = code_.instructions[state_.pc];
    if (waits()) return;
    step(i);
  }
}

// All work-items stand at one barrier, or at the end.
void Machine::check_arrival(const std::vector<State>& work_items) const {
  for (size_t k = 1; k < work_items.size(); ++k) {
    if (work_items[k].pc == work_items[0].pc) continue;
    const size_t first = std::min(work_items[k].pc, work_items[0].pc);
    const size_t there = work_items[k].pc == first ? k : 0, elsewhere = k - there;
    bad(code_.instructions[first],
        fmt::format("a barrier that work-item {} reaches and work-item {} does not", there,
                    elsewhere));
  }
}

// All work-items stand at one mma.
void Machine::multiply(std::vector<State>& work_items) const {
  const Instruction& i = code_.instructions[work_items[0].pc];
  const auto lanes = static_cast<size_t>(i.unit->lanes());
  for (size_t first = 0; first < work_items.size(); first += lanes)
    multiply(i, std::span(work_items).subspan(first, lanes));
}

// Element by element of a subgroup's result, found by the maps. Sums of floats are rounded once,
// those of integers wrap.
void Machine::multiply(const Instruction& i, std::span<State> subgroup) const {
  const MatrixUnit& u = *i.unit;
  const auto m = static_cast<size_t>(u.m), n = static_cast<size_t>(u.n),
             k = static_cast<size_t>(u.k);
  std::vector<Scalar> a(m * k), b(k * n);
  const auto spread = [&](const FragmentMap& map, Register src, auto&& put) {
    for (size_t l = 0; l < subgroup.size(); ++l) {
      for (int64_t r = 0; r < map.registers(); ++r) {
        const auto at = [&](MatrixAxis axis) {
          return static_cast<size_t>(map.index(axis, static_cast<int64_t>(l), r));
        };
        put(at, subgroup[l].registers[static_cast<size_t>(src + r)], l, r);
      }
    }
  };
  spread(u.a, i.src[0], [&](const auto& at, const Scalar& v, size_t, int64_t) {
    a[at(MatrixAxis::M) * k + at(MatrixAxis::K)] = v;
  });
  spread(u.b, i.src[1], [&](const auto& at, const Scalar& v, size_t, int64_t) {
    b[at(MatrixAxis::K) * n + at(MatrixAxis::N)] = v;
  });
  spread(u.c, i.src[2], [&](const auto& at, const Scalar& v, size_t l, int64_t r) {
    const Scalar *row = &a[at(MatrixAxis::M) * k], *column = &b[at(MatrixAxis::N)];
    Scalar& out = subgroup[l].registers[static_cast<size_t>(i.dst + r)];
    if (is_float(i.dtype)) {
      double sum = v.f64();
      for (size_t x = 0; x < k; ++x) sum += row[x].f64() * column[x * n].f64();
      out = Scalar::of_double(sum, i.dtype);
    } else {
      int64_t sum = v.i64();
      for (size_t x = 0; x < k; ++x) sum += row[x].i64() * column[x * n].i64();
      out = Scalar::of_int(sum, DType::Int64).cast(i.dtype);
    }
  });
}

void Machine::subgroup_shuffle(std::vector<State>& work_items) const {
  const Instruction& i = code_.instructions[work_items[0].pc];
  for (size_t work_item = 0; work_item < work_items.size(); ++work_item) {
    const State& other = work_items[work_item ^ static_cast<size_t>(i.arg[0])];
    work_items[work_item].registers[static_cast<size_t>(i.dst)] =
        other.registers[static_cast<size_t>(i.src[0])];
  }
}

// Scratch is a group's own: what another group left there is not written yet.
void Machine::start_scratch() {
  for (size_t m = 0; m < arrays_.size(); ++m) {
    if (code_.memories[m].slot < 0) arrays_[m] = Array(code_.memories[m], nullptr);
  }
}

Array& Machine::array(const Instruction& i) {
  const auto m = static_cast<size_t>(i.memory);
  return work_item_ >= 0 && code_.memories[m].own ? state_.own[m] : arrays_[m];
}

void Machine::touch(const Instruction& i, int64_t index, bool writes) {
  const auto m = static_cast<size_t>(i.memory);
  if (work_item_ < 0 || code_.memories[m].own) return;
  const int64_t other = writes ? touches_[m].write(index, work_item_, epoch_)
                               : touches_[m].read(index, work_item_, epoch_);
  if (other == Touches::kNobody) return;
  bad(i, fmt::format("work-item {} {} index {} of {}, which {} touched since the last barrier",
                     work_item_, writes ? "writes" : "reads", index, code_.memories[m].text,
                     other >= 0 ? fmt::format("work-item {}", other) : "other work-items"));
}

void Machine::step(const Instruction& i) {
  switch (i.kind) {
    case Kind::Alu:
      return alu(i);
    case Kind::Load:
    case Kind::LoadRows:
      return load(i);
    case Kind::Store:
      return store(i);
    case Kind::AsyncCopy:
      return async_copy(i);
    case Kind::AsyncWait:
      return async_wait(i);
    case Kind::MmaAsync:
      return mma_async(i);
    case Kind::MmaWait:
      return mma_wait(i);
    case Kind::LoopBegin:
      return loop_begin(i);
    case Kind::LoopEnd:
      return loop_end(i);
    case Kind::VReduce:
      return vreduce(i);
    case Kind::If:
      if (!at(i.src[0]).truthy()) state_.pc = i.link;
      return;
    case Kind::EndIf:
      return;
    case Kind::Dot:
      return multiply(i, std::span(&state_, 1));
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
  if (i.work_items >= 0) {
    int64_t inside = 1;
    for (size_t d = static_cast<size_t>(i.work_items) + 1; d < code_.work_items.size(); ++d)
      inside *= code_.work_items[d];
    const int64_t digit = work_item_ / inside % code_.work_items[static_cast<size_t>(i.work_items)];
    at(i.dst) = Scalar::of_int(digit, i.dtype);
    return;
  }
  for (const CarryMove& m : i.moves) {
    for (int lane = 0; lane < m.lanes; ++lane) at(m.to, lane) = at(m.from, lane);
  }
  const int64_t extent = at(i.src[0]).i64();
  if (i.chunk && chunk_end_ > extent)
    bad(i, fmt::format("{} chunks of a range of {}", chunk_end_, extent));
  const int64_t first = i.chunk ? chunk_begin_ : 0;
  state_.limits[state_.pc] = i.chunk ? chunk_end_ : extent;
  if (first >= state_.limits[state_.pc]) {
    state_.pc = i.link;
    return;
  }
  at(i.dst) = Scalar::of_int(first, i.dtype);
}

void Machine::loop_end(const Instruction& i) {
  if (i.work_items >= 0) return;
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
  if (index >= state_.limits[i.link]) return;
  at(begin.dst) = Scalar::of_int(index, begin.dtype);
  state_.pc = i.link;
}

// ---- memory
bool Machine::active(const Instruction& i, int lane) {
  if (i.gate == kNone) return true;
  return at(i.gate, i.gate_lanes == 1 ? 0 : lane).truthy();
}

int64_t Machine::checked_index(const Instruction& i, const Array& a, int lane) {
  const bool scattered = i.index_lanes > 1;
  int64_t behind = scattered ? 0 : lane;
  if (i.kind == Kind::LoadRows)
    behind = saturating_add(saturating_mul(lane / i.arg[1], i.arg[2]), lane % i.arg[1]);
  const int64_t index = saturating_add(at(i.src[0], scattered ? lane : 0).i64(), behind);
  check_bounds(i, i.memory, index, lane, is_load(i.kind) ? "load" : "store");
  if (scattered || lane == 0) check_alignment(i, a, index);
  return index;
}

void Machine::check_bounds(const Instruction& i, int memory, int64_t index, int lane,
                           const char* what) const {
  const Array& a = arrays_[static_cast<size_t>(memory)];
  if (a.in_bounds(index)) return;
  bad(i, fmt::format("{} of index {} (lane {}) outside {}, which has {} elements", what, index,
                     lane, code_.memories[static_cast<size_t>(memory)].text, a.elements()));
}

void Machine::check_alignment(const Instruction& i, const Array& a, int64_t index) const {
  if (i.align <= 1 || a.address(index) % static_cast<uint64_t>(i.align) == 0) return;
  bad(i, fmt::format("{} of index {} in {} claims an alignment of {} bytes that it does not have",
                     is_load(i.kind) ? "load" : "store", index,
                     code_.memories[static_cast<size_t>(i.memory)].text, i.align));
}

void Machine::load(const Instruction& i) {
  const Array& a = array(i);
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
    touch(i, index, false);
    at(i.dst, lane) = a.read(index);
  }
}

void Machine::store(const Instruction& i) {
  Array& a = array(i);
  for (int lane = 0; lane < i.lanes; ++lane) {
    if (!active(i, lane)) continue;
    const int64_t index = checked_index(i, a, lane);
    touch(i, index, true);
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

// What is read is what is there now; where it goes, nothing may be read before it has arrived.
void Machine::async_copy(const Instruction& i) {
  Array& to = arrays_[static_cast<size_t>(i.memory)];
  const Array& from = arrays_[static_cast<size_t>(i.from)];
  const bool gated = !active(i, 0);
  for (int lane = 0; lane < i.lanes; ++lane) {
    const int64_t index = checked_index(i, to, lane);
    const int64_t source = saturating_add(at(i.from_index).i64(), lane);
    if (!gated) {
      check_bounds(i, i.from, source, lane, "async_copy");
      if (lane == 0) check_alignment(i, from, source);
    }
    touch(i, index, true);
    to.forget(index);
    state_.batch.push_back({&i, index, gated ? Scalar::of_int(0, i.dtype) : from.read(source)});
  }
}

void Machine::async_wait(const Instruction& i) {
  state_.batches.push_back(std::move(state_.batch));
  state_.batch.clear();
  while (state_.batches.size() > static_cast<size_t>(i.arg[0])) {
    for (const AsyncElement& f : state_.batches.front()) {
      touch(*f.by, f.index, true);
      arrays_[static_cast<size_t>(f.by->memory)].write(f.index, f.value);
    }
    state_.batches.erase(state_.batches.begin());
  }
}

// ---- products of factors in scratch
// Calls fn(memory, index) for what the work-item's elements of the result are made of, each once.
template <typename Fn>
void Machine::for_factors(const ScratchProduct& p, const Fn& fn) const {
  const Instruction& i = *p.by;
  const FragmentMap& c = i.unit->c;
  const int64_t lane = work_item_ % i.unit->lanes();
  for (const auto axis : {MatrixAxis::M, MatrixAxis::N}) {
    const ScratchFactor& f = axis == MatrixAxis::M ? p.a : p.b;
    int64_t last = -1;  // registers go through an axis in order
    for (int64_t r = 0; r < c.registers(); ++r) {
      const int64_t line = c.index(axis, lane, r);
      if (line <= last) continue;
      last = line;
      for (int64_t k = 0; k < i.unit->k; ++k)
        fn(axis == MatrixAxis::M ? i.memory : i.from, f.place(line, k));
    }
  }
}

// Nobody writes what a unit may read, from a barrier before it begins to the wait.
void Machine::check_factor(const ScratchProduct& p, int memory, int64_t index) {
  const Instruction& i = *p.by;
  const auto m = static_cast<size_t>(memory);
  check_bounds(i, memory, index, 0, "mma_async");
  const char* wrong = !arrays_[m].written(index) ? "was never written, or is being copied"
                      : touches_[m].last_write(index) >= p.epoch
                          ? "is written without a barrier before, or before the mma_wait"
                          : nullptr;
  if (wrong != nullptr) {
    bad(i,
        fmt::format("mma_async of index {} in {}, which {}", index, code_.memories[m].text, wrong));
  }
  touches_[m].read(index, work_item_, epoch_);
}

// The work-item's elements of the result.
void Machine::mma_async(const Instruction& i) {
  const MatrixUnit& u = *i.unit;
  const auto factor = [&](Register start, size_t which, DType t) {
    const ScratchFactor f{
        at(start).i64(), i.block_rows[which], i.arg[which + 1] != 0, {dtype_size(t)}};
    if (!f.is_aligned(u.k)) bad(i, fmt::format("mma_async of a factor at index {}", f.start));
    return f;
  };
  const ScratchProduct p{&i, factor(i.src[0], 0, u.input), factor(i.from_index, 1, u.second),
                         epoch_};
  for_factors(p, [&](int memory, int64_t index) { check_factor(p, memory, index); });
  const Array &a = arrays_[static_cast<size_t>(i.memory)],
              &b = arrays_[static_cast<size_t>(i.from)];
  const int64_t lane = work_item_ % u.lanes();
  for (int64_t r = 0; r < u.c.registers(); ++r) {
    const int64_t row = u.c.index(MatrixAxis::M, lane, r),
                  column = u.c.index(MatrixAxis::N, lane, r);
    double sum = at(i.src[1], static_cast<int>(r)).f64();
    for (int64_t k = 0; k < u.k; ++k)
      sum += a.read(p.a.place(row, k)).f64() * b.read(p.b.place(column, k)).f64();
    at(i.dst, static_cast<int>(r)) = Scalar::of_double(sum, i.dtype);
  }
  state_.products.push_back(p);
}

void Machine::mma_wait(const Instruction& i) {
  state_.products_under_way.push_back(std::move(state_.products));
  state_.products.clear();
  while (state_.products_under_way.size() > static_cast<size_t>(i.arg[0])) {
    for (const ScratchProduct& p : state_.products_under_way.front())
      for_factors(p, [&](int memory, int64_t index) { check_factor(p, memory, index); });
    state_.products_under_way.erase(state_.products_under_way.begin());
  }
}

}  // namespace

void execute(const Code& code, std::span<void* const> buffers, std::span<const int64_t> vars,
             int64_t begin, int64_t end) {
  Machine(code, buffers, vars, begin, end).run();
}

}  // namespace tg::interp
