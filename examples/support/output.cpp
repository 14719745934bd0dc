// One question to the file system; see output.h.
#include "output.h"

#include <stdexcept>

namespace examples {

void require_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw std::runtime_error("there is no folder " + folder.string() + " for " + file.string());
}

}  // namespace examples
