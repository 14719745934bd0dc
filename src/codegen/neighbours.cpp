// See neighbours.h. Copies and threads are named by the loops that stand when they are asked for,
// so they come last in every list.
#include "codegen/neighbours.h"

#include <algorithm>
#include <optional>

#include "codegen/kernel_facts.h"
#include "codegen/legality.h"
#include "tg/error.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using Opts = std::vector<Opt>;

bool comes_last(const Opt& o) { return o.kind == Opt::Kind::Stage || o.kind == Opt::Kind::Thread; }

bool has_size(const Opt& o) {
  return o.bases.size() == 1 && o.kind != Opt::Kind::Order && o.kind != Opt::Kind::Matrix;
}

bool is_tile(const Opt& o) { return o.kind == Opt::Kind::Tile || o.kind == Opt::Kind::SplitReduce; }

class Neighbours {
 public:
  Neighbours(const UOp& kernel, const KernelSchedule& s, const Target& target)
      : kernel_(kernel), target_(target), s_(s), plain_(plain_schedule(kernel)) {
    for (const Node* n : toposort(kernel)) {
      if (n->op == Op::Load && is_walked(UOp::share(n))) loads_.push_back(UOp::share(n));
    }
    threads_ = 0;
    for (const Opt& o : s.opts) {
      if (o.kind == Opt::Kind::Thread)
        threads_ = static_cast<int>(o.size);
      else
        opts_.push_back(o);
    }
    made_.push_back(s.opts);
  }

  std::vector<KernelSchedule> run() {
    add(opts_);
    for (size_t i = 0; i < opts_.size(); ++i) {
      leave_out(i);
      resize(i);
      replace_base(i);
    }
    for (int b = 0; b < n_bases(); ++b) {
      split_more(b);
      change_tail(b);
    }
    move_loops();
    copy_operands();
    return std::move(found_);
  }

 private:
  int n_bases() const { return static_cast<int>(plain_.bases.size()); }
  const BaseRange& base(int b) const { return plain_.bases[static_cast<size_t>(b)]; }
  bool has_work_items() const { return target_.max_group_size > 0; }

  // With as many loops as threads as there are now, one more and one less.
  void add(const Opts& opts) {
    for (int threads = std::max(0, threads_ - 1); threads <= threads_ + 1; ++threads) {
      Opts all = opts;
      if (threads > 0) all.push_back({.kind = Opt::Kind::Thread, .size = threads});
      add_whole(std::move(all));
    }
  }

  void add_whole(Opts opts) {
    if (std::ranges::find(seen_, opts) != seen_.end()) return;
    seen_.push_back(opts);
    KernelSchedule made = plain_;
    try {
      for (const Opt& o : opts) apply_opt(made, o);
      check_legal(kernel_, made);
    } catch (const ArgumentError&) {
      return;
    }
    // Tails that divide are none, so other lists may be the same schedule.
    if (std::ranges::find(made_, made.opts) != made_.end()) return;
    made_.push_back(made.opts);
    found_.push_back(std::move(made));
  }

  // Behind what makes tiles and lanes, in front of copies.
  void add_with(const Opt& o, bool in_front = false) {
    Opts opts = opts_;
    const auto at = in_front ? std::ranges::find_if(opts,
                                                    [&](const Opt& x) {
                                                      return comes_last(x) ||
                                                             (x.bases.size() == 1 && !is_tile(x) &&
                                                              x.base() == o.base());
                                                    })
                             : std::ranges::find_if(opts, comes_last);
    opts.insert(at, o);
    add(opts);
  }

  void leave_out(size_t i) {
    if (opts_[i].kind == Opt::Kind::Order) return;
    Opts opts = opts_;
    opts.erase(opts.begin() + static_cast<ptrdiff_t>(i));
    add(opts);
  }

  // Also of the tile around it, which keeps its number of them.
  void resize(size_t i) {
    const Opt& o = opts_[i];
    if (!has_size(o)) return;
    const int64_t n = o.size;
    std::vector<int64_t> sizes = {n * 2, n / 2};
    if (o.kind == Opt::Kind::Unroll) sizes.insert(sizes.end(), {n + 1, n - 1, n * 3, n / 3});
    for (const int64_t size : sizes) {
      if (size < 2 || size == n) continue;
      Opts opts = opts_;
      set_size(opts[i], size);
      add(opts);
      for (size_t j = 0; j < i; ++j) {
        if (!is_tile(opts_[j]) || opts_[j].base() != o.base() || opts_[j].size % n != 0) continue;
        Opts both = opts;
        set_size(both[j], opts_[j].size / n * size);
        add(both);
      }
    }
  }

  // What divided may leave something over now.
  static void set_size(Opt& o, int64_t size) {
    o.size = size;
    if (o.tail == Tail::None) o.tail = Tail::Peel;
  }

  // Lanes along another axis.
  void replace_base(size_t i) {
    if (opts_[i].kind != Opt::Kind::Vector) return;
    for (int b = 0; b < n_bases(); ++b) {
      Opts opts = opts_;
      opts[i].bases = {b};
      if (opts[i].tail == Tail::None) opts[i].tail = Tail::Peel;
      add(opts);
    }
  }

  void split_more(int b) {
    const Opt opt{.kind = Opt::Kind::Unroll, .bases = {b}, .tail = Tail::Peel};
    const auto sized = [&](Opt::Kind kind, int64_t size, int at = 0) {
      Opt o = opt;
      o.kind = kind;
      o.size = size;
      o.at = at;
      return o;
    };
    for (const int64_t n : {2, 4, 8}) {
      if (n <= base(b).extent) add_with(sized(Opt::Kind::Unroll, n));
    }
    if (has_work_items()) {
      const bool par = base(b).role == Role::Par;
      for (const int64_t n : {4, 16, 64}) {
        if (n <= base(b).extent)
          add_with(sized(par ? Opt::Kind::Local : Opt::Kind::Group, n), true);
      }
    }
    const int bytes = widest();
    for (int lanes = std::max(2, target_.vector_bytes / bytes); lanes >= 4; lanes /= 2) {
      if (lanes <= 2 * base(b).extent) add_with(sized(Opt::Kind::Vector, lanes), true);
    }
    for (const int64_t n : {16, 64, 256, 1024}) {
      if (n >= base(b).extent) break;
      for (const int at : {0, 1, 2}) add_in_front(sized(Opt::Kind::Tile, n, at));
    }
  }

  // A tile of what is split further.
  void add_in_front(const Opt& o) {
    Opts opts = opts_;
    const auto at = std::ranges::find_if(
        opts, [](const Opt& x) { return x.kind != Opt::Kind::Order && !is_tile(x); });
    opts.insert(at, o);
    add(opts);
  }

  int widest() const {
    int out = 4;
    for (const UOp& load : loads_) out = std::max(out, static_cast<int>(dtype_size(load.dtype())));
    return out;
  }

  void change_tail(int b) {
    for (const Tail tail : {Tail::Peel, Tail::Shift, Tail::Mask}) {
      Opts opts = opts_;
      for (Opt& o : opts) {
        if (has_size(o) && o.base() == b && o.tail != Tail::None) o.tail = tail;
      }
      add(opts);
    }
  }

  void move_loops() {
    int loops = 0;
    for (const Axis& a : s_.axes) loops += a.kind == Kind::Serial || a.kind == Kind::Thread;
    for (int from = 0; from < loops; ++from) {
      for (int to = 0; to < loops; ++to) {
        if (from != to) add_with({.kind = Opt::Kind::Move, .from = from, .at = to});
      }
    }
  }

  void copy_operands() {
    constexpr int kMostLevels = 6;
    for (const UOp& load : loads_) {
      const bool staged = std::ranges::any_of(
          s_.stages, [&](const Staging& st) { return staged_load(st.operand) == load; });
      for (int level = 0; level < kMostLevels; ++level) {
        if (!staged) {
          Opts opts = opts_;
          opts.push_back({.kind = Opt::Kind::Stage, .size = 1, .at = level, .operand = load});
          add(opts);
          continue;
        }
        Opts opts = opts_;
        for (Opt& o : opts) {
          if (o.kind == Opt::Kind::Stage && staged_load(o.operand) == load) o.at = level;
        }
        add(opts);
      }
    }
  }

  const UOp& kernel_;
  const Target& target_;
  const KernelSchedule& s_;
  const KernelSchedule plain_;
  std::vector<UOp> loads_;
  Opts opts_;  // without the threads
  int threads_;
  std::vector<Opts> seen_, made_;  // lists that were tried, and what legal ones are as schedules
  std::vector<KernelSchedule> found_;
};

}  // namespace

std::vector<KernelSchedule> neighbours_of(const UOp& kernel, const KernelSchedule& s,
                                          const Target& target) {
  return Neighbours(kernel, s, target).run();
}

}  // namespace tg
