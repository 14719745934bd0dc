// See run_program.h.
#include "run_program.h"

#include <fmt/format.h>

#include "engine/realize.h"
#include "runtime/buffer.h"
#include "support/check.h"
#include "support/device_graph.h"
#include "tensor/state.h"
#include "tg/jit.h"
#include "tg/random.h"

namespace tg::conformance {
namespace {

constexpr uint64_t kCalls = 4;  // of a captured program: as it is, recorded, and two replays

IndexItem item_of(const Item& i, std::span<const Tensor> values) {
  switch (i.kind) {
    case IndexItem::Kind::Integer:
      return i.integer;
    case IndexItem::Kind::Range: {
      std::optional<SymInt> start, stop;
      if (i.start) start = *i.start;
      if (i.stop) stop = *i.stop;
      return Slice(start, stop, i.step);
    }
    case IndexItem::Kind::Rest:
      return Ellipsis;
    case IndexItem::Kind::New:
      return NewAxis;
    case IndexItem::Kind::Gather:
      return values[static_cast<size_t>(i.tensor.value)];
  }
  TG_CHECK(false, "item of kind {}", static_cast<int>(i.kind));
}

struct ToValue {
  std::span<const Tensor> values;
  FnValue operator()(const Operand& o) const { return values[static_cast<size_t>(o.value)]; }
  FnValue operator()(const std::vector<Operand>& list) const {
    std::vector<Tensor> out;
    for (const Operand& o : list) out.push_back(values[static_cast<size_t>(o.value)]);
    return out;
  }
  FnValue operator()(const std::vector<Item>& items) const {
    std::vector<IndexItem> out;
    for (const Item& i : items) out.push_back(item_of(i, values));
    return out;
  }
  template <typename T>
  FnValue operator()(const T& plain) const {
    return plain;
  }
};

TensorValue contents_of(const Node* n) {
  auto& storage = *static_cast<Buffer*>(n->resource);
  std::vector<std::byte> bytes(static_cast<size_t>(storage.bytes()));
  storage.copy_out(bytes.data(), storage.bytes());
  return TensorValue::from_bytes({n->shape().begin(), n->shape().end()}, n->dtype, bytes);
}

std::vector<UOp> nodes_of(const std::vector<Tensor>& tensors) {
  std::vector<UOp> out;
  for (const Tensor& t : tensors) out.push_back(t.state()->node());
  return out;
}

// Compares results that stand in storage with their bounds.
void judge_all(const Program& p, const std::vector<Tensor>& got, std::span<const BoundedValue> want,
               Outcome& out) {
  for (size_t r = 0; r < got.size(); ++r) {
    const Judgement j = judge(test::device_value(got[r].state()->node()), want[r]);
    out.judged += j.judged, out.unknown += j.unknown;
    if (j.difference.empty() || !out.passed()) continue;
    const size_t outputs = p.outputs.size(), targets = p.targets.size();
    const std::string what =
        r < outputs ? fmt::format("output v{}", p.outputs[r])
        : r < outputs + targets
            ? fmt::format("gradient for v{}", p.targets[r - outputs])
            : fmt::format("second gradient for v{}", p.targets[r - outputs - targets]);
    out.kind = Outcome::Kind::Differs;
    out.text = fmt::format("{}: {}", what, j.difference);
  }
}

// Refusals of arguments are told apart from everything else.
template <typename F>
Outcome guarded(bool building, F f) {
  try {
    return f();
  } catch (const CancelledError&) {
    throw;
  } catch (const InternalError& e) {
    return {Outcome::Kind::Threw, e.what()};
  } catch (const DeviceError& e) {
    return {Outcome::Kind::Threw, e.what()};
  } catch (const std::exception& e) {
    return {building ? Outcome::Kind::Illegal : Outcome::Kind::Threw, e.what()};
  }
}

struct Prepared {
  Outcome outcome;
  std::vector<Tensor> inputs, results;
  std::vector<BoundedValue> want;
};

Prepared prepared(const Program& p, uint64_t call = 0) {
  Prepared out;
  out.outcome = guarded(true, [&] {
    manual_seed(p.seed);
    out.inputs = make_inputs(p, call);
    out.results = build_results(p, out.inputs);
    return Outcome{};
  });
  if (!out.outcome.passed()) return out;
  out.outcome = guarded(false, [&] {
    out.want = evaluate_bounded(nodes_of(out.results), contents_of);
    return Outcome{};
  });
  return out;
}

// What a call computes is judged before the next one overwrites it.
Outcome run_captured(const Program& p) {
  return guarded(false, [&] {
    Outcome out;
    TinyJit f([&](const std::vector<Tensor>& inputs) { return build_results(p, inputs); });
    for (uint64_t call = 0; call < kCalls && out.passed(); ++call) {
      const Prepared plain = prepared(p, call);
      if (!plain.outcome.passed()) return plain.outcome;
      manual_seed(p.seed);
      const std::vector<Tensor> got = f(make_inputs(p, call));
      Tensor::realize(got);
      judge_all(p, got, plain.want, out);
      if (!out.passed()) out.text = fmt::format("call {}: {}", call, out.text);
    }
    return out;
  });
}

}  // namespace

Tensor run_step(const Step& step, std::span<const Tensor> values) {
  const FnRecord* record = find_fn(step.function);
  TG_CHECK(record != nullptr && record->call.invoke != nullptr, "no function {}", step.function);
  std::vector<FnValue> arguments;
  for (const Argument& a : step.arguments) arguments.push_back(std::visit(ToValue{values}, a));
  const FnValue result = call_fn(*record, arguments);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&result))
    return (*list)[static_cast<size_t>(std::max(step.pick, 0)) % list->size()];
  TG_CHECK(std::holds_alternative<Tensor>(result), "{} gives no tensor", step.function);
  return std::get<Tensor>(result);
}

std::vector<Tensor> make_inputs(const Program& p, uint64_t call) {
  std::vector<Tensor> out;
  for (const Value& value : p.values) {
    const auto* i = std::get_if<Input>(&value);
    if (i == nullptr) continue;
    const TensorValue v = TensorValue::of(i->shape, i->dtype, elements_of(*i, call));
    out.push_back(Tensor::from_bytes(v.to_bytes(), i->shape, i->dtype));
  }
  return out;
}

std::vector<Tensor> build_values(const Program& p, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> values;
  size_t next = 0;
  for (const Value& v : p.values) {
    const auto* step = std::get_if<Step>(&v);
    values.push_back(step == nullptr ? inputs[next++] : run_step(*step, values));
  }
  return values;
}

std::vector<Tensor> build_results(const Program& p, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> values = build_values(p, inputs);
  const auto at = [&](int v) { return values[static_cast<size_t>(v)]; };
  std::vector<Tensor> out, targets;
  for (const int v : p.outputs) out.push_back(at(v));
  if (p.loss < 0) return out;
  for (const int v : p.targets) targets.push_back(at(v));
  const std::vector<Tensor> first = at(p.loss).gradient(targets);
  out.insert(out.end(), first.begin(), first.end());
  if (!p.second_order) return out;
  Tensor loss = first[0].square().sum();
  for (size_t i = 1; i < first.size(); ++i) loss = loss + first[i].square().sum();
  for (const Tensor& g : loss.gradient(targets)) out.push_back(g);
  return out;
}

Outcome run_program(const Program& p, const Options& on) {
  const OptionsScope scope(on);
  if (p.captured) return run_captured(p);
  Prepared made = prepared(p);
  if (!made.outcome.passed()) return made.outcome;
  return guarded(false, [&] {
    Outcome out;
    Tensor::realize(made.results);
    judge_all(p, made.results, made.want, out);
    return out;
  });
}

std::vector<Outcome> run_programs(std::span<const Program> programs, const Options& on) {
  std::vector<Outcome> out(programs.size());
  std::vector<Prepared> made(programs.size());
  std::vector<Tensor> all;
  const OptionsScope scope(on);
  for (size_t i = 0; i < programs.size(); ++i) {
    if (programs[i].captured) continue;
    made[i] = prepared(programs[i]);
    out[i] = made[i].outcome;
    all.insert(all.end(), made[i].results.begin(), made[i].results.end());
  }
  bool together = true;
  try {
    Tensor::realize(all);
  } catch (const CancelledError&) {
    throw;
  } catch (const std::exception&) {
    together = false;
  }
  for (size_t i = 0; i < programs.size(); ++i) {
    if (!out[i].passed()) continue;
    if (programs[i].captured || !together)
      out[i] = run_program(programs[i], on);
    else
      out[i] = guarded(false, [&] {
        Outcome judged;
        judge_all(programs[i], made[i].results, made[i].want, judged);
        return judged;
      });
  }
  return out;
}

Outcome judged_results(const std::function<std::vector<Tensor>()>& make) {
  return guarded(false, [&] {
    Outcome out;
    const std::vector<Tensor> results = make();
    const std::vector<BoundedValue> want = evaluate_bounded(nodes_of(results), contents_of);
    Tensor::realize(results);
    for (size_t r = 0; r < results.size(); ++r) {
      const Judgement j = judge(test::device_value(results[r].state()->node()), want[r]);
      out.judged += j.judged, out.unknown += j.unknown;
      if (j.difference.empty() || !out.passed()) continue;
      out.kind = Outcome::Kind::Differs;
      out.text = fmt::format("result {}: {}", r, j.difference);
    }
    return out;
  });
}

}  // namespace tg::conformance
