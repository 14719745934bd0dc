// Tensors and their storage: facts, realising, assigning in place, copying out. How live tensors
// learn of new values: state.cpp.
#include "tensor/storage.h"

#include <algorithm>
#include <cstring>

#include "runtime/buffer.h"
#include "support/symbol.h"
#include "tensor/indexing.h"

namespace tg {
namespace ops_detail {
namespace {

std::string device_name(const std::string& asked) {
  return asked.empty() ? default_device() : device(asked).name();
}

// Memory is allocated when it is first written.
UOp new_buffer(const Shape& shape, DType t, const std::string& name) {
  auto storage = make_ref<Buffer>(device(name), saturating_mul(numel(shape), dtype_size(t)));
  return buffer(shape, t, static_cast<DeviceId>(intern_symbol(name)), storage.get());
}

}  // namespace

UOp empty_buffer(const Shape& shape, DType t, const std::string& asked) {
  return new_buffer(shape, t, device_name(asked));
}

UOp data_buffer(const Shape& shape, DType t, const std::string& asked, const void* data) {
  UOp b = new_buffer(shape, t, device_name(asked));
  auto* storage = static_cast<Buffer*>(b.node()->resource);
  if (storage->bytes() > 0) storage->copy_in(data, storage->bytes());
  return b;
}

UOp stored(const UOp& value, const std::string& asked) {
  UOp b = empty_buffer(value.shape_vec(), value.dtype(), asked);
  return after(b, {{store(b, value)}});
}

}  // namespace ops_detail

namespace {

using namespace ops_detail;

std::string device_of(const UOp& u) {
  return u.device() == 0 ? std::string() : symbol_name(u.device());
}

// A target that is no storage yet gets storage of its own, unless it shows only part of something
// else.
UOp own_storage(const UOp& target) {
  for (UOp u = target; in_group(u.op(), kMovement); u = u.src(0)) {
    if (!u.is(Op::Shrink) && !u.is(Op::Expand)) continue;
    if (!in_group(u.src(0).op(), kLeaf | kMovement)) {
      user_error<ArgumentError>(
          "assign",
          fmt::format("the target of shape {} is a view of an expression without "
                      "storage",
                      text(target.shape())),
          "Hint: call realize() on the base tensor first.");
    }
  }
  return empty_buffer(target.shape_vec(), target.dtype(), device_of(target));
}

// Only windows of storage can be written: a border or an overlap names no memory.
void check_writable(const UOp& target) {
  for (UOp u = target; !u.is(Op::Buffer) && !u.is(Op::After); u = u.src(0)) {
    if (u.is(Op::Pad) || u.is(Op::Shear) || u.is(Op::Expand)) {
      user_error<ArgumentError>(
          "assign",
          fmt::format("the target of shape {} is no window of storage (it contains "
                      "{})",
                      text(target.shape()), op_name(u.op())),
          "Hint: assign to a slice with step 1, or use where().");
    }
  }
}

// Points the views of a storage at its next version.
void advance(const UOp& before, const UOp& now) {
  for (const auto& s : live_states()) {
    UOp node = s->node();
    if (storage_under(node) == before) s->replace_node(node, rebase(node, now));
  }
}

const Tensor& update(const Tensor& t, const Tensor& next) {
  if (storage_under(t.state()->node())) return t.assign(next);
  if (next.shape() != t.shape()) {
    user_error<ShapeError>("assign", fmt::format("the value does not fit the target: {} to {}",
                                                 text(next.shape()), text(t.shape())));
  }
  t.state()->weak.reset();
  t.state()->set_node(next.state()->node());
  return t;
}

}  // namespace

// ---- facts
Shape Tensor::shape() const { return state_->node().shape_vec(); }
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

Tensor Tensor::contiguous() const { return wrap(tg::contiguous(node_of(*this, "contiguous"))); }
Tensor Tensor::detach() const { return wrap(tg::detach(node_of(*this, "detach"))); }

Tensor Tensor::to(const std::string& name) const {
  const auto id = static_cast<DeviceId>(intern_symbol(tg::device(name).name()));
  UOp x = node_of(*this, "to");
  return x.device() == 0 ? *this : wrap(copy_to(x, id));
}

const Tensor& Tensor::assign(const Tensor& value) const {
  UOp target = node_of(*this, "assign");
  const auto& number = value.state_->weak;
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
  if (is_float(v.dtype()) && !v.is(Op::Detach)) v = tg::detach(v);
  UOp base = storage_under(target);
  if (!base) {
    UOp b = own_storage(target);
    state_->weak.reset();
    state_->set_node(after(b, {{store(b, v)}}));
    return *this;
  }
  check_writable(target);
  UOp next = after(base, {{store(rebase(target, base), v)}});
  advance(base, next);
  return *this;
}

const Tensor& Tensor::set(const std::vector<IndexItem>& items, const Tensor& value) const {
  UOp node = node_of(*this, "set");
  if (!storage_under(node)) {
    state_->weak.reset();
    state_->set_node(stored(node, device_of(node)));
  }
  const auto picks = [](const IndexItem& i) { return i.kind == IndexItem::Kind::Gather; };
  if (std::ranges::any_of(items, picks)) {
    set_picked(*this, items, value);
  } else {
    index(items).assign(value);
  }
  return *this;
}

const Tensor& Tensor::operator+=(const Tensor& b) const { return update(*this, add(b)); }
const Tensor& Tensor::operator-=(const Tensor& b) const { return update(*this, sub(b)); }
const Tensor& Tensor::operator*=(const Tensor& b) const { return update(*this, mul(b)); }
const Tensor& Tensor::operator/=(const Tensor& b) const { return update(*this, div(b)); }

// ---- copying out
void Tensor::check_single() const {
  if (numel() == 1) return;
  user_error<ShapeError>("item",
                         fmt::format("needs exactly one element, got shape {}", text(shape())));
}

void Tensor::copy_out(DType as, void* out, int64_t bytes) const {
  UOp x = node_of(*this, "to_vector");
  if (x.numel() == 0) return;
  if (x.is(Op::Const)) {
    const uint64_t raw = (state_->weak ? *state_->weak : x.scalar()).cast(as).to_memory();
    std::memcpy(out, &raw, static_cast<size_t>(bytes));
    return;
  }
  realize();
  Tensor plain(make_state(node_of(*this, "to_vector")));
  if (dtype() != as || !plain.state_->node().is(Op::Buffer)) {
    plain = Tensor(make_state(tg::contiguous(tg::cast(plain.state_->node(), as))));
    if (plain.device().empty()) plain = Tensor(make_state(stored(plain.state_->node(), "")));
    plain.realize();
  }
  UOp b = plain.state_->node();
  TG_CHECK(b.is(Op::Buffer), "realize gave {} instead of storage", op_name(b.op()));
  static_cast<Buffer*>(b.node()->resource)->copy_out(out, bytes);
}

std::vector<std::byte> Tensor::to_bytes() const {
  std::vector<std::byte> out(static_cast<size_t>(nbytes()));
  copy_out(dtype(), out.data(), nbytes());
  return out;
}

}  // namespace tg
