// Grammars and JSON Schemas: src/frontend/grammar. One that is read takes or refuses a text, of
// which it takes the beginnings too; one of a schema is read as GBNF again.
#include "fuzz/fuzz.h"
#include "tg/models/grammar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  const std::string_view text = fuzz::text_of(data, size);
  const auto match = [&](const models::Grammar& grammar) {
    for (const std::string_view t : {std::string_view("[{\"a\": 1.5}, \"\u00e9\"]"), text}) {
      const bool is_in = grammar.accepts(t);
      fuzz::expect(!is_in || grammar.accepts_beginning(t.substr(0, t.size() / 2)),
                   "a text that is accepted has beginnings that are");
    }
  };
  fuzz::read_or_refuse([&] { match(models::Grammar::parse(text)); });
  fuzz::read_or_refuse([&] { match(models::Grammar::of_json_schema(text)); });
  return 0;
}
