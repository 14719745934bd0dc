// Canonical form, planning, the cache of plans. See plan.h.
#include "engine/plan.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "codegen/pipeline.h"
#include "engine/group_roots.h"
#include "engine/recorder.h"
#include "engine/state.h"
#include "kernel/asked_loops.h"
#include "rewrite/added_passes.h"
#include "support/check.h"
#include "support/options.h"
#include "support/symbol.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/device_groups.h"
#include "uop/devices.h"
#include "uop/shape.h"

namespace tg {
namespace {

struct PlanKey {
  UOp graph;
  std::string device;
  bool noopt;
  bool allow_tf32;
  bool validate;
  int nan_check;
  uint64_t passes;  // which the program has added
  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};
struct PlanKeyHash {
  size_t operator()(const PlanKey& k) const {
    return k.graph.hash() ^ std::hash<std::string>{}(k.device) ^ static_cast<size_t>(k.noopt) ^
           (static_cast<size_t>(k.validate) << 1) ^ (static_cast<size_t>(k.allow_tf32) << 2) ^
           (static_cast<size_t>(k.nan_check) << 40) ^ static_cast<size_t>(k.passes << 3);
  }
};

constexpr size_t kMaxPlans = 1024;

struct PlanCache {
  std::mutex lock;
  std::unordered_map<PlanKey, std::shared_ptr<const Plan>, PlanKeyHash> plans;
};

PlanCache& plan_cache() {
  static auto* c = new PlanCache;
  return *c;
}

DeviceId first_device(std::span<const UOp> roots) {
  for (const UOp& r : roots) {
    if (r.device() != 0) return r.device();
  }
  return 0;
}

// A graph is scheduled for the device of its first root; what others compute, for roots of their
// own or to be copied, is not given more arrays than they take.
Target target_of(const UOp& graph) {
  std::vector<DeviceId> known = {first_device(graph.srcs())};
  Target t = device_of(known[0]).target();
  for (const Node* n : toposort(graph)) {
    if (n->op != Op::Sink && n->op != Op::Copy) continue;
    for (const Node* s : n->src()) {
      if (std::ranges::find(known, s->device) != known.end()) continue;
      known.push_back(s->device);
      const int64_t most = device_of(s->device).target().max_arrays;
      if (most > 0) t.max_arrays = t.max_arrays > 0 ? std::min(t.max_arrays, most) : most;
    }
  }
  return t;
}

void compile_items(Plan& plan) {
  std::vector<ScheduleItem>& items = plan.schedule.items;
  plan.kernels.resize(items.size());
  std::unordered_map<Device*, std::vector<size_t>> by_device;
  std::vector<Device*> order;
  for (size_t i = 0; i < items.size(); ++i) {
    Device& d = device_of(items[i].device);
    plan.devices.push_back(&d);
    plan.by_device.add(d, 1);
    if (!items[i].kernel) continue;
    auto [it, fresh] = by_device.try_emplace(&d);
    if (fresh) order.push_back(&d);
    it->second.push_back(i);
  }
  for (Device* d : order) {
    std::vector<UOp> kernels;
    for (size_t i : by_device[d]) kernels.push_back(items[i].kernel);
    const auto ready = compile_kernels(*d, kernels);
    for (size_t k = 0; k < ready.size(); ++k) {
      plan.kernels[by_device[d][k]] = ready[k];
      plan.flops += ready[k]->flops;
      plan.bytes += ready[k]->bytes;
    }
  }
}

void find_launches(Plan& plan) {
  const std::vector<ScheduleItem>& items = plan.schedule.items;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && run_together(items[i - 1].step, plan.kernels[i - 1].get(), items[i].step,
                              plan.kernels[i].get())) {
      ++plan.launches.back().count;
    } else {
      plan.launches.push_back({i, 1});
    }
  }
}

// The array that a store writes to, or null.
const Node* stored_to(const Node* n) {
  if (n->op != Op::Store) return nullptr;
  const Node* pointer = n->src()[0];
  while (pointer->op == Op::After) pointer = pointer->src()[0];
  return pointer->op == Op::Param ? pointer : nullptr;
}

// Does the item write to storage that existed before?
bool overwrites(const Schedule& s, const ScheduleItem& item) {
  const auto is_overwritten = [&](int b) { return std::ranges::count(s.overwritten, b) > 0; };
  if (!item.kernel) return is_overwritten(item.buffers[0]);
  for (const Node* n : toposort(item.kernel)) {
    const Node* array = stored_to(n);
    if (array != nullptr && is_overwritten(item.buffers[static_cast<size_t>(array->arg()[0])]))
      return true;
  }
  return false;
}

size_t count_clean_launches(const Plan& plan) {
  if (plan.schedule.overwritten.empty()) return plan.launches.size();
  size_t clean = 0;
  for (const Plan::Launch& l : plan.launches) {
    const std::span items = std::span(plan.schedule.items).subspan(l.first, l.count);
    if (std::ranges::any_of(items, [&](const auto& i) { return overwrites(plan.schedule, i); }))
      break;
    ++clean;
  }
  return clean;
}

// Which buffers are temporaries: of those that share memory, the first stands for all.
struct Temporaries {
  std::vector<int> owners;
  std::vector<Lifetime> lifetimes;
};

std::unordered_map<Device*, Temporaries> find_temporaries(const Plan& plan,
                                                          std::vector<Device*>& order) {
  const Schedule& s = plan.schedule;
  std::vector<bool> keep(s.buffers.size(), false);
  for (int r : s.results) {
    if (r >= 0) keep[static_cast<size_t>(r)] = true;
  }
  std::unordered_map<Device*, Temporaries> out;
  std::unordered_map<int, std::pair<Device*, size_t>> known;
  for (size_t i = 0; i < s.items.size(); ++i) {
    for (int b : s.items[i].buffers) {
      const ScheduledBuffer& buffer = s.buffers[static_cast<size_t>(b)];
      if (buffer.external || keep[static_cast<size_t>(b)]) continue;
      const int owner = plan.storage_of[static_cast<size_t>(b)], at = s.items[i].step;
      auto [it, fresh] = known.try_emplace(owner, plan.devices[i], 0);
      Temporaries& t = out[it->second.first];
      if (fresh) {
        if (t.owners.empty()) order.push_back(plan.devices[i]);
        it->second.second = t.owners.size();
        t.owners.push_back(owner);
        t.lifetimes.push_back(
            {numel(buffer.node->shape()) * dtype_size(buffer.node->dtype), at, at});
      }
      t.lifetimes[it->second.second].last = at;
    }
  }
  return out;
}

void place_temporaries(Plan& plan) {
  std::vector<Device*> order;
  const auto by_device = find_temporaries(plan, order);
  plan.places.resize(plan.schedule.buffers.size());
  for (Device* d : order) {
    const Temporaries& t = by_device.at(d);
    const int arena = static_cast<int>(plan.arenas.size());
    plan.arenas.push_back({d, plan_memory(t.lifetimes)});
    for (size_t i = 0; i < t.owners.size(); ++i) {
      plan.places[static_cast<size_t>(t.owners[i])] = {arena, plan.arenas.back().memory.offsets[i]};
    }
  }
  for (size_t b = 0; b < plan.places.size(); ++b) {
    plan.places[b] = plan.places[static_cast<size_t>(plan.storage_of[b])];
  }
}

void find_homes(Plan& plan) {
  const Schedule& s = plan.schedule;
  plan.homes.resize(s.buffers.size(), nullptr);
  for (size_t b = 0; b < s.buffers.size(); ++b) {
    if (plan.places[b].arena >= 0) {
      plan.homes[b] = plan.arenas[static_cast<size_t>(plan.places[b].arena)].device;
    } else if (s.buffers[b].external) {
      plan.homes[b] = &device_of(s.buffers[b].node->device);
    }
  }
  // Results: where they are made.
  for (size_t i = 0; i < s.items.size(); ++i) {
    for (int b : s.items[i].buffers) {
      Device*& home = plan.homes[static_cast<size_t>(b)];
      if (home == nullptr) home = plan.devices[i];
    }
  }
  for (size_t b = 0; b < s.buffers.size(); ++b) {
    if (plan.homes[b] == nullptr) plan.homes[b] = &device_of(s.buffers[b].node->device);
  }
}

std::shared_ptr<const Plan> make_plan(const UOp& graph) {
  auto plan = std::make_shared<Plan>();
  const std::vector<UOp> roots = graph.srcs();
  plan->schedule = make_schedule(roots, target_of(graph), {.home = device_id(default_device())});
  count_scheduled(static_cast<int64_t>(plan->schedule.version_copies.size()));
  reuse_in_place(plan->schedule, plan->storage_of);
  compile_items(*plan);
  find_launches(*plan);
  plan->clean_launches = count_clean_launches(*plan);
  place_temporaries(*plan);
  find_homes(*plan);
  check_devices(*plan);
  return plan;
}

}  // namespace

void Bindings::add(const UOp& variable, int64_t value) {
  for (const auto& [known, bound] : all_) {
    if (known != variable) continue;
    if (bound == value) return;
    user_error<ArgumentError>("realize",
                              fmt::format("the variable {} is bound to {} and to {} in one graph",
                                          print_expr(variable), bound, value),
                              "Hint: realize() the values of one before the other is used.");
  }
  all_.emplace_back(variable, value);
}

bool Bindings::has(const UOp& variable) const {
  return std::ranges::any_of(all_, [&](const auto& b) { return b.first == variable; });
}

int64_t Bindings::value_of(const UOp& variable) const {
  for (const auto& [known, bound] : all_) {
    if (known == variable) return bound;
  }
  user_error<ArgumentError>("realize",
                            fmt::format("the variable {} has no value", print_expr(variable)),
                            "Hint: use what bind() returns.");
}

void Bindings::append(std::span<const UOp> variables, std::vector<int64_t>& values) const {
  for (const UOp& v : variables) values.push_back(v.is(Op::Const) ? v.arg(0) : value_of(v));
}

namespace {

bool has_own_gradient(const Node* n) { return n->op == Op::WithGradient; }
bool is_clone(const Node* n) {
  return n->op == Op::Contiguous && !n->arg().empty() && !has_asked_loops(UOp::share(n));
}
bool is_marked(const Node* n) { return has_own_gradient(n) || is_clone(n); }

// Whether a root that is a value of its own names none, or storage, without its marks.
bool loses_its_value(const Node* root, const UOp& plain) {
  return has_own_gradient(root) ||
         (storage_below(root) == nullptr && storage_below(plain.node()) != nullptr);
}

// The last of `order`, a graph in topological order, without what only gradients need: the
// functions by which values are differentiated and the numbers that tell clones apart. What is
// asked for stays a value of its own: a copy, where it would be mere storage or a view now.
UOp without_gradients(std::span<const Node* const> order) {
  std::unordered_map<const Node*, UOp> plain;
  std::vector<UOp> src;
  for (const Node* n : order) {
    src.clear();
    for (const Node* s : n->src()) {
      src.push_back(plain.at(s));
      if (n->op == Op::Sink && loses_its_value(s, src.back())) src.back() = copied(src.back());
    }
    plain.emplace(n, has_own_gradient(n) ? src[0]
                     : is_clone(n)       ? copied(src[0])
                                         : with_sources(UOp::share(n), src));
  }
  return plain.at(order.back());
}

// The variable that has this value in the graph: one of its own for each further value of a name.
// In a recorded call it is an error, for a replay could not tell which value comes from an
// argument.
UOp variable_of_value(Bindings& bindings, const UOp& named, int64_t value) {
  UOp variable = named;
  for (int64_t nth = 2; bindings.has(variable) && bindings.value_of(variable) != value; ++nth) {
    if (Recorder::current() != nullptr) break;
    variable = tg::variable(fmt::format("{}__{}", symbol_name(named.arg(0)), nth), named.arg(1),
                            named.arg(2));
  }
  bindings.add(variable, value);
  return variable;
}

}  // namespace

CanonicalGraph canonicalise(std::span<const UOp> roots) {
  CanonicalGraph g;
  UOp all = sink(roots);
  std::vector<const Node*> order = toposort(all);
  if (std::ranges::any_of(order, is_marked)) {
    all = without_gradients(order);
    order = toposort(all);
  }
  std::unordered_map<const Node*, UOp> slots;
  for (const Node* n : order) {
    if (n->op == Op::Bind) {
      slots.emplace(n, variable_of_value(g.bindings, UOp::share(n->src()[0]), n->arg()[0]));
    }
    if (n->op != Op::Buffer) continue;
    std::vector<int64_t> arg = {static_cast<int64_t>(g.arguments.size())};
    arg.insert(arg.end(), n->shape().begin(), n->shape().end());
    slots.emplace(n, make(Op::Param, {}, arg, n->dtype, n->device));
    g.arguments.push_back(UOp::share(n));
  }
  g.sink = substitute(all, slots);
  return g;
}

void check_devices(const Plan& plan) {
  const Schedule& s = plan.schedule;
  for (size_t i = 0; i < s.items.size(); ++i) {
    const ScheduleItem& item = s.items[i];
    // A copy reads another device.
    const size_t own = item.kernel ? item.buffers.size() : 1;
    for (size_t k = 0; k < own; ++k) {
      const auto b = static_cast<size_t>(item.buffers[k]);
      if (plan.homes[b] == plan.devices[i]) continue;
      user_error<DeviceError>(
          "realize",
          fmt::format("a {} on {} takes an array of shape {} that lives on {}",
                      item.kernel ? "kernel" : "copy", plan.devices[i]->name(),
                      format_shape(s.buffers[b].node->shape()), plan.homes[b]->name()),
          "Hint: move it with to().");
    }
  }
}

Device& device_of(DeviceId id) { return device(id == 0 ? default_device() : symbol_name(id)); }

std::shared_ptr<const Plan> plan_for(const UOp& graph) {
  PlanKey key{graph,
              default_device(),
              options().noopt,
              options().allow_tf32,
              options().validate,
              options().check_nan,
              listed_passes_version()};
  PlanCache& c = plan_cache();
  {
    std::lock_guard guard(c.lock);
    if (auto it = c.plans.find(key); it != c.plans.end()) return it->second;
  }
  std::shared_ptr<const Plan> plan = make_plan(graph);
  std::lock_guard guard(c.lock);
  if (c.plans.size() >= kMaxPlans) c.plans.clear();
  return c.plans.emplace(std::move(key), std::move(plan)).first->second;
}

namespace {

// A copy between devices as a graph: the array on the one, and what it becomes on the other.
UOp copy_of_array(const Schedule& schedule, const ScheduleItem& item) {
  const Node* from = schedule.buffers[static_cast<size_t>(item.buffers[1])].node;
  std::vector<int64_t> arg = {1};
  arg.insert(arg.end(), from->shape().begin(), from->shape().end());
  return copy_to(make(Op::Param, {}, arg, from->dtype, from->device), item.device);
}

}  // namespace

std::vector<UOp> items_for(std::span<const UOp> roots) {
  if (reaches_groups(roots)) return items_for(GroupRoots(roots).plain());
  const CanonicalGraph graph = canonicalise(roots);
  const Schedule schedule = make_schedule(graph.sink.srcs(), target_of(graph.sink),
                                          {.home = device_id(default_device())});
  std::vector<UOp> out;
  for (const ScheduleItem& item : schedule.items) {
    out.push_back(item.kernel ? run_kernel_passes(item.kernel, device_of(item.device).target())
                              : copy_of_array(schedule, item));
  }
  return out;
}

std::vector<UOp> kernels_for(std::span<const UOp> roots) {
  std::vector<UOp> items = items_for(roots);
  std::erase_if(items, [](const UOp& item) { return item.is(Op::Copy); });
  return items;
}

int64_t kept_plans() {
  std::lock_guard guard(plan_cache().lock);
  return static_cast<int64_t>(plan_cache().plans.size());
}

void clear_caches() {
  {
    std::lock_guard guard(plan_cache().lock);
    plan_cache().plans.clear();
  }
  clear_kernel_cache();
}

}  // namespace tg
