// What a Grammar (tg/models/grammar.h) is made of.
#pragma once

#include <memory>
#include <string>

#include "frontend/grammar/program.h"
#include "tg/models/grammar.h"

namespace tg::models {

struct Grammar::Parts {
  std::string text;
  std::shared_ptr<const grammar::Program> program;
};

}  // namespace tg::models
