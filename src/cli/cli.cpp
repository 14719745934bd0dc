// The parser of the tg command and the one place where its errors become messages and exit
// statuses.
#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <ostream>

#include "tg/error.h"

namespace tg::cli {

int run(std::vector<std::string> arguments, std::ostream& out, std::ostream& errors) {
  CLI::App app("tinygrad.cpp: lazy tensors, one graph, a compiler.", "tg");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Print the help of all commands and exit");
  app.set_version_flag("--version", version_line, "Print the version and exit");
  add_version_command(app, out);
  add_devices_command(app, out);
  add_options_command(app, out);
  add_cache_command(app, out);
  add_tune_command(app, out);
  add_bench_command(app, out);
  add_model_commands(app, out);
  add_serve_command(app, out);
  try {
    // CLI11 takes its arguments from the back.
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, errors);
  } catch (const Error& error) {
    errors << "tg: " << error.what() << "\n";
    return 1;
  } catch (const std::exception& error) {
    errors << "tg: unexpected error: " << error.what() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace tg::cli
