// Matches texts by a grammar, byte by byte: a state is the set of all ways in which the text so far
// may be read, each a node and the stack of calls that it returns to. States, and what a byte makes
// of each, are kept once found, so that a byte costs a look into a table where it was seen before
// (the subset construction, as far as it is needed). What tokens do: token_constraint.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "frontend/grammar/program.h"

namespace tg::models::grammar {

/// A value: copies go on by themselves, and share the program.
///
/// A way that nests deeper than 4096 calls is not followed, and neither is a byte after which there
/// are more than 8192 ways.
class Automaton {
 public:
  using State = uint32_t;
  /// No text that begins so is in the grammar.
  static constexpr State kDead = 0;

  explicit Automaton(std::shared_ptr<const Program> program);

  State start() const { return start_; }
  /// The state after one more byte. ArgumentError after more work than some tenths of a second,
  /// which start_work() begins to count.
  State step(State from, uint8_t byte) {
    const uint32_t class_of_byte = program_->class_of[byte];
    const State known = next_[from * classes_ + class_of_byte];
    return known != kUnknown ? known : find_step(from, class_of_byte);
  }
  void start_work() { work_ = 0; }
  /// Whether the text so far is in the grammar.
  bool may_end(State state) const { return states_[state].may_end; }
  /// Whether a longer text is not.
  bool must_end(State state) const { return states_[state].ways.empty(); }

  /// So much is kept that it is time to forget.
  bool is_full() const;
  /// Forgets all but the states `kept`, which are renumbered, and the start.
  void forget_all_but(std::span<State> kept);

 private:
  static constexpr State kUnknown = kNone;
  static constexpr uint32_t kBottom = 0;  // of all stacks

  // A call that is not over: where to go on, and for a repetition how often it was entered.
  struct Frame {
    uint32_t node, count, parent, depth;
  };
  struct Way {
    uint32_t node, stack;
    friend auto operator<=>(const Way&, const Way&) = default;
  };
  struct Ways {
    std::vector<Way> ways;  // at nodes that take a byte, in order
    bool may_end = false;
  };
  // On the way to such nodes.
  struct Step {
    uint32_t node, stack, count;
    friend bool operator==(const Step&, const Step&) = default;
  };
  struct StepHash {
    size_t operator()(const Step& s) const;
  };

  State find_step(State from, uint32_t class_of_byte);
  Ways closure(std::vector<Step> todo);
  void follow(const Step& at, std::vector<Step>& todo, Ways& out);
  uint32_t push(Frame frame);
  State add(Ways ways);
  void clear();

  std::shared_ptr<const Program> program_;
  size_t classes_;
  State start_ = kDead;
  std::vector<Ways> states_;
  std::vector<State> next_;  // [states, classes]
  size_t ways_ = 0;          // of all states
  std::unordered_multimap<uint64_t, State> known_;
  std::vector<Frame> frames_;
  std::unordered_multimap<uint64_t, uint32_t> known_frames_;
  uint64_t work_ = 0;
};

}  // namespace tg::models::grammar
