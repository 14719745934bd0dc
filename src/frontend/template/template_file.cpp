// Where chat templates come from: tokenizer_config.json and chat_template.jinja of a folder, or the
// facts of a GGUF file. What they mean: chat_template.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/tokenizer/json_part.h"
#include "frontend/whole_file.h"
#include "support/check.h"
#include "tg/models/chat_template.h"
#include "tg/state.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLoad = "ChatTemplate::load";
constexpr uint64_t kMostBytes = uint64_t{64} << 20;
constexpr std::string_view kUsual = "default";

bool is_there(const fs::path& p) {
  std::error_code unknown;
  return fs::exists(p, unknown);
}

bool is_folder(const fs::path& p) {
  std::error_code unknown;
  return fs::is_directory(p, unknown);
}

nlohmann::json settings_of(const fs::path& folder) {
  const fs::path file = folder / "tokenizer_config.json";
  if (!is_there(file)) return nlohmann::json::object();
  return parse_json(whole_file(kLoad, file, kMostBytes), file.string());
}

// ---- folders

// A text, or an object with it: each member whose name ends with _token.
TemplateTokens tokens_of_settings(const JsonPart& settings) {
  TemplateTokens out;
  for (const auto& [name, value] : settings.content().items()) {
    if (!name.ends_with("_token") || name == "add_bos_token" || name == "add_eos_token") continue;
    if (value.is_string()) out[name] = value.get<std::string>();
    if (value.is_object()) out[name] = settings[name]["content"].text();
  }
  return out;
}

// One template, or several with names.
std::optional<std::string> text_of_settings(const JsonPart& settings, std::string_view which) {
  const JsonPart part = settings["chat_template"];
  if (part.is_null()) return {};
  if (part.content().is_string()) {
    return which.empty() || which == kUsual ? std::optional(part.text()) : std::nullopt;
  }
  const std::string_view wanted = which.empty() ? kUsual : which;
  for (const JsonPart& one : part.items())
    if (one["name"].text() == wanted) return one["template"].text();
  return {};
}

// Named ones lie in a folder of their own; a file goes before the settings.
std::optional<std::string> text_of_folder(const fs::path& folder, const JsonPart& settings,
                                          std::string_view which) {
  const bool is_usual = which.empty() || which == kUsual;
  const bool is_name = which.find_first_of("/\\:") == std::string_view::npos;
  const fs::path file =
      is_usual ? folder / "chat_template.jinja"
               : folder / "additional_chat_templates" / fs::path(fmt::format("{}.jinja", which));
  if (is_name && is_there(file)) return whole_file(kLoad, file, kMostBytes);
  return text_of_settings(settings, which);
}

// ---- GGUF

const std::string* text_fact(const nn::Facts& facts, std::string_view name) {
  const auto found = facts.find(name);
  return found == facts.end() ? nullptr : std::get_if<std::string>(&found->second.value);
}

TemplateTokens tokens_of_facts(const nn::Facts& facts) {
  TemplateTokens out;
  const auto tokens = facts.find("tokenizer.ggml.tokens");
  const auto* list =
      tokens == facts.end() ? nullptr : std::get_if<nn::Fact::List>(&tokens->second.value);
  if (list == nullptr) return out;
  const std::pair<std::string_view, std::string> names[] = {{"bos_token_id", "bos_token"},
                                                            {"eos_token_id", "eos_token"},
                                                            {"unknown_token_id", "unk_token"},
                                                            {"padding_token_id", "pad_token"}};
  for (const auto& [fact, name] : names) {
    const auto found = facts.find(fmt::format("tokenizer.ggml.{}", fact));
    const auto* id = found == facts.end() ? nullptr : std::get_if<int64_t>(&found->second.value);
    if (id == nullptr || *id < 0 || *id >= std::ssize(*list)) continue;
    if (const auto* text = std::get_if<std::string>(&(*list)[static_cast<size_t>(*id)].value))
      out[name] = *text;
  }
  return out;
}

}  // namespace

TemplateTokens template_tokens(const fs::path& path) {
  if (!is_folder(path)) return tokens_of_facts(nn::gguf_info(path).facts);
  const nlohmann::json settings = settings_of(path);
  return tokens_of_settings(JsonPart(settings, (path / "tokenizer_config.json").string()));
}

std::optional<ChatTemplate> ChatTemplate::load(const fs::path& path, std::string_view which) {
  const std::string name = fmt::format("chat template of {}", path.string());
  if (!is_folder(path)) {
    const nn::Facts facts = nn::gguf_info(path).facts;
    const bool is_usual = which.empty() || which == kUsual;
    const std::string* text =
        text_fact(facts, is_usual ? "tokenizer.chat_template"
                                  : fmt::format("tokenizer.chat_template.{}", which));
    if (text == nullptr) return {};
    return parse(*text, tokens_of_facts(facts), name);
  }
  const nlohmann::json content = settings_of(path);
  const JsonPart settings(content, (path / "tokenizer_config.json").string());
  if (!content.is_object()) settings.fail("is no object");
  const auto text = text_of_folder(path, settings, which);
  if (!text) return {};
  return parse(*text, tokens_of_settings(settings), name);
}

}  // namespace tg::models
