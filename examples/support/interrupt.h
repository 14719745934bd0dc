// Ctrl-C as a wish that loops ask for, so that a training ends after a whole step and what it has
// learned can be saved.
#pragma once

namespace examples {

/// The exit status of a program that was interrupted, by the shell's convention.
inline constexpr int kInterrupted = 130;

/// From here on the first Ctrl-C sets stop_requested(), and the second ends the process.
void catch_interrupts();

/// Whether Ctrl-C was pressed.
bool stop_requested();

}  // namespace examples
