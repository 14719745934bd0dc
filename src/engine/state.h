// Counting, shared by the parts of the engine. Internal; readers use counters.h.
#pragma once

#include "engine/counters.h"

namespace tg {

void count_compiled(int64_t kernels);
void count_scheduled();
void count_launch(double flops, double bytes, double seconds);

}  // namespace tg
