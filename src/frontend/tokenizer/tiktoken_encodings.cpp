// See tiktoken_encodings.h. Sources: tiktoken_ext/openai_public.py of tiktoken; llama_models of
// Meta, llama3/api/tokenizer.py; tokenization_qwen.py of Qwen; whisper/tokenizer.py of OpenAI. `$`
// is written \z: to ICU the former also stands before a line's end.
#include "frontend/tokenizer/tiktoken_encodings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tg::models {
namespace {

constexpr std::string_view kGpt2Words =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++\z|\s+(?!\S)|\s)";
constexpr std::string_view kCl100kWords =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+)"
    R"(|\s++\z|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr std::string_view kO200kWords =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|)"
    R"('ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwenWords =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kWhisperWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

constexpr auto kEncodings = std::to_array<TiktokenEncoding>({
    {"gpt2", kGpt2Words, 50256},
    {"r50k_base", kGpt2Words, 50256},
    {"p50k_base", kGpt2Words, 50280},
    {"p50k_edit", kGpt2Words, 50280},
    {"cl100k_base", kCl100kWords, 100256},
    {"o200k_base", kO200kWords, 199998},
    {"llama3", kLlama3Words, 128000, "Llama", "<|begin_of_text|>"},
    {"qwen", kQwenWords, 151643, "QWen"},
    {"whisper", kWhisperWords, 50257, "Whisper"},
});

// Of Whisper, in the order of their tokens.
constexpr std::string_view kLanguages =
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta "
    "no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk "
    "sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb "
    "my bo tl mg as tt haw ln ha ba jw su yue";

// Whisper's tokens besides those of languages.
constexpr int64_t kTimes = 1501, kTasks = 8;
constexpr int64_t kFewestLanguages = 99;

using Specials = std::vector<NumberedToken>;

// Numbers tokens one after the other.
class Counting {
 public:
  Counting(Specials& out, int32_t next) : out_(out), next_(next) {}
  void add(std::string_view name) { out_.emplace_back(fmt::format("<|{}|>", name), next_++); }

 private:
  Specials& out_;
  int32_t next_;
};

void add_llama3(Specials& out, int32_t first) {
  constexpr int kAll = 256;
  Counting count(out, first);
  for (const char* name :
       {"begin_of_text", "end_of_text", "reserved_special_token_0", "reserved_special_token_1",
        "finetune_right_pad_id", "step_id", "start_header_id", "end_header_id", "eom_id", "eot_id",
        "python_tag", "image"})
    count.add(name);
  for (int i = 2; static_cast<int>(out.size()) < kAll; ++i)
    count.add(fmt::format("reserved_special_token_{}", i));
}

void add_qwen(Specials& out, int32_t first) {
  Counting count(out, first);
  for (const char* name : {"endoftext", "im_start", "im_end"}) count.add(name);
  for (int i = 0; i < 205; ++i) count.add(fmt::format("extra_{}", i));
}

void add_whisper(Specials& out, int32_t first, std::optional<int64_t> rows) {
  Counting count(out, first);
  const int64_t languages = rows.value_or(0) - first - kTimes - kTasks;
  count.add("endoftext");
  count.add("startoftranscript");
  int64_t n = 0;
  for (std::string_view rest = kLanguages;
       !rest.empty() && n < std::max(languages, kFewestLanguages); ++n) {
    const size_t end = std::min(rest.find(' '), rest.size());
    count.add(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const char* name :
       {"translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"})
    count.add(name);
  for (int i = 0; i < kTimes; ++i) count.add(fmt::format("{}.{:02}", i / 50, i % 50 * 2));
}

}  // namespace

const TiktokenEncoding* find_encoding(std::string_view name) {
  const auto found = std::ranges::find(kEncodings, name, &TiktokenEncoding::name);
  return found == kEncodings.end() ? nullptr : &*found;
}

const TiktokenEncoding* encoding_of_class(std::string_view tokenizer_class) {
  if (tokenizer_class.empty()) return nullptr;
  const auto found = std::ranges::find(kEncodings, tokenizer_class, &TiktokenEncoding::of_class);
  return found == kEncodings.end() ? nullptr : &*found;
}

const TiktokenEncoding* encoding_of_size(size_t tokens) {
  const auto found = std::ranges::find(kEncodings, tokens, &TiktokenEncoding::tokens);
  return found == kEncodings.end() ? nullptr : &*found;
}

std::string names_of_encodings() {
  std::string out;
  for (const TiktokenEncoding& e : kEncodings)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", e.name);
  return out;
}

std::vector<NumberedToken> special_tokens(const TiktokenEncoding& encoding, int32_t first,
                                          std::optional<int64_t> rows) {
  Specials out;
  if (encoding.name == "llama3") add_llama3(out, first);
  if (encoding.name == "qwen") add_qwen(out, first);
  if (encoding.name == "whisper") add_whisper(out, first, rows);
  if (encoding.words == kGpt2Words) out = {{"<|endoftext|>", 50256}};
  if (encoding.name == "p50k_edit")
    out.insert(out.end(),
               {{"<|fim_prefix|>", 50281}, {"<|fim_middle|>", 50282}, {"<|fim_suffix|>", 50283}});
  if (encoding.name == "cl100k_base")
    out = {{"<|endoftext|>", 100257},
           {"<|fim_prefix|>", 100258},
           {"<|fim_middle|>", 100259},
           {"<|fim_suffix|>", 100260},
           {"<|endofprompt|>", 100276}};
  if (encoding.name == "o200k_base") out = {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}};
  return out;
}

}  // namespace tg::models
