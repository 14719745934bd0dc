// See sentencepiece_file.h. What a model must have: model_interface.cc of SentencePiece. The tokens
// at the ends of a text are those of transformers' classes.
#include "frontend/tokenizer/sentencepiece_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "frontend/tokenizer/scored_pieces.h"
#include "frontend/tokenizer/sentencepiece_model.pb.h"
#include "frontend/tokenizer/unicode.h"
#include "support/check.h"

namespace tg::models {
namespace {

using nlohmann::json;
namespace file = tg_sentencepiece_file;

constexpr int kUnigram = 1, kBpe = 2;

// The tokens that a class of transformers puts at the ends of a text, by their names there.
struct Ends {
  std::string_view of_class;
  bool begins, ends;
  std::string_view begin = "bos_token", end = "eos_token";
};

constexpr auto kEnds = std::to_array<Ends>({
    {"Albert", true, true, "cls_token", "sep_token"},
    {"CodeLlama", true, false},
    {"Gemma", true, false},
    {"Llama", true, false},
    {"MT5", false, true},
    {"T5", false, true},
});

// T5's tokens for gaps in a text, behind those of the file and numbered downwards.
constexpr int32_t kGaps = 100, kMostGaps = 10'000;

class SentencePieceFile {
 public:
  SentencePieceFile(std::string_view bytes, const SideSettings& settings, const std::string& name)
      : settings_(settings), name_(name), class_(settings.tokenizer_class()) {
    if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
        !model_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      fail("is no model of SentencePiece, or is cut off");
    if (model_.pieces_size() == 0) fail("has no pieces");
    if (model_.pieces_size() >= kMostTokens)
      fail(fmt::format("has {} pieces, of at most {}", model_.pieces_size(), kMostTokens - 1));
    // A message that ends between two of its fields is one, too; the library writes these two last.
    if (!model_.has_training() || !model_.has_normalization())
      fail("does not say how it was trained and how texts are normalised, or is cut off");
    kind_ = model_.training().model_type();
    if (kind_ != kUnigram && kind_ != kBpe)
      fail(fmt::format("is of kind {}, neither unigram (1) nor BPE (2)", kind_));
    for (int i = 0; i < model_.pieces_size(); ++i) take_piece(i);
    check_whole();
  }

  json whole_tokenizer() const {
    const file::Normalization& n = model_.normalization();
    const bool prepends = n.add_dummy_prefix() && settings_.flag_or("add_prefix_space", true);
    json text = {{"type", "SentencePiece"},
                 {"precompiled_charsmap", n.precompiled_charsmap()},
                 {"add_dummy_prefix", prepends},
                 {"only_at_start", !settings_.flag_or("legacy", true)},
                 {"remove_extra_whitespaces", n.remove_extra_whitespaces()},
                 {"escape_whitespaces", n.escape_whitespaces()},
                 {"treat_whitespace_as_suffix", model_.training().treat_whitespace_as_suffix()},
                 {"user_defined", user_defined_}};
    json decoder = {{"type", "SentencePiece"},
                    {"unknown", model_.pieces(unknown_).text()},
                    {"unknown_surface", model_.training().unk_surface()},
                    {"byte_fallback", model_.training().byte_fallback()},
                    {"strips_first_space", prepends || n.remove_extra_whitespaces()},
                    {"strips_first_spaces", n.remove_extra_whitespaces()}};
    json model = {{"type", kind_ == kBpe ? "ScoredBPE" : "Unigram"},
                  {"vocab", vocabulary_},
                  {"types", types_},
                  {"unk_id", unknown_},
                  {"byte_fallback", model_.training().byte_fallback()}};
    return {{"added_tokens", added()},
            {"pre_tokenizer", text},
            {"model", model},
            {"post_processor", ends()},
            {"decoder", decoder}};
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const { user_error<FileError>(name_, problem); }
  [[noreturn]] void fail(int piece, std::string_view problem) const {
    user_error<FileError>(fmt::format("{}: piece {}", name_, piece), problem);
  }

  void take_piece(int i) {
    const file::Piece& p = model_.pieces(i);
    const std::string& text = p.text();
    if (text.empty()) fail(i, "has no text");
    if (valid_text(text) != text) fail(i, "is no UTF-8");
    if (!std::isfinite(p.score())) fail(i, fmt::format("\"{}\" has no finite score", text));
    if (p.type() < static_cast<int>(PieceType::Normal) ||
        p.type() > static_cast<int>(PieceType::Byte))
      fail(i, fmt::format("\"{}\" is of the unknown type {}", text, p.type()));
    if (!ids_.emplace(text, i).second) fail(i, fmt::format("\"{}\" is there twice", text));
    const auto type = static_cast<PieceType>(p.type());
    if (type == PieceType::Unknown && unknown_ >= 0) fail(i, "is a second unknown one");
    if (type == PieceType::Unknown) unknown_ = i;
    if (type == PieceType::UserDefined) user_defined_.push_back(text);
    vocabulary_.push_back({text, static_cast<double>(p.score())});
    types_.push_back(p.type());
  }

  void check_whole() const {
    if (unknown_ < 0) fail("has no piece of the type for what is unknown");
    if (!model_.training().byte_fallback()) return;
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text = fmt::format("<0x{:02X}>", byte);
      if (!has_type(text, PieceType::Byte)) fail(fmt::format("lacks the piece \"{}\"", text));
    }
  }

  bool has_type(const std::string& text, PieceType type) const {
    const auto found = ids_.find(text);
    return found != ids_.end() && model_.pieces(found->second).type() == static_cast<int>(type);
  }

  json special_names() const {
    json out = {{"bos_token", model_.training().bos_piece()},
                {"eos_token", model_.training().eos_piece()}};
    if (class_ == "Albert") out.update({{"cls_token", "[CLS]"}, {"sep_token", "[SEP]"}});
    return out;
  }

  json added() const {
    const json own = settings_.added_tokens(special_names(), [&](std::string_view text) {
      const auto found = ids_.find(std::string(text));
      return found == ids_.end() ? std::optional<int32_t>() : found->second;
    });
    std::set<int32_t> taken;
    json out = json::array();
    for (const json& t : own) {
      if (t["id"] == unknown_) continue;  // its text in a text is text, as in SentencePiece
      taken.insert(t["id"].get<int32_t>());
      out.push_back(t);
    }
    const auto add = [&](int32_t id, const std::string& text) {
      if (taken.insert(id).second) out.push_back(special_token(id, text));
    };
    for (int i = 0; i < model_.pieces_size(); ++i)
      if (types_[static_cast<size_t>(i)] == static_cast<int>(PieceType::Control))
        add(i, model_.pieces(i).text());
    if (class_ != "T5" && class_ != "MT5") return out;
    const int32_t gaps = settings_.number("extra_ids").value_or(kGaps);
    if (gaps > kMostGaps) fail(fmt::format("has {} extra_ids, of at most {}", gaps, kMostGaps));
    for (int32_t i = 0; i < gaps; ++i)
      add(model_.pieces_size() + gaps - 1 - i, fmt::format("<extra_id_{}>", i));
    return out;
  }

  json ends() const {
    const auto known = std::ranges::find(kEnds, class_, &Ends::of_class);
    Ends e = known != kEnds.end() ? *known : Ends{"", kind_ == kBpe, kind_ == kUnigram};
    e.begins = settings_.flag_or("add_bos_token", e.begins);
    e.ends = settings_.flag_or("add_eos_token", e.ends);
    const auto tokens = [&](bool wanted, std::string_view role) {
      std::vector<NumberedToken> out;
      if (!wanted) return out;
      const json names = special_names();
      const std::string text =
          settings_.token(role, names.at(std::string(role)).get<std::string>());
      if (has_type(text, PieceType::Control) || has_type(text, PieceType::UserDefined))
        out.emplace_back(text, ids_.at(text));
      return out;
    };
    return between_tokens(tokens(e.begins, e.begin), tokens(e.ends, e.end));
  }

  const SideSettings& settings_;
  const std::string& name_;
  std::string class_;
  file::Model model_;
  int kind_ = 0;
  int unknown_ = -1;
  std::unordered_map<std::string, int> ids_;
  std::vector<std::string> user_defined_;
  std::vector<int> types_;
  json vocabulary_ = json::array();
};

}  // namespace

json sentencepiece_tokenizer(std::string_view bytes, const SideSettings& settings,
                             const std::string& name) {
  return SentencePieceFile(bytes, settings, name).whole_tokenizer();
}

}  // namespace tg::models
