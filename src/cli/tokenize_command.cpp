// tg tokenize: what a tokenizer makes of a text, for people to see and for scripts to read.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/cli.h"
#include "support/check.h"
#include "tg/models/tokenizer.h"

namespace tg::cli {
namespace {

struct Settings {
  std::string file, text, encoding;
  bool json = false;
};

void list_tokens(const models::Tokenizer& t, const std::string& text, std::ostream& out) {
  const std::vector<int32_t> ids = t.encode(text);
  for (int32_t id : ids) out << fmt::format("{:>8}  {}\n", id, t.token_of(id).value_or("?"));
  out << fmt::format("{} tokens; as text: {}\n", ids.size(), t.decode(ids));
}

nlohmann::json answer(const models::Tokenizer& t, const std::string& text) {
  try {
    const std::vector<int32_t> ids = t.encode(text);
    return {{"ids", ids},
            {"plain", t.encode(text, false)},
            {"text", t.decode(ids)},
            {"all", t.decode(ids, true)}};
  } catch (const ArgumentError& e) {
    return {{"error", e.what()}};
  }
}

nlohmann::json answer(const models::Tokenizer& t, const std::vector<int32_t>& ids) {
  return {{"text", t.decode(ids)}, {"all", t.decode(ids, true)}};
}

bool is_list_of_tokens(const nlohmann::json& line) {
  const auto is_token = [](const nlohmann::json& id) {
    return id.is_number_unsigned() && id.get<uint64_t>() <= INT32_MAX;
  };
  return line.is_array() && std::ranges::all_of(line, is_token);
}

// A text of JSON a line in, or a list of tokens, and an object a line out.
void answer_lines(const models::Tokenizer& t, std::istream& in, std::ostream& out) {
  int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto asked = nlohmann::json::parse(line, nullptr, false);
    if (!asked.is_string() && !is_list_of_tokens(asked)) {
      user_error<ArgumentError>(
          "tokenize", fmt::format("line {} is no string of JSON, nor a list of tokens", number),
          "Hint: put each text in quotes.");
    }
    const nlohmann::json said = asked.is_string() ? answer(t, asked.get<std::string>())
                                                  : answer(t, asked.get<std::vector<int32_t>>());
    out << said.dump(-1, ' ', true) << "\n";
  }
}

}  // namespace

void add_tokenize_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<Settings>();
  CLI::App* command = app.add_subcommand("tokenize", "Show the tokens of a text");
  command
      ->add_option("tokenizer", s->file,
                   "a tokenizer.json or another tokenizer's file, or the folder of one")
      ->required();
  command->add_option("text", s->text, "the text");
  command->add_option(
      "--encoding", s->encoding,
      "of a file of tiktoken: gpt2, cl100k_base, o200k_base, llama3, qwen, whisper; "
      "else the files beside it or the number of tokens tell");
  command->add_flag(
      "--json", s->json,
      "read texts from standard input, a string of JSON a line, and print for each an "
      "object: ids, plain (without special tokens), text (decoded), all (decoded with "
      "special tokens); a list of numbers is decoded only");
  command->callback([s, &out] {
    const models::Tokenizer t = models::Tokenizer::load(s->file, s->encoding);
    if (s->json) {
      answer_lines(t, std::cin, out);
    } else {
      list_tokens(t, s->text, out);
    }
  });
}

}  // namespace tg::cli
