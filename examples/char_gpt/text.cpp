// Characters are bytes: a letter of UTF-8 that is none of ASCII is learned as two or three of them.
#include "text.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace char_gpt {

using tg::Tensor;

Alphabet::Alphabet(std::string_view text) : characters_(text) {
  const auto less = [](char a, char b) {
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  };
  std::sort(characters_.begin(), characters_.end(), less);
  characters_.erase(std::unique(characters_.begin(), characters_.end()), characters_.end());
}

std::vector<int32_t> Alphabet::numbers(std::string_view text) const {
  std::vector<int32_t> out;
  for (const char c : text)
    if (const size_t number = characters_.find(c); number != std::string::npos)
      out.push_back(static_cast<int32_t>(number));
  return out;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (stream && !std::filesystem::is_directory(file))
    text.assign(std::istreambuf_iterator<char>(stream), {});
  if (text.empty()) throw std::runtime_error("the text " + file.string() + " cannot be read");
  return text;
}

Windows windows(const Tensor& text, const Tensor& start, int64_t context) {
  const Tensor offsets = Tensor::arange(static_cast<double>(context)).reshape({1, context});
  const Tensor place = start + offsets;
  return {text[place], text[place + 1]};
}

}  // namespace char_gpt
