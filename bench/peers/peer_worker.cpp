// Our side of bench/peers/run and bench/gpu/run: answers their requests, see protocol.h.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "protocol.h"
#include "tg/version.h"

int main(int argc, char** argv) {
  using namespace tg::peers;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() >= 2 && arguments[0] == "--once") {
      const double seconds = once(arguments[1], numbers(std::span(arguments).subspan(2)));
      answer(fmt::format(R"({{"seconds": {:.9f}}})", seconds));
    } else {
      serve(tg::version(), [](std::optional<int64_t> times, auto kind, auto sizes) {
        return times ? prepare_many(*times, kind, sizes) : prepare(kind, sizes);
      });
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
