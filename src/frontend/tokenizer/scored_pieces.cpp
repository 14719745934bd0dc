// See scored_pieces.h.
#include "frontend/tokenizer/scored_pieces.h"

#include <fmt/format.h>

#include "support/check.h"

namespace tg::models {

ScoredPieces::ScoredPieces(const JsonPart& part) : has_bytes(part["byte_fallback"].flag_or(false)) {
  for (const JsonPart& p : part["vocab"].items()) {
    const auto entry = p.items();
    if (entry.size() != 2) p.fail("is no token with its score");
    const auto id = static_cast<int32_t>(scores.size());
    if (id >= kMostTokens) p.fail("is one token too many");
    scores.push_back(entry[1].number());
    words.add(entry[0].text(), id);
  }
  for (const JsonPart& p : part["types"].items())
    types.push_back(static_cast<PieceType>(p.token_id()));
  if (!types.empty() && types.size() != scores.size())
    part["types"].fail("has not one for each token");
  const JsonPart id = part["unk_id"];
  if (id.is_null()) return;
  unknown = id.token_id();
  if (*unknown >= words.end()) id.fail("is the number of no token");
}

bool ScoredPieces::is_of_text(int32_t id) const {
  const PieceType t = type(id);
  return t == PieceType::Normal || t == PieceType::UserDefined || t == PieceType::Unused;
}

void ScoredPieces::append_unknown(std::string_view text, std::vector<int32_t>& ids) const {
  std::vector<int32_t> bytes;
  for (size_t i = 0; has_bytes && i < text.size(); ++i) {
    const auto id = words.find(fmt::format("<0x{:02X}>", static_cast<uint8_t>(text[i])));
    if (id) bytes.push_back(*id);
  }
  if (has_bytes && bytes.size() == text.size()) {
    ids.insert(ids.end(), bytes.begin(), bytes.end());
  } else if (unknown) {
    ids.push_back(*unknown);
  } else {
    user_error<ArgumentError>(
        "encode", fmt::format("the vocabulary has no \"{}\", nor a token for what it lacks", text));
  }
}

}  // namespace tg::models
