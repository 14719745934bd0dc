// Stores of temporaries, cut to what is read, and of reductions to what matters of that
// (needed_places.h). A value of which others see a window only, as the gradient of a border is, is
// computed in that window: less work, and loops of the same extents as its readers', with which it
// may then be merged (merge_kernels.h). Internal to src/schedule.
#pragma once

#include <span>
#include <vector>

#include "schedule/pending.h"

namespace tg {

/// Narrows the loops of kernels that store into temporaries, those whose `kept` is false, to the
/// box of the elements that loads of any item may read. Arrays stay as large as they are. The loop
/// of a cut axis begins at the box's corner: `array[r] = f(r)` becomes `array[r + lo] = f(r + lo)`.
/// A reduction gets a gate besides, where all its readers leave places out by the same comparison.
/// Left alone: axes that are stored at anything else than a loop's own index, and what is copied to
/// another device. Readers should stand behind what they read: what is cut of them counts. Linear
/// in the nodes of all kernels.
void trim_stores(std::span<PendingItem> items, const std::vector<bool>& kept);

}  // namespace tg
