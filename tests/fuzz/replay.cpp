// The driver of a fuzzer where there is no libFuzzer: runs it with the files that are named, and
// with those in the folders that are named. Options of libFuzzer, which begin with "-", are
// ignored.
#include <filesystem>
#include <string>

#include "fuzz/fuzz.h"
#include "support/file.h"

namespace {

namespace fs = std::filesystem;

int run(const fs::path& file) {
  const std::string bytes = tg::read_file(file);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

int run_all(const fs::path& path) {
  if (!fs::is_directory(path)) return run(path);
  int count = 0;
  for (const auto& entry : fs::directory_iterator(path)) count += run(entry.path());
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-') count += run_all(argv[i]);
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
