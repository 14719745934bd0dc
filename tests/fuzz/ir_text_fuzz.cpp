// The IR as text: include/tg/ir/text.h. What is read is printed and read again.
#include "fuzz/fuzz.h"
#include "tg/ir/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::read_or_refuse([&] {
    const UOp root = parse(text);
    const std::string printed = print(root);
    print_expr(root);
    fuzz::expect(print(fuzz::read_own([&] { return parse(printed); })) == printed,
                 "what is printed is read as it was");
  });
  fuzz::read_or_refuse([&] { print(parse_list(text)); });
  return 0;
}
