// Tensors and their storage: facts, realising, assigning in place, copying out. How live tensors
// learn of new values: state.cpp.
#include "tensor/storage.h"

#include <algorithm>
#include <cstring>

#include "engine/recorder.h"
#include "engine/sharding.h"
#include "kernel/asked_loops.h"
#include "runtime/buffer.h"
#include "runtime/device.h"
#include "schedule/window.h"
#include "support/symbol.h"
#include "tensor/bits.h"
#include "tensor/indexing.h"
#include "tensor/symbolic.h"
#include "tg/autograd.h"
#include "tg/ir/text.h"
#include "uop/device_groups.h"
#include "uop/devices.h"
#include "uop/limits.h"

namespace tg {
namespace ops_detail {
namespace {

// The name of where it lives, or of `home` if it lives nowhere; empty: nowhere.
std::string device_of(const UOp& u, DeviceId home = 0) {
  const DeviceId id = u.device() == 0 ? home : u.device();
  return id == 0 ? std::string() : symbol_name(id);
}

std::string device_name(const std::string& asked) {
  return asked.empty() ? default_device() : known_devices(asked);
}

// Memory is allocated when it is first written.
UOp new_buffer(const Shape& shape, DType t, const std::string& name, int axis) {
  const DeviceId id = device_id(name);
  const int64_t bytes = saturating_mul(numel(shape), dtype_size(t));
  const auto members = members_of(id);
  if (members.empty()) return buffer(shape, t, id, make_ref<Buffer>(device(name), bytes).get());
  std::vector<Ref<Buffer>> parts;
  for (const DeviceId member : members) {
    const int64_t part = axis < 0 ? bytes : bytes / static_cast<int64_t>(members.size());
    parts.push_back(make_ref<Buffer>(device(symbol_name(member)), part));
  }
  return buffer(shape, t, id, make_ref<Buffer>(std::move(parts), axis).get());
}

// A single number as such, anything larger by its shape.
std::string data_text(const UOp& b, const void* data) {
  if (b.numel() != 1) return fmt::format("a tensor of shape {}", text(b.shape()));
  uint64_t raw = 0;
  std::memcpy(&raw, data, static_cast<size_t>(dtype_size(b.dtype())));
  return fmt::format("{}", Scalar::from_memory(raw, b.dtype()).as_double());
}

}  // namespace

UOp empty_buffer(const Shape& shape, DType t, const std::string& asked, int axis) {
  return new_buffer(shape, t, device_name(asked), axis);
}

UOp data_buffer(const Shape& shape, DType t, const std::string& asked, const void* data) {
  UOp b = new_buffer(shape, t, device_name(asked), kWhole);
  auto* storage = static_cast<Buffer*>(b.node()->resource);
  if (storage->bytes() > 0) storage->copy_in(data, storage->bytes());
  if (Recorder* recorder = Recorder::current()) {
    const auto bytes = static_cast<size_t>(storage->bytes());
    recorder->add_data({static_cast<const std::byte*>(data), bytes}, data_text(b, data));
  }
  return b;
}

UOp stored(const UOp& value, const std::string& asked) {
  note_assignment();
  UOp b = empty_buffer(value.shape_vec(), value.dtype(), asked.empty() ? device_of(value) : asked,
                       shard_axis(value));
  return after(b, {{store(b, value)}});
}

}  // namespace ops_detail

namespace {

using namespace ops_detail;

// What is stored of a value.
UOp with_history(const UOp& value) {
  return !is_grad_enabled() && is_float(value.dtype()) && !value.is(Op::Detach) ? tg::detach(value)
                                                                                : value;
}

// The value behind the tensor, and with it all aliases, becomes storage that is filled with it: on
// `home`, if the value lives nowhere.
void give_storage(const Tensor& t, DeviceId home) {
  const UOp root = root_of(*t.state());
  const UOp value = with_history(root);
  replace_root(*t.state(), stored(value, device_of(value, home)));
}

// Only windows of storage can be written: an overlap names one place twice.
void check_writable(const UOp& target) {
  if (is_injective(target.node())) return;
  user_error<ArgumentError>(
      "assign",
      fmt::format("the target of shape {} names elements of its storage more than once",
                  text(target.shape())),
      "Hint: assign to a slice of the tensor that was expanded, or use where().");
}

// Points the aliases of a tensor at the next version of its storage. Others that name the present
// contents are equal but no aliases (equal expressions are one node, so they were computed once):
// they become copies.
void advance(const TensorState& state, const UOp& before, const UOp& now) {
  for (const auto& s : live_states()) {
    UOp node = s->node();
    if (storage_under(node) != before) continue;
    const bool alias = s->is_alias_of(state);
    const UOp base = alias ? now : copied(before);
    s->replace_node(node, rebase(node, base, before.node()));
    if (alias) {
      s->set_assigned_here();
      continue;
    }
    if (const auto group = s->aliases()) {
      std::lock_guard lock(group->mutex);
      group->root = base;
    }
  }
}

// The elements of `all` that exist in an array like `x`, without gaps.
void copy_existing(const Node* x, const std::byte* all, int64_t element, std::byte* out) {
  const Shape sizes = bound_shape(x);
  const std::vector<Dim> strides = strides_of(x->shape());
  std::vector<Dim> at(sizes.size(), 0);
  for (int64_t n = numel(sizes); n > 0; --n) {
    Dim from = 0;
    for (size_t a = 0; a < at.size(); ++a) from += at[a] * strides[a];
    std::memcpy(out, all + from * element, static_cast<size_t>(element));
    out += element;
    for (size_t a = at.size(); a-- > 0 && ++at[a] == sizes[a];) at[a] = 0;
  }
}

// Few elements of another type are converted here: a kernel for them would have to be compiled, and
// its launch would take longer than the work.
constexpr Dim kConvertedOnHost = 4096;

// Of all types only float64 has no wider one to be computed in where a device lacks it.
bool device_converts(const std::string& name, DType from, DType to) {
  const bool with_doubles = from == DType::Float64 || to == DType::Float64;
  return !with_doubles || name.empty() || device(name).target().supports(DType::Float64);
}

void copy_converted(const UOp& b, DType as, std::byte* out) {
  const auto from = static_cast<size_t>(dtype_size(b.dtype())),
             to = static_cast<size_t>(dtype_size(as));
  std::vector<std::byte> stored(static_cast<size_t>(b.numel()) * from);
  static_cast<Buffer*>(b.node()->resource)
      ->copy_out(stored.data(), static_cast<int64_t>(stored.size()));
  for (size_t i = 0; i < stored.size(); i += from, out += to) {
    uint64_t raw = 0;
    std::memcpy(&raw, &stored[i], from);
    raw = Scalar::from_memory(raw, b.dtype()).cast(as).to_memory();
    std::memcpy(out, &raw, to);
  }
}

const Tensor& update(const Tensor& t, const Tensor& next) {
  if (t.has_storage()) return t.assign(next);
  if (next.shape() != t.shape()) {
    user_error<ShapeError>("assign", fmt::format("the value does not fit the target: {} to {}",
                                                 text(next.shape()), text(t.shape())));
  }
  check_aliases(*t.state(), "assign");
  const UOp node = t.state()->node();
  if (node != root_of(*t.state())) return t.assign(next);
  t.state()->set_number({});
  replace_root(*t.state(), next.state()->node());
  return t;
}

}  // namespace

// ---- facts
Shape Tensor::shape() const { return state_->node().shape_vec(); }
std::vector<SymInt> Tensor::sizes() const {
  const UOp x = state_->node();
  std::vector<SymInt> out;
  for (int a = 0; a < x.ndim(); ++a) out.push_back(size_from(size_of(x, a)));
  return out;
}
DType Tensor::dtype() const { return state_->node().dtype(); }
int64_t Tensor::ndim() const { return state_->node().ndim(); }
int64_t Tensor::numel() const { return state_->node().numel(); }
int64_t Tensor::element_size() const { return dtype_size(dtype()); }
int64_t Tensor::nbytes() const { return numel() * element_size(); }
bool Tensor::is_floating_point() const { return is_float(dtype()); }
std::string Tensor::device() const { return device_of(state_->node()); }
int64_t Tensor::size(int64_t axis) const {
  const Shape s = shape();
  return s[static_cast<size_t>(axis_of("size", axis, s))];
}

// ---- execution
const Tensor& Tensor::realize() const {
  node_of(*this, "realize");
  realize_states({state_});
  return *this;
}

void Tensor::realize(const std::vector<Tensor>& tensors) {
  std::vector<std::shared_ptr<TensorState>> states;
  for (const Tensor& t : tensors) {
    node_of(t, "realize");
    states.push_back(t.state_);
  }
  realize_states(states);
}

bool Tensor::is_realized() const {
  UOp base = storage_under(state_->node());
  return base && base.is(Op::Buffer) && !state_->poisoned();
}

bool Tensor::has_storage() const {
  return storage_under(state_->node()) || source_of_bits(*state_);
}

Tensor Tensor::contiguous() const { return wrap(tg::contiguous(node_of(*this, "contiguous"))); }

Tensor Tensor::contiguous_unrolled(const std::vector<std::pair<int64_t, int64_t>>& upcast,
                                   const std::vector<std::pair<int64_t, int64_t>>& unroll) const {
  std::vector<AskedLoop> loops;
  const auto add = [&](const auto& pairs, AskedLoop::Kind kind) {
    for (const auto& [axis, size] : pairs) {
      if (axis < 0 || size < 1) {
        user_error<ArgumentError>(
            "contiguous_unrolled",
            fmt::format("no points of an axis to compute together: axis {}, {} points", axis, size),
            "Hint: axes count from 0.");
      }
      loops.push_back({kind, axis, size});
    }
  };
  add(upcast, AskedLoop::Kind::Upcast);
  add(unroll, AskedLoop::Kind::Unroll);
  return wrap(stored_by(node_of(*this, "contiguous_unrolled"), loops));
}

Tensor Tensor::clone() const { return wrap(tg::cloned(node_of(*this, "clone"))); }
Tensor Tensor::detach() const { return view_of(*this, tg::detach(node_of(*this, "detach"))); }

Tensor Tensor::to(const std::string& name) const {
  const DeviceId id = device_id(known_devices(name));
  UOp x = node_of(*this, "to");
  // A number stays one: it meets every dtype and device.
  return state_->is_number() ? *this : wrap(copy_to(x, id));
}

void ops_detail::store_value(const Tensor& t, const Tensor& value) {
  TensorState& state = *t.state();
  UOp target = node_of(t, "assign");
  const bool number = value.state()->is_number();
  if (!number && value.dtype() != target.dtype()) {
    user_error<DTypeError>("assign",
                           fmt::format("dtypes differ: target {}, value {}",
                                       dtype_name(target.dtype()), dtype_name(value.dtype())),
                           "Hint: cast the value.");
  }
  UOp v = node_as(value, target.dtype(), "assign");
  if (broadcast_shape("assign", target.shape(), v.shape()) != target.shape_vec()) {
    user_error<ShapeError>("assign", fmt::format("the value does not fit the target: {} to {}",
                                                 text(v.shape()), text(target.shape())));
  }
  v = broadcast_to(v, target.shape_vec());
  const DeviceId home = common_device("assign", {target, v});
  v = with_history(v);
  check_aliases(state, "assign");
  if (const auto source = source_of_bits(state)) return store_bits(t, *source, v);
  if (!storage_under(target)) {
    state.set_number({});
    if (live_aliases(state).size() < 2) {
      const UOp& lies = target.device() != 0 ? target : v;
      UOp b = empty_buffer(target.shape_vec(), target.dtype(), device_of(target, home),
                           tg::shard_axis(lies));
      state.leave_aliases();
      state.set_node(after(b, {{store(b, v)}}));
      state.set_assigned_here();
      note_assignment();
      return;
    }
    give_storage(t, home);
    target = state.node();
  }
  check_writable(target);
  note_assignment();
  const UOp base = storage_under(target);
  advance(state, base, after(base, {{store(rebase(target, base), v)}}));
}

const Tensor& Tensor::assign(const Tensor& value) const {
  store_value(*this, value);
  return *this;
}

const Tensor& Tensor::set(const std::vector<IndexItem>& items, const Tensor& value) const {
  UOp node = node_of(*this, "set");
  check_aliases(*state_, "set");
  if (!storage_under(node) && !source_of_bits(*state_)) {
    std::vector<UOp> operands = {node, node_of(value, "set")};
    for (const IndexItem& i : items) {
      if (i.kind == IndexItem::Kind::Gather) operands.push_back(node_of(*i.tensor, "set"));
    }
    give_storage(*this, common_device("set", operands));
  }
  const auto picks = [](const IndexItem& i) { return i.kind == IndexItem::Kind::Gather; };
  const auto tensors = std::ranges::count_if(items, picks);
  if (tensors == 1 && std::ranges::any_of(items, is_mask)) {
    set_masked(*this, items, value);
  } else if (tensors > 0) {
    set_picked(*this, items, value);
  } else {
    common_device("set", {node, node_of(value, "set")});
    store_value(index(items), value);
  }
  return *this;
}

const Tensor& Tensor::operator+=(const Tensor& b) const { return update(*this, add(b)); }
const Tensor& Tensor::operator-=(const Tensor& b) const { return update(*this, sub(b)); }
const Tensor& Tensor::operator*=(const Tensor& b) const { return update(*this, mul(b)); }
const Tensor& Tensor::operator/=(const Tensor& b) const { return update(*this, div(b)); }

// ---- copying out
int64_t Tensor::existing_elements() const { return tg::numel(bound_shape(state_->node().node())); }

void Tensor::check_single() const {
  if (existing_elements() == 1) return;
  user_error<ShapeError>("item",
                         fmt::format("needs exactly one element, got shape {}", text(shape())));
}

void Tensor::copy_out(DType as, void* out, int64_t bytes) const {
  UOp x = node_of(*this, "to_vector");
  if (bytes == 0) return;
  if (x.is(Op::Const)) {
    const uint64_t raw = state_->number().value_or(x.scalar()).cast(as).to_memory();
    std::memcpy(out, &raw, static_cast<size_t>(bytes));
    return;
  }
  if (const Recorder* r = Recorder::current();
      r != nullptr && r->mode() == Recorder::Mode::Record) {
    user_error<ArgumentError>(
        "to_vector",
        fmt::format("a value of shape {} is read on the host inside a captured "
                    "function, which later calls would not repeat",
                    text(x.shape())),
        "Hint: return the tensor and read it outside.");
  }
  Tensor plain(make_state(read_value(state_)));
  if (const auto members = members_of(x.device()); !members.empty())
    return Tensor(make_state(copy_to(plain.state_->node(), members[0]))).copy_out(as, out, bytes);
  if (!has_plain_sizes(x)) {
    const Tensor whole(make_state(whole_extents(plain.state_->node())));
    std::vector<std::byte> all(static_cast<size_t>(whole.numel() * dtype_size(as)));
    whole.copy_out(as, all.data(), static_cast<int64_t>(all.size()));
    return copy_existing(x.node(), all.data(), dtype_size(as), static_cast<std::byte*>(out));
  }
  const bool only_host = dtype() != as && !device_converts(plain.device(), dtype(), as);
  if (only_host && !plain.state_->node().is(Op::Buffer))
    plain = Tensor(make_state(tg::contiguous(plain.state_->node()))).realize();
  if (const UOp b = plain.state_->node();
      b.is(Op::Buffer) && b.dtype() != as && (only_host || b.numel() <= kConvertedOnHost))
    return copy_converted(b, as, static_cast<std::byte*>(out));
  if (dtype() != as || !plain.state_->node().is(Op::Buffer)) {
    plain = Tensor(make_state(tg::contiguous(tg::cast(plain.state_->node(), as))));
    if (plain.device().empty()) plain = Tensor(make_state(stored(plain.state_->node(), "")));
    plain.realize();
  }
  UOp b = plain.state_->node();
  TG_CHECK(b.is(Op::Buffer), "realize gave {} instead of storage", op_name(b.op()));
  static_cast<Buffer*>(b.node()->resource)->copy_out(out, bytes);
}

void Tensor::copy_bytes(std::span<std::byte> out) const {
  const int64_t bytes = existing_elements() * element_size();
  if (static_cast<int64_t>(out.size()) != bytes)
    user_error<ShapeError>("copy_bytes",
                           fmt::format("the elements take {} bytes, but there is room "
                                       "for {}",
                                       bytes, out.size()));
  copy_out(dtype(), out.data(), bytes);
}

std::string Tensor::graph() const { return print(node_of(*this, "graph")); }

std::vector<std::byte> Tensor::to_bytes() const {
  const int64_t bytes = existing_elements() * element_size();
  std::vector<std::byte> out(static_cast<size_t>(bytes));
  copy_out(dtype(), out.data(), bytes);
  return out;
}

}  // namespace tg
