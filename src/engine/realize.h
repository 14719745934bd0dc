// Values of a tensor graph, computed: scheduling, compilation and launches behind one call. The
// parts are plan.h (what is remembered of a graph), compile.h (kernel to program), capture.h
// (recording and replaying sequences of calls) and counters.h (what was run).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// What a call computed.
struct Realized {
  /// By root, the node that now holds its value: a BUFFER, or a view of one, of equal shape.
  std::vector<UOp> values;
  /// For each storage that was overwritten in place, the BUFFER that named its contents before and
  /// the one that names them now. Graphs that still contain the former can no longer be computed.
  std::vector<std::pair<UOp, UOp>> versions;
};

/// Computes the roots (any nodes of tensor graphs). Nodes without a device run on the default one.
/// Schedules and programs are cached by structure: the same graph over other buffers schedules and
/// compiles nothing.
/// Throws DeviceError (no device, compiler or memory), ArgumentError (a value is needed that was
/// overwritten in place).
Realized realize(std::span<const UOp> roots);

/// The same without the versions, for graphs that store nothing in place.
inline void realize(std::span<const UOp> roots, std::vector<UOp>& realized) {
  realized = realize(roots).values;
}

}  // namespace tg
