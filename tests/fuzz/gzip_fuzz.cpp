// gzip streams within a limit: src/nn/format/gzip.h.
#include "fuzz/fuzz.h"
#include "nn/format/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  constexpr uint64_t kMost = 100'000;
  fuzz::read_or_refuse([&] {
    const std::string out = nn::gunzip(fuzz::text_of(data, size), "fuzz", kMost);
    fuzz::expect(out.size() <= kMost, "the limit holds");
  });
  return 0;
}
