// See side_settings.h. The rules are those of transformers' tokenization_utils_base.py.
#include "frontend/tokenizer/side_settings.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>

#include "frontend/whole_file.h"

namespace tg::models {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr uint64_t kMostSideBytes = uint64_t{1} << 26;

constexpr auto kSpecialNames = std::to_array<std::string_view>(
    {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"});

// Kinds of models (config.json) whose folders may lack a tokenizer_config.json.
constexpr auto kClassOfModel = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"albert", "Albert"},
    {"bert", "Bert"},
    {"clip", "CLIP"},
    {"clip_text_model", "CLIP"},
    {"distilbert", "DistilBert"},
    {"electra", "Electra"},
    {"gemma", "Gemma"},
    {"gemma2", "Gemma"},
    {"gemma3_text", "Gemma"},
    {"gpt2", "GPT2"},
    {"llama", "Llama"},
    {"mistral", "Llama"},
    {"mixtral", "Llama"},
    {"mpnet", "MPNet"},
    {"mt5", "T5"},
    {"qwen", "QWen"},
    {"qwen2", "Qwen2"},
    {"qwen2_moe", "Qwen2"},
    {"qwen3", "Qwen2"},
    {"qwen3_moe", "Qwen2"},
    {"roberta", "Roberta"},
    {"t5", "T5"},
    {"umt5", "T5"},
    {"whisper", "Whisper"},
});

json object_of(const fs::path& file) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return json::object();
  json out = parse_json(whole_file("Tokenizer::load", file, kMostSideBytes), file.string());
  if (!out.is_object()) JsonPart(out, file.string()).fail("is no object");
  return out;
}

// A token as text, or as an object with its "content".
std::string content_of(const JsonPart& part) {
  return part.content().is_string() ? part.text() : part["content"].text();
}

json added_token(int32_t id, const JsonPart& part, bool special) {
  json out = special_token(id, content_of(part));
  out["special"] = special;
  out["normalized"] = !special;
  if (!part.content().is_object()) return out;
  for (const char* name : {"single_word", "lstrip", "rstrip", "normalized", "special"})
    if (const JsonPart flag = part[name]; !flag.is_null()) out[name] = flag.flag();
  return out;
}

int32_t id_of(const std::string& text, const JsonPart& part) {
  int32_t id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id < 0 || id >= kMostTokens)
    part.fail(fmt::format("\"{}\" is no number of a token, 0 to {}", text, kMostTokens - 1));
  return id;
}

}  // namespace

json special_token(int32_t id, std::string_view content) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

json between_tokens(const std::vector<NumberedToken>& before,
                    const std::vector<NumberedToken>& after) {
  json parts = json::array(), ids = json::object();
  const auto add = [&](const std::vector<NumberedToken>& tokens) {
    for (const auto& [text, id] : tokens) {
      parts.push_back({{"SpecialToken", {{"id", text}}}});
      ids[text] = {{"ids", {id}}};
    }
  };
  add(before);
  parts.push_back({{"Sequence", {{"id", "A"}}}});
  add(after);
  return {{"type", "TemplateProcessing"}, {"single", parts}, {"special_tokens", ids}};
}

SideSettings::SideSettings(const fs::path& folder)
    : tokenizer_(object_of(folder / "tokenizer_config.json")),
      special_(object_of(folder / "special_tokens_map.json")),
      added_(object_of(folder / "added_tokens.json")),
      model_(object_of(folder / "config.json")),
      folder_(folder.string()) {}

std::string SideSettings::tokenizer_class() const {
  const auto drop = [](std::string& text, std::string_view ending) {
    if (text.ends_with(ending)) text.resize(text.size() - ending.size());
  };
  std::string name = JsonPart(tokenizer_, folder_)["tokenizer_class"].text_or("");
  drop(name, "Fast");
  drop(name, "Tokenizer");
  if (!name.empty() && name != "PreTrained") return name;
  const std::string model = JsonPart(model_, folder_)["model_type"].text_or("");
  for (const auto& [kind, of_kind] : kClassOfModel)
    if (model == kind) return std::string(of_kind);
  return {};
}

bool SideSettings::flag_or(std::string_view name, bool otherwise) const {
  return JsonPart(tokenizer_, folder_ + "/tokenizer_config.json")[name].flag_or(otherwise);
}

std::optional<int32_t> SideSettings::number(std::string_view name) const {
  const JsonPart part = JsonPart(tokenizer_, folder_ + "/tokenizer_config.json")[name];
  if (part.is_null()) return {};
  return part.token_id();
}

std::optional<int64_t> SideSettings::vocabulary_size() const {
  const auto found = model_.find("vocab_size");
  if (found == model_.end() || !found->is_number_integer()) return {};
  return found->get<int64_t>();
}

const json* SideSettings::special(std::string_view name) const {
  for (const json* file : {&tokenizer_, &special_}) {
    const auto found = file->find(name);
    if (found != file->end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

std::string SideSettings::token(std::string_view name, std::string_view otherwise) const {
  const json* found = special(name);
  if (found == nullptr) return std::string(otherwise);
  return content_of(JsonPart(*found, fmt::format("{}: {}", folder_, name)));
}

json SideSettings::added_tokens(const json& defaults, const Find& find) const {
  std::map<int32_t, json> out;
  std::map<std::string, JsonPart> specials;
  const auto note = [&](const JsonPart& part) {
    specials.insert_or_assign(content_of(part), part);
  };
  for (const std::string_view name : kSpecialNames) {
    const std::string place = fmt::format("{}: {}", folder_, name);
    if (const json* said = special(name)) {
      note(JsonPart(*said, place));
    } else if (const auto usual = defaults.find(name); usual != defaults.end()) {
      note(JsonPart(*usual, place));
    }
  }
  if (const json* more = special("additional_special_tokens"))
    for (const JsonPart& p : JsonPart(*more, folder_ + ": additional_special_tokens").items())
      note(p);
  for (const auto& [text, id] : added_.items()) {
    const JsonPart part(id, fmt::format("{}/added_tokens.json[\"{}\"]", folder_, text));
    const json content = text;
    const auto special = specials.find(text);
    out[part.token_id()] =
        special != specials.end()
            ? added_token(part.token_id(), special->second, true)
            : added_token(part.token_id(), JsonPart(content, part.place()), false);
  }
  const JsonPart decoder =
      JsonPart(tokenizer_, folder_ + "/tokenizer_config.json")["added_tokens_decoder"];
  if (!decoder.is_null() && !decoder.content().is_object()) decoder.fail("is no object");
  if (!decoder.is_null()) {
    for (const auto& [number, token] : decoder.content().items()) {
      const JsonPart part(token, fmt::format("{}[\"{}\"]", decoder.place(), number));
      const int32_t id = id_of(number, decoder);
      out[id] = added_token(id, part, false);
    }
  }
  std::map<std::string, int32_t> ids;
  for (const auto& [id, token] : out) ids[token["content"]] = id;
  for (const auto& [text, part] : specials) {
    if (ids.contains(text)) continue;
    if (const auto id = find(text)) out[*id] = added_token(*id, part, true);
  }
  json list = json::array();
  for (auto& [id, token] : out) list.push_back(std::move(token));
  return list;
}

}  // namespace tg::models
