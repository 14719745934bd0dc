// Counting, shared by the parts of the engine. Internal; readers use counters.h.
#pragma once

#include "engine/counters.h"

namespace tg {

void count_compiled(int64_t kernels);
void count_scheduled(int64_t version_copies);
/// Adds what one run or replay launched.
void count_launches(int64_t launches, int64_t kernels, double flops, double bytes);
void count_seconds(double seconds);

}  // namespace tg
