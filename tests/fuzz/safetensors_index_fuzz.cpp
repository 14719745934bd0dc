// The index of sharded safetensors: src/nn/format/safetensors_index.h.
#include "nn/format/safetensors_index.h"

#include "fuzz/fuzz.h"
#include "nn/format/archive.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const ByteSource source = ByteSource::view(fuzz::text_of(data, size), "fuzz");
    for (const auto& [file, names] : nn::parse_safetensors_index(source)) {
      fuzz::expect(nn::is_harmless_path(file), "a file lies in the index's folder");
      fuzz::expect(!names.empty(), "a file has tensors");
    }
  });
  return 0;
}
