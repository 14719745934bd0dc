// See toolkit.h.
#include "backends/nvidia/toolkit.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>

#include "support/options.h"

namespace tg::nvidia {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kFolders = {"lib64", "lib", "targets/x86_64-linux/lib"};

// The library in a folder of a toolkit; empty if it is not there.
std::string in_toolkit(const fs::path& toolkit, std::span<const std::string_view> names) {
  for (const char* folder : kFolders) {
    for (std::string_view name : names) {
      std::error_code ignored;
      const fs::path file = toolkit / folder / name;
      if (fs::is_regular_file(file, ignored)) return file.string();
    }
  }
  return {};
}

}  // namespace

ToolkitLibrary find_toolkit_library(std::span<const std::string_view> names) {
  if (!options().cuda_path.empty()) return {in_toolkit(options().cuda_path, names), {}};
  if (DynamicLibrary l = DynamicLibrary::find(names)) return {l.path(), std::move(l)};
  return {in_toolkit("/usr/local/cuda", names), {}};
}

std::string missing_toolkit_advice(std::string_view name) {
  if (!options().cuda_path.empty())
    return fmt::format("{} is not in CUDA_PATH={}.", name, options().cuda_path);
  return fmt::format("{} is not found: install the CUDA toolkit, or set CUDA_PATH to it.", name);
}

}  // namespace tg::nvidia
