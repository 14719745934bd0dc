// The commands that need tinygrad::models (tg inspect, run, tokenize, llm, embed, classify, detect,
// transcribe, rewrite and imagine) where the library was built without it: they say what is
// missing. The commands themselves: model_commands.cpp.
#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/cli.h"
#include "support/check.h"

namespace tg::cli {

void add_model_commands(CLI::App& app, std::ostream&) {
  for (const char* name : {"inspect", "run", "tokenize", "llm", "embed", "classify", "detect",
                           "transcribe", "rewrite", "imagine"}) {
    CLI::App* command =
        app.add_subcommand(name, "Needs tinygrad::models, which is not in this build");
    command->allow_extras();
    command->callback([name] {
      user_error<ArgumentError>(
          name, "this build has no library of models",
          "Hint: install protobuf, ICU, libpng, libjpeg and libsndfile and build "
          "again.");
    });
  }
}

}  // namespace tg::cli
