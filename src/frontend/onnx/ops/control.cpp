// If, Loop and Scan, sequences and optionals. Loops are unrolled: their conditions and counts are
// computed when the model is called.
#include <algorithm>
#include <limits>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

Values if_op(const Node& n) {
  const bool yes = n.numbers(0).integer(0) != 0;
  return n.run(n.graph(yes ? "then_branch" : "else_branch"), {});
}

bool holds(const Node& n, const Value& v) {
  n.require(v.is_array(), "the condition is no tensor");
  const HostArray numbers = v.host() != nullptr ? *v.host() : read_back(v.tensor(n.device()));
  n.require(numbers.size() == 1, "the condition is not one number");
  return numbers.integer(0) != 0;
}

// Values of all rounds as one tensor, along a new axis.
Value stacked(const Node& n, const std::vector<Value>& items, int64_t axis) {
  if (items.empty())
    n.unsupported("a loop without rounds whose outputs have a shape that is not known");
  std::vector<Tensor> tensors;
  for (const Value& v : items) {
    n.require(v.is_array(), "a scan output is no tensor");
    tensors.push_back(v.tensor(n.device()));
  }
  return Tensor::stack(tensors, axis);
}

Values loop(const Node& n) {
  const Graph& body = n.graph("body");
  const int64_t rounds = n.has(0) ? n.integer(0) : std::numeric_limits<int64_t>::max();
  bool goes_on = !n.has(1) || holds(n, n.value(1));
  Values state;
  for (size_t i = 2; i < n.inputs(); ++i) state.push_back(n.value(i));
  n.require(body.inputs.size() == state.size() + 2, "the body has another number of inputs");
  n.require(body.outputs.size() > state.size(), "the body has too few outputs");
  std::vector<std::vector<Value>> scans(body.outputs.size() - 1 - state.size());
  for (int64_t i = 0; i < rounds && goes_on; ++i) {
    Values inputs{HostArray{DType::Int64, {}, {i}, {}}, HostArray{DType::Bool, {}, {1}, {}}};
    inputs.insert(inputs.end(), state.begin(), state.end());
    const Values out = n.run(body, std::move(inputs));
    goes_on = holds(n, out[0]);
    std::copy_n(out.begin() + 1, state.size(), state.begin());
    for (size_t k = 0; k < scans.size(); ++k) scans[k].push_back(out[1 + state.size() + k]);
  }
  Values results = state;
  for (size_t k = 0; k < scans.size(); ++k)
    results.push_back(n.wants(results.size()) ? stacked(n, scans[k], 0) : Value());
  return results;
}

// The parts of a sequence of tensors along an axis, first to last or reversed.
struct ScanAxes {
  std::vector<int64_t> axes, directions;
  ScanAxes(const Node& n, std::string_view axes_name, std::string_view directions_name,
           size_t count)
      : axes(n.integers(axes_name).value_or(std::vector<int64_t>(count, 0))),
        directions(n.integers(directions_name).value_or(std::vector<int64_t>(count, 0))) {
    n.require(axes.size() == count && directions.size() == count,
              "not one axis and direction for each scan");
  }
};

Values scan_from(const Node& n, const Values& inputs) {
  const Graph& body = n.graph("body");
  const auto scanned = static_cast<size_t>(n.required_integer("num_scan_inputs"));
  n.require(scanned >= 1 && scanned <= inputs.size(),
            "num_scan_inputs is not one of the inputs' number");
  const size_t states = inputs.size() - scanned;
  n.require(body.inputs.size() == inputs.size() && body.outputs.size() >= states,
            "the body has another number of inputs or outputs");
  const bool old = n.version() < 9;
  const ScanAxes in(n, old ? "no axes" : "scan_input_axes",
                    old ? "directions" : "scan_input_directions", scanned);
  const size_t outputs = body.outputs.size() - states;
  const ScanAxes out(n, old ? "no axes" : "scan_output_axes",
                     old ? "no directions" : "scan_output_directions", outputs);
  Values state(inputs.begin(), inputs.begin() + static_cast<int64_t>(states));
  std::vector<Tensor> sources;
  for (size_t i = 0; i < scanned; ++i) sources.push_back(inputs[states + i].tensor(n.device()));
  const auto axis_in = [&](size_t i) { return n.axis(in.axes[i], sources[i].ndim()); };
  const int64_t length = sources[0].size(axis_in(0));
  std::vector<std::vector<Value>> collected(outputs);
  for (int64_t t = 0; t < length; ++t) {
    Values given = state;
    for (size_t i = 0; i < scanned; ++i) {
      n.require(sources[i].size(axis_in(i)) == length, "the scans have different lengths");
      std::vector<IndexItem> items(static_cast<size_t>(axis_in(i)), IndexItem(Slice()));
      items.emplace_back(in.directions[i] != 0 ? length - 1 - t : t);
      given.emplace_back(sources[i].index(items));
    }
    const Values results = n.run(body, std::move(given));
    std::copy_n(results.begin(), states, state.begin());
    for (size_t k = 0; k < outputs; ++k) collected[k].push_back(results[states + k]);
  }
  Values results = state;
  for (size_t k = 0; k < outputs; ++k) {
    if (out.directions[k] != 0) std::ranges::reverse(collected[k]);
    const int64_t rank =
        collected[k].empty() ? 1 : static_cast<int64_t>(collected[k][0].shape().size()) + 1;
    results.push_back(stacked(n, collected[k], n.axis(out.axes[k], rank)));
  }
  return results;
}

// Version 8 scans each sample of a batch for itself; the lengths are its first input.
Values scan(const Node& n) {
  Values inputs;
  if (n.version() >= 9) {
    for (size_t i = 0; i < n.inputs(); ++i) inputs.push_back(n.value(i));
    return scan_from(n, inputs);
  }
  if (n.has(0)) n.unsupported("sequence_lens");
  n.require(n.inputs() > 1, "no inputs");
  const int64_t batch = n.shape(1).empty() ? 0 : n.shape(1)[0];
  std::vector<std::vector<Value>> samples;
  for (int64_t b = 0; b < batch; ++b) {
    inputs.clear();
    for (size_t i = 1; i < n.inputs(); ++i) inputs.emplace_back(n.tensor(i)[b]);
    samples.push_back(scan_from(n, inputs));
  }
  Values results;
  for (size_t k = 0; k < n.outputs(); ++k) {
    std::vector<Value> items;
    for (const auto& s : samples) items.push_back(k < s.size() ? s[k] : Value());
    results.push_back(stacked(n, items, 0));
  }
  return results;
}

// ---- sequences

const std::vector<Value>& items_of(const Node& n, size_t i) {
  const Value& v = n.value(i);
  n.require(v.is_sequence(), "the input is no sequence");
  return v.items();
}

size_t place(const Node& n, size_t input, size_t size, bool end_too) {
  int64_t at = n.integer(input);
  const auto count = static_cast<int64_t>(size);
  if (at < 0) at += count;
  n.require(at >= 0 && at < count + (end_too ? 1 : 0), "the position is outside the sequence");
  return static_cast<size_t>(at);
}

Values sequence_construct(const Node& n) {
  std::vector<Value> items;
  for (size_t i = 0; i < n.inputs(); ++i) items.push_back(n.value(i));
  return {Value::sequence(std::move(items))};
}

Values sequence_insert(const Node& n) {
  std::vector<Value> items = items_of(n, 0);
  const size_t at = n.has(2) ? place(n, 2, items.size(), true) : items.size();
  items.insert(items.begin() + static_cast<int64_t>(at), n.value(1));
  return {Value::sequence(std::move(items))};
}

Values sequence_erase(const Node& n) {
  std::vector<Value> items = items_of(n, 0);
  n.require(!items.empty(), "the sequence is empty");
  const size_t at = n.has(1) ? place(n, 1, items.size(), false) : items.size() - 1;
  items.erase(items.begin() + static_cast<int64_t>(at));
  return {Value::sequence(std::move(items))};
}

Values sequence_at(const Node& n) {
  const auto& items = items_of(n, 0);
  return {items[place(n, 1, items.size(), false)]};
}

Values sequence_length(const Node& n) {
  return {HostArray{DType::Int64, {}, {static_cast<int64_t>(items_of(n, 0).size())}, {}}};
}

Values concat_from_sequence(const Node& n) {
  std::vector<Tensor> parts;
  for (const Value& v : items_of(n, 0)) parts.push_back(v.tensor(n.device()));
  n.require(!parts.empty(), "the sequence is empty");
  const bool fresh = n.flag("new_axis");
  const int64_t axis = n.axis(n.required_integer("axis"), parts[0].ndim() + (fresh ? 1 : 0));
  return {fresh ? Tensor::stack(parts, axis) : Tensor::cat(parts, axis)};
}

Values split_to_sequence(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer("axis", 0), x.ndim());
  std::vector<int64_t> sizes;
  bool keep = true;
  if (!n.has(1)) {
    sizes.assign(static_cast<size_t>(x.size(axis)), 1);
    keep = n.flag("keepdims", true);
  } else if (n.rank(1) == 0) {
    const int64_t each = n.integer(1);
    n.require(each > 0, "a size that is not positive");
    for (int64_t at = 0; at < x.size(axis); at += each)
      sizes.push_back(std::min(each, x.size(axis) - at));
  } else {
    sizes = n.integers(1);
  }
  std::vector<Value> items;
  for (const Tensor& part : x.split(sizes, axis))
    items.emplace_back(keep ? part : part.squeeze(axis));
  return {Value::sequence(std::move(items))};
}

Values sequence_map(const Node& n) {
  const Graph& body = n.graph("body");
  const size_t count = items_of(n, 0).size();
  std::vector<std::vector<Value>> outputs(body.outputs.size());
  for (size_t i = 0; i < count; ++i) {
    Values given;
    for (size_t k = 0; k < n.inputs(); ++k) {
      const Value& v = n.value(k);
      if (v.is_sequence())
        n.require(v.items().size() == count, "the sequences have different lengths");
      given.push_back(v.is_sequence() ? v.items()[i] : v);
    }
    const Values results = n.run(body, std::move(given));
    for (size_t k = 0; k < outputs.size(); ++k) outputs[k].push_back(results[k]);
  }
  Values out;
  for (auto& items : outputs) out.push_back(Value::sequence(std::move(items)));
  return out;
}

// ---- optionals

Values optional_op(const Node& n) { return {n.has(0) ? n.value(0) : Value::none()}; }

Values optional_has(const Node& n) {
  const bool has = n.has(0) && !n.value(0).is_none();
  return {HostArray{DType::Bool, {}, {has ? 1 : 0}, {}}};
}

Values optional_get(const Node& n) {
  n.require(!n.value(0).is_none(), "the optional is empty");
  return {n.value(0)};
}

}  // namespace

std::span<const Operator> control_operators() {
  static const std::vector<Operator> rows = {
      {"ConcatFromSequence", {11}, "axis new_axis", concat_from_sequence},
      {"If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, "then_branch else_branch", if_op},
      {"Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, "body", loop},
      {"Optional", {15, 28}, "type", optional_op},
      {"OptionalGetElement", {15, 18, 28}, "", optional_get},
      {"OptionalHasElement", {15, 18, 28}, "", optional_has},
      {"Scan",
       {8, 9, 11, 16, 19, 21, 23, 24, 25},
       "body num_scan_inputs directions scan_input_axes scan_input_directions scan_output_axes "
       "scan_output_directions",
       scan},
      {"SequenceAt", {11}, "", sequence_at},
      {"SequenceConstruct", {11}, "", sequence_construct},
      {"SequenceEmpty", {11}, "dtype", [](const Node&) { return Values{Value::sequence({})}; }},
      {"SequenceErase", {11}, "", sequence_erase},
      {"SequenceInsert", {11}, "", sequence_insert},
      {"SequenceLength", {11}, "", sequence_length},
      {"SequenceMap", {17}, "body", sequence_map},
      {"SplitToSequence", {11, 24}, "axis keepdims", split_to_sequence},
  };
  return rows;
}

}  // namespace tg::onnx
