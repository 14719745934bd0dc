// Which work-item touched what since the last barrier: two work-items of a group may not touch one
// element in between, unless both only read. This finds missing barriers whatever order the
// work-items run in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tg::interp {

/// The touches of one array's elements. An epoch is the time between two barriers of one group.
class Touches {
 public:
  /// By `work_item` in `epoch` (> 0). The other work-item if the two race, -1 if not; -2 if there
  /// are several.
  int64_t read(int64_t index, int64_t work_item, int64_t epoch) {
    Element& e = at(index);
    if (e.written == epoch && e.writer != work_item) return e.writer;
    e.reader = e.read == epoch && e.reader != work_item ? kSeveral : work_item;
    e.read = epoch;
    return kNobody;
  }
  int64_t write(int64_t index, int64_t work_item, int64_t epoch) {
    Element& e = at(index);
    if (e.written == epoch && e.writer != work_item) return e.writer;
    if (e.read == epoch && e.reader != work_item) return e.reader;
    e.writer = work_item;
    e.written = epoch;
    return kNobody;
  }

  /// The epoch of the last write; 0: none was seen.
  int64_t last_write(int64_t index) { return at(index).written; }

  static constexpr int64_t kNobody = -1, kSeveral = -2;

 private:
  struct Element {
    int64_t written = 0, writer = kNobody;  // epoch, work-item
    int64_t read = 0, reader = kNobody;
  };
  // Grows with what is touched: kernels of any size declare far larger arrays than they get.
  Element& at(int64_t index) {
    const auto i = static_cast<size_t>(index);
    if (i >= elements_.size()) elements_.resize(std::max(i + 1, 2 * elements_.size()));
    return elements_[i];
  }
  std::vector<Element> elements_;
};

}  // namespace tg::interp
