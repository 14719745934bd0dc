// Random programs of assignments, views, slices and expressions over several tensors, computed at
// random points, against an eager array: every value that is looked at is what NumPy would have,
// also when what it reads was assigned to before anybody computed it.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <algorithm>
#include <map>
#include <random>

#include "engine/counters.h"
#include "support/eager_array.h"
#include "support/effort.h"
#include "support/options.h"

namespace tg {
namespace {

using test::EagerArray;

struct ProgramBlock {
  const char* device;
  uint64_t first_seed;
  uint64_t programs;
};

// A tensor and what it should hold.
struct Pair {
  Tensor lazy;
  EagerArray eager;
  bool waits = false;  // an expression that nobody has computed yet
};

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : rng_(seed) {}

  void run() {
    for (int i = 0; i < 3; ++i) fresh();
    const int steps = 6 + below(14);
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
    for (size_t i = 0; i < pool_.size() && !testing::Test::HasFailure(); ++i) check(pool_[i]);
  }

 private:
  int below(int64_t n) { return static_cast<int>(rng_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  Pair& pick() { return pool_[static_cast<size_t>(below(static_cast<int64_t>(pool_.size())))]; }
  static int64_t count(const Shape& s) {
    int64_t n = 1;
    for (int64_t d : s) n *= d;
    return n;
  }

  void fresh() {
    Shape shape;
    for (int i = below(3) + 1; i > 0; --i) shape.push_back(1 + below(5));
    std::vector<int32_t> data(static_cast<size_t>(count(shape)));
    for (int32_t& x : data) x = below(19) - 9;
    pool_.push_back({Tensor(data, shape), EagerArray::of(shape, data)});
    say("tensor", pool_.back().eager, data);
  }

  void step() {
    const int what = below(100);
    if (pool_.size() > 12) pool_.erase(pool_.begin() + below(static_cast<int64_t>(pool_.size())));
    if (what < 30) return view(pick());
    if (what < 50) return expression();
    if (what < 80) return in_place();
    if (what < 90) return compute();
    check(pick());
  }

  // ---- views: of storage, so that both sides alias
  void view(Pair p) {
    if (p.waits) computed(p);
    Pair v = p;
    for (int i = 1 + below(2); i > 0; --i) {
      if (v.eager.shape.empty()) break;
      one_view(v);
    }
    say("view", v.eager, v.eager.values());
    pool_.push_back(std::move(v));
  }

  void one_view(Pair& p) {
    const Shape s = p.eager.shape;
    const int axis = below(static_cast<int64_t>(s.size()));
    const auto a = static_cast<size_t>(axis);
    switch (below(5)) {
      case 0: {
        const Shape flat = {count(s)};
        p = {p.lazy.reshape(flat), p.eager.reshape(flat)};
        return;
      }
      case 1: {
        std::vector<int64_t> order;
        for (int i = 0; i < static_cast<int>(s.size()); ++i)
          order.insert(order.begin() + below(i + 1), i);
        Shape to;
        for (int64_t o : order) to.push_back(s[static_cast<size_t>(o)]);
        p = {p.lazy.permute(order), p.eager.view(to, [&](const auto& i) {
               std::vector<int64_t> from(i.size());
               for (size_t k = 0; k < i.size(); ++k) from[static_cast<size_t>(order[k])] = i[k];
               return from;
             })};
        return;
      }
      case 2:
        p = {p.lazy.flip({axis}), p.eager.view(s, [&](auto i) {
               i[a] = s[a] - 1 - i[a];
               return i;
             })};
        return;
      case 3: {
        Shape to = s;
        to.insert(to.begin() + axis, 1);
        p = {p.lazy.unsqueeze(axis), p.eager.reshape(to)};
        return;
      }
      default:
        return slice(p, a);
    }
  }

  // start:stop:step along one axis, steps of both signs.
  void slice(Pair& p, size_t axis) {
    const int64_t n = p.eager.shape[axis], step = 1 + below(3), first = below(n);
    const bool back = chance(30);
    const int64_t room = back ? first + 1 : n - first;
    const int64_t kept = 1 + below((room - 1) / step + 1);
    std::vector<IndexItem> items(p.eager.shape.size(), Slice());
    const int64_t stop = back ? first - step * (kept - 1) - 1 : first + step * (kept - 1) + 1;
    const auto end = stop < 0 ? std::optional<int64_t>() : std::optional<int64_t>(stop);
    items[axis] = Slice(first, end, back ? -step : step);
    Shape to = p.eager.shape;
    to[axis] = kept;
    p = {p.lazy[items], p.eager.view(to, [&](auto i) {
           i[axis] = first + (back ? -step : step) * i[axis];
           return i;
         })};
  }

  // ---- expressions
  static int32_t wrap(uint32_t x) { return static_cast<int32_t>(x); }

  // A value over tensors of the pool, of a shape that broadcasts to `shape` if one is given.
  Pair value(const Shape* shape) {
    std::vector<const Pair*> fit;
    for (const Pair& p : pool_) {
      if (shape == nullptr || p.eager.shape == *shape) fit.push_back(&p);
    }
    if (fit.empty()) {
      const int32_t c = below(9);
      return {Tensor(c), EagerArray::of({}, {c})};
    }
    const Pair& x = *fit[static_cast<size_t>(below(static_cast<int64_t>(fit.size())))];
    std::vector<const Pair*> partners;
    for (const Pair& p : pool_) {
      if (p.eager.shape == x.eager.shape) partners.push_back(&p);
    }
    const Pair& y = *partners[static_cast<size_t>(below(static_cast<int64_t>(partners.size())))];
    std::vector<int32_t> a = x.eager.values();
    const std::vector<int32_t> b = y.eager.values();
    Pair out = x;
    switch (below(4)) {
      case 0:
        return out;
      case 1:
        out.lazy = x.lazy + y.lazy;
        for (size_t i = 0; i < a.size(); ++i)
          a[i] = wrap(static_cast<uint32_t>(a[i]) + static_cast<uint32_t>(b[i]));
        break;
      case 2:
        out.lazy = x.lazy * 3 - y.lazy;
        for (size_t i = 0; i < a.size(); ++i)
          a[i] = wrap(static_cast<uint32_t>(a[i]) * 3u - static_cast<uint32_t>(b[i]));
        break;
      default:
        out.lazy = x.lazy.maximum(y.lazy);
        for (size_t i = 0; i < a.size(); ++i) a[i] = std::max(a[i], b[i]);
    }
    out.eager = EagerArray::of(x.eager.shape, a);
    out.waits = true;
    return out;
  }

  void expression() {
    Pair v = value(nullptr);
    if (!v.waits) return;
    say("expression", v.eager, v.eager.values());
    pool_.push_back(std::move(v));
  }

  void say(const char* what, const EagerArray& where, const std::vector<int32_t>& values) {
    log_ += std::string(what) + " of storage " + std::to_string(number(where.storage.get())) + ":";
    for (int32_t v : values) log_ += " " + std::to_string(v);
    log_ += "\n";
  }
  size_t number(const void* storage) {
    return numbers_.try_emplace(storage, numbers_.size()).first->second;
  }

  // ---- assignment
  void in_place() {
    Pair& t = pick();
    if (t.waits) computed(t);
    const Shape shape = t.eager.shape;
    const Pair v = value(&shape);
    std::vector<int32_t> next = v.eager.values();
    if (next.size() == 1) next.resize(t.eager.places.size(), next[0]);
    if (chance(60)) {
      t.lazy.assign(v.lazy);
    } else {
      const std::vector<int32_t> old = t.eager.values();
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = wrap(static_cast<uint32_t>(old[i]) + static_cast<uint32_t>(next[i]));
      t.lazy += v.lazy;
    }
    say("assign", t.eager, next);
    t.eager.assign(next);
  }

  // ---- looking
  static void computed(Pair& p) {
    p.lazy.realize();
    p.waits = false;
  }

  void compute() {
    std::vector<Tensor> some;
    std::vector<size_t> which;
    for (size_t i = 0; i < pool_.size(); ++i) {
      if (!chance(40)) continue;
      some.push_back(pool_[i].lazy);
      which.push_back(i);
    }
    if (some.empty()) return;
    Tensor::realize(some);
    for (size_t i : which) {
      say("computed", pool_[i].eager, {});
      pool_[i].waits = false;
    }
  }

  void check(Pair& p) {
    EXPECT_EQ(p.lazy.to_vector<int32_t>(), p.eager.values()) << log_;
    p.waits = false;
  }

  std::mt19937_64 rng_;
  std::vector<Pair> pool_;
  std::string log_;  // what happened so far
  std::map<const void*, size_t> numbers_;
};

class AssignPrograms : public testing::TestWithParam<ProgramBlock> {};

TEST_P(AssignPrograms, DoWhatEagerOnesDo) {
  const ProgramBlock& b = GetParam();
  Options o = options();
  o.device = b.device;
  o.check = b.first_seed % 2 != 0;
  const OptionsScope scope(o);
  const EngineCounters before = counters();
  const uint64_t programs = test::trials(b.programs);
  for (uint64_t seed = b.first_seed; seed < b.first_seed + programs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomProgram(seed).run();
    if (HasFailure()) return;
  }
  // A few programs may have none.
  if (programs == b.programs) {
    EXPECT_LT(counters().launches - before.launches, counters().kernels - before.kernels)
        << "no batch in " << programs << " programs";
  }
}

std::vector<ProgramBlock> program_blocks(const char* device, uint64_t first, uint64_t count,
                                         uint64_t programs) {
  std::vector<ProgramBlock> out;
  for (uint64_t k = 0; k < count; ++k) out.push_back({device, first + k * programs, programs});
  return out;
}

std::string program_block_name(const testing::TestParamInfo<ProgramBlock>& info) {
  return "From" + std::to_string(info.param.first_seed);
}

INSTANTIATE_TEST_SUITE_P(Interp, AssignPrograms,
                         testing::ValuesIn(program_blocks("INTERP", 1, 110, 101)),
                         program_block_name);
INSTANTIATE_TEST_SUITE_P(Cpu, AssignPrograms,
                         testing::ValuesIn(program_blocks("CPU", 500001, 4, 25)),
                         program_block_name);

}  // namespace
}  // namespace tg
