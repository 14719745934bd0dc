// From a recording to a table of pointers: values get a kind, constant parts are set apart, batches
// are found again over all runs, the rest is planned. See capture.h.
#include "engine/capture.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/launch.h"
#include "engine/phased_program.h"
#include "engine/state.h"
#include "schedule/accesses.h"
#include "schedule/batch_kernels.h"
#include "support/check.h"
#include "support/forks.h"
#include "support/log.h"
#include "support/profile.h"
#include "support/text.h"
#include "uop/devices.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr int64_t kWorkspaceAlignment = 64;

enum class SlotKind : uint8_t { Input, Output, Fixed, Temporary };

// A piece of memory that the recorded kernels touch.
struct Value {
  SlotKind kind = SlotKind::Temporary;
  size_t slot = 0;      // of Input and Output
  Ref<Buffer> storage;  // of Fixed
  Device* device = nullptr;
  const Node* node = nullptr;  // one that has its shape
  int64_t bytes = 0;
  bool written = false;
  bool constant = false;
  bool kept = false;  // constant, and read at each replay
};

struct Item {
  const ScheduleItem* scheduled = nullptr;
  ReadyKernelRef kernel;
  Device* device = nullptr;
  std::vector<int> values;  // by slot
  std::vector<Access> accesses;
  const Bindings* bindings = nullptr;
  bool once = true;
  int step = 0;               // among those that run as often
  size_t place = 0;           // of its first pointer in the table
  size_t first_variable = 0;  // place of its first variable's value
};

}  // namespace

class CaptureBuilder {
 public:
  CaptureBuilder(CapturedGraph& out, const Recorder& recording, std::span<Buffer* const> inputs,
                 std::span<Buffer* const> outputs)
      : out_(out), recording_(recording), inputs_(inputs), outputs_(outputs) {}

  void build() {
    count_references();
    for (size_t r = 0; r < recording_.runs().size(); ++r) add_run(r);
    find_constants();
    place_items();
    plan_arenas();
    plan_workspaces();
    out_.input_places_.resize(inputs_.size());
    out_.output_places_.resize(outputs_.size());
    for (const Buffer* b : inputs_) out_.input_devices_.push_back(&b->device());
    for (const Buffer* b : outputs_) out_.output_devices_.push_back(&b->device());
    for (Item& item : items_) fill_table(item);
    emit_launches();
    make_steps();
    summarise();
  }

 private:
  // ---- values
  void count_references() {
    for (const RecordedRun& run : recording_.runs()) {
      for (const Ref<Buffer>& s : run.storage) {
        if (s) ++references_[s.get()];
      }
    }
    for (const RecordedDraw& d : recording_.draws()) draws_.insert_or_assign(d.state.get(), true);
  }

  int value_of(size_t run_index, int b) {
    const RecordedRun& run = recording_.runs()[run_index];
    const auto i = static_cast<size_t>(b);
    const Ref<Buffer>& s = run.storage[i];
    if (s) return value_of_storage(s, run.plan->schedule.buffers[i]);
    const int owner = run.plan->storage_of[i];
    auto [it, fresh] =
        temporaries_.try_emplace({run_index, owner}, static_cast<int>(values_.size()));
    if (fresh) {
      const Plan::Place place = run.plan->places[i];
      const Node* n = run.plan->schedule.buffers[i].node;
      Value v;
      v.node = n;
      v.device = run.plan->arenas[static_cast<size_t>(place.arena)].device;
      v.bytes = numel(n->shape()) * dtype_size(n->dtype);
      values_.push_back(std::move(v));
    }
    return it->second;
  }

  int value_of_storage(const Ref<Buffer>& s, const ScheduledBuffer& buffer) {
    auto [it, fresh] = by_storage_.try_emplace(s.get(), static_cast<int>(values_.size()));
    if (!fresh) return it->second;
    Value v;
    v.node = buffer.node;
    v.device = &s->device();
    v.bytes = s->bytes();
    const auto find = [&](std::span<Buffer* const> list) {
      return static_cast<size_t>(std::ranges::find(list, s.get()) - list.begin());
    };
    if (const size_t in = find(inputs_); in < inputs_.size()) {
      v.kind = SlotKind::Input;
      v.slot = in;
    } else if (const size_t o = find(outputs_); o < outputs_.size()) {
      v.kind = SlotKind::Output;
      v.slot = o;
    } else if (buffer.external || s->use_count() > references_.at(s.get())) {
      v.kind = SlotKind::Fixed;
      v.storage = s;
    }
    values_.push_back(std::move(v));
    return it->second;
  }

  // ---- items
  static bool takes_variables(const ReadyKernel& k) {
    return std::ranges::any_of(k.vars, [](const UOp& v) { return v.is(Op::Var); });
  }

  void add_run(size_t run_index) {
    const Plan& plan = *recording_.runs()[run_index].plan;
    for (size_t i = 0; i < plan.schedule.items.size(); ++i) {
      Item item;
      item.scheduled = &plan.schedule.items[i];
      item.kernel = plan.kernels[i];
      item.device = plan.devices[i];
      item.bindings = &recording_.runs()[run_index].bindings;
      item.once = item.kernel == nullptr || !takes_variables(*item.kernel);
      for (int b : item.scheduled->buffers) item.values.push_back(value_of(run_index, b));
      item.accesses = accesses_of(*item.scheduled);
      note_writes(item);
      items_.push_back(std::move(item));
    }
  }

  void note_writes(const Item& item) {
    for (size_t k = 0; k < item.values.size(); ++k) {
      Value& v = value(item.values[k]);
      v.written = v.written || item.accesses[k].writes;
    }
  }

  Value& value(int i) { return values_[static_cast<size_t>(i)]; }

  // An item runs once if all that it reads is constant and it makes a temporary; a temporary is
  // constant if all items that write it run once. The largest such set, by striking out.
  void find_constants() {
    for (Value& v : values_) {
      const bool is_draw = v.storage && draws_.contains(v.storage.get());
      v.constant =
          v.kind == SlotKind::Temporary || (v.kind == SlotKind::Fixed && !v.written && !is_draw);
    }
    strike_out();
    while (drop_large_constants()) strike_out();
  }

  void strike_out() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Item& item : items_) {
        for (size_t k = 0; k < item.values.size() && item.once; ++k) {
          const Value& v = value(item.values[k]);
          item.once = v.constant && (!item.accesses[k].writes || v.kind == SlotKind::Temporary);
        }
        if (item.once) continue;
        for (size_t k = 0; k < item.values.size(); ++k) {
          Value& v = value(item.values[k]);
          if (!item.accesses[k].writes || !v.constant) continue;
          v.constant = false;
          changed = true;
        }
      }
    }
  }

  // What replays read of the results of weights stays in memory. Those that are larger than the
  // weights that they are made of (int8 as float32) would multiply the memory of a model: several
  // of them are computed at each replay instead, where they share the arena. A single one stays,
  // for the arena would be as large; so does what is small or made of no storage. True if some were
  // dropped.
  bool drop_large_constants() {
    constexpr int64_t kSmall = 1 << 16;
    std::vector<std::set<int>> made_of(values_.size());
    for (Value& v : values_) v.kept = false;
    for (const Item& item : items_) {
      std::set<int> sources;
      for (const int i : item.values) {
        if (value(i).kind == SlotKind::Fixed && value(i).constant) sources.insert(i);
        if (value(i).constant) sources.merge(std::set(made_of[static_cast<size_t>(i)]));
      }
      for (size_t k = 0; k < item.values.size(); ++k) {
        const int i = item.values[k];
        if (value(i).kind != SlotKind::Temporary || !value(i).constant) continue;
        if (!item.once)
          value(i).kept = true;
        else if (item.accesses[k].writes)
          made_of[static_cast<size_t>(i)] = sources;
      }
    }
    std::vector<int> large;
    for (size_t i = 0; i < values_.size(); ++i) {
      int64_t weights = kSmall;
      for (const int s : made_of[i]) weights += value(s).bytes;
      if (values_[i].kept && !made_of[i].empty() && values_[i].bytes > weights)
        large.push_back(static_cast<int>(i));
    }
    if (large.size() < 2) return false;
    for (const int i : large) value(i).constant = false;
    return true;
  }

  // Batches over all runs: first what runs once, then what runs at each replay.
  void place_items() {
    std::vector<Item> placed;
    for (bool once : {true, false}) {
      std::vector<size_t> which;
      std::vector<ScheduleItem> scheduled;
      for (size_t i = 0; i < items_.size(); ++i) {
        if (items_[i].once != once) continue;
        which.push_back(i);
        scheduled.push_back(
            {items_[i].scheduled->kernel, items_[i].values, device_id(items_[i].device->name())});
      }
      if (which.empty()) continue;
      const Target& target = items_[which[0]].device->target();
      for (const Placed& p : batch_kernels(scheduled, value_buffers(), kept_values(), target)) {
        placed.push_back(std::move(items_[which[p.item]]));
        placed.back().step = p.step;
      }
    }
    items_ = std::move(placed);
  }

  std::vector<ScheduledBuffer> value_buffers() const {
    std::vector<ScheduledBuffer> out;
    for (const Value& v : values_) out.push_back({v.node});
    return out;
  }

  std::vector<bool> kept_values() const {
    std::vector<bool> out;
    for (const Value& v : values_) out.push_back(v.kind != SlotKind::Temporary);
    return out;
  }

  // Constants that replays read get storage of their own, other temporaries a place in their
  // device's arena: those of what runs once are gone when replays use it.
  void plan_arenas() {
    std::vector<Lifetime> lives(values_.size());
    for (const Item& item : items_) {
      for (int v : item.values) {
        Lifetime& l = lives[static_cast<size_t>(v)];
        if (l.bytes == 0) l = {std::max<int64_t>(1, value(v).bytes), item.step, 0};
        l.last = item.step;
      }
    }
    pointers_.resize(values_.size(), nullptr);
    std::vector<Device*> devices;
    for (size_t v = 0; v < values_.size(); ++v) {
      Value& x = values_[v];
      if (x.kind == SlotKind::Temporary && x.kept && x.constant)
        x.storage = make_ref<Buffer>(*x.device, x.bytes);
      if (x.storage) {
        pointers_[v] = x.storage->data();
        out_.held_.push_back(x.storage);
      } else if (x.kind == SlotKind::Temporary &&
                 std::ranges::find(devices, x.device) == devices.end()) {
        devices.push_back(x.device);
      }
    }
    for (Device* d : devices) plan_arena(*d, lives);
  }

  void plan_arena(Device& d, std::span<const Lifetime> lives) {
    std::array<std::vector<size_t>, 2> members;  // of what runs once, of replays
    std::array<MemoryPlan, 2> plans;
    for (const size_t replays : {0, 1}) {
      std::vector<Lifetime> of_members;
      for (size_t v = 0; v < values_.size(); ++v) {
        const Value& x = values_[v];
        const bool here = x.kind == SlotKind::Temporary && !x.storage && x.device == &d;
        if (!here || x.constant == (replays == 1)) continue;
        members[replays].push_back(v);
        of_members.push_back(lives[v]);
      }
      plans[replays] = plan_memory(of_members);
    }
    const int64_t bytes = std::max(plans[0].bytes, plans[1].bytes);
    Ref<Buffer> arena = make_ref<Buffer>(d, bytes);
    for (const size_t replays : {0, 1}) {
      for (size_t m = 0; m < members[replays].size(); ++m)
        pointers_[members[replays][m]] =
            static_cast<std::byte*>(arena->data()) + plans[replays].offsets[m];
    }
    out_.arenas_.push_back(std::move(arena));
    out_.stats_.arena_bytes += bytes;
    out_.stats_.lower_bound += std::max(plans[0].lower_bound, plans[1].lower_bound);
  }

  // The arrays of kernels of phases. Launches come one after the other, so all of a device share
  // one block.
  void plan_workspaces() {
    std::map<Device*, int64_t> bytes;
    std::vector<Device*> devices;
    for (const Item& item : items_) {
      const PhasedProgram* phased = phases_of(item);
      if (phased == nullptr) continue;
      int64_t sum = 0;
      for (const int64_t n : phased->workspace_bytes()) sum += aligned(n);
      const auto [known, fresh] = bytes.try_emplace(item.device, sum);
      if (fresh) devices.push_back(item.device);
      known->second = std::max(known->second, sum);
    }
    for (Device* d : devices) {
      out_.arenas_.push_back(make_ref<Buffer>(*d, bytes[d]));
      workspaces_.emplace(d, static_cast<std::byte*>(out_.arenas_.back()->data()));
    }
  }

  static const PhasedProgram* phases_of(const Item& item) {
    if (item.once || !item.kernel) return nullptr;
    return dynamic_cast<const PhasedProgram*>(item.kernel->program.get());
  }

  static int64_t aligned(int64_t bytes) {
    return (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
  }

  void append_workspaces(const Item& item) {
    const PhasedProgram* phased = phases_of(item);
    if (phased == nullptr) return;
    out_.table_.resize(item.place + phased->first_workspace(), nullptr);
    std::byte* next = workspaces_.at(item.device);
    for (const int64_t n : phased->workspace_bytes()) {
      out_.table_.push_back(next);
      next += aligned(n);
    }
  }

  void fill_table(Item& item) {
    item.place = out_.table_.size();
    for (size_t slot = 0; slot < item.values.size(); ++slot) {
      const int i = item.values[slot];
      const Value& v = value(i);
      const int64_t offset = item.kernel ? item.kernel->offset(slot) : 0;
      const CapturedGraph::Place place{static_cast<uint32_t>(out_.table_.size()), offset};
      if (v.kind == SlotKind::Input) out_.input_places_[v.slot].push_back(place);
      if (v.kind == SlotKind::Output) out_.output_places_[v.slot].push_back(place);
      out_.table_.push_back(moved(pointers_[static_cast<size_t>(i)], offset));
    }
    append_workspaces(item);
    item.first_variable = out_.values_.size();
    if (!item.kernel) return;
    for (const UOp& v : item.kernel->vars) {
      if (v.is(Op::Var))
        out_.value_places_.emplace_back(v, static_cast<uint32_t>(out_.values_.size()));
      item.bindings->append({&v, 1}, out_.values_);
    }
  }

  void emit_launches() {
    for (auto begin = items_.begin(); begin != items_.end();) {
      const auto joins = [](const Item& a, const Item& b) {
        return a.once == b.once && run_together(a.step, a.kernel.get(), b.step, b.kernel.get());
      };
      auto end = begin + 1;
      while (end != items_.end() && joins(*(end - 1), *end)) ++end;
      emit(std::span(begin, end));
      begin = end;
    }
  }

  void emit(std::span<const Item> items) {
    const bool once = items[0].once;
    CapturedGraph::Launch l;
    l.device = items[0].device;
    l.first = out_.calls_.size();
    l.count = items.size();
    if (!items[0].kernel) {
      l.first = items[0].place;
      l.source = value(items[0].values[1]).device;
      l.bytes = value(items[0].values[0]).bytes;
    }
    for (const Item& item : items) {
      if (item.kernel) add_call(item);
      if (once) note_sources(item);
    }
    (once ? out_.prologue_ : out_.launches_).push_back(l);
    (once ? out_.stats_.once : out_.stats_.kernels) += std::ssize(items);
    if (!once) out_.by_device_.add(*l.device, std::ssize(items));
  }

  void add_call(const Item& item) {
    void* const* pointers = out_.table_.data() + item.place;
    const int64_t* variables = out_.values_.data() + item.first_variable;
    out_.calls_.push_back({item.kernel->program.get(),
                           {pointers, item.values.size()},
                           {variables, item.kernel->vars.size()}});
    out_.kernels_.push_back(item.kernel);
    if (item.once) return;
    out_.flops_ += item.kernel->flops;
    out_.bytes_ += item.kernel->bytes;
  }

  void note_sources(const Item& item) {
    for (int i : item.values) {
      const Ref<Buffer>& s = value(i).storage;
      if (value(i).kind == SlotKind::Fixed)
        out_.prologue_sources_.push_back({s, s->executed_version()});
    }
  }

  void make_steps() {
    std::vector<bool> varying_pointers(out_.table_.size()), varying_numbers(out_.values_.size());
    for (const auto* places : {&out_.input_places_, &out_.output_places_}) {
      for (const std::vector<CapturedGraph::Place>& of_one : *places) {
        for (const CapturedGraph::Place& place : of_one) varying_pointers[place.at] = true;
      }
    }
    for (const auto& [variable, place] : out_.value_places_) varying_numbers[place] = true;
    const auto any = [](const std::vector<bool>& varying, std::ptrdiff_t first, size_t count) {
      const auto begin = varying.begin() + first;
      return std::find(begin, begin + static_cast<std::ptrdiff_t>(count), true) !=
             begin + static_cast<std::ptrdiff_t>(count);
    };
    const auto varies = [&](const Call& c) {
      return any(varying_pointers, c.buffers.data() - out_.table_.data(), c.buffers.size()) ||
             any(varying_numbers, c.vars.data() - out_.values_.data(), c.vars.size());
    };
    for (const CapturedGraph::Launch& l : out_.launches_) {
      if (l.source != nullptr) {
        out_.steps_.add_copy(*l.device, *l.source, out_.table_.data() + l.first, l.bytes);
      } else {
        out_.steps_.add_launch(*l.device, std::span(out_.calls_).subspan(l.first, l.count),
                               std::span(out_.kernels_).subspan(l.first, l.count), varies);
      }
    }
  }

  void summarise() {
    out_.input_written_.resize(inputs_.size(), false);
    for (const Value& v : values_) {
      if (v.kind == SlotKind::Input && v.written) out_.input_written_[v.slot] = true;
      if (v.kind == SlotKind::Fixed && v.written) out_.overwritten_.push_back(v.storage);
    }
    out_.stats_.launches = static_cast<int64_t>(out_.launches_.size());
  }

  CapturedGraph& out_;
  const Recorder& recording_;
  std::span<Buffer*const> inputs_, outputs_;
  std::vector<Value> values_;
  std::vector<Item> items_;
  std::vector<void*> pointers_;
  std::map<Device*, std::byte*> workspaces_;
  std::unordered_map<Buffer*, uint32_t> references_;
  std::unordered_map<Buffer*, bool> draws_;
  std::unordered_map<Buffer*, int> by_storage_;
  std::map<std::pair<size_t, int>, int> temporaries_;
};

namespace {

void check_devices(std::string_view what, std::span<Buffer* const> now,
                   std::span<const Device* const> then) {
  for (size_t i = 0; i < now.size(); ++i) {
    if (&now[i]->device() == then[i]) continue;
    user_error<DeviceError>("TinyJit",
                            fmt::format("{} {} lives on {}, but was captured on {}", what, i,
                                        now[i]->device().name(), then[i]->name()),
                            "Hint: move it with to().");
  }
}

}  // namespace

CapturedGraph::CapturedGraph(const Recorder& recording, std::span<Buffer* const> inputs,
                             std::span<Buffer* const> outputs) {
  CaptureBuilder(*this, recording, inputs, outputs).build();
  const auto bytes = [](int64_t n) { return human_bytes(static_cast<uint64_t>(n)); };
  debug_log(1, "captured {} kernels in {} launches, {} more run once, temporaries {} (at least {})",
            stats_.kernels, stats_.launches, stats_.once, bytes(stats_.arena_bytes),
            bytes(stats_.lower_bound));
}

CapturedGraph::~CapturedGraph() = default;

void CapturedGraph::replay(std::span<Buffer* const> inputs, std::span<Buffer* const> outputs,
                           const Bindings& bindings) {
  const Computing mark("replay");
  TG_CHECK(inputs.size() == input_places_.size() && outputs.size() == output_places_.size(),
           "replayed with {} inputs and {} outputs", inputs.size(), outputs.size());
  check_devices("argument", inputs, input_devices_);
  check_devices("result", outputs, output_devices_);
  run_prologue();
  for (size_t i = 0; i < inputs.size(); ++i) set(input_places_[i], inputs[i]->data());
  for (size_t i = 0; i < outputs.size(); ++i) set(output_places_[i], outputs[i]->data());
  for (const auto& [variable, value] : bindings.all()) {
    for (const auto& [v, place] : value_places_) {
      if (v == variable) values_[place] = value;
    }
  }
  if (options().check) {
    for (const Ref<Buffer>& a : arenas_) {
      if (!a->device().allocator().host_visible()) continue;
      std::memset(a->data(), kPoison, static_cast<size_t>(a->bytes()));
    }
  }
  if (debug_at(2) || profiling()) {
    run(launches_);
  } else {
    steps_.run();
    by_device_.submit();
  }
  count_launches(stats_.launches, by_device_, flops_, bytes_);
}

void CapturedGraph::set(std::span<const Place> places, void* array) {
  for (const Place& p : places) table_[p.at] = moved(array, p.offset);
}

void CapturedGraph::run_prologue() {
  bool current = prologue_done_;
  for (const Source& s : prologue_sources_) {
    current = current && s.storage->executed_version() == s.version;
  }
  if (current) return;
  prologue_done_ = false;
  run(prologue_);
  for (Source& s : prologue_sources_) s.version = s.storage->executed_version();
  prologue_done_ = true;
}

void CapturedGraph::run(const std::vector<Launch>& launches) {
  const bool report = debug_at(2) || profiling();
  for (const Launch& l : launches) {
    if (l.source != nullptr) {
      void* const* pointers = table_.data() + l.first;
      copy_between(*l.device, {pointers[0], l.bytes}, *l.source, {pointers[1], l.bytes});
      continue;
    }
    const std::span calls = std::span(calls_).subspan(l.first, l.count);
    if (report) {
      launch_and_report(*l.device, calls, std::span(kernels_).subspan(l.first, l.count));
    } else {
      launch(*l.device, calls);
    }
  }
}

bool CapturedGraph::uses(const Buffer* storage, bool& written) const {
  const auto is = [&](const Ref<Buffer>& b) { return b.get() == storage; };
  written = std::ranges::any_of(overwritten_, is);
  return std::ranges::any_of(held_, is);
}

}  // namespace tg
