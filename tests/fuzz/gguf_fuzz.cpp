// GGUF files: src/nn/format/gguf.h.
#include "fuzz/fuzz.h"
#include "nn/format/gguf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const nn::GgufFile file = nn::parse_gguf(ByteSource::view(fuzz::text_of(data, size), "fuzz"));
    uint64_t total = 0;
    for (const nn::GgufTensor& t : file.tensors) {
      fuzz::expect(t.begin + t.bytes <= size, "a tensor lies in the file");
      total += t.bytes;
    }
    fuzz::expect(total <= size, "no two tensors share bytes");
  });
  return 0;
}
