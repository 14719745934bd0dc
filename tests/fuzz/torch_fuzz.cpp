// Files of PyTorch in their three formats, and the pickles in them: src/nn/format/torch.h. An input
// that begins with "P" is a pickle alone, put into an archive with one storage.
#include "fuzz/fuzz.h"
#include "nn/format/torch.h"

namespace {

using namespace tg;

void read(std::string_view bytes, nn::UnknownClass unknown) {
  fuzz::read_or_refuse([&] {
    const nn::TorchFile file = nn::read_torch(ByteSource::view(bytes, "fuzz"), unknown);
    fuzz::expect(file.meanings.size() == file.pickle.nodes.size(), "every value has a meaning");
    for (uint32_t i = 0; i < file.meanings.size(); ++i) file.resolve(i);
    for (const nn::TorchTensor& t : file.tensors) {
      const nn::TorchStorage& storage = file.storages.at(t.storage);
      fuzz::expect(t.shape.size() == t.strides.size(), "each axis has a stride");
      if (storage.bytes > 1 << 20) continue;
      fuzz::read_or_refuse([&] {
        fuzz::expect(file.read(storage).size() == storage.bytes, "a storage has its bytes");
      });
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(fuzz::text_of(data, size));
  if (bytes.starts_with("P")) {
    const std::string pickle = bytes.substr(1);
    bytes = nn::zip_bytes({{"m/data.pkl", pickle}, {"m/data/0", "0123456789abcdef"}});
  }
  read(bytes, nn::UnknownClass::Refuse);
  read(bytes, nn::UnknownClass::Keep);
  return 0;
}
