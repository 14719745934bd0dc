// CHECK_INDEX=1: indices outside their axis are errors, where they otherwise read 0 and write
// nowhere. For programs that give strange numbers: every index is computed and looked at where it
// is used, so the error comes from the line that uses it. Internal; calls that are recorded are not
// checked, nor what is picked along axes of variable size.
#pragma once

#include <string_view>

#include "tg/ir/uop.h"

namespace tg::ops_detail {

/// Under CHECK_INDEX: IndexError naming `fn`, the first place and the value, unless all of `index`
/// (integers) lie in [low, high). `what` is what the function calls an element of it.
void check_index(std::string_view fn, std::string_view what, const UOp& index, Dim low, Dim high);

}  // namespace tg::ops_detail
