// Descriptions of tokenizers: src/frontend/tokenizer. One that is read encodes a text, and decodes
// what it gave; both may be refused.
#include "fuzz/fuzz.h"
#include "tg/models/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const models::Tokenizer t = models::Tokenizer::parse(fuzz::text_of(data, size), "fuzz");
    constexpr std::string_view kText = "Don't <s> 12 caf\u00e9 \u4f60\xff  ab";
    const std::vector<int32_t> ids = t.encode(kText, false);
    for (int32_t id : ids)
      fuzz::expect(id >= 0 && id < t.vocabulary_size(), "a token has a number of the vocabulary");
    t.decode(ids);
    t.decode(t.encode(kText), true);
  });
  return 0;
}
