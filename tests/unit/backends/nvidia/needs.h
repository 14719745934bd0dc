// Skips a test, with what to install, where NVIDIA's compiler or assembler is missing.
#pragma once

#include "backends/nvidia/assembler.h"
#include "backends/nvidia/nvrtc.h"

#define TG_NEEDS_NVRTC()                     \
  if (::tg::nvidia::find_nvrtc() == nullptr) \
  GTEST_SKIP() << "needs NVRTC: " << ::tg::nvidia::missing_nvrtc_advice()

#define TG_NEEDS_ASSEMBLER()                     \
  if (::tg::nvidia::find_assembler() == nullptr) \
  GTEST_SKIP() << "needs nvJitLink: " << ::tg::nvidia::missing_assembler_advice()
