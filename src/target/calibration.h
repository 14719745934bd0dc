// Facts about a machine that must be measured, kept in the cache folder: `tg bench --calibrate`
// writes them, a backend reads them when it describes its target. How they are measured:
// src/cli/calibrate.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "target/target.h"

namespace tg {

/// Measured speeds, in the units of Target.
struct Calibration {
  double flops_per_second = 0;  ///< of one core
  double bytes_per_second = 0;  ///< main memory, all cores
  double launch_seconds = 0;

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

/// As text, for people too: a line a fact. `machine` names the processor it was measured on.
std::string calibration_text(const Calibration& calibration, std::string_view machine);
/// The facts in such a text; empty if it is damaged, of another machine, or no machine could have
/// them.
std::optional<Calibration> parse_calibration(std::string_view text, std::string_view machine);

/// What the cache folder (option TG_CACHE) holds for this device and machine; empty if there is
/// nothing that parses. O(1), reads one small file.
std::optional<Calibration> load_calibration(std::string_view device, std::string_view machine);
/// Puts it there. False without a cache folder, or if it cannot be written.
bool save_calibration(std::string_view device, std::string_view machine, const Calibration& c);

/// Replaces the facts of `target` that were measured.
void apply_calibration(Target& target, const Calibration& calibration);

}  // namespace tg
