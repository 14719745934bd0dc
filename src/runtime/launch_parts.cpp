// See launch_parts.h.
#include "runtime/launch_parts.h"

namespace tg {

LaunchParts::LaunchParts(const CallSequence& sequence) : waits(sequence.calls.size()) {
  size_t begin = 0;
  bool joins = false;  // may the next call be one of the last part?
  for (const size_t end : sequence.ends) {
    const bool alone = end - begin == 1;
    if (alone && joins) {
      waits[begin] = true;
      ++parts.back().count;
    } else {
      parts.push_back({begin, end - begin});
    }
    joins = alone;
    begin = end;
  }
}

}  // namespace tg
