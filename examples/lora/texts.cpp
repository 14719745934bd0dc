// A lesson of n tokens teaches n − 1 of them: each is the label of the one before.
#include "texts.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace lora {
namespace {

namespace fs = std::filesystem;
using tg::models::LanguageModel;

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (fs::is_directory(file) || !in || !(text << in.rdbuf()))
    throw std::runtime_error("the text " + file.string() + " cannot be read, or is empty");
  return text.str();
}

std::string member(const nlohmann::json& line, const char* name, const std::string& place) {
  const auto found = line.is_object() ? line.find(name) : line.end();
  if (!line.is_object() || found == line.end() || !found->is_string())
    throw std::runtime_error(place + " is no object with a text \"" + name + "\"");
  return found->get<std::string>();
}

Lesson lesson_of(const nlohmann::json& line, const std::string& place, const LanguageModel& model) {
  Lesson out{.tokens = model.tokenizer()->encode(member(line, "prompt", place))};
  out.prompt = out.tokens.size();
  const auto completion = model.tokenizer()->encode(member(line, "completion", place), false);
  out.tokens.insert(out.tokens.end(), completion.begin(), completion.end());
  if (!model.stop_tokens().empty()) out.tokens.push_back(model.stop_tokens().front());
  return out;
}

// Of a lesson that is too long the end of the prompt is kept, and the beginning of the completion.
void shorten(Lesson& lesson, size_t most) {
  const size_t spare = lesson.tokens.size() - most;
  const size_t less = std::min(spare, lesson.prompt == 0 ? 0 : lesson.prompt - 1);
  lesson.tokens.erase(lesson.tokens.begin(),
                      lesson.tokens.begin() + static_cast<std::ptrdiff_t>(less));
  lesson.prompt -= less;
  lesson.tokens.resize(std::min(lesson.tokens.size(), most));
}

Lessons read_lines(const fs::path& file, const LanguageModel& model, size_t most) {
  Lessons out;
  std::istringstream lines(read_text(file));
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string place = file.string() + ", line " + std::to_string(number) + ",";
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_discarded()) throw std::runtime_error(place + " is not JSON");
    Lesson lesson = lesson_of(json, place, model);
    if (lesson.tokens.size() > most) {
      shorten(lesson, most);
      ++out.shortened;
    }
    const size_t first = std::max<size_t>(lesson.prompt, 1);
    if (lesson.tokens.size() <= first)
      throw std::runtime_error(place + " has no completion to learn");
    out.tokens += static_cast<int64_t>(lesson.tokens.size() - first);
    out.all.push_back(std::move(lesson));
  }
  if (out.all.empty()) throw std::runtime_error("there is no prompt in " + file.string());
  return out;
}

// Puts `count` tokens from `begin` on into a row, with the one after each as its label.
void put(const Lesson& lesson, size_t begin, size_t length, Batch& out) {
  for (size_t i = begin; i < begin + length; ++i) {
    const bool has_next = i + 1 < lesson.tokens.size();
    out.tokens.push_back(i < lesson.tokens.size() ? lesson.tokens[i] : 0);
    out.labels.push_back(has_next && i + 1 >= lesson.prompt ? lesson.tokens[i + 1] : kNoLabel);
  }
}

}  // namespace

Lessons read_lessons(const fs::path& file, const LanguageModel& model, int64_t length) {
  const auto most = static_cast<size_t>(length) + 1;
  if (file.extension() == ".jsonl") return read_lines(file, model, most);
  Lessons out{.all = {}, .is_one_text = true};
  out.all.push_back({.tokens = model.tokenizer()->encode(read_text(file), false)});
  const size_t count = out.all[0].tokens.size();
  out.tokens = static_cast<int64_t>(count);
  if (count < most) {
    throw std::runtime_error("the text " + file.string() + " has " + std::to_string(count) +
                             " tokens, and --length " + std::to_string(length) +
                             " needs one more than that: give a longer text or a smaller --length");
  }
  return out;
}

Batch draw(const Lessons& lessons, int64_t batch, int64_t length, std::mt19937_64& random) {
  const auto below = [&](size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random);
  };
  const auto row = static_cast<size_t>(length);
  Batch out;
  for (int64_t i = 0; i < batch; ++i) {
    const Lesson& lesson = lessons.all[below(lessons.all.size())];
    put(lesson, lessons.is_one_text ? below(lesson.tokens.size() - row) : 0, row, out);
  }
  return out;
}

}  // namespace lora
