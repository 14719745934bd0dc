// The text of a file of the project.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tg::frame {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace tg::frame
