// Demand-driven evaluation with an explicit stack. A node's value is kept until one of the ranges
// that it depends on takes another value: a clock counts changes of ranges, a value is current if
// none of its free ranges changed after it was made. So values that do not depend on an inner loop
// are computed once outside it, as in any sensible program. See evaluate_ranged.h.
#include "uop/evaluate_ranged.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr int64_t kNever = -1;

// A REDUCE, STAGE or END while it runs.
struct Loop {
  bool running = false;
  std::vector<int> ranges;
  std::vector<int64_t> extents;
  std::vector<int64_t> at;
  int64_t step = 0;  // iterations done
};

struct State {
  const Node* node = nullptr;
  std::vector<int> src;
  std::vector<int> free;        // ranges, by number of their node
  int64_t made_at = kNever;     // clock when the value was made
  int64_t changed_at = kNever;  // of a RANGE: clock when it took its value
  bool open = false;            // of a RANGE
  Scalar value;
  TensorValue* array = nullptr;  // of a PARAM
  TensorValue staged;            // of a STAGE
  Loop loop;
};

bool closes(Op op) { return op == Op::Reduce || op == Op::Stage || op == Op::End; }

class RangedEvaluator {
 public:
  RangedEvaluator(const UOp& sink, std::span<TensorValue> params, const VarValues& vars);
  void run();

 private:
  void bind_leaf(State& s, std::span<TensorValue> params, const VarValues& vars);
  void find_writers();
  void find_free(State& s, int self);
  bool current(int n) const;
  bool demand_sources(const State& s, size_t from, size_t to);
  void finish(State& s);
  void step(int n);
  void step_loop(int n);
  void start_loop(State& s);
  void iteration_done(State& s);
  bool next_iteration(State& s);
  void end_loop(State& s);
  void set_range(int range, int64_t value);
  void forget_effects(int n);
  void compute(State& s);
  void load(State& s);
  void store(State& s);
  TensorValue& array_of(int pointer);
  int64_t position(const State& s, const TensorValue& array, size_t n_idx);
  bool gate(const State& s, size_t source) {
    return s.src.size() <= source || at(s.src[source]).value.truthy();
  }
  State& at(int n) { return states_[static_cast<size_t>(n)]; }
  const State& at(int n) const { return states_[static_cast<size_t>(n)]; }

  std::vector<State> states_;
  std::unordered_map<const Node*, std::vector<int>> written_over_;  // ranges, by array
  std::vector<int> stack_;
  int64_t clock_ = 0;
};

// ---- setting up
RangedEvaluator::RangedEvaluator(const UOp& sink, std::span<TensorValue> params,
                                 const VarValues& vars) {
  std::unordered_map<const Node*, int> number;
  for (const Node* n : toposort(sink)) {
    const int self = static_cast<int>(states_.size());
    number[n] = self;
    State& s = states_.emplace_back();
    s.node = n;
    for (const Node* src : n->src()) s.src.push_back(number.at(src));
    TG_CHECK(n->lanes == 1, "evaluate_ranged: {} with {} lanes", op_name(n->op), n->lanes);
    bind_leaf(s, params, vars);
  }
  find_writers();
  for (size_t i = 0; i < states_.size(); ++i) find_free(states_[i], static_cast<int>(i));
  for (State& s : states_) {
    if (!closes(s.node->op)) continue;
    s.loop.ranges.assign(s.src.begin() + 1, s.src.end());
    for (int r : s.loop.ranges) {
      TG_CHECK(at(r).node->op == Op::Range, "evaluate_ranged: {} closes a {}", op_name(s.node->op),
               op_name(at(r).node->op));
    }
  }
}

// Which loops write an array: what is read there may differ between their iterations.
void RangedEvaluator::find_writers() {
  for (const State& s : states_) {
    if (s.node->op != Op::End || at(s.src[0]).node->op != Op::Store) continue;
    std::vector<int>& ranges = written_over_[at(at(s.src[0]).src[0]).node];
    ranges.insert(ranges.end(), s.src.begin() + 1, s.src.end());
  }
}

void RangedEvaluator::find_free(State& s, int self) {
  if (s.node->op == Op::Range) s.free = {self};
  if (s.node->op == Op::Load) {
    const auto written = written_over_.find(at(s.src[0]).node);
    if (written != written_over_.end()) s.free = written->second;
  }
  for (size_t i = 0; i < s.src.size(); ++i) {
    for (int r : at(s.src[i]).free) {
      const bool closed =
          closes(s.node->op) && std::find(s.src.begin() + 1, s.src.end(), r) != s.src.end();
      if (!closed && std::ranges::find(s.free, r) == s.free.end()) s.free.push_back(r);
    }
  }
}

void RangedEvaluator::bind_leaf(State& s, std::span<TensorValue> params, const VarValues& vars) {
  const Node* n = s.node;
  if (n->op == Op::Const) {
    s.value = Scalar::of_bits(static_cast<uint64_t>(n->arg()[0]), n->dtype);
    s.made_at = 0;
  }
  if (n->op == Op::Var) {
    auto it = vars.find(n);
    if (it == vars.end()) user_error<ArgumentError>("evaluate_ranged", "a variable has no value");
    s.value = Scalar::of_int(it->second, n->dtype);
    s.made_at = 0;
  }
  if (n->op != Op::Param) return;
  const int64_t slot = n->arg()[0];
  if (slot < 0 || slot >= static_cast<int64_t>(params.size())) {
    user_error<ArgumentError>("evaluate_ranged",
                              fmt::format("parameter {} of {} is missing", slot, params.size()));
  }
  s.array = &params[static_cast<size_t>(slot)];
  if (s.array->dtype != n->dtype || s.array->numel() != numel(n->shape())) {
    user_error<ArgumentError>(
        "evaluate_ranged", fmt::format("parameter {} is {}{}, got {}{}", slot, dtype_name(n->dtype),
                                       format_shape(n->shape()), dtype_name(s.array->dtype),
                                       format_shape(s.array->shape)));
  }
  s.made_at = 0;
}

// ---- the machine
bool RangedEvaluator::current(int n) const {
  const State& s = at(n);
  if (s.made_at == kNever) return false;
  return std::ranges::all_of(s.free, [&](int r) { return at(r).changed_at <= s.made_at; });
}

void RangedEvaluator::run() {
  stack_ = {static_cast<int>(states_.size()) - 1};
  while (!stack_.empty()) {
    const int n = stack_.back();
    if (!at(n).loop.running && current(n)) {
      stack_.pop_back();
    } else if (closes(at(n).node->op)) {
      step_loop(n);
    } else {
      step(n);
    }
  }
}

// Puts the first source that is not current on the stack; true if all are.
bool RangedEvaluator::demand_sources(const State& s, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    if (current(s.src[i])) continue;
    stack_.push_back(s.src[i]);
    return false;
  }
  return true;
}

void RangedEvaluator::finish(State& s) {
  s.made_at = clock_;
  stack_.pop_back();
}

void RangedEvaluator::step(int n) {
  State& s = at(n);
  TG_CHECK(s.node->op != Op::Range, "evaluate_ranged: range {} is used outside what closes it",
           s.node->arg()[0]);
  if (!demand_sources(s, 0, s.src.size())) return;
  compute(s);
  finish(s);
}

void RangedEvaluator::compute(State& s) {
  const Op op = s.node->op;
  if (in_group(op, kElementwise)) {
    std::array<Scalar, 4> args;
    TG_CHECK(s.src.size() <= args.size(), "{} has {} sources", op_name(op), s.src.size());
    for (size_t i = 0; i < s.src.size(); ++i) args[i] = at(s.src[i]).value;
    s.value = record(op).eval({args.data(), s.src.size()}, s.node->dtype, s.node->arg());
    return;
  }
  switch (op) {
    case Op::Sink:
      return;
    case Op::After:
      s.value = at(s.src[0]).value;
      return;
    case Op::Load:
      return load(s);
    case Op::Store:
      return store(s);
    default:
      TG_CHECK(false, "evaluate_ranged: {} does not belong into a ranged kernel", op_name(op));
  }
}

// ---- loops
void RangedEvaluator::step_loop(int n) {
  State& s = at(n);
  if (!s.loop.running) {
    for (int r : s.loop.ranges) {
      if (!demand_sources(at(r), 0, 1)) return;
    }
    start_loop(s);
  } else {
    iteration_done(s);
    ++s.loop.step;
    if (!next_iteration(s)) return end_loop(s);
  }
  if (std::ranges::find(s.loop.extents, 0) != s.loop.extents.end()) return end_loop(s);
  if (s.node->op == Op::End) forget_effects(s.src[0]);
  if (!current(s.src[0])) stack_.push_back(s.src[0]);
}

void RangedEvaluator::start_loop(State& s) {
  s.loop.running = true;
  s.loop.step = 0;
  s.loop.extents.clear();
  s.loop.at.assign(s.loop.ranges.size(), 0);
  for (int r : s.loop.ranges) {
    TG_CHECK(!at(r).open, "evaluate_ranged: range {} is opened while it is open",
             at(r).node->arg()[0]);
    s.loop.extents.push_back(std::max<int64_t>(0, at(at(r).src[0]).value.i64()));
    at(r).open = true;
    set_range(r, 0);
  }
  if (s.node->op == Op::Reduce)
    s.value = reduce_identity(static_cast<ReduceOp>(s.node->arg()[0]), s.node->dtype);
  if (s.node->op == Op::Stage) {
    s.staged = TensorValue::zeros({s.node->shape().begin(), s.node->shape().end()}, s.node->dtype);
  }
}

void RangedEvaluator::iteration_done(State& s) {
  const Scalar& v = at(s.src[0]).value;
  if (s.node->op == Op::Reduce) {
    const Op alu = reduce_alu(static_cast<ReduceOp>(s.node->arg()[0]));
    const std::array<Scalar, 2> pair = {s.value, v};
    s.value = record(alu).eval(pair, s.node->dtype, {});
  }
  if (s.node->op == Op::Stage) s.staged.set(s.loop.step, v);
}

bool RangedEvaluator::next_iteration(State& s) {
  for (size_t a = s.loop.ranges.size(); a-- > 0;) {
    const bool wraps = ++s.loop.at[a] == s.loop.extents[a];
    if (wraps) s.loop.at[a] = 0;
    set_range(s.loop.ranges[a], s.loop.at[a]);
    if (!wraps) return true;
  }
  return false;
}

void RangedEvaluator::end_loop(State& s) {
  s.loop.running = false;
  for (int r : s.loop.ranges) {
    at(r).open = false;
    at(r).made_at = kNever;
    at(r).changed_at = ++clock_;
  }
  finish(s);
}

void RangedEvaluator::set_range(int range, int64_t value) {
  State& r = at(range);
  r.value = Scalar::of_int(value, r.node->dtype);
  r.changed_at = ++clock_;
  r.made_at = clock_;
}

// An effect happens once an iteration, even if nothing in it depends on the ranges.
void RangedEvaluator::forget_effects(int n) {
  std::vector<int> work = {n};
  while (!work.empty()) {
    State& s = at(work.back());
    work.pop_back();
    if (s.node->dtype != DType::Void) continue;
    s.made_at = kNever;
    if (s.node->op == Op::Sink) work.insert(work.end(), s.src.begin(), s.src.end());
  }
}

// ---- memory
TensorValue& RangedEvaluator::array_of(int pointer) {
  while (at(pointer).node->op == Op::After) pointer = at(pointer).src[0];
  State& s = at(pointer);
  if (s.node->op == Op::Stage) return s.staged;
  TG_CHECK(s.array != nullptr, "evaluate_ranged: {} is no pointer", op_name(s.node->op));
  return *s.array;
}

int64_t RangedEvaluator::position(const State& s, const TensorValue& array, size_t n_idx) {
  const auto extents = at(s.src[0]).node->shape();
  int64_t flat = 0;
  for (size_t a = 0; a < n_idx; ++a) {
    const int64_t i = at(s.src[1 + a]).value.i64();
    TG_CHECK(i >= 0 && i < extents[a], "evaluate_ranged: {} of index {} on axis {} of {}",
             op_name(s.node->op), i, a, format_shape(extents));
    flat = flat * extents[a] + i;
  }
  TG_CHECK(flat < array.numel(), "evaluate_ranged: {} beyond the end of {}", op_name(s.node->op),
           format_shape(extents));
  return flat;
}

void RangedEvaluator::load(State& s) {
  TG_CHECK(s.node->arg().empty(), "evaluate_ranged: load in lowered form");
  const size_t n_idx = at(s.src[0]).node->n_dim;
  if (!gate(s, 1 + n_idx)) {
    s.value = Scalar::of_int(0, s.node->dtype);
    return;
  }
  const TensorValue& array = array_of(s.src[0]);
  s.value = array.at(position(s, array, n_idx));
}

void RangedEvaluator::store(State& s) {
  TG_CHECK(s.node->arg().size() == 1, "evaluate_ranged: store in another form");
  const size_t n_idx = at(s.src[0]).node->n_dim;
  if (!gate(s, 2 + n_idx)) return;
  TensorValue& array = array_of(s.src[0]);
  const int64_t i = position(s, array, n_idx);
  const Scalar& v = at(s.src[1 + n_idx]).value;
  const std::array<Scalar, 2> pair = {array.at(i), v};
  switch (static_cast<Combine>(s.node->arg()[0])) {
    case Combine::Set:
      return array.set(i, v);
    case Combine::Add:
      return array.set(i, record(Op::Add).eval(pair, v.dtype(), {}));
    case Combine::Mul:
      return array.set(i, record(Op::Mul).eval(pair, v.dtype(), {}));
    case Combine::Max:
      return array.set(i, record(Op::Max).eval(pair, v.dtype(), {}));
  }
}

// A running reduction as what it is at each point: all terms up to there, in a loop of its own.
//   running(v, i) = ⊕_j (i < j ? identity : v with j for i)
UOp as_prefixes(const UOp& sink) {
  UOp now = sink;
  int64_t next = 0;
  for (const Node* n : toposort(sink)) {
    if (n->op == Op::Range) next = std::max(next, n->arg()[0] + 1);
  }
  while (true) {
    const std::vector<const Node*> order = toposort(now);
    const auto found = std::ranges::find_if(order, [](const Node* n) { return is_running(n); });
    if (found == order.end()) return now;
    const UOp r = UOp::share(*found), i = r.src(1), j = range(i.src(0), next++);
    const auto op = static_cast<ReduceOp>(r.arg(0));
    const UOp v = substitute(r.src(0), {{i.node(), j}});
    std::vector<UOp> ranges = {j};
    for (const Node* c : closed_ranges(r.node())) ranges.push_back(UOp::share(c));
    const UOp masked = where(lt(i, j), constant(reduce_identity(op, v.dtype())), v);
    now = substitute(now, {{r.node(), reduce_ranges(masked, op, ranges)}});
  }
}

}  // namespace

void evaluate_ranged(const UOp& sink, std::span<TensorValue> params, const VarValues& vars) {
  const UOp defined = as_prefixes(sink);
  RangedEvaluator(defined, params, vars).run();
}

}  // namespace tg
