"""Running schedules, under the name of the module in which tinygrad has it: uop/schedule.py."""
from tinygrad_cpp.uop.schedule import (Estimates, compile_linear, estimate_uop, lower_and_compile,  # noqa: F401
                                       pm_beam, run_linear)
