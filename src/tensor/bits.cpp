// Values under another dtype, bit by bit: bitcast, and assignment to what it gives. A value that is
// stored is written through it: the storage of its source changes, as it does through a slice.
#include "tensor/bits.h"

#include <vector>

#include "tensor/storage.h"
#include "tg/ir/text.h"
#include "uop/devices.h"

namespace tg {
namespace ops_detail {
namespace {

// The value that every member of the group is a view of: the root, or the storage.
UOp value_below(const TensorState& state) {
  if (const auto group = state.aliases()) {
    std::lock_guard lock(group->mutex);
    if (group->root) return group->root;
  }
  return storage_under(state.node());
}

// A stand-in for a value of which only the shape matters.
UOp placeholder(const UOp& value) {
  std::vector<int64_t> arg = {0};
  arg.insert(arg.end(), value.shape().begin(), value.shape().end());
  return make(Op::Param, {}, arg, value.dtype(), value.device());
}

// `bits` was made from `source` by bitcast. It is the bits of that where writes have a place.
Tensor shown_as_bits(const Tensor& source, Tensor bits) {
  TensorState& from = *source.state();
  const UOp node = from.node();
  const auto group = from.aliases();
  const bool passes_on = group != nullptr && group->bits_of != nullptr;
  if (!storage_under(node) && !passes_on) return bits;
  const UOp below = value_below(from);
  if (!below) return bits;
  if (passes_on && dtype_size(group->bits_of->view.dtype()) == dtype_size(node.dtype())) {
    // Of the storage itself: what stands between may be gone by the time of a write.
    const BitSource& stored = *group->bits_of;
    bits.state()->begin_bits({stored.group, rebase(node, stored.view, below.node())});
    return bits;
  }
  bits.state()->begin_bits({from.shared_aliases(), rebase(node, placeholder(below), below.node())});
  return bits;
}

}  // namespace

std::optional<Tensor> source_of_bits(const TensorState& state) {
  const auto group = state.aliases();
  if (!group || !group->bits_of) return {};
  const BitSource& source = *group->bits_of;
  for (const auto& s : live_states()) {
    if (s->aliases() != source.group || s->poisoned()) continue;
    const UOp below = value_below(*s);
    if (!below) continue;
    Tensor out(make_state(rebase(source.view, below)));
    out.state()->join_aliases(*s);
    return out;
  }
  return {};
}

void store_bits(const Tensor& t, const Tensor& source, const UOp& value) {
  TensorState& state = *t.state();
  const UOp target = state.node(), below = value_below(state);
  const DType stored = source.dtype();
  if (dtype_size(stored) == dtype_size(target.dtype())) {
    const UOp place = rebase(target, source.state()->node(), below.node());
    store_value(view_of(source, place), wrap(tg::bitcast(value, stored)));
  } else if (target == below) {
    store_value(source, wrap(value).bitcast(stored));
  } else {  // a part of elements of another size: the others are what they are now
    const Tensor all = source.bitcast(target.dtype()).clone();
    const UOp place = rebase(target, all.state()->node(), below.node());
    store_value(view_of(all, place), wrap(value));
    store_value(source, all.bitcast(stored));
  }
  const UOp now = source.bitcast(target.dtype()).state()->node();
  for (const auto& s : live_aliases(state)) {
    const UOp node = s->node();
    s->replace_node(node, rebase(node, now, below.node()));
  }
  const auto group = state.aliases();
  std::lock_guard lock(group->mutex);
  group->root = now;
}

}  // namespace ops_detail

using namespace ops_detail;

namespace {

// Of larger elements the parts, of smaller ones so many as one, the lowest bits first.
Tensor resized_bits(const Tensor& x, DType t) {
  const int64_t from = dtype_size(x.dtype()), to = dtype_size(t);
  const auto unsigned_of = [](int64_t bytes) {
    return bytes == 1   ? DType::UInt8
           : bytes == 2 ? DType::UInt16
           : bytes == 4 ? DType::UInt32
                        : DType::UInt64;
  };
  const Tensor bits = x.bitcast(unsigned_of(from));
  if (to < from) {
    std::vector<Tensor> parts;
    for (int64_t i = 0; i < from / to; ++i)
      parts.push_back((bits >> (8 * to * i)).cast(unsigned_of(to)));
    return Tensor::stack(parts, -1).flatten(-2).bitcast(t);
  }
  std::vector<SymInt> groups = x.sizes();
  groups.back() = SymInt(x.shape().back() / (to / from));
  groups.push_back(SymInt(to / from));
  const Tensor parts = bits.reshape(Sizes(groups)).cast(unsigned_of(to));
  Tensor words = parts[{Ellipsis, 0}];
  for (int64_t i = 1; i < to / from; ++i) words = words | (parts[{Ellipsis, i}] << (8 * from * i));
  return words.bitcast(t);
}

}  // namespace

Tensor Tensor::bitcast(DType t) const {
  UOp x = node_of(*this, "bitcast");
  if (t == DType::Void || t == DType::Index) {
    user_error<DTypeError>("bitcast", fmt::format("{} cannot be stored", dtype_name(t)));
  }
  const int64_t from = dtype_size(x.dtype()), to = dtype_size(t);
  if (t == x.dtype()) return storage_under(x) ? view_of(*this, x) : wrap(x);
  if (from == to) return shown_as_bits(*this, wrap(tg::bitcast(x, t)));
  if (x.ndim() == 0 || x.shape().back() * from % to != 0) {
    user_error<ShapeError>("bitcast",
                           fmt::format("rows of shape {} of {} are no whole number of {}",
                                       text(x.shape()), dtype_name(x.dtype()), dtype_name(t)),
                           "Hint: use cast to convert values.");
  }
  need_plain_axis("bitcast", x, x.ndim() - 1);
  return shown_as_bits(*this, resized_bits(*this, t));
}

}  // namespace tg
