// Options from the environment: src/support/options.h. The input is lines NAME=VALUE.
#include "support/options.h"

#include <map>
#include <string>

#include "fuzz/fuzz.h"
#include "support/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  std::map<std::string, std::string> variables;
  for (std::string_view line : split(fuzz::text_of(data, size), '\n')) {
    const size_t at = line.find('=');
    if (at != std::string_view::npos) variables.emplace(line.substr(0, at), line.substr(at + 1));
  }
  const auto lookup = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  fuzz::read_or_refuse([&] {
    const Options options = read_options(lookup);
    fuzz::expect(options.debug >= 0 && options.debug <= 7, "DEBUG is 0 to 7");
    fuzz::expect(options.thread_count() >= 1, "there is a thread");
    fuzz::expect(options.cache_megabytes >= 1, "a cache has room");
    for (const OptionInfo& row : option_table()) row.show(options);
  });
  return 0;
}
