// Tar archives, gzipped or not: src/nn/format/tar.h.
#include "fuzz/fuzz.h"
#include "nn/format/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  const nn::ArchiveLimits limits = {
      .max_bytes = 1 << 20, .max_members = 100, .harmless_bytes = 1 << 20};
  fuzz::read_or_refuse([&] {
    const ByteSource source =
        nn::unpacked_tar(ByteSource::view(fuzz::text_of(data, size), "fuzz"), limits);
    for (const nn::TarMember& m : nn::read_tar(source, limits))
      fuzz::expect(source.read(m.begin, m.size).size() == m.size, "a file lies in the archive");
  });
  return 0;
}
