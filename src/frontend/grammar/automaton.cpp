// See automaton.h.
#include "frontend/grammar/automaton.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "support/check.h"

namespace tg::models::grammar {
namespace {

constexpr uint32_t kDeepest = 4096;
constexpr size_t kMostWays = 8192;
constexpr uint64_t kMostWork = 2'000'000;
// Of what is kept: about ten megabytes.
constexpr size_t kMostNumbers = 1 << 21, kMostFrames = 1 << 16;

uint64_t mixed(uint64_t hash, uint64_t more) {
  hash = (hash ^ more) * 0x9E3779B97F4A7C15U;
  return hash ^ hash >> 29;
}

}  // namespace

size_t Automaton::StepHash::operator()(const Step& s) const {
  return mixed(mixed(s.node, s.stack), s.count);
}

Automaton::Automaton(std::shared_ptr<const Program> program)
    : program_(std::move(program)), classes_(program_->byte_of_class.size()) {
  clear();
}

void Automaton::clear() {
  states_.clear();
  next_.clear();
  ways_ = 0;
  known_.clear();
  frames_.assign(1, {kNone, 0, kNone, 0});
  known_frames_.clear();
  add({});
  start_ = add(closure({{program_->root, kBottom, 0}}));
}

uint32_t Automaton::push(Frame frame) {
  const uint64_t hash = mixed(mixed(frame.node, frame.parent), frame.count);
  const auto [begin, end] = known_frames_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Frame& f = frames_[it->second];
    if (f.node == frame.node && f.count == frame.count && f.parent == frame.parent)
      return it->second;
  }
  const auto out = static_cast<uint32_t>(frames_.size());
  known_frames_.emplace(hash, out);
  frames_.push_back(frame);
  return out;
}

Automaton::State Automaton::add(Ways ways) {
  uint64_t hash = ways.may_end ? 1 : 0;
  for (const Way& w : ways.ways) hash = mixed(hash, uint64_t{w.node} << 32 | w.stack);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Ways& w = states_[it->second];
    if (w.may_end == ways.may_end && w.ways == ways.ways) return it->second;
  }
  const auto out = static_cast<State>(states_.size());
  known_.emplace(hash, out);
  ways_ += ways.ways.size();
  states_.push_back(std::move(ways));
  next_.resize(next_.size() + classes_, kUnknown);
  return out;
}

// One node without a byte: what comes next goes to `todo`.
void Automaton::follow(const Step& at, std::vector<Step>& todo, Ways& out) {
  const Node& n = program_->nodes[at.node];
  const auto enter = [&](uint32_t callee, uint32_t node, uint32_t count) {
    const uint32_t depth = frames_[at.stack].depth + 1;
    if (depth <= kDeepest) todo.push_back({callee, push({node, count, at.stack, depth}), 0});
  };
  switch (n.kind) {
    case NodeKind::Bytes:
      if (n.edges > 0) out.ways.push_back({at.node, at.stack});
      break;
    case NodeKind::Split:
      for (const uint32_t next : {n.next, n.other})
        if (next != kNone) todo.push_back({next, at.stack, 0});
      break;
    case NodeKind::Call:
      if (n.next == kNone) {
        todo.push_back({n.callee, at.stack, 0});
      } else {
        enter(n.callee, n.next, 0);
      }
      break;
    case NodeKind::Repeat: {
      // Without a largest count all counts from the smallest on are alike.
      const uint32_t count = n.max == kUnbounded ? std::min(at.count + 1, n.min) : at.count + 1;
      if (at.count >= n.min) todo.push_back({n.next, at.stack, 0});
      if (at.count < n.max) enter(n.callee, at.node, count);
      break;
    }
    case NodeKind::End:
      if (at.stack == kBottom) {
        out.may_end = true;
      } else {
        const Frame f = frames_[at.stack];
        todo.push_back({f.node, f.parent, f.count});
      }
      break;
  }
}

// Too many ways are none.
Automaton::Ways Automaton::closure(std::vector<Step> todo) {
  Ways out;
  std::unordered_set<Step, StepHash> seen;
  while (!todo.empty()) {
    const Step at = todo.back();
    todo.pop_back();
    if (!seen.insert(at).second) continue;
    ++work_;
    if (seen.size() > kMostWays) return {};
    follow(at, todo, out);
  }
  std::ranges::sort(out.ways);
  return out;
}

Automaton::State Automaton::find_step(State from, uint32_t class_of_byte) {
  if (work_ > kMostWork) {
    user_error<ArgumentError>("grammar", "it can be read in too many ways to follow",
                              "Hint: write it so that the next character decides what it is.");
  }
  const uint8_t byte = program_->byte_of_class[class_of_byte];
  std::vector<Step> todo;
  for (const Way& w : states_[from].ways) {
    const Node& n = program_->nodes[w.node];
    const auto edges = std::span(program_->edges).subspan(n.first_edge, n.edges);
    work_ += edges.size();
    for (const Edge& e : edges)
      if (e.low <= byte && byte <= e.high) todo.push_back({e.target, w.stack, 0});
  }
  const State out = todo.empty() ? kDead : add(closure(std::move(todo)));
  next_[from * classes_ + class_of_byte] = out;
  return out;
}

bool Automaton::is_full() const {
  return next_.size() + 2 * ways_ > kMostNumbers || frames_.size() > kMostFrames;
}

void Automaton::forget_all_but(std::span<State> kept) {
  const std::vector<Ways> states = std::move(states_);
  const std::vector<Frame> frames = std::move(frames_);
  clear();
  std::unordered_map<uint32_t, uint32_t> stacks = {{kBottom, kBottom}};
  const auto renumbered = [&](uint32_t stack) {
    std::vector<uint32_t> path;
    for (; !stacks.contains(stack); stack = frames[stack].parent) path.push_back(stack);
    uint32_t out = stacks[stack];
    for (; !path.empty(); path.pop_back()) {
      Frame f = frames[path.back()];
      f.parent = out;
      out = stacks[path.back()] = push(f);
    }
    return out;
  };
  for (State& state : kept) {
    Ways ways = states[state];
    for (Way& w : ways.ways) w.stack = renumbered(w.stack);
    std::ranges::sort(ways.ways);
    state = add(std::move(ways));
  }
}

}  // namespace tg::models::grammar
