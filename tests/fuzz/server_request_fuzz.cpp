// Requests to the HTTP server: src/frontend/server/request.h. One that is understood is a
// conversation or a prompt, with options in their ranges.
#include "frontend/server/request.h"

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
  return 0;
}
