// Requests to the HTTP server: src/frontend/server/request.h and embedding_request.h. One that is
// understood is a conversation or a prompt, with options in their ranges, or a list of texts.
#include "frontend/server/request.h"

#include "frontend/server/embedding_request.h"

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  for (const auto endpoint : {server::Endpoint::Chat, server::Endpoint::Completion}) {
    fuzz::read_or_refuse([&] {
      const server::Request r = server::parse_request(fuzz::text_of(data, size), endpoint);
      fuzz::expect(r.options.temperature >= 0 && r.options.top_p > 0 && r.options.top_p <= 1,
                   "options are in their ranges");
      fuzz::expect(r.options.max_tokens >= 1, "there is a token at least");
      for (const std::string& s : r.stop) fuzz::expect(!s.empty(), "no stop text is empty");
      for (const int32_t t : r.tokens) fuzz::expect(t >= 0, "no token is negative");
      if (endpoint == server::Endpoint::Chat) {
        fuzz::expect(!server::plain_conversation(r.messages).empty(), "a conversation has a text");
      }
    });
  }
  fuzz::read_or_refuse([&] {
    const auto r = server::parse_embedding_request(fuzz::text_of(data, size), 8);
    fuzz::expect(!r.inputs.empty(), "there is a text at least");
    for (const server::EmbeddingInput& input : r.inputs) {
      const auto* tokens = std::get_if<std::vector<int32_t>>(&input);
      fuzz::expect(tokens != nullptr ? !tokens->empty() : !std::get<std::string>(input).empty(),
                   "no text is empty");
      for (const int32_t t : tokens != nullptr ? *tokens : std::vector<int32_t>())
        fuzz::expect(t >= 0, "no token is negative");
    }
  });
  return 0;
}
