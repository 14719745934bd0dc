// Variables of captured calls: a recording names them, each call gives them values. Internal; the
// calls themselves: jit.cpp.
#pragma once

#include <span>

#include "engine/recorder.h"
#include "tg/ir/uop.h"
#include "tg/symbolic.h"

namespace tg::ops_detail {

/// `u` with variables in place of their values: equal in all calls.
UOp unbound(const UOp& u);
/// `u` with the values of `bindings`, where these have any.
UOp rebound(const UOp& u, const Bindings& bindings);
/// Adds the values below `u`. ArgumentError if one contradicts what is there.
void collect_bindings(const UOp& u, Bindings& bindings);

/// Sizes among the arguments of captured calls, without values.
std::vector<UOp> describe_sizes(std::span<const SymInt> sizes);
/// ArgumentError names the first size that is another expression than in the recorded call.
void check_sizes(std::span<const UOp> recorded, std::span<const SymInt> given);
/// ArgumentError if a recorded run gave a variable of the arguments another value than the call.
void check_recorded_bindings(const Recorder& recording, const Bindings& arguments);
/// IndexError if a slice of the recorded call does not fit the values of this one.
void check_bounds(std::span<const RecordedBound> recorded, const Bindings& arguments);

}  // namespace tg::ops_detail
