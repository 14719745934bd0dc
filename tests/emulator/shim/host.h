// The functions of the emulator that a compiled kernel's hooks call. Only for hooks.cpp and the
// runner; what kernels see is emulated.h.
#pragma once

#include "emulated.h"

struct tg_host {
  void* self;
  void (*barrier)(void* self, int line, int fences);
  const char* (*subgroup_barrier)(void* self, const void* mine, unsigned bytes, unsigned long mask,
                                  int fences, int line);
  void (*begin_copy)(void* self, void* to, const void* from, unsigned bytes, bool whether);
  void (*arrive)(void* self, unsigned on_their_way);
  /// Before each access to memory that is not surely the work-item's own.
  void (*access)(void* self, const void* address, unsigned long bytes, bool writes);
  /// Before an access whose address is no multiple of what the type is aligned to.
  void (*misaligned)(void* self, const void* address, unsigned long alignment, int line);
  /// After each kTgSteps steps.
  void (*steps)(void* self);
};

constexpr unsigned kTgSteps = 1 << 20;

/// What a module exports: tells it whom to call, and gives the place to say which work-item runs.
using TgBind = tg_place*(const tg_host* host);
