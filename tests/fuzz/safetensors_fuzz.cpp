// Files of tensors: src/nn/format/safetensors.h. What is read is written and read again.
#include "fuzz/fuzz.h"
#include "nn/format/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const nn::SafeTensors read =
        nn::parse_safetensors(std::string(fuzz::text_of(data, size)), "fuzz");
    const std::string written = nn::safetensors_bytes(read.tensors, read.metadata);
    const nn::SafeTensors again =
        fuzz::read_own([&] { return nn::parse_safetensors(written, "again"); });
    fuzz::expect(again.tensors.size() == read.tensors.size(), "no tensor is lost");
    for (const nn::TensorView& t : read.tensors) {
      const nn::TensorView* found = again.find(t.name);
      fuzz::expect(found != nullptr && found->dtype == t.dtype && found->shape == t.shape &&
                       found->bytes == t.bytes,
                   "a tensor is what it was");
    }
    fuzz::expect(again.metadata == read.metadata, "metadata are what they were");
  });
  return 0;
}
