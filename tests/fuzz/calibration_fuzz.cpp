// Facts of a machine as text: src/target/calibration.h. The first line of the input is the machine.
#include "target/calibration.h"

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  const std::string_view input = fuzz::text_of(data, size);
  const size_t end = std::min(input.find('\n'), size);
  const std::string_view machine = input.substr(0, end),
                         text = input.substr(std::min(end + 1, size));
  fuzz::read_or_refuse([&] {
    const auto read = parse_calibration(text, machine);
    if (!read) return;
    const std::string written = calibration_text(*read, machine);
    const auto again = parse_calibration(written, machine);
    fuzz::expect(again.has_value(), "what is written is read");
    fuzz::expect(calibration_text(*again, machine) == written, "and is what it was");
  });
  return 0;
}
