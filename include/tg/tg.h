// Everything: include this one header to use the library.
#pragma once

#include "tg/autograd.h"
#include "tg/backend.h"
#include "tg/config.h"
#include "tg/counters.h"
#include "tg/datasets.h"
#include "tg/dtype.h"
#include "tg/error.h"
#include "tg/index.h"
#include "tg/jit.h"
#include "tg/log.h"
#include "tg/nn.h"
#include "tg/options.h"
#include "tg/random.h"
#include "tg/symbolic.h"
#include "tg/tensor.h"
#include "tg/version.h"
