// See signed_dots.h.
#include "schedule/signed_dots.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "schedule/tensor_graph.h"
#include "target/matrix_unit.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr int64_t kShift = 128;

// Whether bytes with a sign are multiplied by those without one only.
bool wants_shift(const Target& target) {
  const auto has = [&](DType first) {
    return std::ranges::any_of(target.matrix_units, [first](const MatrixUnit* unit) {
      return unit->is_of_one() && unit->input == first && unit->second == DType::Int8;
    });
  };
  return has(DType::UInt8) && !has(DType::Int8);
}

// The cast from int8 under movements that keep all elements and add none; null if it is none.
const Node* widening(const Node* factor) {
  while (in_group(factor->op, kMovement) && factor->op != Op::Pad && factor->op != Op::Shear)
    factor = factor->src()[0];
  const bool widens = factor->op == Op::Cast && factor->src()[0]->dtype == DType::Int8;
  return widens ? factor : nullptr;
}

bool is_byte(const Node* factor) {
  while (in_group(factor->op, kMovement)) factor = factor->src()[0];
  return factor->op == Op::Cast && factor->src()[0]->dtype == DType::Int8;
}

class Product {
 public:
  // Nothing if the node is no sum of products of bytes.
  static std::optional<Product> of(const Node* reduce) {
    if (reduce->op != Op::Reduce || static_cast<ReduceOp>(reduce->arg()[0]) != ReduceOp::Add ||
        reduce->dtype != DType::Int32)
      return {};
    const UOp product = UOp::share(reduce->src()[0]);
    if (!product.is(Op::Mul) || !is_byte(product.src_node(0)) || !is_byte(product.src_node(1)))
      return {};
    Product p{reduce, product.src(0), product.src(1)};
    const int columns = p.last_axis();
    if (columns < 0) return {};
    // The first factor is the one that all columns share.
    if (!p.is_broadcast_along(p.first_, columns)) std::swap(p.first_, p.second_);
    const bool fits = p.is_broadcast_along(p.first_, columns) && widening(p.first_.node()) &&
                      !p.is_broadcast_along(p.second_, columns) && p.sums_once();
    return fits ? std::optional(p) : std::nullopt;
  }

  // Against the time of the products, what is done beside them is little.
  bool pays() const {
    constexpr int64_t kLeastRows = 32, kLeastProducts = 1 << 18, kGroup = 4;
    const int64_t products = numel(reduce_->src()[0]->shape());
    const bool groups = std::ranges::any_of(axes(), [&](int64_t a) {
      const int64_t terms = first_.dim(static_cast<int>(a));
      return terms % kGroup == 0 && terms > kGroup;
    });
    return groups && products >= kLeastProducts &&
           products / std::max<int64_t>(1, numel(stored(second_).shape())) >= kLeastRows;
  }

  UOp shifted(const std::unordered_map<const Node*, UOp>& done) const {
    const UOp first = with_shift(first_, done), second = substitute(second_, done);
    const UOp dots = with_sources(UOp::share(reduce_), std::array{first * second});
    const UOp sums = reduce(stored(second), ReduceOp::Add, axes());
    const UOp excess = contiguous(sums * const_like(sums, kShift));
    return dots - expand(excess, {dots.shape().begin(), dots.shape().end()});
  }

 private:
  Product(const Node* reduce, UOp first, UOp second)
      : reduce_(reduce), first_(std::move(first)), second_(std::move(second)) {}

  std::span<const int64_t> axes() const { return reduce_->arg().subspan(1); }
  bool is_reduced(int axis) const {
    return std::ranges::find(axes(), int64_t{axis}) != axes().end();
  }

  // That of the columns: the last one of the result that is longer than 1; −1 if there is none.
  int last_axis() const {
    int axis = first_.ndim() - 1;
    while (axis >= 0 && (is_reduced(axis) || first_.dim(axis) == 1)) --axis;
    return axis;
  }

  static bool is_broadcast_along(const UOp& factor, int axis) {
    return factor.is(Op::Expand) && factor.src(0).dim(axis) == 1 && factor.dim(axis) != 1;
  }
  // Without the axes that repeat it.
  static UOp stored(const UOp& factor) { return factor.is(Op::Expand) ? factor.src(0) : factor; }

  // Whether the second factor has all terms, of sizes that are known.
  bool sums_once() const {
    return std::ranges::all_of(axes(), [&](int64_t a) {
      return stored(second_).dim(static_cast<int>(a)) == second_.dim(static_cast<int>(a));
    });
  }

  // The factor of shifted bytes. They are stored as the instruction wants them, terms last, unless
  // the factor has an element several times, as windows do.
  UOp with_shift(const UOp& factor, const std::unordered_map<const Node*, UOp>& done) const {
    const UOp widened = UOp::share(widening(factor.node()));
    const UOp byte = cast(substitute(widened.src(0), done), DType::UInt8);
    const UOp shifted = byte + const_like(byte, kShift);
    const UOp once = stored(factor);
    if (numel(once.shape()) > numel(byte.shape()))
      return substitute(factor, {{widened.node(), cast(contiguous(shifted), factor.dtype())}});
    const std::vector<int64_t> order = terms_last();
    const UOp moved = permute(substitute(once, {{widened.node(), shifted}}), order);
    return expand(cast(permute(contiguous(moved), inverse(order)), factor.dtype()),
                  {factor.shape().begin(), factor.shape().end()});
  }

  std::vector<int64_t> terms_last() const {
    std::vector<int64_t> order(static_cast<size_t>(first_.ndim()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_partition(order,
                                  [&](int64_t a) { return !is_reduced(static_cast<int>(a)); });
    return order;
  }
  static std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
    std::vector<int64_t> back(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    return back;
  }

  const Node* reduce_;
  UOp first_, second_;  // by their place in the instruction
};

}  // namespace

UOp shift_signed_dots(const UOp& graph, const Target& target) {
  if (!wants_shift(target)) return graph;
  std::unordered_map<const Node*, UOp> done;
  for (const Node* n : toposort(graph)) {
    if (const auto product = Product::of(n); product && product->pays())
      done.emplace(n, product->shifted(done));
  }
  return done.empty() ? graph : substitute(graph, done);
}

}  // namespace tg
