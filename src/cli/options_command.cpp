// tg options: the environment variables that the library reads, their values now, and the reference
// page of them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/cli.h"
#include "support/options.h"

namespace tg::cli {
namespace {

void print_options(std::ostream& out) {
  size_t name_width = 0;
  for (const OptionInfo& row : option_table()) name_width = std::max(name_width, row.name.size());
  for (const OptionInfo& row : option_table()) {
    const std::string value = row.show(options());
    out << fmt::format("{:{}}  {}\n", row.name, name_width, value.empty() ? "(not set)" : value);
    out << fmt::format("{:{}}  {}\n", "", name_width, row.help);
    const std::string alias = row.alias.empty() ? "" : fmt::format("; also {}", row.alias);
    out << fmt::format("{:{}}  accepts: {}; default: {}{}\n", "", name_width, row.type,
                       row.default_value, alias);
  }
}

}  // namespace

void add_options_command(CLI::App& app, std::ostream& out) {
  CLI::App* command =
      app.add_subcommand("options", "Print the options: variables, values, meaning");
  const auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "Print the reference page docs/options.md instead");
  command->callback([&out, markdown] {
    if (*markdown) {
      out << options_markdown();
    } else {
      print_options(out);
    }
  });
}

}  // namespace tg::cli
