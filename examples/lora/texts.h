// What is learned: one text, or prompts with their completions, as tokens. Which parts of them a
// step takes: train.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include "tg/models/language_model.h"

namespace lora {

/// The label of a place whose next token is not to be learned.
inline constexpr int32_t kNoLabel = -1;

/// Tokens, and which of them are to be learned: those from `prompt` on.
struct Lesson {
  std::vector<int32_t> tokens;
  size_t prompt = 0;
};

/// What is to be learned: a text, of which parts are drawn, or whole lessons.
struct Lessons {
  std::vector<Lesson> all;
  bool is_one_text = false;
  int64_t tokens = 0;     ///< to be learned, of all
  int64_t shortened = 0;  ///< lessons that had more tokens than there is room for
};

/// Reads a text file, or one whose name ends in .jsonl: objects {"prompt": …, "completion": …}, one
/// a line, whose completions end by the model's first stop token. Lessons have at most `length` + 1
/// tokens. Throws std::runtime_error, naming file and line.
Lessons read_lessons(const std::filesystem::path& file, const tg::models::LanguageModel& model,
                     int64_t length);

/// Tokens of a step and the one after each, [batch, length] each, row by row. Places behind a
/// lesson, and in its prompt, have kNoLabel.
struct Batch {
  std::vector<int32_t> tokens, labels;
};

/// Draws lessons, or parts of the text.
Batch draw(const Lessons& lessons, int64_t batch, int64_t length, std::mt19937_64& random);

}  // namespace lora
