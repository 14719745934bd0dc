// What the examples of the records of layers, optimisers and the library need: the public header,
// and that of graphs, and nothing else, so that a reader of the page has all of it.
#pragma once

#include <tg/ir/graph.h>
#include <tg/tg.h>

#include "unit/tensor/support/example_test.h"
