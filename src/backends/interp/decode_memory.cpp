// Decoding of parameters, scratch, loads and stores: types, lanes and declared uses. Indices are
// checked when they are known, in memory.cpp.
#include "backends/interp/decode.h"
#include "support/check.h"
#include "support/symbol.h"
#include "uop/shape.h"

namespace tg::interp {
namespace {

constexpr int64_t kScratchUnit = 64;

}  // namespace

void Decoder::param(const UOp& u) {
  require(u.arg(0) >= 0 && u.arg(0) < static_cast<int64_t>(kernel_.params.size()),
          "a parameter without a slot");
  require(dtype_size(u.dtype()) > 0, "a parameter of a dtype that has no size");
  Memory m{.slot = static_cast<int>(u.arg(0)), .elements = numel(u.shape()), .dtype = u.dtype()};
  m.text = fmt::format("parameter {}", m.slot);
  code_.memories.push_back(std::move(m));
  define(u, {.memory = static_cast<int>(code_.memories.size()) - 1});
}

void Decoder::alloc(const UOp& u) {
  require(dtype_size(u.dtype()) > 0, "scratch of a dtype that has no size");
  Memory m{.elements = numel(u.shape()),
           .dtype = u.dtype(),
           .text = fmt::format("scratch {}", u.arg(0))};
  m.own = u.space() == Space::Reg;
  if (u.shape().size() > 1) m.block_rows = u.shape()[u.shape().size() - 2];
  if (u.space() == Space::Scratch) {
    const int64_t bytes = m.elements * dtype_size(m.dtype);
    code_.scratch_bytes += (bytes + kScratchUnit - 1) / kScratchUnit * kScratchUnit;
  }
  code_.memories.push_back(std::move(m));
  define(u, {.memory = static_cast<int>(code_.memories.size()) - 1});
}

int Decoder::use_memory(const UOp& user, int source) {
  const int m = use(user, source).memory;
  require(m >= 0, "an access to something that is no pointer");
  return m;
}

// Index and gate of a load or store whose pointer is source 0 and whose index is source 1.
void Decoder::access(const UOp& u, Instruction& i, int lanes, int gate_source) {
  const Node* index = u.src_node(1);
  require(is_int(index->dtype), "an index that is no integer");
  require(index->lanes == 1 || index->lanes == lanes, "an index with other lanes than the access");
  i.memory = use_memory(u, 0);
  i.lanes = static_cast<uint16_t>(lanes);
  i.index_lanes = index->lanes;
  i.src.insert(i.src.begin(), use_value(u, 1));
  require(u.n_src() <= gate_source + 1, "too many sources");
  if (u.n_src() <= gate_source) return;
  const Node* gate = u.src_node(gate_source);
  require(gate->dtype == DType::Bool && (gate->lanes == 1 || gate->lanes == lanes),
          "a gate that is no bool or lane mask");
  i.gate = use_value(u, gate_source);
  i.gate_lanes = gate->lanes;
}

void Decoder::load(const UOp& u) {
  require(u.arg().size() == 2, "load in ranged form");
  Instruction i;
  access(u, i, u.lanes(), 2);
  const Memory& m = code_.memories[static_cast<size_t>(i.memory)];
  require(m.slot < 0 || kernel_.params[static_cast<size_t>(m.slot)].read,
          "a load from a parameter that is not declared as read");
  Instruction& added = emit(Kind::Load, u);
  i.kind = Kind::Load;
  i.dtype = u.dtype();
  i.align = u.arg(1);
  i.position = position_;
  i.dst = new_register(u);
  added = std::move(i);
  define(u, {.reg = added.dst});
}

void Decoder::load_rows(const UOp& u) {
  require(u.n_src() == 2 && u.src_node(1)->lanes == 1, "a load_rows by lanes or with a gate");
  Instruction i;
  access(u, i, u.lanes(), 2);
  const Memory& m = code_.memories[static_cast<size_t>(i.memory)];
  require(m.slot < 0 || kernel_.params[static_cast<size_t>(m.slot)].read,
          "a load_rows from a parameter that is not declared as read");
  i.kind = Kind::LoadRows;
  i.dtype = u.dtype();
  i.arg.assign(u.arg().begin(), u.arg().end());
  i.position = position_;
  i.dst = new_register(u);
  const Register to = i.dst;
  emit(Kind::LoadRows, u) = std::move(i);
  define(u, {.reg = to});
}

void Decoder::async_copy(const UOp& u) {
  require(!code_.work_items.empty(), "an async_copy outside the work-item ranges");
  require(u.arg().size() == 2 && u.arg(0) > 0 && u.arg(0) <= UINT16_MAX,
          "an async_copy of no elements");
  require(u.src_node(3)->lanes == 1 && is_int(u.src_node(3)->dtype),
          "an async_copy from an index that is no integer");
  Instruction i;
  access(u, i, static_cast<int>(u.arg(0)), 4);
  i.from = use_memory(u, 2);
  i.from_index = use_value(u, 3);
  const auto memory = [&](int m) -> const Memory& {
    return code_.memories[static_cast<size_t>(m)];
  };
  require(i.index_lanes == 1 && i.gate_lanes <= 1, "an async_copy by lanes");
  require(memory(i.memory).slot < 0 && !memory(i.memory).own && memory(i.from).slot >= 0,
          "an async_copy that is not from a parameter to scratch");
  require(kernel_.params[static_cast<size_t>(memory(i.from).slot)].read,
          "an async_copy from a parameter that is not declared as read");
  require(memory(i.from).dtype == memory(i.memory).dtype, "an async_copy of another dtype");
  i.kind = Kind::AsyncCopy;
  i.dtype = memory(i.from).dtype;
  i.align = u.arg(1);
  i.position = position_;
  emit(Kind::AsyncCopy, u) = std::move(i);
  define(u, {});
}

void Decoder::mma_async(const UOp& u) {
  const MatrixUnit* unit = find_matrix_unit(symbol_name(u.arg(0)));
  require(unit != nullptr && unit->reads_scratch, "an mma_async by a unit that reads no scratch");
  int64_t group_size = 1;
  for (int64_t n : code_.work_items) group_size = saturating_mul(group_size, n);
  require(!code_.work_items.empty() && group_size % unit->lanes() == 0,
          "an mma_async in a group that is no whole number of the unit's work-items");
  Instruction i;
  i.unit = unit;
  i.memory = use_memory(u, 0);
  i.from = use_memory(u, 2);
  i.from_index = use_value(u, 3);
  i.src = {use_value(u, 1), use_value(u, 4)};
  for (const int s : {0, 1}) {
    const Memory& m = code_.memories[static_cast<size_t>(s == 0 ? i.memory : i.from)];
    require(m.slot < 0 && !m.own && m.dtype == (s == 0 ? unit->input : unit->second),
            "an mma_async of a factor that is no scratch of its unit's dtype");
    i.block_rows[static_cast<size_t>(s)] = m.block_rows;
  }
  require(u.dtype() == unit->sum && u.lanes() == unit->c.registers(),
          "an mma_async of a sum that is not its unit's");
  i.dtype = u.dtype();
  i.arg.assign(u.arg().begin(), u.arg().end());
  i.position = position_;
  i.lanes = static_cast<uint16_t>(u.lanes());
  i.dst = new_register(u);
  const Register to = i.dst;
  i.kind = Kind::MmaAsync;
  emit(Kind::MmaAsync, u) = std::move(i);
  define(u, {.reg = to});
}

void Decoder::mma_wait(const UOp& u) {
  require(!code_.work_items.empty(), "an mma_wait outside the work-item ranges");
  require(u.arg(0) >= 0, "an mma_wait of fewer than no batches");
  emit(Kind::MmaWait, u);
  define(u, {});
}

void Decoder::store(const UOp& u) {
  require(u.arg().size() == 2, "store in ranged form");
  const Node* value = u.src_node(2);
  Instruction i;
  i.src = {use_value(u, 2)};
  access(u, i, value->lanes, 3);
  const Memory& m = code_.memories[static_cast<size_t>(i.memory)];
  require(m.slot < 0 || kernel_.params[static_cast<size_t>(m.slot)].written,
          "a store to a parameter that is not declared as written");
  require(m.dtype == value->dtype, "a store of another dtype");
  const auto combine = static_cast<Combine>(u.arg(0));
  i.combine = combine != Combine::Set;
  if (combine == Combine::Add) i.op = Op::Add;
  if (combine == Combine::Mul) i.op = Op::Mul;
  if (combine == Combine::Max) i.op = Op::Max;
  i.kind = Kind::Store;
  i.dtype = value->dtype;
  i.align = u.arg(1);
  i.position = position_;
  emit(Kind::Store, u) = std::move(i);
  define(u, {});
}

}  // namespace tg::interp
