// Which texts the slots of a model keep, and which slot a new text gets: the one that knows most of
// its beginning. Only numbers; keys and values are in slot_model.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tg::models {

class Slots {
 public:
  explicit Slots(int64_t count) : slots_(static_cast<size_t>(count)) {}

  /// A slot for a text that begins with `prompt`, and is to compute its last token at least;
  /// nothing if all are taken. What the slot keeps is cut to what the prompt begins with. A text
  /// that would lose more than half of what is kept of it is left, for its own sake, if a slot is
  /// free that was used longer ago.
  std::optional<int64_t> take(std::span<const int32_t> prompt);
  void give_back(int64_t slot);

  /// Another slot that knows so much more of the prompt than `slot` that copying is worth it, and
  /// how many tokens it knows.
  struct Source {
    int64_t slot, count;
  };
  std::optional<Source> source(int64_t slot, std::span<const int32_t> prompt) const;

  /// The tokens whose keys and values a slot has.
  std::vector<int32_t>& kept(int64_t slot) { return slots_[static_cast<size_t>(slot)].kept; }

 private:
  struct Slot {
    std::vector<int32_t> kept;
    bool is_taken = false;
    uint64_t last_use = 0;
  };
  std::vector<Slot> slots_;
  uint64_t uses_ = 0;
};

}  // namespace tg::models
