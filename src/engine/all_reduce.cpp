// See all_reduce.h.
#include "engine/all_reduce.h"

#include <algorithm>

#include "engine/plan.h"
#include "support/check.h"
#include "support/options.h"
#include "uop/device_groups.h"
#include "uop/join.h"

namespace tg {
namespace {

UOp combined(ReduceOp op, const UOp& a, const UOp& b) { return make(reduce_alu(op), {a, b}); }

UOp rounded(const UOp& x, DType wire) { return cast(cast(x, wire), x.dtype()); }

UOp received(const UOp& x, DeviceId there, DType wire) {
  return cast(copy_to(cast(x, wire), there), x.dtype());
}

// Each member rounds its own term as well, so that all add up the same bits.
Spread in_one_step(const Spread& terms, ReduceOp op, DType wire) {
  Spread out{terms.group, kWhole, {}};
  for (const DeviceId here : members_of(terms.group)) {
    UOp sum;
    for (const UOp& term : terms.parts) {
      const UOp there = received(term, here, wire);
      sum = sum ? combined(op, sum, there) : there;
    }
    out.parts.push_back(sum);
  }
  return out;
}

// Where the chunks of a flat array begin, and its end: as many as members, none more than one
// element longer than another.
std::vector<Dim> chunk_bounds(Dim elements, size_t count) {
  std::vector<Dim> out = {0};
  const auto n = static_cast<Dim>(count);
  for (Dim k = 0; k < n; ++k) out.push_back(out.back() + elements / n + (k < elements % n ? 1 : 0));
  return out;
}

// Chunk c sets out from member c, takes up the term of each member that it comes to, and is
// complete at member c − 1; from there it goes round once more, and each member keeps a copy.
Spread in_a_ring(const Spread& terms, ReduceOp op, DType wire) {
  const auto members = members_of(terms.group);
  const size_t n = members.size();
  const UOp& like = terms.parts[0];
  const std::vector<Dim> bounds = chunk_bounds(like.numel(), n);
  std::vector<std::vector<UOp>> chunks(n);  // by member
  for (size_t c = 0; c < n; ++c) {
    if (bounds[c] == bounds[c + 1]) continue;
    const auto term = [&](size_t k) {
      const UOp flat = reshape(contiguous(terms.parts[k]), {like.numel()});
      return shrink_axis(flat, 0, bounds[c], bounds[c + 1] - bounds[c]);
    };
    UOp sum = term(c);
    for (size_t step = 1; step < n; ++step) {
      const size_t here = (c + step) % n;
      sum = combined(op, received(sum, members[here], wire), term(here));
    }
    sum = rounded(sum, wire);
    const size_t last = (c + n - 1) % n;
    chunks[last].push_back(sum);
    for (size_t step = 1; step < n; ++step) {
      const size_t here = (last + step) % n;
      sum = received(sum, members[here], wire);
      chunks[here].push_back(sum);
    }
  }
  Spread out{terms.group, kWhole, {}};
  for (const auto& pieces : chunks)
    out.parts.push_back(reshape(joined(pieces, 0), like.shape_vec()));
  return out;
}

}  // namespace

// Members work at the same time, and a step of a ring waits for the one before: a copy and, on the
// first round, a kernel. On one processor they take turns, which scales both ways alike.
AllReduce cheaper_all_reduce(DeviceId group, int64_t bytes) {
  if (options().ring == 0) return AllReduce::OneStep;
  if (options().ring == 2) return AllReduce::Ring;
  const auto members = members_of(group);
  const Target& t = device_of(members[0]).target();
  const auto n = static_cast<double>(members.size());
  const double moved = static_cast<double>(bytes) / t.bytes_per_second;
  const double one_step = (n - 1) * (t.launch_seconds + moved);
  const double ring = 2 * (n - 1) * (2 * t.launch_seconds + moved / n);
  return ring < one_step ? AllReduce::Ring : AllReduce::OneStep;
}

Spread all_reduced(const Spread& terms, ReduceOp op, AllReduce way, DType wire) {
  const UOp& like = terms.parts[0];
  const bool plain = like.node()->n_limit == 0 && like.numel() > 0;
  return way == AllReduce::Ring && plain ? in_a_ring(terms, op, wire)
                                         : in_one_step(terms, op, wire);
}

Spread all_reduced(const Spread& terms, ReduceOp op, DType wire) {
  const int64_t bytes = terms.parts[0].numel() * dtype_size(wire);
  return all_reduced(terms, op, cheaper_all_reduce(terms.group, bytes), wire);
}

}  // namespace tg
