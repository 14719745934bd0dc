/* The headers in the strictest C99. */
#include "tg/c/tg.h"
#include "tg/c/tg_models.h"
#include "tg/c/tg_ops.h"

tg_value (*const constructor)(int64_t) = tg_int;
