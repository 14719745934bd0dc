// What `tg llm` and `tg serve` ask alike about the language model that they load.
#pragma once

#include <CLI/CLI.hpp>

#include "tg/models/language_model.h"

namespace tg::cli {

/// Adds --adapter and --device.
inline void add_language_options(CLI::App& command, models::LanguageModelOptions& load) {
  command.add_option("--adapter", load.adapter,
                     "a folder with a low-rank adapter for a language model, as PEFT and "
                     "examples/lora write it");
  command.add_option("--device", load.device, "where it computes; the default device if left out");
}

}  // namespace tg::cli
