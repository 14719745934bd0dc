// Descriptions of tokenizers in all their forms: src/frontend/tokenizer. The first line names a
// form by its file; the rest is the content, and of byte pairs vocab.json and merges.txt with a
// line
// "---" between. One that is read encodes a text, and decodes what it gave; both may be refused.
#include <algorithm>
#include <string>

#include "frontend/tokenizer/word_files.h"
#include "fuzz/fuzz.h"
#include "tg/models/tokenizer.h"

namespace {

constexpr std::string_view kPairs = "vocab.json\n", kBetween = "\n---\n";

tg::models::Tokenizer read(std::string_view input) {
  using tg::models::Tokenizer;
  if (input.starts_with(kPairs)) {
    input.remove_prefix(kPairs.size());
    const size_t end = std::min(input.find(kBetween), input.size());
    const std::string_view merges = input.substr(std::min(end + kBetween.size(), input.size()));
    const nlohmann::json description = tg::models::byte_pair_tokenizer(
        input.substr(0, end), "vocab.json", merges, "merges.txt", {});
    return Tokenizer::parse(description.dump());
  }
  for (const char* form : {"spiece.model\n", "vocab.txt\n", "small.tiktoken\n"}) {
    const std::string_view name = form;
    if (!input.starts_with(name)) continue;
    return Tokenizer::parse(input.substr(name.size()), std::string(name.substr(0, name.size() - 1)),
                            "cl100k_base");
  }
  return Tokenizer::parse(input, "fuzz.json");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const models::Tokenizer t = read(fuzz::text_of(data, size));
    constexpr std::string_view kText = "Don't <s> 12 caf\u00e9 \u4f60\xff  ab";
    const std::vector<int32_t> ids = t.encode(kText, false);
    for (int32_t id : ids)
      fuzz::expect(id >= 0 && id < t.vocabulary_size(), "a token has a number of the vocabulary");
    t.decode(ids);
    t.decode(t.encode(kText), true);
  });
  return 0;
}
