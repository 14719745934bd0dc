// Declarations of all op records; each is defined in the file of its family.
#pragma once

#include "tg/ir/op.h"

namespace tg::ops {
#define TG_OP_DECLARE(name) extern const OpRecord k##name;
TG_OP_LIST(TG_OP_DECLARE)
#undef TG_OP_DECLARE
}  // namespace tg::ops
