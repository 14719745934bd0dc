// Skips a test, with what to install, where NVIDIA's compiler or assembler is missing.
#pragma once

#include "backends/cuda/assembler.h"
#include "backends/cuda/nvrtc.h"

#define TG_NEEDS_NVRTC()                   \
  if (::tg::cuda::find_nvrtc() == nullptr) \
  GTEST_SKIP() << "needs NVRTC: " << ::tg::cuda::missing_nvrtc_advice()

#define TG_NEEDS_ASSEMBLER()                   \
  if (::tg::cuda::find_assembler() == nullptr) \
  GTEST_SKIP() << "needs nvJitLink: " << ::tg::cuda::missing_assembler_advice()
