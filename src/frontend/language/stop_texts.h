// Ends a text that comes piece by piece where one of some words stands: pieces are held back as
// long as such a word may be beginning in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tg::models {

class StopTexts {
 public:
  /// None of the words is empty.
  explicit StopTexts(std::vector<std::string> words) : words_(std::move(words)) {}

  /// What of the text so far can be given out, after what was: up to the first of the words.
  std::string add(std::string_view piece);
  /// What was held back, at the end of the text.
  std::string finish();
  /// A word was found: there is no more text.
  bool found() const { return found_; }

 private:
  std::vector<std::string> words_;
  std::string held_;
  bool found_ = false;
};

}  // namespace tg::models
