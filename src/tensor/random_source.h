// Keys of random draws: each draw on a device has a key of its own, made of the seed, the device
// and what was drawn there before. The numbers under a key: random.cpp; the public face:
// tg/random.h.
#pragma once

#include <cstdint>

namespace tg {

class Buffer;

/// Fills `key`, two words of 32 bits, with that of the next draw of `words` words on its device; of
/// storage on several devices, on the first.
void draw_again(Buffer& key, int64_t words);

}  // namespace tg
