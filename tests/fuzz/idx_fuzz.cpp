// IDX arrays, packed or not: src/nn/format/idx.h.
#include "fuzz/fuzz.h"
#include "nn/format/gzip.h"
#include "nn/format/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const nn::IdxArray array = nn::parse_idx(fuzz::text_of(data, size), "fuzz");
    bool none = false;
    for (int64_t n : array.shape) none |= n == 0;
    int64_t elements = none ? 0 : 1;
    if (!none)
      for (int64_t n : array.shape) elements *= n;
    fuzz::expect(static_cast<size_t>(elements) == array.data.size(), "the shape fits the data");
    fuzz::expect(array.data.size() <= size, "data come from the input");
  });
  return 0;
}
