// Evaluates graphs: see run.h.
#include "frontend/onnx/run.h"

#include <fmt/format.h>

#include <unordered_map>

#include "frontend/onnx/host.h"
#include "frontend/onnx/table.h"
#include "support/check.h"

namespace tg::onnx {
namespace {

// Loops are unrolled, and functions of a model may call others many times: what would build more
// nodes than this is refused before memory ends.
constexpr int64_t kMaxNodes = 2'000'000;
constexpr int kMaxCalls = 64;

// The values of one graph, and what is around it.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string, Value> values;
  const Graph* function = nullptr;  // whose attributes a node may refer to
  const NodeDef* caller = nullptr;

  const Value* find(const std::string& name) const {
    for (const Scope* s = this; s != nullptr; s = s->outer) {
      const auto found = s->values.find(name);
      if (found != s->values.end()) return &found->second;
    }
    return nullptr;
  }
};

class Evaluator {
 public:
  Evaluator(const Parsed& model, const std::string& device) : model_(model), device_(device) {}

  Values evaluate(const Graph& graph, Scope& scope, Values inputs);
  Values subgraph(const Graph& graph, const Scope& outer, Values inputs);

 private:
  Values call(const NodeDef& node, std::span<const Value> inputs, const Scope& scope);
  Values function(const NodeDef& node, std::span<const Value> inputs, const Scope& scope);
  Values operation(const NodeDef& node, std::span<const Value> inputs, const Scope& scope);

  const Parsed& model_;
  const std::string& device_;
  int64_t nodes_ = 0;
  int depth_ = 0;
};

class SubgraphRunner : public GraphRunner {
 public:
  SubgraphRunner(Evaluator& evaluator, const Scope& scope) : evaluator_(evaluator), scope_(scope) {}
  Values run(const Graph& graph, Values inputs) override {
    return evaluator_.subgraph(graph, scope_, std::move(inputs));
  }

 private:
  Evaluator& evaluator_;
  const Scope& scope_;
};

[[noreturn]] void fail(const NodeDef& node, const std::string& problem) {
  user_error<ArgumentError>("onnx::Model",
                            fmt::format("node \"{}\" ({}): {}", node.name, node.op, problem));
}

// The node with the attributes of the function around it in place of the names that refer to them.
NodeDef with_attributes(const NodeDef& node, const Scope& scope) {
  NodeDef out = node;
  for (auto it = out.attributes.begin(); it != out.attributes.end();) {
    const std::string& wanted = it->second.refers_to;
    const Attribute* found = nullptr;
    if (!wanted.empty() && scope.caller != nullptr) {
      if (const auto a = scope.caller->attributes.find(wanted); a != scope.caller->attributes.end())
        found = &a->second;
      else if (const auto d = scope.function->defaults.find(wanted);
               d != scope.function->defaults.end())
        found = &d->second;
    }
    if (found != nullptr) it->second = *found;
    it = wanted.empty() || found != nullptr ? std::next(it) : out.attributes.erase(it);
  }
  return out;
}

bool refers(const NodeDef& node) {
  for (const auto& [name, a] : node.attributes)
    if (!a.refers_to.empty()) return true;
  return false;
}

Values Evaluator::operation(const NodeDef& node, std::span<const Value> inputs,
                            const Scope& scope) {
  if (node.function == nullptr) {
    for (const Unsupported& u : model_.unsupported)
      if (u.node == node.name && u.op == node.op) fail(node, u.reason + " is not supported");
    fail(node, "it is not supported");
  }
  SubgraphRunner runner(*this, scope);
  const Node view(node, inputs, device_, runner);
  bool known = true, plain = true;  // plain: no float that may be a parameter takes part
  for (const Value& v : inputs) {
    if (v.is_absent()) continue;
    known = known && v.host() != nullptr;
    plain = plain && known && (v.is_host_only() || !is_float(v.dtype()));
  }
  std::optional<std::vector<HostArray>> numbers;
  if (known) numbers = compute_on_host(view);
  if (numbers && plain) return Values(numbers->begin(), numbers->end());
  Values out = node.function->run(view);
  for (size_t i = 0; numbers && i < out.size() && i < numbers->size(); ++i)
    out[i] = Value(out[i].tensor(device_), std::make_shared<const HostArray>((*numbers)[i]));
  return out;
}

Values Evaluator::function(const NodeDef& node, std::span<const Value> inputs, const Scope& scope) {
  const Graph& body = model_.functions.find(node.called)->second;
  if (inputs.size() > body.inputs.size())
    fail(node, fmt::format("{} inputs for a function of {}", inputs.size(), body.inputs.size()));
  Values given(inputs.begin(), inputs.end());
  given.resize(body.inputs.size());
  (void)scope;  // functions see nothing of their caller
  Scope inner{.function = &body, .caller = &node};
  return evaluate(body, inner, std::move(given));
}

// Errors of the tensors' own functions (shapes that do not fit) get the node's name.
Values Evaluator::call(const NodeDef& node, std::span<const Value> inputs, const Scope& scope) {
  if (++nodes_ > kMaxNodes)
    fail(node, fmt::format("the model unrolls to more than {} nodes", kMaxNodes));
  if (!node.called.empty()) return function(node, inputs, scope);
  const auto named = [&](const Error& error) {
    const std::string_view text = error.what();
    if (text.starts_with("onnx::Model")) return std::string(text);
    return fmt::format("onnx::Model: node \"{}\" ({}): {}", node.name, node.op, text);
  };
  try {
    return operation(node, inputs, scope);
  } catch (const ShapeError& error) {
    throw ShapeError(named(error));
  } catch (const DTypeError& error) {
    throw DTypeError(named(error));
  } catch (const IndexError& error) {
    throw IndexError(named(error));
  } catch (const ArgumentError& error) {
    throw ArgumentError(named(error));
  }
}

Values Evaluator::evaluate(const Graph& graph, Scope& scope, Values inputs) {
  if (++depth_ > kMaxCalls)
    user_error<ArgumentError>(
        "onnx::Model",
        fmt::format("more than {} graphs and functions inside each other", kMaxCalls));
  // A graph counts too, so that a loop over nothing ends.
  if (++nodes_ > kMaxNodes)
    user_error<ArgumentError>("onnx::Model",
                              fmt::format("the model unrolls to more than {} nodes", kMaxNodes));
  for (const auto& [name, value] : graph.constants) scope.values.try_emplace(name, value);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    scope.values[graph.inputs[i]] = i < inputs.size() ? std::move(inputs[i]) : Value();
  Values given;
  for (const NodeDef& def : graph.nodes) {
    const std::optional<NodeDef> bound =
        refers(def) ? std::optional(with_attributes(def, scope)) : std::nullopt;
    const NodeDef& node = bound ? *bound : def;
    given.clear();
    for (const std::string& name : node.inputs) {
      const Value* found = name.empty() ? nullptr : scope.find(name);
      given.push_back(found == nullptr ? Value() : *found);
    }
    Values results = call(node, given, scope);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      if (i >= results.size()) fail(node, fmt::format("its output {} is not supported", i));
      scope.values[node.outputs[i]] = std::move(results[i]);
    }
  }
  Values out;
  for (const std::string& name : graph.outputs) out.push_back(*scope.find(name));
  --depth_;
  return out;
}

Values Evaluator::subgraph(const Graph& graph, const Scope& outer, Values inputs) {
  Scope inner{.outer = &outer, .function = outer.function, .caller = outer.caller};
  return evaluate(graph, inner, std::move(inputs));
}

}  // namespace

Values run_model(const Parsed& model, Values inputs,
                 const std::map<std::string, Tensor>& parameters, const std::string& device) {
  Scope scope;
  for (const auto& [name, tensor] : parameters) {
    const auto loaded = model.main.constants.find(name);
    if (loaded == model.main.constants.end()) continue;
    const bool replaced = loaded->second.tensor(device).state() != tensor.state();
    scope.values.emplace(name, replaced ? Value(tensor) : loaded->second);
  }
  return Evaluator(model, device).evaluate(model.main, scope, std::move(inputs));
}

}  // namespace tg::onnx
