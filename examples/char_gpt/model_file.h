// A trained model as a file: its tensors, its sizes and its alphabet, which --load needs.
#pragma once

#include <filesystem>

#include "gpt.h"
#include "text.h"

namespace char_gpt {

/// A model, and the characters that its numbers stand for.
struct Speaker {
  Gpt net;
  Alphabet alphabet;
};

/// Writes a safetensors file. Throws tg::FileError.
void save_speaker(Speaker& speaker, const std::filesystem::path& file);
/// Reads one that save_speaker wrote. Throws tg::FileError, std::runtime_error for the file of
/// another program.
Speaker load_speaker(const std::filesystem::path& file);

}  // namespace char_gpt
