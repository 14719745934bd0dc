// See kept.h. A value is a note on its node (tg/ir/node.h), so it goes when the node does; the list
// of all of them is for the rare step that has to look at each: an assignment that overwrites what
// a graph reads.
#include "tensor/kept.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_set>

#include "autodiff/gradient.h"
#include "engine/recorder.h"
#include "runtime/buffer.h"
#include "schedule/window.h"
#include "tensor/state.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

class Note;

// Never destroyed: tensors with static storage may outlive any destructor here.
struct KeptNotes {
  std::mutex mutex;
  uint64_t next = 0;
  std::map<uint64_t, Note*> notes;
  std::atomic<size_t> count{0};  // of them: most programs have none
};
KeptNotes& kept_notes() {
  static auto* r = new KeptNotes;
  return *r;
}

class Note : public Resource {
 public:
  Note(const Node* node, UOp value, const Behind& behind)
      : node_(node), value_(std::move(value)), behind_(behind) {
    std::lock_guard lock(kept_notes().mutex);
    id_ = kept_notes().next++;
    kept_notes().notes.emplace(id_, this);
    kept_notes().count = kept_notes().notes.size();
  }
  ~Note() override {
    std::lock_guard lock(kept_notes().mutex);
    kept_notes().notes.erase(id_);
    kept_notes().count = kept_notes().notes.size();
  }

  /// With the registry locked: the node's memory is there until this note has left it.
  UOp node() const { return UOp::try_share(node_); }
  const UOp& value() const { return value_; }
  const Behind& behind() const { return behind_; }

 private:
  const Node* const node_;
  const UOp value_;
  const Behind behind_;
  uint64_t id_ = 0;
};

// No other notes hang on nodes.
Ref<Note> kept_note(const Node* n) {
  const Ref<Resource> note = note_of(n);
  return Ref<Note>::share(static_cast<Note*>(note.get()));
}

// A call that is recorded computes what was read before it once more: its replays, with other
// arguments, would take the old value. What the call itself computed is recorded.
bool may_be_taken(const UOp& value) {
  const Recorder* recorder = Recorder::current();
  if (recorder == nullptr) return true;
  const auto& storage = *static_cast<Buffer*>(storage_under(value).node()->resource);
  const auto is_recorded = [&](const Buffer* b) { return recorder->storage().contains(b); };
  if (storage.parts().empty()) return is_recorded(&storage);
  return std::ranges::all_of(storage.parts(),
                             [&](const Ref<Buffer>& p) { return is_recorded(p.get()); });
}

struct Live {
  std::unordered_set<const Node*> tensors, params;
  std::vector<UOp> nodes;  // keeps them alive
};

Live live_floats(const UOp& but) {
  Live out;
  for (const auto& s : live_states()) {
    UOp node = s->node();
    if (!is_float(node.dtype()) || node.is(Op::Const) || node == but || s->poisoned()) continue;
    out.tensors.insert(node.node());
    if (s->param() == TensorState::Param::Yes) out.params.insert(node.node());
    out.nodes.push_back(std::move(node));
  }
  return out;
}

}  // namespace

UOp kept_value(const Node* n) {
  const auto note = kept_note(n);
  return note && may_be_taken(note->value()) ? note->value() : UOp();
}

void keep_value(const KeptValue& kept, const Behind& behind) {
  const Node* n = kept.node.node();
  const auto note = make_ref<Note>(n, kept.value, behind);
  set_note(n, Ref<Resource>::share(note.get()));
}

void drop_kept_value(const UOp& node) { set_note(node.node(), {}); }

void move_kept_value(const UOp& from, const UOp& to) {
  if (const auto note = kept_note(from.node())) keep_value({to, note->value()}, note->behind());
  drop_kept_value(from);
}

std::vector<KeptValue> kept_values() {
  std::vector<KeptValue> out;
  if (kept_notes().count == 0) return out;
  std::lock_guard lock(kept_notes().mutex);
  for (const auto& [id, note] : kept_notes().notes) {
    if (UOp node = note->node()) out.push_back({std::move(node), note->value()});
  }
  return out;
}

namespace {

// Does something below the roots live on another device than `device`?
bool reaches_others(std::span<const UOp> roots, DeviceId device) {
  return std::ranges::any_of(toposort(roots),
                             [&](const Node* n) { return n->device != 0 && n->device != device; });
}

}  // namespace

// What lives nowhere was put on one device to be read, where graphs of others do not look for it:
// they compute it again.
std::vector<UOp> with_kept_values(std::span<const UOp> roots) {
  if (kept_notes().count == 0) return {roots.begin(), roots.end()};
  return substitute(sink(roots),
                    [&](const Node* n) {
                      const UOp value = kept_value(n);
                      const bool placed = value && n->device == 0 && value.device() != 0;
                      return placed && reaches_others(roots, value.device()) ? UOp() : value;
                    })
      .srcs();
}

std::optional<Behind> worth_keeping(const UOp& node) {
  if (!is_float(node.dtype())) return std::nullopt;
  Live live = live_floats(node);
  Behind behind;
  const auto order = toposort(std::span(&node, 1), [&](const Node* n) {
    const auto note = kept_note(n);
    if (!note || n == node.node()) return false;
    live.tensors.insert(n);
    if (note->behind().is_param) live.params.insert(n);
    behind.reads = std::max(behind.reads, note->behind().reads);
    behind.bytes = std::max(behind.bytes, note->behind().bytes);
    return true;
  });
  if (!differentiable_from(order, live.tensors).contains(node.node())) return std::nullopt;
  ++behind.reads;
  behind.bytes += node.numel() * dtype_size(node.dtype());
  behind.is_param = differentiable_from(order, live.params).contains(node.node());
  const bool is_long = behind.reads > kKeptReads || behind.bytes > kKeptBytes;
  return is_long && !behind.is_param ? std::nullopt : std::optional(behind);
}

}  // namespace tg
