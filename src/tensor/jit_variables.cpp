// See jit_variables.h.
#include "tensor/jit_variables.h"

#include <unordered_map>

#include "support/check.h"
#include "tensor/symbolic.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/limits.h"

namespace tg::ops_detail {
namespace {

constexpr std::string_view kName = "TinyJit";

UOp with_binds(const UOp& u, const Bindings* bindings) {
  std::unordered_map<const Node*, UOp> map;
  for (const Node* n : toposort(u)) {
    if (n->op != Op::Bind) continue;
    const UOp variable = UOp::share(n->src()[0]);
    if (bindings == nullptr) {
      map.emplace(n, variable);
    } else if (bindings->has(variable)) {
      map.emplace(n, bind(variable, bindings->value_of(variable)));
    }
  }
  return map.empty() ? u : substitute(u, map);
}

}  // namespace

UOp unbound(const UOp& u) { return with_binds(u, nullptr); }

UOp rebound(const UOp& u, const Bindings& bindings) {
  return bindings.all().empty() ? u : with_binds(u, &bindings);
}

void collect_bindings(const UOp& u, Bindings& bindings) {
  for (const Node* n : toposort(u)) {
    if (n->op == Op::Bind) bindings.add(UOp::share(n->src()[0]), n->arg()[0]);
  }
}

std::vector<UOp> describe_sizes(std::span<const SymInt> sizes) {
  std::vector<UOp> out;
  for (const SymInt& s : sizes) out.push_back(unbound(index_node(s)));
  return out;
}

void check_sizes(std::span<const UOp> recorded, std::span<const SymInt> given) {
  if (recorded.size() != given.size()) {
    user_error<ArgumentError>(
        kName, fmt::format("called with {} sizes, captured with {}", given.size(), recorded.size()),
        "Hint: use one TinyJit for each kind of call.");
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (unbound(index_node(given[i])) == recorded[i]) continue;
    user_error<ArgumentError>(kName,
                              fmt::format("size {} was frozen at capture: {}, called with {}", i,
                                          print_expr(recorded[i]), given[i].str()),
                              "Hint: bind a Variable in every call.");
  }
}

void check_recorded_bindings(const Recorder& recording, const Bindings& arguments) {
  for (const RecordedRun& run : recording.runs()) {
    for (const auto& [variable, value] : run.bindings.all()) {
      if (!arguments.has(variable) || arguments.value_of(variable) == value) continue;
      user_error<ArgumentError>(
          kName,
          fmt::format("the variable {} is an argument with the value {}, and bound to {} inside "
                      "the function",
                      print_expr(variable), arguments.value_of(variable), value),
          "Hint: use a Variable of another name inside.");
    }
  }
}

void check_bounds(std::span<const RecordedBound> recorded, const Bindings& arguments) {
  for (const RecordedBound& b : recorded) {
    if (bound_value(rebound(b.number, arguments).node()) >= 0) continue;
    user_error<IndexError>(kName, fmt::format("{} for the values of this call", b.what));
  }
}

}  // namespace tg::ops_detail
