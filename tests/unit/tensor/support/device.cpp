// Unless the caller names a device, these tests compute on the interpreter: they are about meaning,
// and it needs no compiler.
#include <cstdlib>

namespace {

[[maybe_unused]] const bool kChosen = setenv("DEV", "INTERP", 0) == 0;

}  // namespace
