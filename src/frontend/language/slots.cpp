// See slots.h.
#include "frontend/language/slots.h"

#include <algorithm>

namespace tg::models {
namespace {

constexpr int64_t kWorthCopying = 8;  // tokens

// The last token of a prompt is computed in any case: its successor is asked for.
size_t known_of(std::span<const int32_t> kept, std::span<const int32_t> prompt) {
  const auto rest = prompt.first(prompt.size() - 1);
  return static_cast<size_t>(std::ranges::mismatch(kept, rest).in1 - kept.begin());
}

}  // namespace

std::optional<int64_t> Slots::take(std::span<const int32_t> prompt) {
  Slot *knowing = nullptr, *oldest = nullptr;
  size_t most = 0;
  for (Slot& s : slots_) {
    if (s.is_taken) continue;
    if (oldest == nullptr || s.last_use < oldest->last_use) oldest = &s;
    const size_t known = known_of(s.kept, prompt);
    if (known > 0 && known >= s.kept.size() / 2 && known > most) {
      knowing = &s;
      most = known;
    }
  }
  Slot* chosen = knowing != nullptr ? knowing : oldest;
  if (chosen == nullptr) return {};
  chosen->kept.resize(known_of(chosen->kept, prompt));
  chosen->is_taken = true;
  return chosen - slots_.data();
}

void Slots::give_back(int64_t slot) {
  Slot& s = slots_[static_cast<size_t>(slot)];
  s.is_taken = false;
  s.last_use = ++uses_;
}

std::optional<Slots::Source> Slots::source(int64_t slot, std::span<const int32_t> prompt) const {
  Source best{slot, static_cast<int64_t>(slots_[static_cast<size_t>(slot)].kept.size())};
  const int64_t least = best.count + kWorthCopying;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const auto known = static_cast<int64_t>(known_of(slots_[i].kept, prompt));
    if (known >= least && known > best.count) best = {static_cast<int64_t>(i), known};
  }
  if (best.slot == slot) return {};
  return best;
}

}  // namespace tg::models
