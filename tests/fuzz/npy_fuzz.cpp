// Files of NumPy: src/nn/format/npy.h. What is read is written and read again.
#include "fuzz/fuzz.h"
#include "nn/format/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const ByteSource source = ByteSource::view(fuzz::text_of(data, size), "fuzz");
    const nn::NpyArray array = nn::read_npy(source);
    const std::string bytes = nn::read_npy_data(source, array);
    const ByteSource written =
        ByteSource::of(nn::npy_bytes(bytes, array.dtype, array.shape), "again");
    const nn::NpyArray again = fuzz::read_own([&] { return nn::read_npy(written); });
    fuzz::expect(again.dtype == array.dtype && again.shape == array.shape &&
                     nn::read_npy_data(written, again) == bytes,
                 "an array is what it was");
  });
  return 0;
}
