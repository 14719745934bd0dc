// See symbolic.h and include/tg/symbolic.h.
#include "tensor/symbolic.h"

#include <algorithm>

#include "engine/recorder.h"
#include "rules/index.h"
#include "tensor/ops.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/limits.h"

namespace tg {

struct SymInt::Expression {
  UOp node;
};

namespace ops_detail {

UOp index_node(const SymInt& size) {
  return size.is_number() ? index_const(size.number()) : size.expression()->node;
}

SymInt size_from(const UOp& index) {
  const UOp simple = simplify_index(index);
  if (simple.is(Op::Const)) return SymInt(simple.arg(0));
  return SymInt(std::make_shared<const SymInt::Expression>(SymInt::Expression{simple}));
}

bool has_plain_sizes(const UOp& x) { return x.node()->n_limit == 0; }

UOp whole_extents(const UOp& x) {
  UOp out = x;
  for (int a = 0; a < x.ndim(); ++a) out = limited(out, a, index_const(x.dim(a)));
  return out;
}

namespace {

std::string text(const std::vector<SymInt>& sizes) {
  std::string out = "[";
  for (const SymInt& s : sizes) out += (out.size() == 1 ? "" : ",") + s.str();
  return out + "]";
}

// From the end if it is a negative number.
SymInt counted(const SymInt& place, const SymInt& size) {
  return place.is_number() && place.number() < 0 ? size + place : place;
}

bool has_value(const SymInt& n) {
  const UOp number = index_node(n);
  const auto order = toposort(number);
  const auto named = [](const Node* u) { return u->op == Op::Var; };
  const auto bound = [](const Node* u) { return u->op == Op::Bind; };
  return std::ranges::count_if(order, named) == std::ranges::count_if(order, bound);
}

// The elements [first, last) of an axis.
struct Piece {
  std::string_view fn;
  const UOp& x;
  int axis;
  SymInt first, last;

  std::string str() const {
    return fmt::format("{}: [{}, {}) of axis {} of shape {}", fn, first.str(), last.str(), axis,
                       format_sizes(x.node()));
  }
};

// Whether the number is not negative: whatever the variables are, or for the values that they have
// now. A call that is being recorded asks again for the values of every later call.
bool holds(const SymInt& n, const Piece& p) {
  if (n.min() >= 0) return true;
  if (n.is_number() || !has_value(n) || n.value() < 0) return false;
  if (Recorder* recorder = Recorder::current())
    recorder->add_bound({index_node(n), p.str() + " reaches outside"});
  return true;
}

void check_piece(const Piece& p, const SymInt& size) {
  const SymInt length = p.last - p.first;
  const bool known = has_value(p.first) && has_value(p.last) && has_value(size);
  const bool ordered = !known || length.value() >= 0;
  if (ordered && holds(p.first, p) && holds(size - p.last, p)) return;
  const auto place = fmt::format("[{}, {})", p.first.str(), p.last.str());
  if (known)
    user_error<IndexError>(p.fn, fmt::format("{} is outside of axis {} of shape {}: from {} to {} "
                                             "of {} elements",
                                             place, p.axis, format_sizes(p.x.node()),
                                             p.first.value(), p.last.value(), size.value()));
  user_error<IndexError>(
      p.fn,
      fmt::format("{} may reach outside of axis {} of shape {}: from {} to {}", place, p.axis,
                  format_sizes(p.x.node()), p.first.min(), p.last.max()),
      "Hint: bind the variables, or give them smaller bounds.");
}

// A block of neighbouring axes that is reshaped apart from the others: the axes [begin, end) of the
// sizes before, or of those after.
struct Side {
  size_t begin = 0, end = 0;
};

SymInt product(const std::vector<SymInt>& sizes, Side side) {
  SymInt p = 1;
  for (size_t i = side.begin; i < side.end; ++i) p = p * sizes[i];
  return p;
}

bool is_one(const SymInt& s) { return s.is_number() && s.number() == 1; }

// An expression may only stand first in its block (axes of size 1 aside): then what exists is a
// prefix of the block, however it is split.
bool only_first(const std::vector<SymInt>& sizes, Side side) {
  size_t first = side.begin;
  while (first < side.end && is_one(sizes[first])) ++first;
  for (size_t i = first + 1; i < side.end; ++i) {
    if (!sizes[i].is_number()) return false;
  }
  return true;
}

[[noreturn]] void refuse_reshape(const UOp& x, const std::vector<SymInt>& sizes,
                                 std::string_view why) {
  user_error<ShapeError>(
      "reshape", fmt::format("{}: {} to {}", why, format_sizes(x.node()), text(sizes)),
      "Hint: a variable size can be merged with the axes after it, not with those before.");
}

std::vector<SymInt> sizes_of(const UOp& x) {
  std::vector<SymInt> out;
  for (int a = 0; a < x.ndim(); ++a) out.push_back(size_from(size_of(x, a)));
  return out;
}

// −1 becomes what is left.
std::vector<SymInt> without_unknown(const UOp& x, const std::vector<SymInt>& from,
                                    std::vector<SymInt> to) {
  SymInt known = 1;
  SymInt* unknown = nullptr;
  for (SymInt& s : to) {
    if (!(s.is_number() && s.number() == -1)) {
      known = known * s;
    } else if (unknown == nullptr) {
      unknown = &s;
    } else {
      refuse_reshape(x, to, "only one size can be -1");
    }
  }
  if (unknown == nullptr) return to;
  if (known.max() == 0) refuse_reshape(x, to, "-1 cannot be inferred");
  // Sizes on both sides cancel before anything is divided.
  std::vector<SymInt> left = from;
  SymInt divisor = 1;
  for (const SymInt& s : to) {
    if (s.is_number()) {
      if (s.number() != -1) divisor = divisor * s;
    } else if (const auto same = std::ranges::find(left, s); same != left.end()) {
      left.erase(same);
    } else {
      divisor = divisor * s;
    }
  }
  const SymInt rest = product(left, {0, left.size()});
  const SymInt times = divisor.max() == 0 ? 0 : rest.max() / divisor.max();
  if (rest == divisor * times) {
    *unknown = times;
  } else if (divisor.is_number()) {
    *unknown = rest / divisor;
  } else {
    refuse_reshape(x, to, "-1 cannot be inferred");
  }
  return to;
}

// The extent of an axis of size `to` in a reshape of `x`, whose sizes are `from`: that of the axis
// whose elements it has, or times a number, which may be less than the size could be; else the most
// that it can be.
Dim extent_of(const SymInt& to, const UOp& x, const std::vector<SymInt>& from) {
  if (to.is_number()) return to.number();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i].is_number() || from[i].max() == 0) continue;
    const int64_t times = to.max() / from[i].max();
    if (to == from[i] * times) return x.dim(static_cast<int>(i)) * times;
  }
  return to.max();
}

}  // namespace

UOp symbolic_slice(std::string_view fn, const UOp& x, int axis, const SymInt& start,
                   const SymInt& stop) {
  const SymInt size = size_from(size_of(x, axis));
  const SymInt first = counted(start, size), last = counted(stop, size), length = last - first;
  check_piece({fn, x, axis, first, last}, size);
  const Dim most = std::clamp<Dim>(length.max(), 0, x.dim(axis));
  const UOp all = limited(x, axis, index_const(x.dim(axis)));
  const UOp window = first.is_number() && first.number() + most <= x.dim(axis)
                         ? shrink_axis(all, axis, first.number(), most)
                         : offset(all, axis, index_node(first), most);
  return limited(window, axis, index_node(length.is_number() ? SymInt(most) : length));
}

UOp symbolic_element(std::string_view fn, const UOp& x, int axis, const SymInt& place) {
  const SymInt size = size_from(size_of(x, axis)), at = counted(place, size);
  check_piece({fn, x, axis, at, at + 1}, size);
  const UOp all = limited(x, axis, index_const(x.dim(axis)));
  return at.is_number() ? shrink_axis(all, axis, at.number(), 1)
                        : offset(all, axis, index_node(at), 1);
}

UOp symbolic_reshape(const UOp& x, const std::vector<SymInt>& sizes) {
  const std::vector<SymInt> from = sizes_of(x), to = without_unknown(x, from, sizes);
  Shape extents;
  for (const SymInt& s : to) {
    if (s.min() < 0) refuse_reshape(x, to, "sizes must not be negative");
    extents.push_back(extent_of(s, x, from));
  }
  if (numel(extents) != x.numel()) {
    refuse_reshape(x, to, "the number of elements must stay the same");
  }
  Side a, b;
  const bool is_empty = x.numel() == 0;
  while (!is_empty && (a.end < from.size() || b.end < to.size())) {
    a.begin = a.end, b.begin = b.end;
    Dim p = a.end < from.size() ? x.dim(static_cast<int>(a.end++)) : 1;
    Dim q = b.end < to.size() ? extents[b.end++] : 1;
    while (p != q) {
      if (p < q) {
        p *= x.dim(static_cast<int>(a.end++));
      } else {
        q *= extents[b.end++];
      }
    }
    const bool fits =
        only_first(from, a) && only_first(to, b) && product(from, a) == product(to, b);
    if (!fits) refuse_reshape(x, to, "a variable size cannot be split or merged so");
  }
  UOp out = reshape(whole_extents(x), extents);
  for (size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_number()) out = limited(out, static_cast<int>(i), index_node(to[i]));
  }
  return out;
}

UOp symbolic_expand(const UOp& x, const std::vector<SymInt>& sizes) {
  const std::vector<SymInt> from = sizes_of(x);
  const auto refuse = [&] {
    user_error<ShapeError>("expand", fmt::format("only axes of size 1 can be stretched: {} to {}",
                                                 format_sizes(x.node()), text(sizes)));
  };
  if (sizes.size() < from.size()) refuse();
  const size_t added = sizes.size() - from.size();
  Shape aligned(added, 1), extents;
  std::vector<SymInt> to;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const SymInt old = i < added ? SymInt(1) : from[i - added];
    const bool keeps = sizes[i].is_number() && sizes[i].number() == -1 && i >= added;
    to.push_back(keeps ? old : sizes[i]);
    if (to[i].min() < 0 || !(is_one(old) || old == to[i])) refuse();
    if (i >= added) aligned.push_back(x.dim(static_cast<int>(i - added)));
    extents.push_back(is_one(old) ? to[i].max() : aligned[i]);
  }
  UOp out = expand(reshape(x, aligned), extents);
  for (size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_number()) out = limited(out, static_cast<int>(i), index_node(to[i]));
  }
  return out;
}

}  // namespace ops_detail

using namespace ops_detail;

Variable::Variable(std::string name, int64_t min, int64_t max)
    : name_(std::move(name)), min_(min), max_(max) {
  if (name_.empty()) user_error<ArgumentError>("Variable", "needs a name");
  if (min < 0 || min > max) {
    user_error<ArgumentError>(
        "Variable",
        fmt::format("bounds must be 0 <= min <= max: {} from {} to {}", name_, min, max));
  }
}

SymInt Variable::bind(int64_t value) const {
  if (value < min_ || value > max_) {
    user_error<ArgumentError>("bind", fmt::format("{} is outside the bounds of the variable {}: "
                                                  "{} to {}",
                                                  value, name_, min_, max_));
  }
  return size_from(tg::bind(variable(name_, min_, max_), value));
}

int64_t SymInt::value() const {
  return is_number() ? number_ : bound_value(expression_->node.node());
}
int64_t SymInt::min() const { return is_number() ? number_ : bounds(expression_->node).lo; }
int64_t SymInt::max() const { return is_number() ? number_ : bounds(expression_->node).hi; }
std::string SymInt::str() const {
  return is_number() ? std::to_string(number_) : print_expr(expression_->node);
}

SymInt operator+(const SymInt& a, const SymInt& b) {
  return size_from(index_node(a) + index_node(b));
}
SymInt operator-(const SymInt& a, const SymInt& b) {
  return size_from(index_node(a) - index_node(b));
}
SymInt operator*(const SymInt& a, const SymInt& b) {
  return size_from(index_node(a) * index_node(b));
}
SymInt operator/(const SymInt& a, const SymInt& b) {
  if (b.min() <= 0 && b.max() >= 0) {
    user_error<ArgumentError>("SymInt", fmt::format("the divisor may be 0: {}", b.str()));
  }
  return size_from(idiv(index_node(a), index_node(b)));
}
SymInt operator%(const SymInt& a, const SymInt& b) {
  if (b.min() <= 0 && b.max() >= 0) {
    user_error<ArgumentError>("SymInt", fmt::format("the divisor may be 0: {}", b.str()));
  }
  return size_from(mod(index_node(a), index_node(b)));
}
bool operator==(const SymInt& a, const SymInt& b) { return index_node(a) == index_node(b); }

}  // namespace tg
