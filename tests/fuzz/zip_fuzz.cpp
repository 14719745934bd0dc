// Zip archives: src/nn/format/zip.h. What is read is written and read again.
#include "fuzz/fuzz.h"
#include "nn/format/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const nn::ZipArchive archive(
        ByteSource::view(fuzz::text_of(data, size), "fuzz"),
        {.max_bytes = 1 << 20, .max_members = 100, .harmless_bytes = 1 << 20});
    for (const nn::ZipMember& m : archive.members()) {
      const std::string bytes = archive.read(m);
      if (!nn::is_harmless_path(m.name)) continue;
      const std::string same = fuzz::read_own([&] {
        const nn::ZipArchive again(ByteSource::of(nn::zip_bytes({{m.name, bytes}}), "again"));
        return again.read(again.members().at(0));
      });
      fuzz::expect(same == bytes, "a member is what it was");
    }
  });
  return 0;
}
