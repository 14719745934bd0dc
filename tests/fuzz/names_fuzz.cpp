// Short texts that people write: numbers of devices, names of dtypes, UTF-8.
#include "fuzz/fuzz.h"
#include "nn/format/utf8.h"
#include "runtime/numbered_devices.h"
#include "support/text.h"
#include "tg/dtype.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::read_or_refuse([&] {
    if (const auto number = parse_device_number(text))
      fuzz::expect(*number >= 0 && *number < 1000, "a device has a number below 1000");
    if (const auto dtype = parse_dtype(text))
      fuzz::expect(parse_dtype(dtype_name(*dtype)) == dtype, "a dtype's name is its own");
    const size_t valid = nn::valid_utf8_prefix(text);
    fuzz::expect(valid <= size && nn::valid_utf8_prefix(text.substr(0, valid)) == valid,
                 "a valid prefix is valid");
    parse_int64(text);
    needed_device_number("CPU", text);
  });
  return 0;
}
