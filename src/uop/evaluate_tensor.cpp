// One walk over the graph in dependence order; a value is dropped after its last reader. See
// evaluate_tensor.h.
#include "uop/evaluate_tensor.h"

#include <algorithm>
#include <array>
#include <memory>

#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/limits.h"
#include "uop/shape.h"

namespace tg {
namespace {

using Value = std::shared_ptr<const TensorValue>;

// The position of an element that is outside of its storage.
constexpr uint64_t kNowhere = ~uint64_t{0};

// Where the elements of a storage live that a view shows: the BUFFER or AFTER at the root of the
// view, and its contents.
struct Storage {
  const Node* node = nullptr;
  Value contents;
};

struct Result {
  Value value;      // of a STORE: what is written
  Storage storage;  // of views and stores
};

class Evaluator {
 public:
  Evaluator(std::span<const UOp> roots, const BufferContents& inputs);
  std::vector<TensorValue> run(std::span<const UOp> roots);

 private:
  Result node(const Node* n);
  TensorValue leaf(const Node* n) const;
  TensorValue elementwise(const Node* n) const;
  TensorValue gather(const Node* n) const;
  TensorValue scatter(const Node* n) const;
  TensorValue reduce(const Node* n) const;
  TensorValue scan(const Node* n) const;
  Result movement(const Node* n) const;
  Result after(const Node* n) const;
  Storage written(const Node* after, const Storage& old) const;

  const Result& of(const Node* n) const { return results_.at(n); }
  const TensorValue& source(const Node* n, size_t i) const { return *of(n->src()[i]).value; }
  static TensorValue empty_like(const Node* n) {
    return {.shape = {n->shape().begin(), n->shape().end()}, .dtype = n->dtype, .bits = {}};
  }

  const BufferContents& inputs_;
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, size_t> readers_;
  std::unordered_map<const Node*, Result> results_;
};

// ---- the walk
Evaluator::Evaluator(std::span<const UOp> roots, const BufferContents& inputs)
    : inputs_(inputs), order_(toposort(roots)) {
  for (const Node* n : order_) {
    for (const Node* s : n->src()) ++readers_[s];
  }
  for (const UOp& r : roots) {
    TG_CHECK(r && r.dtype() != DType::Void, "evaluate: an effect has no value");
    ++readers_[r.node()];
  }
}

std::vector<TensorValue> Evaluator::run(std::span<const UOp> roots) {
  for (const Node* n : order_) {
    results_[n] = node(n);
    for (const Node* s : n->src()) {
      if (--readers_[s] == 0) results_.erase(s);
    }
  }
  std::vector<TensorValue> out;
  for (const UOp& r : roots) out.push_back(*of(r.node()).value);
  return out;
}

Result Evaluator::node(const Node* n) {
  const auto made = [](TensorValue v) {
    return Result{std::make_shared<const TensorValue>(std::move(v)), {}};
  };
  if (in_group(n->op, kElementwise)) return made(elementwise(n));
  if (in_group(n->op, kMovement)) return movement(n);
  switch (n->op) {
    case Op::Const:
    case Op::Bind:
    case Op::Iota:
      return made(leaf(n));
    case Op::Var:
      return {};  // read through its BIND
    case Op::Buffer: {
      Result r = made(leaf(n));
      r.storage = {n, r.value};
      return r;
    }
    case Op::Gather:
      return made(gather(n));
    case Op::Scatter:
      return made(scatter(n));
    case Op::Reduce:
      return made(reduce(n));
    case Op::Scan:
      return made(scan(n));
    case Op::Copy:
    case Op::Contiguous:
    case Op::Detach:
    case Op::WithGradient:
      return {of(n->src()[0]).value, {}};
    case Op::Store: {
      TG_CHECK(n->arg().empty(), "evaluate: a store in ranged form");
      TG_CHECK(of(n->src()[0]).storage.node != nullptr,
               "evaluate: a store to something that is no view of a buffer");
      return {of(n->src()[1]).value, of(n->src()[0]).storage};
    }
    case Op::After:
      return after(n);
    default:
      TG_CHECK(false, "evaluate: {} does not belong into a tensor graph", op_name(n->op));
  }
}

// ---- values
TensorValue Evaluator::leaf(const Node* n) const {
  TensorValue v = empty_like(n);
  if (n->op == Op::Const || n->op == Op::Bind) {
    v.bits = {static_cast<uint64_t>(n->arg()[0])};
    return v;
  }
  if (n->op == Op::Iota) {
    const auto axis = static_cast<size_t>(n->arg()[0]);
    const Dim stride = strides_of(n->shape())[axis], extent = n->shape()[axis],
              count = numel(n->shape());
    for (Dim i = 0; i < count; ++i)
      v.bits.push_back(Scalar::of_int(i / stride % extent, n->dtype).bits());
    return v;
  }
  auto it = inputs_.find(n);
  if (it == inputs_.end()) {
    user_error<ArgumentError>("evaluate",
                              fmt::format("no contents for the buffer {}{}", dtype_name(n->dtype),
                                          format_shape(n->shape())));
  }
  if (it->second.shape != v.shape || it->second.dtype != v.dtype) {
    user_error<ArgumentError>(
        "evaluate", fmt::format("the buffer is {}{}, its contents are {}{}", dtype_name(n->dtype),
                                format_shape(n->shape()), dtype_name(it->second.dtype),
                                format_shape(it->second.shape)));
  }
  return it->second;
}

TensorValue Evaluator::elementwise(const Node* n) const {
  const EvalFn eval = record(n->op).eval;
  TG_CHECK(n->lanes == 1, "evaluate: {} lanes in a tensor graph", n->lanes);
  TensorValue out = empty_like(n);
  std::vector<const TensorValue*> src;
  for (size_t s = 0; s < n->n_src; ++s) src.push_back(&source(n, s));
  std::vector<Scalar> args(src.size());
  const Dim count = numel(n->shape());
  out.bits.reserve(static_cast<size_t>(count));
  for (Dim i = 0; i < count; ++i) {
    for (size_t s = 0; s < src.size(); ++s) args[s] = src[s]->at(i);
    out.bits.push_back(eval(args, n->dtype, n->arg()).bits());
  }
  return out;
}

// The flat position in `x` of the element that `idx` at flat position `p` names along `axis`, or
// -1. Shapes agree elsewhere.
int64_t indexed_position(const TensorValue& x, const TensorValue& idx, size_t axis, int64_t p) {
  const int64_t at = static_cast<int64_t>(idx.bits[static_cast<size_t>(p)]);
  if (at < 0 || at >= x.shape[axis]) return -1;
  const Dim inner = strides_of(x.shape)[axis];
  const int64_t outer = p / (inner * idx.shape[axis]);
  return (outer * x.shape[axis] + at) * inner + p % inner;
}

TensorValue Evaluator::gather(const Node* n) const {
  const TensorValue &x = source(n, 0), &idx = source(n, 1);
  TensorValue out = TensorValue::zeros({n->shape().begin(), n->shape().end()}, n->dtype);
  for (int64_t p = 0; p < out.numel(); ++p) {
    const int64_t at = indexed_position(x, idx, static_cast<size_t>(n->arg()[0]), p);
    if (at >= 0) out.bits[static_cast<size_t>(p)] = x.bits[static_cast<size_t>(at)];
  }
  return out;
}

Scalar combined(Combine how, const Scalar& there, const Scalar& v) {
  const std::array<Scalar, 2> pair = {there, v};
  switch (how) {
    case Combine::Set:
      return v;
    case Combine::Add:
      return record(Op::Add).eval(pair, v.dtype(), {});
    case Combine::Mul:
      return record(Op::Mul).eval(pair, v.dtype(), {});
    case Combine::Max:
      return record(Op::Max).eval(pair, v.dtype(), {});
  }
  TG_CHECK(false, "combination {}", static_cast<int64_t>(how));
}

TensorValue Evaluator::scatter(const Node* n) const {
  TensorValue out = source(n, 0);
  const TensorValue &idx = source(n, 1), &v = source(n, 2);
  for (int64_t p = 0; p < v.numel(); ++p) {
    const int64_t at = indexed_position(out, idx, static_cast<size_t>(n->arg()[0]), p);
    if (at >= 0) out.set(at, combined(static_cast<Combine>(n->arg()[1]), out.at(at), v.at(p)));
  }
  return out;
}

TensorValue Evaluator::reduce(const Node* n) const {
  TG_CHECK(n->n_src == 1, "evaluate: a reduce over ranges in a tensor graph");
  const auto op = static_cast<ReduceOp>(n->arg()[0]);
  const EvalFn eval = record(reduce_alu(op)).eval;
  const TensorValue& x = source(n, 0);
  TensorValue out = TensorValue::zeros({n->shape().begin(), n->shape().end()}, n->dtype);
  std::ranges::fill(out.bits, reduce_identity(op, n->dtype).bits());
  const std::vector<Dim> from = strides_of(x.shape), to = strides_of(out.shape);
  for (int64_t i = 0; i < x.numel(); ++i) {
    int64_t at = 0;
    for (size_t a = 0; a < from.size(); ++a) at += i / from[a] % x.shape[a] % out.shape[a] * to[a];
    const std::array<Scalar, 2> pair = {out.at(at), x.at(i)};
    out.set(at, eval(pair, n->dtype, {}));
  }
  return out;
}

TensorValue Evaluator::scan(const Node* n) const {
  const EvalFn eval = record(reduce_alu(static_cast<ReduceOp>(n->arg()[0]))).eval;
  const auto axis = static_cast<size_t>(n->arg()[1]);
  TensorValue out = source(n, 0);
  const Dim stride = strides_of(out.shape)[axis];
  for (int64_t i = 0; i < out.numel(); ++i) {
    if (i / stride % out.shape[axis] == 0) continue;
    const std::array<Scalar, 2> pair = {out.at(i - stride), out.at(i)};
    out.set(i, eval(pair, n->dtype, {}));
  }
  return out;
}

// ---- views and versions
Result Evaluator::movement(const Node* n) const {
  const Result& from = of(n->src()[0]);
  TensorValue v = empty_like(n);
  v.bits = move_elements(n, from.value->bits);
  const bool view = n->space != Space::Value;
  return {std::make_shared<const TensorValue>(std::move(v)), view ? from.storage : Storage{}};
}

// From the view down to its storage, outermost first. An AFTER of a view shows the same elements as
// the view.
std::vector<const Node*> view_chain(const Node* view, const Node* storage) {
  std::vector<const Node*> chain;
  for (const Node* n = view; n != storage; n = n->src()[0]) {
    if (n->op != Op::After) chain.push_back(n);
  }
  return chain;
}

std::vector<uint64_t> through_view(const Node* view, const Node* storage,
                                   std::vector<uint64_t> elements) {
  const std::vector<const Node*> chain = view_chain(view, storage);
  for (auto n = chain.rbegin(); n != chain.rend(); ++n) {
    elements = move_elements(*n, elements, kNowhere);
  }
  return elements;
}

// Does the element at flat position `p` exist in an array with the limits of `n`?
bool exists(const Node* n, int64_t p) {
  const std::vector<Dim> strides = strides_of(n->shape());
  for (size_t a = 0; a < n->n_limit; ++a) {
    const Node* limit = n->limit(a);
    if (limit != nullptr && p / strides[a] % n->shape()[a] >= bound_value(limit)) return false;
  }
  return true;
}

const Node* buffer_of(const Node* n) {
  while (n->op != Op::Buffer && n->n_src > 0) n = n->src()[0];
  return n;
}

// The contents after the stores to this storage among the effects, in their order. A store to a
// later version brings that version's contents; stores to other storages only order.
Storage Evaluator::written(const Node* after, const Storage& old) const {
  TensorValue now = *old.contents;
  Value version = old.contents;
  for (const Node* effect : after->src().subspan(1)) {
    if (effect->op != Op::Store) continue;
    const Result& store = of(effect);
    if (buffer_of(store.storage.node) != buffer_of(old.node)) continue;
    if (store.storage.contents != version) {
      version = store.storage.contents;
      now = *version;
    }
    std::vector<uint64_t> positions(now.bits.size());
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = i;
    positions = through_view(effect->src()[0], store.storage.node, std::move(positions));
    for (size_t i = 0; i < positions.size(); ++i) {
      const auto p = static_cast<int64_t>(i);
      const bool is_written = exists(effect->src()[0], p) && exists(effect->src()[1], p);
      if (is_written && positions[i] != kNowhere) now.bits[positions[i]] = store.value->bits[i];
    }
  }
  return {after, std::make_shared<const TensorValue>(std::move(now))};
}

Result Evaluator::after(const Node* n) const {
  const Node* x = n->src()[0];
  const Storage& old = of(x).storage;
  if (old.node == nullptr) return {of(x).value, {}};
  Storage fresh = written(n, old);
  if (old.node == x) return {fresh.contents, fresh};
  TensorValue v = empty_like(n);
  v.bits = through_view(x, old.node, fresh.contents->bits);
  return {std::make_shared<const TensorValue>(std::move(v)), {old.node, fresh.contents}};
}

}  // namespace

TensorValue evaluate(const UOp& root, const BufferContents& inputs) {
  return std::move(evaluate(std::span(&root, 1), inputs).front());
}

std::vector<TensorValue> evaluate(std::span<const UOp> roots, const BufferContents& inputs) {
  return Evaluator(roots, inputs).run(roots);
}

}  // namespace tg
