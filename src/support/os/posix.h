// What Linux and macOS do by different calls, for the sources that they share (the _posix ones).
#pragma once

namespace tg::os {

/// Both ends of a pipe that programs do not inherit; false with errno.
bool make_pipe(int (&ends)[2]);
/// A file without a name that programs do not inherit; -1 with errno.
int nameless_file();
/// The variables of this process, to be handed on to programs and never read.
char** environment();

}  // namespace tg::os
