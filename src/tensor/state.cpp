// Live tensors: their registry, what each knows, and which of them are views of one value. What
// computing does to them: compute.cpp.
#include "tensor/state.h"

#include <algorithm>
#include <map>

#include "runtime/buffer.h"
#include "schedule/window.h"
#include "support/check.h"
#include "uop/shape.h"

namespace tg {
namespace {

// Leaked on purpose: tensors with static storage may outlive any destructor here.
struct Registry {
  std::mutex mutex;
  uint64_t next = 0;
  std::map<uint64_t, std::weak_ptr<TensorState>> live;
};
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

std::atomic<uint64_t> assignments{0};  // made so far

uint64_t this_thread() {
  static std::atomic<uint64_t> next{0};
  thread_local const uint64_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

Buffer* storage_of_version(const Node* n) {
  while (n->op == Op::After) n = n->src()[0];
  return n->op == Op::Buffer ? static_cast<Buffer*>(n->resource) : nullptr;
}

}  // namespace

TensorState::TensorState(UOp node) : node_(std::move(node)), thread_(this_thread()) {}
TensorState::~TensorState() = default;

UOp TensorState::node() const {
  std::lock_guard lock(mutex_);
  return node_;
}

void TensorState::set_node(UOp node) {
  std::lock_guard lock(mutex_);
  std::swap(node_, node);
}

void TensorState::replace_node(const UOp& before, UOp node) {
  std::lock_guard lock(mutex_);
  if (node_ == before) std::swap(node_, node);
}

// Keeps shape and dtype for messages, lets go of the graph.
void TensorState::poison(const UOp& before) {
  UOp blank = full(before.shape_vec(), Scalar::of_int(0, before.dtype()));
  std::lock_guard lock(mutex_);
  if (node_ != before) return;
  std::swap(node_, blank);
  poisoned_ = true;
}

bool TensorState::poisoned() const {
  std::lock_guard lock(mutex_);
  return poisoned_;
}

std::optional<Scalar> TensorState::number() const {
  if (!is_number()) return {};
  std::lock_guard lock(mutex_);
  return number_;
}

void TensorState::set_number(std::optional<Scalar> number) {
  std::lock_guard lock(mutex_);
  if (number) number_ = *number;
  is_number_.store(number.has_value(), std::memory_order_release);
}

std::shared_ptr<TensorState> TensorState::grad() const {
  std::lock_guard lock(mutex_);
  return grad_;
}

void TensorState::set_grad(std::shared_ptr<TensorState> grad) {
  std::lock_guard lock(mutex_);
  std::swap(grad_, grad);
}

void TensorState::add_grad(const UOp& grad) {
  std::shared_ptr<TensorState> fresh = make_grad_state(grad);
  std::lock_guard lock(mutex_);
  if (!grad_ || (grad_->poisoned() && param() != Param::Yes)) {
    std::swap(grad_, fresh);
  } else if (!grad_->poisoned()) {
    grad_->set_node(grad_->node() + grad);
  }
}

void TensorState::join_aliases(TensorState& base) {
  std::shared_ptr<AliasGroup> group = base.shared_aliases();
  std::lock_guard lock(mutex_);
  aliases_ = std::move(group);
}

std::shared_ptr<AliasGroup> TensorState::shared_aliases() {
  std::lock_guard lock(mutex_);
  if (!aliases_) {
    aliases_ = std::make_shared<AliasGroup>();
    if (!storage_under(node_)) aliases_->root = node_;
  }
  return aliases_;
}

void TensorState::begin_bits(BitSource source) {
  auto group = std::make_shared<AliasGroup>();
  group->bits_of = std::make_shared<const BitSource>(std::move(source));
  std::lock_guard lock(mutex_);
  group->root = node_;
  aliases_ = std::move(group);
}

std::shared_ptr<AliasGroup> TensorState::aliases() const {
  std::lock_guard lock(mutex_);
  return aliases_;
}

void TensorState::leave_aliases() {
  std::lock_guard lock(mutex_);
  aliases_.reset();
  apart_ = false;
}

void TensorState::set_assigned_here() { thread_.store(this_thread(), std::memory_order_relaxed); }
bool TensorState::assigned_here() const {
  return thread_.load(std::memory_order_relaxed) == this_thread();
}

bool TensorState::is_alias_of(const TensorState& other) const {
  if (this == &other) return true;
  const auto mine = aliases();
  return mine != nullptr && mine == other.aliases();
}

std::vector<std::shared_ptr<TensorState>> live_states() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  std::vector<std::shared_ptr<TensorState>> out;
  for (auto& [id, weak] : r.live) {
    if (auto s = weak.lock()) out.push_back(std::move(s));
  }
  return out;
}

std::shared_ptr<TensorState> make_state(UOp node) {
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  const uint64_t id = r.next++;
  lock.unlock();
  std::shared_ptr<TensorState> s(new TensorState(std::move(node)), [id](TensorState* state) {
    {
      std::lock_guard guard(registry().mutex);
      registry().live.erase(id);
    }
    delete state;
  });
  lock.lock();
  r.live.emplace_hint(r.live.end(), id, s);
  return s;
}

std::shared_ptr<TensorState> make_grad_state(UOp node) {
  auto s = make_state(std::move(node));
  s->set_param(TensorState::Param::No);
  s->is_gradient_ = true;
  return s;
}

std::vector<std::shared_ptr<TensorState>> pending_assignments(FunctionRef<bool(Buffer*)> uses) {
  auto out = live_states();
  std::erase_if(out, [&](const auto& s) {
    const UOp base = storage_under(s->node());
    if (!base || !base.is(Op::After)) return true;
    return !s->assigned_here() && !uses(storage_of_version(base.node()));
  });
  return out;
}

uint64_t assignments_made() { return assignments.load(std::memory_order_relaxed); }
void note_assignment() { assignments.fetch_add(1, std::memory_order_relaxed); }

std::vector<std::shared_ptr<TensorState>> live_aliases(const TensorState& state) {
  auto out = live_states();
  std::erase_if(out, [&](const auto& s) { return !s->is_alias_of(state); });
  return out;
}

UOp root_of(const TensorState& state) {
  const auto group = state.aliases();
  if (!group) return state.node();
  std::lock_guard lock(group->mutex);
  return group->root ? group->root : state.node();
}

void replace_root(TensorState& state, const UOp& next) {
  const UOp root = root_of(state);
  for (const auto& s : live_aliases(state)) {
    UOp node = s->node();
    s->set_number({});
    s->replace_node(node, rebase(node, next, root.node()));
  }
  if (const auto group = state.aliases()) {
    std::lock_guard lock(group->mutex);
    group->root = storage_under(next) ? UOp{} : next;
  }
}

void check_aliases(const TensorState& state, std::string_view fn) {
  if (!state.aliases()) return;
  const auto aliases = live_aliases(state);
  if (aliases.size() < 2) return;
  if (std::ranges::none_of(aliases, [](const auto& s) { return s->apart(); })) return;
  user_error<ArgumentError>(fn,
                            fmt::format("a view of this value of shape {} was computed on its own "
                                        "and can no longer show what is written",
                                        format_shape(state.node().shape())),
                            "Hint: realize() the base tensor before its views.");
}

UOp storage_under(const UOp& view) { return UOp::share(storage_below(view.node())); }

UOp rebase(const UOp& view, const UOp& base, const Node* from) {
  std::vector<UOp> chain;
  UOp u = view;
  for (; u.node() != from && is_view(u.op()); u = u.src(0)) {
    if (!u.is(Op::Detach)) chain.push_back(u);
  }
  TG_CHECK(from == nullptr || u.node() == from, "a view of another value");
  u = base;
  for (size_t i = chain.size(); i-- > 0;) {
    std::vector<UOp> sources = chain[i].srcs();
    sources[0] = u;
    u = with_sources(chain[i], sources);
  }
  return u;
}

}  // namespace tg
