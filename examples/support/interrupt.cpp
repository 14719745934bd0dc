// A handler of signals may only set a flag.
#include "interrupt.h"

#include <csignal>

namespace examples {
namespace {

volatile std::sig_atomic_t stop = 0;

void on_interrupt(int signal) {
  stop = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() { std::signal(SIGINT, on_interrupt); }

bool stop_requested() { return stop != 0; }

}  // namespace examples
