// Selects with a long arm: the quick value first, then a loop that runs once, or not at all if the
// long value is wanted in no lane. Which they are: long_arms.h.
#include "codegen/emitter.h"

namespace tg {

void Emitter::evaluate_with_arms(std::span<const UOp> order, const Point& point) {
  ready_.clear();
  for (const UOp& u : order) {
    if (arms_.region_of(u.node()) < 0) make_ready(u, point);
  }
}

// What is needed by others than the selects that it waits for is made now, after all.
void Emitter::make_ready(const UOp& u, const Point& point) {
  if (u.is(Op::Stage) || u.is(Op::Param) || u.is(Op::Store) || is_ready(u)) return;
  const int arm = arms_.arm_of(u.node());
  for (const UOp& s : operands(u)) {
    if (is_ready(s) || (arm > 0 && s == u.src(arm) && s != u.src(3 - arm))) continue;
    for (const UOp& below : evaluation_order(std::span(&s, 1))) make_ready(below, point);
  }
  values_[u.node()] = arm > 0 ? evaluate_with_arm(u, arm, point) : evaluate_node(u, point);
  ready_.insert(u.node());
}

// What is ready of what `nodes` are made of, in the order in which it is met.
std::vector<UOp> Emitter::inputs_of(std::span<const UOp> nodes) const {
  std::vector<UOp> out;
  for (const UOp& u : nodes) {
    for (const UOp& s : u.srcs()) {
      if (is_ready(s) && std::ranges::find(out, s) == out.end()) out.push_back(s);
    }
  }
  return out;
}

// Equal selects of equal values are emitted once, like all that has no loop of its own.
UOp Emitter::evaluate_with_arm(const UOp& select, int arm, const Point& point) {
  const UOp long_value = select.src(arm), quick = select.src(3 - arm);
  std::vector<UOp> nodes = evaluation_order(std::span(&long_value, 1));
  const bool decided = holds_here(select.src(0)) || value(select.src(0)).is(Op::Const);
  if (decided) {
    for (const UOp& u : nodes) make_ready(u, point);
    return evaluate_node(select, point);
  }
  std::erase_if(nodes, [this](const UOp& u) { return is_ready(u); });
  std::vector<UOp> inputs = inputs_of(nodes);
  const UOp condition = value(select.src(0));
  std::vector<const Node*> key = {select.node(), condition.node(), value(quick).node()};
  for (const UOp& u : inputs) key.push_back(value(u).node());
  if (const auto made = selected_.find(key);
      made != selected_.end() && scopes_.is_known(made->second))
    return made->second;
  // Constants, which tell the points of an unrolled loop apart, need no place.
  std::erase_if(inputs, [this](const UOp& u) { return value(u).is(Op::Const); });

  const int lanes = lanes_in(deps(select));
  const UOp loop = make(Op::Range, {times_of_arm(condition, arm)}, {{next_range_++}});
  const UOp before = widen(value(quick), lanes);
  scopes_.open(loop);
  const UOp carried = scopes_.put_here(make(Op::Carry, {loop, before}, {{next_carry_++}}));
  // Pinned, so that nothing made of them is hoisted; once where several have the same value.
  std::vector<UOp> outside;
  for (const UOp& u : inputs) {
    outside.push_back(value(u));
    const UOp pin = make(Op::After, {value(u), loop});
    values_[u.node()] = scopes_.is_here(pin) ? pin : scopes_.put_here(pin);
  }
  const int region = arms_.region_of(long_value.node());
  for (const UOp& u : nodes) {
    if (arms_.region_of(u.node()) == region) make_ready(u, point);
  }
  std::vector<UOp> src = {widen(condition, lanes), carried, carried};
  src[static_cast<size_t>(arm)] = widen(value(long_value), lanes);
  const UOp end = make(Op::End, {loop, scopes_.put(make(Op::Where, src, {}))}, {{1}});
  scopes_.close(end);
  for (size_t i = 0; i < inputs.size(); ++i) values_[inputs[i].node()] = outside[i];
  for (const UOp& u : nodes) ready_.erase(u.node());
  return selected_[key] = scopes_.put(Op::Out, {end}, {{0}});
}

// 1 where some lane wants the arm, else 0.
UOp Emitter::times_of_arm(const UOp& condition, int arm) {
  UOp wanted = condition;
  if (arm == 2) {
    const UOp truth = widen(scopes_.put(constant(1, DType::Bool)), wanted.lanes());
    wanted = scopes_.put(Op::Xor, {wanted, truth});
  }
  if (wanted.lanes() > 1)
    wanted = scopes_.put(Op::VReduce, {wanted}, {{static_cast<int64_t>(ReduceOp::Max)}});
  return scopes_.put(cast(wanted, DType::Index));
}

}  // namespace tg
