// What stands behind a device's name, as in "CPU:LLVM:x86-64-v3". The first byte says which
// backend's parser reads the rest.
#include "backends/cpu/llvm_library.h"
#include "backends/cpu/settings.h"
#include "backends/nvidia/choice.h"
#include "backends/opencl/platform.h"
#include "fuzz/fuzz.h"
#include "runtime/c_language.h"
#include "runtime/numbered_devices.h"

// Stands for the search for libLLVM, so that an input means the same on every machine.
bool tg::cpu::has_llvm() { return true; }
// Linked with the parser of OpenCL's settings, and not called: no device is asked what it is.
void tg::finish_c_target(Target&, std::string_view) {}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  // In one form; empty for the default.
  const auto normal = [&](std::string_view settings) -> std::string {
    switch (data[0] % 4) {
      case 0:
        return cpu::normalise_settings(settings);
      case 1:
        return opencl::choice_text(opencl::parse_choice(settings));
      case 2:
        return nvidia::choice_text(nvidia::parse_choice(settings));
      default:
        return device_number_text(needed_device_number("METAL", settings));
    }
  };
  fuzz::read_or_refuse([&] {
    const std::string form = normal(text);
    if (form.empty()) return;
    fuzz::expect(fuzz::read_own([&] { return normal(form); }) == form,
                 "the one form is read as itself");
  });
  return 0;
}
