// The calls of a TinyJit: what must be equal between them, and how tensors get in and out of a
// captured graph. Recording and replaying launches: engine/recorder.h, engine/capture.h.
#include "tg/jit.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/capture.h"
#include "engine/launch.h"
#include "support/log.h"
#include "support/symbol.h"
#include "tensor/jit_variables.h"
#include "tensor/ops.h"
#include "tensor/random_source.h"
#include "tensor/storage.h"
#include "tensor/symbolic.h"
#include "tg/ir/walk.h"

namespace tg::detail {
namespace {

using namespace ops_detail;
using States = std::vector<std::shared_ptr<TensorState>>;
using Names = std::unordered_map<Buffer*, UOp>;

constexpr std::string_view kTinyJit = "TinyJit";

Buffer* storage_of(const UOp& buffer_node) {
  return static_cast<Buffer*>(buffer_node.node()->resource);
}

// What lies on several devices is for a captured graph the storage of each.
std::vector<Buffer*> parts_of(Buffer* b) {
  std::vector<Buffer*> out;
  if (b == nullptr || b->parts().empty()) return {b};
  for (const Ref<Buffer>& part : b->parts()) out.push_back(part.get());
  return out;
}

void append_parts(Buffer* b, std::vector<Buffer*>& out) {
  for (Buffer* part : parts_of(b)) out.push_back(part);
}

// Is storage of it used by the graph, though it is no argument? `written`: and does a replay write
// it?
bool uses(const CapturedGraph& graph, Buffer* b, bool& written) {
  bool any = false, any_written = false;
  for (Buffer* part : parts_of(b)) {
    any = graph.uses(part, written) || any;
    any_written = any_written || written;
  }
  written = any_written;
  return any;
}

// An argument: its BUFFER, and the view of it.
struct Bound {
  UOp node, base;
  Buffer* storage = nullptr;
};

// What an argument was in the call that was recorded.
struct ArgumentSpec {
  Shape shape;
  DType dtype;
  DeviceId device = 0;
  UOp view;          // over a PARAM in place of the storage; empty: the storage itself
  size_t alias = 0;  // the first argument with the same storage
  int axis = -1;     // along which it is split between devices
};

// Storage that each replay makes again.
struct FreshSpec {
  Shape shape;
  DType dtype;
  DeviceId id = 0;
  int axis = -1;  // of what lies on several devices
};

struct OutputSpec {
  enum class Kind { Constant, Input, Storage, Fresh, Copied } kind;
  UOp node, base;       // as recorded; of Input and Fresh over a PARAM
  size_t slot = 0;      // of Input and Fresh
  Ref<Buffer> storage;  // of Storage and Copied
};

UOp over_param(const Bound& b) {
  if (b.node == b.base) return {};
  std::vector<int64_t> arg = {0};
  arg.insert(arg.end(), b.base.shape().begin(), b.base.shape().end());
  const UOp param = make(Op::Param, {}, arg, b.base.dtype(), b.base.device());
  return unbound(rebase(b.node, param, b.base.node()));
}

void check_current(size_t i, const Bound& b) {
  const int64_t version = b.storage->executed_version();
  if (version == 0 || version == b.base.arg(0)) return;
  user_error<ArgumentError>(
      kTinyJit,
      fmt::format("argument {} of shape {} was overwritten in place by {} "
                  "before it was computed",
                  i, text(b.node.shape()), overwriter_name(b.storage->overwritten_by())),
      "Hint: realize() it before.");
}

// Where the arguments live that live somewhere, by the first of them; empty if none does.
std::string home_of(const std::vector<Tensor>& tensors) {
  for (const Tensor& t : tensors) {
    if (const UOp node = node_of(t, kTinyJit); node.device() != 0)
      return symbol_name(node.device());
  }
  return {};
}

// Arguments get storage, constants some of their own: where the others live. Expressions are
// computed.
Bound bind(Tensor& t, const std::string& home) {
  UOp node = node_of(t, kTinyJit);
  UOp base = storage_under(node);
  if (!base || !base.is(Op::Buffer)) {
    if (node.is(Op::Const)) {
      const uint64_t raw = node.scalar().to_memory();
      t = Tensor(
          make_state(data_buffer({}, node.dtype(), node.device() == 0 ? home : t.device(), &raw)));
    } else if (node.device() == 0 && !home.empty()) {
      t = t.to(home);
    }
    t.realize();
    node = t.state()->node();
    base = storage_under(node);
  }
  TG_CHECK(base && base.is(Op::Buffer), "an argument is {} after realize", op_name(node.op()));
  Buffer* storage = storage_of(base);
  return {std::move(node), std::move(base), storage};
}

// Results, and assignments that still wait, become part of the call.
void settle(const std::vector<Tensor>& results) {
  States states = pending_assignments([](Buffer*) { return false; });
  for (const Tensor& t : results) {
    node_of(t, kTinyJit);
    states.push_back(t.state());
  }
  realize_states(states);
}

UOp renewed(const UOp& base, Buffer* storage) {
  return buffer(base.shape_vec(), base.dtype(), base.device(), storage);
}

// A copy of the storage that is over `base`.
UOp copy_of_storage(const UOp& base, Buffer& storage) {
  const std::string device =
      storage.parts().empty() ? storage.device().name() : symbol_name(base.device());
  UOp copy = empty_buffer(base.shape_vec(), base.dtype(), device, storage.axis());
  const auto to = parts_of(storage_of(copy)), from = parts_of(&storage);
  for (size_t k = 0; k < to.size(); ++k) {
    copy_between(to[k]->device(), to[k]->allocation(), from[k]->device(), from[k]->allocation());
  }
  return copy;
}

// The variables among sizes and views of a call.
Bindings bindings_of(const std::vector<Bound>& places, const JitArguments& given) {
  Bindings out;
  for (const SymInt& s : given.sizes) collect_bindings(index_node(s), out);
  for (const Bound& b : places) {
    if (b.node != b.base) collect_bindings(b.node, out);
  }
  return out;
}

// Computes the live values that read storage which is about to be written: afterwards they could
// not be had any more. Gradients are left alone, as where an assignment runs (compute.cpp).
void save_readers(FunctionRef<bool(Buffer*)> is_written) {
  States waiting;
  std::vector<UOp> nodes;
  for (auto& s : live_states()) {
    UOp node = s->node();
    if (s->is_gradient() || node.is(Op::Const)) continue;
    if (const UOp base = storage_under(node); base && base.is(Op::Buffer)) continue;
    waiting.push_back(std::move(s));
    nodes.push_back(std::move(node));
  }
  if (nodes.empty()) return;
  std::unordered_set<const Node*> readers;
  for (const Node* n : toposort(nodes)) {
    const auto reads = [&](const Node* s) { return readers.contains(s); };
    bool is_reader = std::ranges::any_of(n->src(), reads);
    if (n->op == Op::Buffer && n->resource != nullptr) {
      auto* b = static_cast<Buffer*>(n->resource);
      is_reader =
          (b->executed_version() == 0 || b->executed_version() == n->arg()[0]) && is_written(b);
    }
    if (is_reader) readers.insert(n);
  }
  States wanted;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (readers.contains(nodes[i].node()) && !waiting[i]->poisoned()) wanted.push_back(waiting[i]);
  }
  if (!wanted.empty()) realize_states(wanted);
}

// New names for the contents of storage that a replay has written; live tensors follow. `shaped`:
// names of some of it as it was when recorded.
Names rename(const std::vector<Buffer*>& written, const Names& shaped) {
  Names now;
  if (written.empty()) return now;
  for (Buffer* b : written) {
    const auto known = shaped.find(b);
    now.emplace(b, known == shaped.end() ? UOp{} : renewed(known->second, b));
  }
  for (const auto& s : live_states()) {
    UOp node = s->node();
    const UOp base = storage_under(node);
    if (!base || !base.is(Op::Buffer)) continue;
    auto it = now.find(storage_of(base));
    if (it == now.end()) continue;
    const int64_t version = it->first->executed_version();
    if (version != 0 && version != base.arg(0)) continue;
    if (!it->second) it->second = renewed(base, it->first);
    s->replace_node(node, rebase(node, it->second, base.node()));
  }
  for (auto& [b, name] : now) {
    if (!name) name = buffer({}, DType::UInt8, 0, b);
    b->set_version(name.arg(0), Overwriter::CapturedCall);
  }
  return now;
}

}  // namespace

struct JitCore::Impl {
  explicit Impl(const JitOptions& o) : options(o) {}

  std::vector<Tensor> first(const std::vector<Tensor>& bound, JitBody& body);
  std::vector<Tensor> record(const std::vector<Tensor>& bound, const std::vector<Bound>& places,
                             const JitArguments& given, JitBody& body);
  std::vector<Tensor> replay(const std::vector<Bound>& places, const JitArguments& given);

  void describe(const std::vector<Bound>& places);
  std::vector<Buffer*> describe_outputs(const std::vector<Tensor>& results,
                                        const std::vector<Bound>& places, const Recorder& recorder);
  void check(const std::vector<Bound>& places, const JitArguments& given) const;
  void check_argument(size_t i, const Bound& b, const std::vector<Bound>& places) const;
  bool writes_argument(size_t i, const std::vector<Bound>& places) const;
  std::vector<Tensor> results(const std::vector<Bound>& places, const std::vector<UOp>& made,
                              const Names& names, const Bindings& bindings) const;

  JitOptions options;
  int calls = 0;
  std::vector<RecordedPrint> prints;       // of the first call
  std::unordered_set<const Buffer*> used;  // by the first call
  uint64_t assignments_seen = 0;           // by the last replay
  std::vector<double> numbers;             // of the last call
  std::vector<UOp> sizes;                  // of the recorded call, without values
  std::vector<ArgumentSpec> arguments;
  std::vector<OutputSpec> outputs;
  std::vector<FreshSpec> fresh;
  Names shaped;  // storage that outputs name, as recorded
  std::vector<RecordedDraw> draws;
  std::vector<RecordedBound> bounds;
  std::unique_ptr<CapturedGraph> graph;
};

// ---- the first two calls
std::vector<Tensor> JitCore::Impl::first(const std::vector<Tensor>& bound, JitBody& body) {
  Recorder recorder(Recorder::Mode::Watch);
  std::vector<Tensor> out = body.run(bound);
  settle(out);
  prints = std::move(recorder.prints());
  used = recorder.storage();
  return out;
}

// Nothing of this object changes before all has gone well.
std::vector<Tensor> JitCore::Impl::record(const std::vector<Tensor>& bound,
                                          const std::vector<Bound>& places,
                                          const JitArguments& given, JitBody& body) {
  const auto is_used = [&](Buffer* b) {
    return std::ranges::any_of(parts_of(b), [&](Buffer* part) { return used.contains(part); });
  };
  realize_states(pending_assignments(is_used));
  // What the function overwrites, it has overwritten before. Values that depend on it are not the
  // function's: computed while it is recorded, they would change with every replay.
  save_readers([&](Buffer* b) { return b->executed_version() != 0 && is_used(b); });
  Recorder recorder(Recorder::Mode::Record);
  std::vector<Tensor> out = body.run(bound);
  settle(out);
  check_recorded_bindings(recorder, bindings_of(places, given));
  describe(places);
  sizes = describe_sizes(given.sizes);
  std::vector<Buffer*> inputs;
  for (const Bound& b : places) append_parts(b.storage, inputs);
  const std::vector<Buffer*> outs = describe_outputs(out, places, recorder);
  graph = std::make_unique<CapturedGraph>(recorder, inputs, outs);
  draws = recorder.draws();
  bounds = recorder.bounds();
  shaped.clear();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const OutputSpec& o = outputs[i];
    if (o.storage) shaped.emplace(o.storage.get(), o.base);
    if (o.kind != OutputSpec::Kind::Copied) continue;
    // The function keeps this tensor, which replays will write: the caller gets a value of its own.
    const UOp copy = copy_of_storage(o.base, *o.storage);
    out[i] = Tensor(make_state(rebase(o.node, copy, o.base.node())));
  }
  std::string changed = recorded_difference(prints, recorder.prints());
  const std::vector<double>& now = given.numbers;
  for (size_t i = 0; i < std::min(now.size(), numbers.size()) && changed.empty(); ++i) {
    if (now[i] != numbers[i]) changed = fmt::format("{} became {}", numbers[i], now[i]);
  }
  if (!changed.empty()) {
    log_text(
        fmt::format("{}: {} between the first two calls, but numbers of the host are frozen by "
                    "the second. Hint: pass a Tensor, which is bound at every call.",
                    kTinyJit, changed));
  }
  return out;
}

void JitCore::Impl::describe(const std::vector<Bound>& places) {
  arguments.clear();
  for (const Bound& b : places) {
    const auto same = [&](const Bound& o) { return o.storage == b.storage; };
    const auto alias = static_cast<size_t>(std::ranges::find_if(places, same) - places.begin());
    arguments.push_back({b.node.shape_vec(), b.node.dtype(), b.node.device(), over_param(b), alias,
                         b.storage->axis()});
  }
}

// A result can be written to new storage at each replay if nobody else can see where it is now.
std::vector<Buffer*> JitCore::Impl::describe_outputs(const std::vector<Tensor>& results,
                                                     const std::vector<Bound>& places,
                                                     const Recorder& recorder) {
  std::vector<Buffer*> fresh_buffers;
  outputs.clear();
  fresh.clear();
  const auto part_made = [&](Buffer* b) {
    return std::ranges::any_of(recorder.runs(), [&](const RecordedRun& run) {
      for (size_t i = 0; i < run.storage.size(); ++i) {
        if (run.storage[i].get() == b) return !run.plan->schedule.buffers[i].external;
      }
      return false;
    });
  };
  const auto made = [&](Buffer* b) { return std::ranges::all_of(parts_of(b), part_made); };
  const auto seen = [&](const UOp& base) {
    for (const auto& s : live_states()) {
      if (storage_under(s->node()) != base) continue;
      const auto is = [&](const Tensor& t) { return t.state() == s; };
      const auto mine = std::ranges::count_if(results, is);
      if (s.use_count() - 1 > mine) return true;  // somebody holds it besides the results and `s`
    }
    return false;
  };
  for (const Tensor& t : results) {
    const UOp node = t.state()->node(), base = storage_under(node);
    OutputSpec o{OutputSpec::Kind::Constant, node, base};
    if (base) {
      Buffer* b = storage_of(base);
      const auto same = [&](const Bound& p) { return p.storage == b; };
      const auto input = std::ranges::find_if(places, same);
      if (input != places.end()) {
        o.kind = OutputSpec::Kind::Input;
        o.slot = static_cast<size_t>(input - places.begin());
      } else if (!made(b) || options.alias_outputs || seen(base)) {
        o.kind = made(b) && !options.alias_outputs ? OutputSpec::Kind::Copied
                                                   : OutputSpec::Kind::Storage;
        o.storage = Ref<Buffer>::share(b);
      } else {
        o.kind = OutputSpec::Kind::Fresh;
        o.slot = static_cast<size_t>(std::ranges::find(fresh_buffers, b) - fresh_buffers.begin());
        if (o.slot == fresh_buffers.size()) {
          fresh_buffers.push_back(b);
          fresh.push_back({base.shape_vec(), base.dtype(), base.device(), b->axis()});
        }
      }
    }
    if (o.kind == OutputSpec::Kind::Fresh || o.kind == OutputSpec::Kind::Input) {
      // The recorded storage belongs to the caller.
      o.base = param(0, base.shape_vec(), base.dtype());
      o.node = rebase(node, o.base, base.node());
    }
    outputs.push_back(std::move(o));
  }
  std::vector<Buffer*> parts;
  for (Buffer* b : fresh_buffers) append_parts(b, parts);
  return parts;
}

// ---- checks of later calls
void JitCore::Impl::check(const std::vector<Bound>& places,
                          const JitArguments& arguments_given) const {
  const std::vector<double>& given = arguments_given.numbers;
  check_sizes(sizes, arguments_given.sizes);
  if (places.size() != arguments.size() || given.size() != numbers.size()) {
    user_error<ArgumentError>(
        kTinyJit,
        fmt::format("called with {} tensors and {} numbers, captured with {} and {}", places.size(),
                    given.size(), arguments.size(), numbers.size()),
        "Hint: use one TinyJit for each kind of call.");
  }
  for (size_t i = 0; i < places.size(); ++i) check_argument(i, places[i], places);
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] == numbers[i]) continue;
    user_error<ArgumentError>(
        kTinyJit,
        fmt::format("number {} was frozen at capture: {}, called with {}", i, numbers[i], given[i]),
        "Hint: pass a Tensor, which is bound at every call.");
  }
}

void JitCore::Impl::check_argument(size_t i, const Bound& b,
                                   const std::vector<Bound>& places) const {
  const ArgumentSpec& a = arguments[i];
  if (!std::ranges::equal(b.node.shape(), a.shape)) {
    user_error<ShapeError>(kTinyJit,
                           fmt::format("argument {} changed its shape: captured with {}, called "
                                       "with {}",
                                       i, text(a.shape), text(b.node.shape())),
                           "Hint: use one TinyJit for each shape.");
  }
  if (b.node.dtype() != a.dtype) {
    user_error<DTypeError>(kTinyJit,
                           fmt::format("argument {} changed its dtype: captured with {}, called "
                                       "with {}",
                                       i, dtype_name(a.dtype), dtype_name(b.node.dtype())),
                           "Hint: cast it.");
  }
  if (b.node.device() != a.device) {
    user_error<DeviceError>(kTinyJit,
                            fmt::format("argument {} changed its device: captured on {}, called on "
                                        "{}",
                                        i, symbol_name(a.device), symbol_name(b.node.device())),
                            "Hint: move it with to().");
  }
  if (b.storage->axis() != a.axis) {
    const auto lies = [](int axis) {
      return axis < 0 ? std::string("whole on each device")
                      : fmt::format("split along axis {}", axis);
    };
    user_error<ArgumentError>(kTinyJit,
                              fmt::format("argument {} of shape {} is {}, at capture it was {}", i,
                                          text(a.shape), lies(b.storage->axis()), lies(a.axis)),
                              "Hint: use one TinyJit for each way.");
  }
  if (over_param(b) != a.view) {
    user_error<ArgumentError>(kTinyJit,
                              fmt::format("argument {} of shape {} is another view of its storage "
                                          "than at capture",
                                          i, text(a.shape)),
                              "Hint: pass contiguous() in every call.");
  }
  for (size_t other = 0; other < i; ++other) {
    const bool now = places[other].storage == b.storage, then = arguments[other].alias == a.alias;
    if (now == then) continue;
    user_error<ArgumentError>(
        kTinyJit,
        now ? fmt::format("arguments {} and {} share storage, which they did not at capture", other,
                          i)
            : fmt::format("arguments {} and {} shared storage at capture, now they do not", other,
                          i),
        now ? "Hint: pass clone() of one of them."
            : "Hint: use one TinyJit for each kind of call.");
  }
  bool written = false;
  if (uses(*graph, b.storage, written) && (written || writes_argument(i, places))) {
    user_error<ArgumentError>(kTinyJit,
                              fmt::format("argument {} shares storage with a tensor that the "
                                          "function uses otherwise and one of them is assigned to",
                                          i),
                              "Hint: pass clone().");
  }
}

bool JitCore::Impl::writes_argument(size_t i, const std::vector<Bound>& places) const {
  size_t first = 0;
  for (size_t k = 0; k < i; ++k) first += parts_of(places[k].storage).size();
  const size_t end = first + parts_of(places[i].storage).size();
  while (first < end && !graph->writes_input(first)) ++first;
  return first < end;
}

// ---- later calls
std::vector<Tensor> JitCore::Impl::replay(const std::vector<Bound>& places,
                                          const JitArguments& given) {
  for (size_t i = 0; i < places.size(); ++i) check_current(i, places[i]);
  check(places, given);
  const Bindings bindings = bindings_of(places, given);
  check_bounds(bounds, bindings);
  std::vector<Buffer*> inputs, outs;
  std::vector<UOp> made;
  for (const Bound& b : places) append_parts(b.storage, inputs);
  for (const FreshSpec& f : fresh) {
    made.push_back(empty_buffer(f.shape, f.dtype, symbol_name(f.id), f.axis));
    append_parts(storage_of(made.back()), outs);
  }
  std::vector<Buffer*> written;
  const auto note = [&](Buffer* b) {
    if (std::ranges::find(written, b) == written.end()) written.push_back(b);
  };
  for (const Ref<Buffer>& b : graph->overwritten()) note(&b->whole());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (graph->writes_input(i)) note(&inputs[i]->whole());
  }
  if (!written.empty()) {
    save_readers([&](Buffer* b) { return std::ranges::find(written, b) != written.end(); });
  }
  for (const RecordedDraw& d : draws) draw_again(*d.state, d.numbers);
  graph->replay(inputs, outs, bindings);
  return results(places, made, rename(written, shaped), bindings);
}

std::vector<Tensor> JitCore::Impl::results(const std::vector<Bound>& places,
                                           const std::vector<UOp>& made, const Names& names,
                                           const Bindings& bindings) const {
  std::vector<Tensor> out;
  for (const OutputSpec& o : outputs) {
    UOp base;
    if (o.kind == OutputSpec::Kind::Fresh) base = made[o.slot];
    if (o.kind == OutputSpec::Kind::Input) base = places[o.slot].base;
    if (o.kind == OutputSpec::Kind::Storage || o.kind == OutputSpec::Kind::Copied) base = o.base;
    if (o.kind != OutputSpec::Kind::Constant && o.kind != OutputSpec::Kind::Fresh) {
      Buffer* b = o.kind == OutputSpec::Kind::Input ? places[o.slot].storage : o.storage.get();
      if (auto it = names.find(b); it != names.end()) base = it->second;
    }
    if (o.kind == OutputSpec::Kind::Copied) base = copy_of_storage(o.base, *o.storage);
    const UOp value = base ? rebase(o.node, base, o.base.node()) : o.node;
    out.push_back(Tensor(make_state(rebound(value, bindings))));
  }
  return out;
}

// ---- the object
JitCore::JitCore(const JitOptions& options) : impl_(std::make_unique<Impl>(options)) {}
JitCore::~JitCore() = default;
JitCore::JitCore(JitCore&&) noexcept = default;
JitCore& JitCore::operator=(JitCore&&) noexcept = default;

std::vector<Tensor> JitCore::call(const JitArguments& given, JitBody& body) {
  if (Recorder::current() != nullptr) return body.run(given.tensors);
  std::vector<Tensor> bound = given.tensors;
  std::vector<Bound> places;
  const std::string home = home_of(bound);
  for (Tensor& t : bound) places.push_back(bind(t, home));
  if (impl_->calls == 2) {
    if (const uint64_t made = assignments_made(); made != impl_->assignments_seen) {
      impl_->assignments_seen = made;
      bool written = false;
      realize_states(
          pending_assignments([&](Buffer* b) { return uses(*impl_->graph, b, written); }));
      places.clear();
      for (Tensor& t : bound) places.push_back(bind(t, home));
    }
    return impl_->replay(places, given);
  }
  std::vector<Tensor> out =
      impl_->calls == 0 ? impl_->first(bound, body) : impl_->record(bound, places, given, body);
  impl_->numbers = given.numbers;
  ++impl_->calls;
  return out;
}

JitStats JitCore::stats() const {
  if (!impl_->graph) return {};
  const CaptureStats& s = impl_->graph->stats();
  return {true, s.launches, s.kernels, s.once, s.arena_bytes, s.lower_bound};
}

void JitCore::reset() { impl_ = std::make_unique<Impl>(impl_->options); }

}  // namespace tg::detail
