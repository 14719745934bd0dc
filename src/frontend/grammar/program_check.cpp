// See program_check.h. Rules and what is repeated are procedures here; which of them are entered
// before a byte is taken is found from all of their beginnings at once.
#include "frontend/grammar/program_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "support/check.h"

namespace tg::models::grammar {
namespace {

// Of which each is a way of its own while nothing is taken.
constexpr uint32_t kMostCountsOfEmpty = 256;

class Beginnings {
 public:
  Beginnings(const Program& program, std::span<const uint32_t> entries)
      : program_(program), reached_(program.nodes.size(), false) {
    for (const uint32_t entry : entries)
      if (entry != kNone) procedure_of(entry);
    for (const Node& n : program.nodes)
      if (n.kind == NodeKind::Repeat) procedure_of(n.callee);
    for (uint32_t p = 0; p < entry_.size(); ++p) reach({entry_[p], p});
    while (!todo_.empty()) {
      const Place at = todo_.back();
      todo_.pop_back();
      visit(at);
    }
  }

  bool may_be_empty(uint32_t entry) const { return may_be_empty_[procedures_.at(entry)]; }

  // The first nodes of procedures that begin with each other in a circle, if there are any.
  std::vector<uint32_t> circle() const {
    std::vector<uint32_t> callers(entry_.size(), 0);
    for (const auto& callees : begins_with_)
      for (const uint32_t c : callees) ++callers[c];
    std::vector<uint32_t> done;
    for (uint32_t p = 0; p < entry_.size(); ++p)
      if (callers[p] == 0) done.push_back(p);
    for (size_t i = 0; i < done.size(); ++i)
      for (const uint32_t c : begins_with_[done[i]])
        if (--callers[c] == 0) done.push_back(c);
    if (done.size() == entry_.size()) return {};
    // Each that is left has a caller that is left: going back for long enough leads into a circle.
    std::vector<uint32_t> back(entry_.size(), kNone);
    uint32_t p = 0;
    for (uint32_t caller = 0; caller < entry_.size(); ++caller) {
      if (callers[caller] == 0) continue;
      p = caller;
      for (const uint32_t c : begins_with_[caller]) back[c] = caller;
    }
    for (size_t i = 0; i < entry_.size(); ++i) p = back[p];
    std::vector<uint32_t> out = {entry_[p]};
    for (uint32_t q = back[p]; q != p; q = back[q]) out.push_back(entry_[q]);
    return out;
  }

 private:
  struct Place {
    uint32_t node, procedure;
  };

  uint32_t procedure_of(uint32_t entry) {
    const auto [at, is_new] = procedures_.emplace(entry, static_cast<uint32_t>(entry_.size()));
    if (is_new) {
      entry_.push_back(entry);
      may_be_empty_.push_back(false);
      begins_with_.emplace_back();
      waiting_.emplace_back();
    }
    return at->second;
  }

  void visit(Place at) {
    if (at.node == kNone) return end(at.procedure);
    const Node& n = program_.nodes[at.node];
    if (n.kind == NodeKind::Split) {
      for (const uint32_t to : {n.next, n.other})
        if (to != kNone) reach({to, at.procedure});
    } else if (n.kind == NodeKind::Call || n.kind == NodeKind::Repeat) {
      const uint32_t callee = procedure_of(n.callee);
      begins_with_[at.procedure].push_back(callee);
      const bool may_be_skipped = n.kind == NodeKind::Repeat && n.min == 0;
      if (may_be_skipped || may_be_empty_[callee]) {
        pass({n.next, at.procedure});
      } else {
        waiting_[callee].push_back({n.next, at.procedure});
      }
    } else if (n.kind == NodeKind::End) {
      end(at.procedure);
    }
  }

  void reach(Place at) {
    if (reached_[at.node]) return;
    reached_[at.node] = true;
    todo_.push_back(at);
  }
  void pass(Place at) {
    if (at.node == kNone) {
      end(at.procedure);
    } else {
      reach(at);
    }
  }
  void end(uint32_t procedure) {
    if (may_be_empty_[procedure]) return;
    may_be_empty_[procedure] = true;
    for (const Place& at : waiting_[procedure]) todo_.push_back(at);
  }

  const Program& program_;
  std::unordered_map<uint32_t, uint32_t> procedures_;  // by their first node
  std::vector<uint32_t> entry_;
  std::vector<bool> may_be_empty_;
  std::vector<std::vector<uint32_t>> begins_with_;
  std::vector<std::vector<Place>> waiting_;  // until the procedure may be empty
  std::vector<bool> reached_;                // nodes
  std::vector<Place> todo_;
};

}  // namespace

void check_program(const Program& program, std::span<const uint32_t> entries,
                   std::span<const std::string> names) {
  const Beginnings beginnings(program, entries);
  if (const std::vector<uint32_t> circle = beginnings.circle(); !circle.empty()) {
    const auto is_in_it = [&](uint32_t entry) {
      return std::ranges::find(circle, entry) != circle.end();
    };
    const auto rule = std::ranges::find_if(entries, is_in_it) - entries.begin();
    user_error<ArgumentError>("grammar",
                              fmt::format("the rule \"{}\" may begin with itself (left recursion)",
                                          names[static_cast<size_t>(rule)]),
                              "Hint: write a repetition, such as item (\",\" item)*.");
  }
  for (const Node& n : program.nodes) {
    if (n.kind != NodeKind::Repeat) continue;
    const uint32_t counts = n.max == kUnbounded ? n.min : n.max;
    if (counts > kMostCountsOfEmpty && beginnings.may_be_empty(n.callee)) {
      user_error<ArgumentError>(
          "grammar", fmt::format("what is repeated {} times may be empty; {} are possible then",
                                 counts, kMostCountsOfEmpty));
    }
  }
}

}  // namespace tg::models::grammar
