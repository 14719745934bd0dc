// tg serve where the library was built without tinygrad::models or cpp-httplib: it says what is
// missing. The command itself: serve_command.cpp.
#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/cli.h"
#include "support/check.h"

namespace tg::cli {

void add_serve_command(CLI::App& app, std::ostream&) {
  CLI::App* command = app.add_subcommand("serve", "Needs cpp-httplib, which is not in this build");
  command->allow_extras();
  command->callback([] {
    user_error<ArgumentError>("serve", "this build has no HTTP server",
                              "Hint: install protobuf, ICU, libpng, libjpeg, libsndfile and "
                              "cpp-httplib and build again.");
  });
}

}  // namespace tg::cli
