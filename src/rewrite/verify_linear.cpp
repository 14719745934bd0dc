// The grammar of linear code; its meaning is described in src/codegen/linear.h. One pass over the
// list with a stack of open loops and ifs.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rewrite/verify.h"
#include "rewrite/verify_rules.h"
#include "rewrite/work_item_flow.h"

namespace tg {
namespace {

constexpr std::string_view kGrammar = "verify_linear";

bool is_pointer_op(const Node* n) {
  return n->op == Op::Param || n->op == Op::Alloc || n->op == Op::After;
}

// Lanes of the value that an access moves; 0 if the node is no well-formed access.
int access_lanes(const Node* n) {
  if (n->n_arg != 2 || !is_pointer_op(n->src()[0]) || n->n_src < 2) return 0;
  return n->op == Op::Load ? n->lanes : n->n_src > 2 ? n->src()[2]->lanes : 0;
}

bool is_access(const Node* n) { return n->op == Op::Load || n->op == Op::Store; }

bool has_access_form(const Node* n) { return !is_access(n) || access_lanes(n) > 0; }

bool indexes_by_lanes(const Node* n) {
  if (!is_access(n)) return true;
  const Node* index = n->src()[1];
  return is_int(index->dtype) && (index->lanes == 1 || index->lanes == access_lanes(n));
}

bool gates_by_bool(const Node* n) {
  if (!is_access(n)) return true;
  const size_t at = n->op == Op::Load ? 2 : 3;
  if (n->n_src <= at) return true;
  const Node* gate = n->src()[at];
  return n->n_src == at + 1 && is_bool(gate->dtype) &&
         (gate->lanes == 1 || gate->lanes == access_lanes(n));
}

bool async_copies_scalars(const Node* n) {
  if (n->op != Op::AsyncCopy) return true;
  const auto src = n->src();
  const auto index = [](const Node* i) { return is_int(i->dtype) && i->lanes == 1; };
  const bool gated = src.size() == 5 && is_bool(src[4]->dtype) && src[4]->lanes == 1;
  return n->n_arg == 2 && n->arg()[0] > 0 && (src.size() == 4 || gated) && is_pointer_op(src[0]) &&
         src[0]->space == Space::Scratch && index(src[1]) && is_pointer_op(src[2]) && index(src[3]);
}

bool reads_scratch_rows(const Node* n) {
  if (n->op != Op::MmaAsync) return true;
  const auto src = n->src();
  const auto in_scratch = [&](size_t i) {
    return is_pointer_op(src[i]) && src[i]->space == Space::Scratch && is_int(src[i + 1]->dtype) &&
           src[i + 1]->lanes == 1;
  };
  const auto flag = [&](size_t i) { return n->arg()[i] == 0 || n->arg()[i] == 1; };
  return in_scratch(0) && in_scratch(2) && flag(1) && flag(2);
}

bool loads_whole_rows(const Node* n) {
  if (n->op != Op::LoadRows) return true;
  const Node* index = n->src()[1];
  const int64_t lanes = n->arg()[0], row = n->arg()[1], pitch = n->arg()[2];
  return is_pointer_op(n->src()[0]) && is_int(index->dtype) && index->lanes == 1 && row > 0 &&
         lanes % row == 0 && pitch >= 0;
}

bool shuffles_scalars(const Node* n) {
  return n->op != Op::SubgroupShuffle || (n->n_arg == 1 && n->lanes == 1 && n->arg()[0] > 0 &&
                                          (n->arg()[0] & (n->arg()[0] - 1)) == 0);
}

bool is_value(const Node* n) { return n->dtype != DType::Void; }

constexpr VerifyRule kLinearRules[] = {
    {"only ops of linear code",
     [](const Node* n) { return (stages_of(n->op) & kLinearStage) != 0; }},
    {"load and store have a pointer, a flat index, lanes and alignment", has_access_form},
    {"an index is an integer of one lane or as many as the value", indexes_by_lanes},
    {"a gate is a bool of one lane or as many as the value", gates_by_bool},
    {"the condition of an if is a scalar bool",
     [](const Node* n) {
       return n->op != Op::If || (is_bool(n->src()[0]->dtype) && n->src()[0]->lanes == 1);
     }},
    {"an mma adds floats to floats, or integers to integers",
     [](const Node* n) {
       return n->op != Op::Mma || is_float(n->src()[0]->dtype) == is_float(n->dtype);
     }},
    {"an async_copy is into scratch, by two pointers, two flat indices and a scalar gate",
     async_copies_scalars},
    {"an mma_async reads scratch, by two pointers and two flat indices", reads_scratch_rows},
    {"a load_rows has a pointer, a flat index and whole rows", loads_whole_rows},
    {"a subgroup_shuffle is of a scalar, over a power of two", shuffles_scalars},
    {"only pointers and allocations have extents",
     [](const Node* n) { return n->n_dim == 0 || is_pointer_op(n); }},
};

struct Scope {
  const Node* opener;  // RANGE or IF; null outside of all
  bool closed = false;
  bool ran = false;    // something other than work-item ranges and arithmetic stood in it
  bool split = false;  // work-item ranges stood in it, and are over
  std::vector<const Node*> carries;
};

class LinearVerifier {
 public:
  void run(std::span<const UOp> list) {
    for (const UOp& u : list) node(u.node());
    if (open_.size() > 1) fail("every loop and if is closed", scopes_[open_.back()].opener);
  }

 private:
  [[noreturn]] static void fail(std::string_view rule, const Node* n) {
    verify_failure(kGrammar, rule, n);
  }
  Scope& innermost() { return scopes_[open_.back()]; }

  void node(const Node* n) {
    if (home_.contains(n)) fail("each node stands once", n);
    check_sources(n);
    check_rules(kGrammar, kLinearRules, n);
    check_awaited(n);
    if (innermost().split && n->op != Op::End) fail("nothing follows the work-item ranges", n);
    flow_.add(n);
    switch (n->op) {
      case Op::Range:
        open_range(n);
        break;
      case Op::If:
        innermost().ran = true;
        open(n);
        break;
      case Op::Carry:
        carry(n);
        break;
      case Op::End:
        end(n);
        break;
      case Op::EndIf:
        if (innermost().opener != n->src()[0]) fail("endif closes the innermost if", n);
        close();
        break;
      case Op::Out:
        out(n);
        break;
      case Op::Barrier:
        check_arrival(n, "a barrier stands inside work-item ranges",
                      "all work-items of a group go the same way to a barrier");
        break;
      case Op::Mma:  // outside work-item ranges by the one work-item there is
        check_arrival(n, {}, "all work-items of a group go the same way to an mma");
        break;
      case Op::MmaAsync:
        check_arrival(n, "an mma_async stands inside work-item ranges",
                      "all work-items of a group go the same way to an mma_async");
        under_way_.insert(n);
        break;
      case Op::MmaWait:
        innermost().ran = true;
        if (n->arg()[0] == 0) under_way_.clear();
        break;
      case Op::SubgroupShuffle:
        check_arrival(n, "a subgroup_shuffle stands inside work-item ranges",
                      "all work-items of a group go the same way to a subgroup_shuffle");
        break;
      case Op::Load:
      case Op::LoadRows:
      case Op::Store:
      case Op::AsyncCopy:
      case Op::AsyncWait:
        innermost().ran = true;
        break;
      default:
        break;
    }
    home_.try_emplace(n, open_.back());
    previous_ = n;
  }

  // The effects of AFTER and BARRIER only order: they may stand in a loop that is over.
  void check_sources(const Node* n) {
    for (size_t i = 0; i < n->n_src; ++i) {
      const Node* s = n->src()[i];
      const auto it = home_.find(s);
      if (it == home_.end()) fail("a node stands before every node that uses it", n);
      const bool orders = (n->op == Op::After && i > 0) || n->op == Op::Barrier;
      if (!orders && scopes_[it->second].closed)
        fail("what is made inside a loop or if is used inside it", n);
    }
  }

  // What an MMA_ASYNC may still change goes on to others and through loops, and is not looked at.
  void check_awaited(const Node* n) {
    if (under_way_.empty()) return;
    const auto changes = [&](const Node* s) { return under_way_.contains(s); };
    switch (n->op) {
      case Op::MmaAsync:
        break;
      case Op::Extract:
      case Op::Stack:
      case Op::End:
        if (std::ranges::any_of(n->src(), changes)) under_way_.insert(n);
        break;
      case Op::Out:
        if (changes(n->src()[0])) fail("an mma_wait stands behind a loop with an mma_async", n);
        break;
      default:
        if (std::ranges::any_of(n->src(), changes))
          fail("the result of an mma_async is used behind an mma_wait", n);
    }
  }

  void open(const Node* n) {
    home_.emplace(n, scopes_.size());  // inside its own scope: nobody uses it after the end
    open_.push_back(scopes_.size());
    scopes_.push_back({n, false, false, false, {}});
  }

  void open_range(const Node* n) {
    const bool work_item = is_work_item_range(n);
    if (n->n_arg == 2 && !work_item && (open_.size() > 1 || launched_))
      fail("the range of the launch is outermost and one", n);
    if (work_item) open_work_items(n);
    if (!ids_.try_emplace(n->arg()[0], n).second) fail("range ids are unique", n);
    launched_ = launched_ || n->n_arg == 2;
    innermost().ran = innermost().ran || !work_item;
    open(n);
  }

  void open_work_items(const Node* n) {
    const Node* around = innermost().opener;
    const bool directly = around != nullptr && around->n_arg == 2 && around->op == Op::Range;
    if (!directly || innermost().ran)
      fail("a work-item range stands directly inside the launch range, before all else", n);
    if (n->src()[0]->op != Op::Const) fail("a work-item range has a constant extent", n);
  }

  void check_arrival(const Node* n, std::string_view outside, std::string_view apart) {
    bool inside = false;
    for (size_t s : open_) {
      const Node* opener = scopes_[s].opener;
      if (opener == nullptr) continue;
      inside = inside || is_work_item_range(opener);
      if (flow_.parts(opener)) fail(apart, n);
    }
    if (!inside && !outside.empty()) fail(outside, n);
  }

  void carry(const Node* n) {
    const bool follows =
        previous_ != nullptr && (previous_->op == Op::Range || previous_->op == Op::Carry);
    if (!follows || innermost().opener != n->src()[0])
      fail("a carry follows its range directly", n);
    innermost().carries.push_back(n);
  }

  void end(const Node* n) {
    if (n->n_arg != 1 || n->n_src < 1 || innermost().opener != n->src()[0])
      fail("end closes the innermost loop", n);
    const std::vector<const Node*>& carries = innermost().carries;
    size_t n_next = 0;
    for (const Node* s : n->src().subspan(1)) n_next += is_value(s) ? 1 : 0;
    if (n_next != carries.size()) fail("end has a next value for each carry", n);
    for (size_t k = 0; k < carries.size(); ++k) {
      const Node* next = n->src()[k + 1];
      if (next->dtype != carries[k]->dtype || next->lanes != carries[k]->lanes) {
        fail("a next value has the type of its carry", n);
      }
    }
    n_carries_.emplace(n, carries.size());
    close();
    innermost().split = is_work_item_range(n->src()[0]);
  }

  void out(const Node* n) {
    const auto it = n_carries_.find(n->src()[0]);
    if (it == n_carries_.end() || n->arg()[0] < 0 ||
        n->arg()[0] >= static_cast<int64_t>(it->second)) {
      fail("out names a carry of an end", n);
    }
  }

  void close() {
    innermost().closed = true;
    open_.pop_back();
  }

  std::vector<Scope> scopes_{Scope{nullptr, false, false, false, {}}};
  std::vector<size_t> open_{0};
  std::unordered_map<const Node*, size_t> home_;  // the scope a node stands in
  std::unordered_map<const Node*, size_t> n_carries_;
  std::unordered_map<int64_t, const Node*> ids_;
  const Node* previous_ = nullptr;
  WorkItemFlow flow_;
  std::unordered_set<const Node*> under_way_;  // results of MMA_ASYNCs, and what is made of them
  bool launched_ = false;
};

}  // namespace

void verify_linear(std::span<const UOp> list) { LinearVerifier().run(list); }

}  // namespace tg
