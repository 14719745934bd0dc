// Chat templates: src/frontend/template. One that is read renders a conversation; both may be
// refused. The input ends at a letter of zero, behind which messages may follow as JSON.
#include "fuzz/fuzz.h"
#include "tg/models/chat_template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  constexpr std::string_view kMessages =
      R"([{"role":"system","content":"Be brief."},{"role":"user","content":" Hé\n"},)"
      R"({"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f"}}]}])";
  const std::string_view input = fuzz::text_of(data, size);
  const size_t end = input.find('\0');
  fuzz::read_or_refuse([&] {
    const auto chat = models::ChatTemplate::parse(
        input.substr(0, end), {{"bos_token", "<s>"}, {"eos_token", "</s>"}}, "fuzz");
    chat.render_json(end == std::string_view::npos ? kMessages : input.substr(end + 1),
                     {.tools = R"([{"function":{"name":"f","parameters":{"a":[1,2.5,true]}}}])"});
  });
  return 0;
}
