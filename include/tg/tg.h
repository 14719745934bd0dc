// Everything: include this one header to use the library.
#pragma once

#include "tg/dtype.h"
#include "tg/error.h"
#include "tg/version.h"
