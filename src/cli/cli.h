// The tg command: one file a command, each adding itself to the parser. Streams are arguments, so
// that tests see what a user sees. What the commands do is in the layers below; here is only
// reading arguments and printing.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tg::cli {

/// Runs `tg` with these arguments (without the program's name) and returns the exit status: 0, 1
/// for an error of the library, or the parser's status for a wrong command line. Never throws.
int run(std::vector<std::string> arguments, std::ostream& out, std::ostream& errors);

/// The commit that was built, twelve digits, with "-dirty" behind them where files had been
/// changed. Empty if it is not known: a build from an archive.
std::string_view commit();

/// "tinygrad.cpp 0.1.0 (gcc 12.2, release, commit 0123456789ab)": what `tg --version` prints.
std::string version_line();

/// Each adds one command to the parser. It prints its result to `out` and throws tg::Error when it
/// fails.
void add_version_command(CLI::App& app, std::ostream& out);
void add_devices_command(CLI::App& app, std::ostream& out);
void add_options_command(CLI::App& app, std::ostream& out);
void add_cache_command(CLI::App& app, std::ostream& out);
void add_tune_command(CLI::App& app, std::ostream& out);
void add_bench_command(CLI::App& app, std::ostream& out);
/// tg inspect and tg run, tg tokenize, tg llm, tg embed, tg classify, tg detect, tg transcribe, tg
/// rewrite, and tg imagine. In builds without tinygrad::models they say so.
void add_model_commands(CLI::App& app, std::ostream& out);
void add_tokenize_command(CLI::App& app, std::ostream& out);
void add_llm_command(CLI::App& app, std::ostream& out);
void add_embed_command(CLI::App& app, std::ostream& out);
void add_classify_command(CLI::App& app, std::ostream& out);
void add_detect_command(CLI::App& app, std::ostream& out);
void add_transcribe_command(CLI::App& app, std::ostream& out);
void add_rewrite_command(CLI::App& app, std::ostream& out);
void add_imagine_command(CLI::App& app, std::ostream& out);
/// tg serve. In builds without tinygrad::models or cpp-httplib it says so.
void add_serve_command(CLI::App& app, std::ostream& out);

}  // namespace tg::cli
