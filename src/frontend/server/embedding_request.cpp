// See embedding_request.h.
#include "frontend/server/embedding_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "frontend/server/api_error.h"

namespace tg::server {
namespace {

using nlohmann::json;

constexpr size_t kMostInputs = 2048;  // as OpenAI has it
constexpr auto kKnownMembers =
    std::to_array<std::string_view>({"dimensions", "encoding_format", "input", "model", "user"});

bool is_token(const json& t) {
  return t.is_number_integer() && t >= 0 && t <= std::numeric_limits<int32_t>::max();
}

bool are_tokens(const json& list) {
  return list.is_array() && !list.empty() && std::ranges::all_of(list, is_token);
}

std::vector<EmbeddingInput> read_inputs(const json& body) {
  constexpr const char* kRule =
      "input must be a text, a list of texts, a list of tokens, or of such lists";
  const auto found = body.find("input");
  if (found == body.end() || found->is_null()) refuse("input", "input is missing");
  const json& input = *found;
  const auto one = [](const json& text) -> EmbeddingInput {
    if (are_tokens(text)) return text.get<std::vector<int32_t>>();
    if (!text.is_string()) refuse("input", kRule);
    if (text.get_ref<const std::string&>().empty()) refuse("input", "input has an empty text");
    return text.get<std::string>();
  };
  if (input.is_string() || are_tokens(input)) return {one(input)};
  if (!input.is_array() || input.empty()) refuse("input", kRule);
  if (input.size() > kMostInputs)
    refuse("input", fmt::format("input may have {} texts at most", kMostInputs));
  std::vector<EmbeddingInput> out;
  for (const json& text : input) out.push_back(one(text));
  return out;
}

bool read_format(const json& body) {
  const json format = body.value("encoding_format", json());
  if (format.is_null() || format == "float") return false;
  if (format != "base64") refuse("encoding_format", "encoding_format must be float or base64");
  return true;
}

}  // namespace

EmbeddingRequest parse_embedding_request(std::string_view body, int64_t size) {
  const json j = parse_body(body);
  for (const auto& [name, value] : j.items()) {
    if (std::ranges::find(kKnownMembers, name) == kKnownMembers.end())
      refuse(name, fmt::format("unrecognized member of the request: {}", name));
  }
  const json dimensions = j.value("dimensions", json());
  if (!dimensions.is_null() && dimensions != size)
    refuse("dimensions", fmt::format("dimensions may be {} only, as the model makes them", size));
  return {.inputs = read_inputs(j), .is_base64 = read_format(j)};
}

json embedding_answer(const EmbeddingRequest& request, std::span<const float> vectors,
                      const std::string& model, int64_t tokens) {
  const size_t size = vectors.size() / request.inputs.size();
  json data = json::array();
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const auto mine = vectors.subspan(i * size, size);
    json vector = request.is_base64 ? json(base64_of(mine))
                                    : json(std::vector<float>(mine.begin(), mine.end()));
    data.push_back({{"object", "embedding"}, {"index", i}, {"embedding", std::move(vector)}});
  }
  return {{"object", "list"},
          {"data", std::move(data)},
          {"model", model},
          {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}};
}

std::string base64_of(std::span<const float> numbers) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  for (const float x : numbers) {
    const auto bits = std::bit_cast<uint32_t>(x);
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes += static_cast<char>(bits >> shift & 255U);
  }
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = i; j < i + 3; ++j)
      three = three << 8U | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    const size_t letters = std::min<size_t>(bytes.size() - i, 3) + 1;
    for (size_t j = 0; j < 4; ++j) out += j < letters ? kLetters[three >> (18 - 6 * j) & 63U] : '=';
  }
  return out;
}

}  // namespace tg::server
