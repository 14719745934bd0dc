// Digits of the range, a line through the function of each, and then one digit after the other.
// See scatter_sources.h.
#include "schedule/scatter_sources.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "rules/valid.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_tensor.h"
#include "uop/shape.h"

namespace tg {
namespace {

// Products of two such numbers stay far from the ends of int64.
constexpr int64_t kMostInLine = int64_t{1} << 31;

// slope·d + lo ≤ scale·f(d) ≤ slope·d + hi for all values of a digit, scale > 0.
struct Line {
  int64_t slope = 0, scale = 1, lo = 0, hi = 0;

  double steepness() const {
    return std::abs(static_cast<double>(slope)) / static_cast<double>(scale);
  }
  // For how many values of the digit f may be the same.
  int64_t width() const { return slope == 0 ? Interval::kMax : (hi - lo) / std::abs(slope) + 1; }
  // The fewer, the better; then the one whose candidates are found without a division.
  friend bool operator<(const Line& a, const Line& b) {
    return std::tuple(a.width(), std::abs(a.slope)) < std::tuple(b.width(), std::abs(b.slope));
  }
};

// A digit of the range and the terms of f that depend on it.
struct Digit {
  UOp range;
  Affine terms;
  Line line;
  Interval values;  // of `terms`

  double steepness() const { return line.steepness(); }
  bool is_multiple() const { return terms.terms.size() == 1 && terms.terms[0].term == range; }
  bool is_unit() const { return is_multiple() && std::abs(terms.terms[0].coef) == 1; }
};

bool reads_data(const UOp& f) {
  return std::ranges::any_of(toposort(f), [](const Node* n) { return n->op == Op::Load; });
}

// The values of an elementwise expression of one range, or nothing if it is not that.
std::optional<std::vector<int64_t>> table_of(const UOp& f, const UOp& range) {
  const int64_t n = extent_of(range);
  if (n > kMaxTable) return {};
  const Shape shape = {n};
  std::unordered_map<const Node*, UOp> at;  // the node as a tensor over all values of the range
  for (const Node* x : toposort(f)) {
    if (x == range.node()) {
      at.emplace(x, iota(shape, 0, DType::Index));
    } else if (x->op == Op::Const) {
      at.emplace(x, full(shape, Scalar::of_bits(static_cast<uint64_t>(x->arg()[0]), x->dtype)));
    } else if (in_group(x->op, kElementwise)) {
      std::vector<UOp> src;
      for (const Node* s : x->src()) src.push_back(at.at(s));
      at.emplace(x, make(x->op, src, x->arg(), x->dtype));
    } else {
      return {};
    }
  }
  const TensorValue values = evaluate(at.at(f.node()));
  std::vector<int64_t> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(values.at(i).i64());
  return out;
}

class SourceSolver {
 public:
  SourceSolver(const UOp& place, int64_t& next_range, const KnownPlace& known_place)
      : place_(place), next_range_(next_range), known_place_(known_place) {}

  std::optional<ScatterSources> run(const UOp& f, const UOp& r) {
    if (reads_data(f) || !split(f, r)) return {};
    std::ranges::stable_sort(digits_, std::greater{}, &Digit::steepness);
    std::vector<UOp> conditions;
    Affine missing = missing_;
    const Digit* unit = last_unit();
    for (const Digit& d : digits_) {
      if (&d == unit) continue;
      const UOp value = candidates_of(d, missing, conditions);
      missing.add(value_of(d, value), -1);
      known_.emplace(d.range.node(), value);
    }
    if (!missing.ok) return {};
    if (unit != nullptr) {
      const UOp value = simplify_(missing.times(unit->line.slope).to_uop());
      add_inside(value, *unit, conditions);
      known_.emplace(unit->range.node(), value);
    }
    out_.index = simplify_(substitute(whole_, known_));
    if (unit == nullptr && are_all_put_there()) {
      // What lies inside needs no question.
    } else if (unit == nullptr && known_place_) {
      const UOp inside = simplify_gate(conjunction(conditions));
      const UOp known = known_place_(out_.index, inside);
      conditions.push_back(eq(known, cast(place_, known.dtype())));
    } else if (unit == nullptr) {
      for (const UOp& c : is_zero(missing)) conditions.push_back(simplify_(c));
    }
    const UOp gate = simplify_gate(conjunction(conditions));
    if (!gate.is_const(1)) out_.gate = gate;
    return std::move(out_);
  }

 private:
  // The terms of f by digit.
  bool split(const UOp& f, const UOp& r) {
    const Digits digits = split_range(f, r, next_range_);
    whole_ = digits.whole;
    for (const UOp& range : digits.ranges) digits_.push_back({.range = range});
    const std::unordered_map<const Node*, UOp> map{{r.node(), whole_}};
    const Affine sum = Affine::of(simplify_(substitute(f, map)));
    if (!sum.ok) return false;
    missing_ = Affine::of(place_);
    missing_.add_constant(-sum.constant);
    for (const Affine::Term& t : sum.terms) {
      Digit* of = nullptr;
      for (const UOp& dependence : free_ranges(t.term)) {
        const auto d = std::ranges::find(digits_, dependence, &Digit::range);
        if (d == digits_.end()) continue;
        if (of != nullptr) return false;
        of = &*d;
      }
      if (of == nullptr) {
        missing_.add_term(t.term, -t.coef);
      } else if (free_ranges(t.term).size() == 1) {
        of->terms.add_term(t.term, t.coef);
      } else {
        return false;
      }
    }
    return missing_.ok && std::ranges::all_of(digits_, [this](Digit& d) { return find_line(d); });
  }

  // A multiple of the digit, a quotient of it, or its values and the line that keeps closest to
  // them.
  bool find_line(Digit& d) {
    const int64_t last = extent_of(d.range) - 1;
    if (d.terms.terms.empty() || d.is_multiple()) {
      d.line.slope = d.is_multiple() ? d.terms.terms[0].coef : 0;
      const int64_t end = d.line.slope * last;
      d.values = {std::min<int64_t>(0, end), std::max<int64_t>(0, end)};
      return true;
    }
    if (find_quotient_line(d)) return true;
    const auto table = table_of(d.terms.to_uop(), d.range);
    if (!table || last < 1) return false;
    d.values = {*std::ranges::min_element(*table), *std::ranges::max_element(*table)};
    d.line = closest_line(*table);
    return true;
  }

  // k·((a·d + b) div c) is (k·a·d + k·b − k·m) / c, 0 ≤ m < c; no other line has fewer values of
  // the digit for one of f.
  static bool find_quotient_line(Digit& d) {
    if (d.terms.terms.size() != 1) return false;
    const auto& [quotient, k] = d.terms.terms[0];
    if (!quotient.is(Op::IDiv) || !quotient.src(1).is(Op::Const)) return false;
    const int64_t c = quotient.src(1).arg(0), last = extent_of(d.range) - 1;
    const Affine dividend = Affine::of(quotient.src(0));
    if (c < 1 || !dividend.ok || dividend.terms.size() != 1 || dividend.terms[0].term != d.range)
      return false;
    const int64_t a = dividend.terms[0].coef, b = dividend.constant;
    const int64_t end = saturating_add(saturating_mul(a, last), b);
    for (const int64_t part :
         {saturating_mul(k, a), saturating_mul(k, b), saturating_mul(k, c), end}) {
      if (part <= -kMostInLine || part >= kMostInLine) return false;
    }
    const auto [lo, hi] = std::minmax({k * (b - c + 1), k * b});
    d.line = {k * a, c, lo, hi};
    const auto [least, most] = std::minmax({k * floor_div(b, c), k * floor_div(end, c)});
    d.values = {least, most};
    return true;
  }

  // From the first value to the last, or so that each value has its share of the digits; or, as
  // (a·d + b) div c rises by a in c steps, as steep as a few steps in the middle, where no limit at
  // an end bends it.
  static Line closest_line(const std::vector<int64_t>& table) {
    constexpr int64_t kMostSteps = 64;
    const int64_t last = std::ssize(table) - 1, middle = last / 2;
    const int64_t rise = table.back() - table.front();
    Line best = std::min(line_along(table, rise, last),
                         line_along(table, rise + (rise < 0 ? -1 : 1), last + 1));
    for (int64_t steps = 1; steps <= std::min(kMostSteps, last - middle); ++steps) {
      const auto at = static_cast<size_t>(middle);
      const int64_t part = table[at + static_cast<size_t>(steps)] - table[at];
      best = std::min(best, line_along(table, part, steps));
    }
    return best;
  }

  static Line line_along(const std::vector<int64_t>& table, int64_t rise, int64_t run) {
    const int64_t common = std::gcd(rise, run);
    Line line{rise / common, run / common, Interval::kMax, Interval::kMin};
    for (int64_t i = 0; i < std::ssize(table); ++i) {
      const int64_t off = line.scale * table[static_cast<size_t>(i)] - line.slope * i;
      line.lo = std::min(line.lo, off), line.hi = std::max(line.hi, off);
    }
    return line;
  }

  // The longest digit with factor 1 or −1: what is missing is its value.
  const Digit* last_unit() const {
    const Digit* found = nullptr;
    for (const Digit& d : digits_) {
      if (d.is_unit() && (found == nullptr || extent_of(d.range) > extent_of(found->range)))
        found = &d;
    }
    return found;
  }

  // What the digits that are not known yet, but `d`, can add to f.
  Interval open_values(const Digit& d) const {
    Interval sum{0, 0};
    for (const Digit& x : digits_) {
      if (&x == &d || known_.contains(x.range.node())) continue;
      sum.lo += x.values.lo, sum.hi += x.values.hi;
    }
    return sum;
  }

  // Whether no element is a candidate of a place where it is not put: those that are put there are
  // among the candidates of each place, so it is enough to count both.
  bool are_all_put_there() {
    const std::vector<UOp> rows = free_ranges(place_);
    if (digits_.size() != 1 || rows.size() != 1) return false;
    const Digit& d = digits_.front();
    std::unordered_map<const Node*, UOp> first;
    int64_t count = 1;
    for (const UOp& candidate : out_.candidates) {
      first.emplace(candidate.node(), index_const(0));
      count = extent_of(candidate);
    }
    const auto wanted = table_of(missing_.to_uop(), rows[0]);
    const auto from = table_of(simplify_(substitute(known_.at(d.range.node()), first)), rows[0]);
    const auto values = table_of(d.terms.to_uop(), d.range);
    if (!wanted || !from || !values) return false;
    std::unordered_map<int64_t, int64_t> elements;  // by value
    for (const int64_t v : *values) ++elements[v];
    int64_t put = 0, candidates = 0;
    for (size_t i = 0; i < wanted->size(); ++i) {
      const auto at = elements.find((*wanted)[i]);
      put += at == elements.end() ? 0 : at->second;
      const int64_t begin = (*from)[i], end = std::min(begin + count, extent_of(d.range));
      candidates += std::max<int64_t>(0, end - std::max<int64_t>(0, begin));
    }
    return candidates == put;
  }

  // An expression of the digit's value: its range, or where fewer come into question, those.
  UOp candidates_of(const Digit& d, const Affine& missing, std::vector<UOp>& conditions) {
    const Interval open = open_values(d);
    const Line& line = d.line;
    const int64_t step = std::abs(line.slope);
    const int64_t spread = line.scale * (open.hi - open.lo) + line.hi - line.lo;
    const int64_t count = step == 0 ? extent_of(d.range) : spread / step + 1;
    if (count >= extent_of(d.range)) {
      out_.candidates.push_back(d.range);
      return d.range;
    }
    // scale·(missing − open) lies between slope·d + lo and slope·d + hi.
    Affine first = missing.times(line.slope > 0 ? line.scale : -line.scale);
    first.add_constant(line.slope > 0 ? -line.scale * open.hi - line.hi
                                      : line.scale * open.lo + line.lo);
    first.add_constant(step - 1);
    UOp value = idiv(first.to_uop(), index_const(step));
    if (count > 1) {
      out_.candidates.push_back(range(count, next_range_++));
      value = value + out_.candidates.back();
    }
    value = simplify_(value);
    add_inside(value, d, conditions);
    return value;
  }

  void add_inside(const UOp& value, const Digit& d, std::vector<UOp>& conditions) {
    conditions.push_back(simplify_(lt(index_const(-1), value)));
    conditions.push_back(simplify_(lt(value, index_const(extent_of(d.range)))));
  }

  // sum = 0, without a division where there is one: e div c = k is c·k ≤ e < c·k + c.
  static std::vector<UOp> is_zero(Affine sum) {
    const auto quotient = std::ranges::find_if(sum.terms, [](const Affine::Term& t) {
      return t.term.is(Op::IDiv) && std::abs(t.coef) == 1 && t.term.src(1).is(Op::Const) &&
             t.term.src(1).arg(0) > 0;
    });
    if (quotient == sum.terms.end()) return {eq(sum.to_uop(), index_const(0))};
    const Affine::Term t = *quotient;
    sum.add_term(t.term, -t.coef);
    const int64_t c = t.term.src(1).arg(0);
    Affine rest = Affine::of(t.term.src(0));  // e − c·k, with k = ∓sum
    rest.add(sum, t.coef > 0 ? c : -c);
    const UOp r = rest.to_uop();
    return {lt(index_const(-1), r), lt(r, index_const(c))};
  }

  // The digit's part of f for that value of the digit.
  Affine value_of(const Digit& d, const UOp& value) {
    const std::unordered_map<const Node*, UOp> map{{d.range.node(), value}};
    return Affine::of(simplify_(substitute(d.terms.to_uop(), map)));
  }

  const UOp place_;
  int64_t& next_range_;
  const KnownPlace& known_place_;
  IndexSimplifier simplify_;
  std::vector<Digit> digits_;
  UOp whole_;       // the range as a sum of its digits
  Affine missing_;  // what the digits must add up to
  std::unordered_map<const Node*, UOp> known_;
  ScatterSources out_;
};

// Numbers by which f divides r, each a divisor of the next and the last one of the extent; none if
// they are no such chain.
std::vector<int64_t> divisors(const UOp& f, const UOp& r) {
  std::vector<int64_t> out;
  for (const Node* n : toposort(f)) {
    if ((n->op == Op::IDiv || n->op == Op::Mod) && n->src()[0] == r.node() &&
        n->src()[1]->op == Op::Const)
      out.push_back(n->src()[1]->arg()[0]);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t next = i + 1 < out.size() ? out[i + 1] : extent_of(r);
    if (out[i] < 2 || next % out[i] != 0) return {};
  }
  return out;
}

}  // namespace

Digits split_range(const UOp& f, const UOp& r, int64_t& next_range) {
  if (!r.is(Op::Range)) return {r, {}};
  if (reads_data(f)) return {r, {r}};
  std::vector<int64_t> ends = divisors(f, r);
  if (ends.empty()) return {r, {r}};
  ends.push_back(extent_of(r));
  return digits_ending_at(ends, next_range);
}

std::optional<ScatterSources> scatter_sources(const UOp& f, const UOp& r, const UOp& place,
                                              int64_t& next_range, const KnownPlace& known) {
  return SourceSolver(place, next_range, known).run(f, r);
}

}  // namespace tg
