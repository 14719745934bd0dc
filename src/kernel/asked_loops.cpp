// See asked_loops.h. The argument: 0, which no number of a clone is, then kind, axis and size of
// each loop. It may come from a file, so that whatever it says is legal.
#include "kernel/asked_loops.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "support/log.h"
#include "tg/error.h"

namespace tg {
namespace {

constexpr size_t kWordsOfLoop = 3;

std::vector<AskedLoop> asked_loops(const UOp& kernel) {
  std::vector<AskedLoop> out;
  const auto words = kernel.node()->arg();
  for (size_t i = 1; i + kWordsOfLoop <= words.size(); i += kWordsOfLoop) {
    const auto kind = words[i] == 0 ? AskedLoop::Kind::Upcast : AskedLoop::Kind::Unroll;
    out.push_back({kind, words[i + 1], words[i + 2]});
  }
  return out;
}

// The base that an axis is; none: −1.
int base_of(const KernelSchedule& s, const AskedLoop& loop) {
  int64_t axis = loop.axis;
  for (size_t base = 0; base < s.bases.size(); ++base) {
    const bool counts = loop.kind == AskedLoop::Kind::Upcast || s.bases[base].role == Role::Red;
    if (counts && axis-- == 0) return static_cast<int>(base);
  }
  return -1;
}

void leave_out(const AskedLoop& loop, std::string_view why) {
  debug_log(3, "{} of axis {} by {} is left out: {}",
            loop.kind == AskedLoop::Kind::Upcast ? "UPCAST" : "UNROLL", loop.axis, loop.size, why);
}

}  // namespace

UOp stored_by(const UOp& value, std::span<const AskedLoop> loops) {
  std::vector<int64_t> words = {0};
  for (const AskedLoop& loop : loops) {
    words.push_back(loop.kind == AskedLoop::Kind::Upcast ? 0 : 1);
    words.push_back(loop.axis);
    words.push_back(loop.size);
  }
  return make(Op::Contiguous, {value}, words);
}

bool has_asked_loops(const UOp& u) {
  const auto words = u.node()->arg();
  return (u.is(Op::Contiguous) || u.is(Op::Sink)) && !words.empty() && words[0] == 0;
}

UOp with_asked_loops(const UOp& kernel, const UOp& from) {
  if (!has_asked_loops(from)) return kernel;
  const std::vector<UOp> roots = kernel.srcs();
  return make(Op::Sink, roots, from.node()->arg());
}

KernelSchedule asked_schedule(const UOp& kernel) {
  KernelSchedule out = plain_schedule(kernel);
  for (const AskedLoop& loop : asked_loops(kernel)) {
    const int base = base_of(out, loop);
    if (base < 0) {
      leave_out(loop, "the kernel has no such axis");
      continue;
    }
    try {
      opt_unroll(out, base, loop.size);
    } catch (const ArgumentError& e) {
      leave_out(loop, e.what());
    }
  }
  return out;
}

}  // namespace tg
