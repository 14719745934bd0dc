// A conversation with a language model on the command line, in the form of its chat template. The
// command: llm_command.cpp; templates: tg/models/chat_template.h.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tg/models/chat_template.h"
#include "tg/models/language_model.h"

namespace tg::cli {

/// Goes on with `text`, which grows by the answer, and prints it as it comes; how fast it came goes
/// to the standard error output. Ctrl-C ends it and not the program. Returns the answer.
std::string answer(models::LanguageModel& model, const models::GenerateOptions& options,
                   std::vector<int32_t>& text, std::ostream& out);

/// Messages so far, and what they are said to. The model has a tokenizer.
class Conversation {
 public:
  /// `system` is told to the model first, unless it is empty.
  Conversation(models::LanguageModel& model, const models::ChatTemplate& chat, std::string system,
               const models::GenerateOptions& options, std::ostream& out);

  /// Answers `text` as a message of the user. ArgumentError, and as if it had not been said, if the
  /// template refuses it or the context has no room for it.
  void say(const std::string& text);
  /// Answers line by line, until an empty line or the end; "/reset" forgets what was said.
  void converse(std::istream& in);

 private:
  void reset();

  models::LanguageModel& model_;
  const models::ChatTemplate& chat_;
  std::string system_;
  const models::GenerateOptions& options_;
  std::ostream& out_;
  std::vector<models::Message> messages_;
};

}  // namespace tg::cli
