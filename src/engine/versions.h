// Names of storage whose contents are overwritten in place: each BUFFER node names one version, and
// a graph that names an older one can no longer be computed. Internal to src/engine.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// ArgumentError if one of these BUFFERs names contents that are gone.
void check_versions(std::span<const UOp> buffers);
/// The same storage under a name of its own, which is that of its contents from now on.
UOp next_version(const UOp& before);
/// A root that only names storage, over what names it now; `now`: by the BUFFER that named it.
UOp over_versions(const UOp& view, const std::unordered_map<const Node*, UOp>& now);

}  // namespace tg
