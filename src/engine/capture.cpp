// From a recording to a table of pointers: values get a kind, constant parts are set apart, the
// rest is planned. See capture.h.
#include "engine/capture.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "engine/launch.h"
#include "engine/state.h"
#include "support/check.h"
#include "support/log.h"
#include "support/profile.h"
#include "support/text.h"
#include "uop/shape.h"
#include "uop/walk.h"

namespace tg {
namespace {

constexpr int kPoison = 0xA5;

enum class Kind : uint8_t { Input, Output, Fixed, Temporary };

// A piece of memory that the recorded kernels touch.
struct Value {
  Kind kind = Kind::Temporary;
  size_t slot = 0;      // of Input and Output
  Ref<Buffer> storage;  // of Fixed
  Device* device = nullptr;
  int64_t bytes = 0;
  bool written = false;
  bool constant = false;
};

struct Item {
  ReadyKernelRef kernel;
  Device* device = nullptr;
  std::vector<int> values;  // by slot
  std::vector<bool> writes, reads;
  const Bindings* bindings = nullptr;
  bool once = true;
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
    plan_arenas();
    out_.input_places_.resize(inputs_.size());
    out_.output_places_.resize(outputs_.size());
    for (const Item& item : items_) emit(item);
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
    if (s) return value_of_storage(s, run.plan->schedule.buffers[i].external);
    const int owner = run.plan->storage_of[i];
    auto [it, fresh] =
        temporaries_.try_emplace({run_index, owner}, static_cast<int>(values_.size()));
    if (fresh) {
      const Plan::Place place = run.plan->places[i];
      const Node* n = run.plan->schedule.buffers[i].node;
      Value v;
      v.device = run.plan->arenas[static_cast<size_t>(place.arena)].device;
      v.bytes = numel(n->shape()) * dtype_size(n->dtype);
      values_.push_back(std::move(v));
    }
    return it->second;
  }

  int value_of_storage(const Ref<Buffer>& s, bool external) {
    auto [it, fresh] = by_storage_.try_emplace(s.get(), static_cast<int>(values_.size()));
    if (!fresh) return it->second;
    Value v;
    v.device = &s->device();
    v.bytes = s->bytes();
    const auto find = [&](std::span<Buffer* const> list) {
      return static_cast<size_t>(std::ranges::find(list, s.get()) - list.begin());
    };
    if (const size_t in = find(inputs_); in < inputs_.size()) {
      v.kind = Kind::Input;
      v.slot = in;
    } else if (const size_t o = find(outputs_); o < outputs_.size()) {
      v.kind = Kind::Output;
      v.slot = o;
    } else if (external || s->use_count() > references_.at(s.get())) {
      v.kind = Kind::Fixed;
      v.storage = s;
    }
    values_.push_back(std::move(v));
    return it->second;
  }

  // ---- items
  void add_run(size_t run_index) {
    const Plan& plan = *recording_.runs()[run_index].plan;
    for (size_t i = 0; i < plan.schedule.items.size(); ++i) {
      Item item;
      item.kernel = plan.kernels[i];
      item.device = plan.devices[i];
      item.bindings = &recording_.runs()[run_index].bindings;
      item.once = item.kernel == nullptr || item.kernel->vars.empty();
      const ScheduleItem& scheduled = plan.schedule.items[i];
      for (int b : scheduled.buffers) item.values.push_back(value_of(run_index, b));
      item.reads.resize(item.values.size(), item.kernel == nullptr);
      item.writes.resize(item.values.size(), false);
      if (item.kernel == nullptr) {
        item.writes[0] = true;
        item.reads[0] = false;
      } else {
        find_accesses(scheduled.kernel, item);
      }
      for (size_t k = 0; k < item.values.size(); ++k) {
        Value& v = value(item.values[k]);
        v.written = v.written || item.writes[k];
      }
      items_.push_back(std::move(item));
    }
  }

  static void find_accesses(const UOp& kernel, Item& item) {
    for (const Node* n : toposort(kernel)) {
      if (n->op != Op::Load && n->op != Op::Store) continue;
      const Node* pointer = n->src()[0];
      if (pointer->op != Op::Param) continue;
      (n->op == Op::Load ? item.reads : item.writes)[static_cast<size_t>(pointer->arg()[0])] = true;
    }
  }

  Value& value(int i) { return values_[static_cast<size_t>(i)]; }

  // An item runs once if all that it reads is constant and it makes a temporary; a temporary is
  // constant if all items that write it run once. The largest such set, by striking out.
  void find_constants() {
    for (Value& v : values_) {
      const bool is_draw = v.storage && draws_.contains(v.storage.get());
      v.constant = v.kind == Kind::Temporary || (v.kind == Kind::Fixed && !v.written && !is_draw);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (Item& item : items_) {
        for (size_t k = 0; k < item.values.size() && item.once; ++k) {
          const Value& v = value(item.values[k]);
          item.once = v.constant && (!item.writes[k] || v.kind == Kind::Temporary);
        }
        if (item.once) continue;
        for (size_t k = 0; k < item.values.size(); ++k) {
          Value& v = value(item.values[k]);
          if (!item.writes[k] || !v.constant) continue;
          v.constant = false;
          changed = true;
        }
      }
    }
  }

  // Constant temporaries get storage of their own, the others a place in their device's arena.
  void plan_arenas() {
    std::vector<Lifetime> lives(values_.size());
    for (size_t i = 0; i < items_.size(); ++i) {
      for (int v : items_[i].values) {
        Lifetime& l = lives[static_cast<size_t>(v)];
        if (l.bytes == 0) l = {std::max<int64_t>(1, value(v).bytes), static_cast<int>(i), 0};
        l.last = static_cast<int>(i);
      }
    }
    pointers_.resize(values_.size(), nullptr);
    std::vector<Device*> devices;
    for (size_t v = 0; v < values_.size(); ++v) {
      Value& x = values_[v];
      if (x.kind == Kind::Temporary && x.constant) x.storage = make_ref<Buffer>(*x.device, x.bytes);
      if (x.storage) {
        pointers_[v] = x.storage->data();
        out_.held_.push_back(x.storage);
      } else if (x.kind == Kind::Temporary &&
                 std::ranges::find(devices, x.device) == devices.end()) {
        devices.push_back(x.device);
      }
    }
    for (Device* d : devices) plan_arena(*d, lives);
  }

  void plan_arena(Device& d, std::span<const Lifetime> lives) {
    std::vector<size_t> members;
    std::vector<Lifetime> of_members;
    for (size_t v = 0; v < values_.size(); ++v) {
      if (values_[v].kind != Kind::Temporary || values_[v].constant || values_[v].device != &d)
        continue;
      members.push_back(v);
      of_members.push_back(lives[v]);
    }
    const MemoryPlan plan = plan_memory(of_members);
    Ref<Buffer> arena = make_ref<Buffer>(d, plan.bytes);
    for (size_t m = 0; m < members.size(); ++m) {
      pointers_[members[m]] = static_cast<std::byte*>(arena->data()) + plan.offsets[m];
    }
    out_.arenas_.push_back(std::move(arena));
    out_.stats_.arena_bytes += plan.bytes;
    out_.stats_.lower_bound += plan.lower_bound;
  }

  void emit(const Item& item) {
    CapturedGraph::Launch l;
    l.kernel = item.kernel;
    l.program = item.kernel ? item.kernel->program.get() : nullptr;
    l.device = item.device;
    l.first = static_cast<uint32_t>(out_.table_.size());
    l.count = static_cast<uint32_t>(item.values.size());
    for (int i : item.values) {
      const Value& v = value(i);
      const auto place = static_cast<uint32_t>(out_.table_.size());
      if (v.kind == Kind::Input) out_.input_places_[v.slot].push_back(place);
      if (v.kind == Kind::Output) out_.output_places_[v.slot].push_back(place);
      out_.table_.push_back(pointers_[static_cast<size_t>(i)]);
    }
    l.first_value = static_cast<uint32_t>(out_.values_.size());
    for (const UOp& v : item.kernel ? item.kernel->vars : std::vector<UOp>{}) {
      out_.value_places_.emplace_back(v, static_cast<uint32_t>(out_.values_.size()));
      out_.values_.push_back(item.bindings->value_of(v));
      ++l.count_values;
    }
    if (!item.kernel) {
      l.source = value(item.values[1]).device;
      l.bytes = value(item.values[0]).bytes;
    } else if (!item.once) {
      out_.flops_ += item.kernel->flops;
      out_.bytes_ += item.kernel->bytes;
    }
    (item.once ? out_.prologue_ : out_.launches_).push_back(std::move(l));
    if (!item.once) return;
    for (int i : item.values) {
      const Ref<Buffer>& s = value(i).storage;
      if (value(i).kind == Kind::Fixed)
        out_.prologue_sources_.push_back({s, s->executed_version()});
    }
  }

  void summarise() {
    out_.input_written_.resize(inputs_.size(), false);
    for (const Value& v : values_) {
      if (v.kind == Kind::Input && v.written) out_.input_written_[v.slot] = true;
      if (v.kind == Kind::Fixed && v.written) out_.overwritten_.push_back(v.storage);
    }
    out_.stats_.launches = static_cast<int64_t>(out_.launches_.size());
    out_.stats_.once = static_cast<int64_t>(out_.prologue_.size());
  }

  CapturedGraph& out_;
  const Recorder& recording_;
  std::span<Buffer* const> inputs_, outputs_;
  std::vector<Value> values_;
  std::vector<Item> items_;
  std::vector<void*> pointers_;
  std::unordered_map<Buffer*, uint32_t> references_;
  std::unordered_map<Buffer*, bool> draws_;
  std::unordered_map<Buffer*, int> by_storage_;
  std::map<std::pair<size_t, int>, int> temporaries_;
};

CapturedGraph::CapturedGraph(const Recorder& recording, std::span<Buffer* const> inputs,
                             std::span<Buffer* const> outputs) {
  CaptureBuilder(*this, recording, inputs, outputs).build();
  const auto bytes = [](int64_t n) { return human_bytes(static_cast<uint64_t>(n)); };
  debug_log(1, "captured {} launches, {} more run once, temporaries {} (at least {})",
            stats_.launches, stats_.once, bytes(stats_.arena_bytes), bytes(stats_.lower_bound));
}

CapturedGraph::~CapturedGraph() = default;

void CapturedGraph::replay(std::span<Buffer* const> inputs, std::span<Buffer* const> outputs,
                           const Bindings& bindings) {
  TG_CHECK(inputs.size() == input_places_.size() && outputs.size() == output_places_.size(),
           "replayed with {} inputs and {} outputs", inputs.size(), outputs.size());
  run_prologue();
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (uint32_t place : input_places_[i]) table_[place] = inputs[i]->data();
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (uint32_t place : output_places_[i]) table_[place] = outputs[i]->data();
  }
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
  run(launches_);
  count_launches(stats_.launches, flops_, bytes_);
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
    void** pointers = table_.data() + l.first;
    const std::span values(values_.data() + l.first_value, l.count_values);
    if (l.program == nullptr) {
      copy_between(*l.device, {pointers[0], l.bytes}, *l.source, {pointers[1], l.bytes});
    } else if (report) {
      launch_and_report(*l.device, *l.kernel, {pointers, l.count}, values);
    } else {
      l.program->launch({pointers, l.count}, values);
    }
  }
}

bool CapturedGraph::uses(const Buffer* storage, bool& written) const {
  const auto is = [&](const Ref<Buffer>& b) { return b.get() == storage; };
  written = std::ranges::any_of(overwritten_, is);
  return std::ranges::any_of(held_, is);
}

}  // namespace tg
