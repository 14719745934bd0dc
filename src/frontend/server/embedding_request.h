// Requests of OpenAI's API for vectors of texts, as this server understands them, and the answers:
// JSON in and out. What would change the answer and is not supported is refused, by name. What
// happens to a request: embeddings.h.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tg::server {

/// A text, or a text as tokens with the special ones.
using EmbeddingInput = std::variant<std::string, std::vector<int32_t>>;

struct EmbeddingRequest {
  std::vector<EmbeddingInput> inputs;
  bool is_base64 = false;  ///< vectors as the bytes of their floats, least byte first
};

/// ApiError for a body that is no such request, which names the member. `size`: numbers of a
/// vector, the one value that "dimensions" may have.
EmbeddingRequest parse_embedding_request(std::string_view body, int64_t size);

/// The answer of vectors [texts, size].
nlohmann::json embedding_answer(const EmbeddingRequest& request, std::span<const float> vectors,
                                const std::string& model, int64_t tokens);

/// Bytes of floats, least byte first, as RFC 4648 writes them.
std::string base64_of(std::span<const float> numbers);

}  // namespace tg::server
