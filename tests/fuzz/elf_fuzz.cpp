// Objects that the CPU device loads: src/backends/cpu/object_code.h. None of their code runs.
#include "backends/cpu/object_code.h"
#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const cpu::CodeRef code = cpu::load_object(fuzz::text_of(data, size), "fuzz");
    for (const char* name : {"kernel", "k", ""}) {
      fuzz::read_or_refuse([&] {
        for (const std::byte b : code->instructions(name)) static_cast<void>(b == std::byte{});
        code->symbol(name);
      });
    }
  });
  return 0;
}
