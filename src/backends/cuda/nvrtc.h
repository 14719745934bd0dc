// NVIDIA's compiler as this backend uses it. What it is: nvidia/nvrtc.h.
#pragma once

#include "backends/nvidia/nvrtc.h"

namespace tg::cuda {

using nvidia::find_nvrtc;
using nvidia::missing_nvrtc_advice;
using nvidia::Nvrtc;
using nvidia::version_text;

}  // namespace tg::cuda
