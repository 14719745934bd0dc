// See compiler.h.
#include "backends/cpu/compiler.h"

#include "renderer/render.h"
#include "runtime/failed_source.h"
#include "support/check.h"
#include "support/dynamic_library.h"
#include "support/file.h"
#include "support/os/os.h"
#include "support/subprocess.h"

namespace tg::cpu {
namespace {

class SharedObject final : public LoadedCode {
 public:
  // `folder` holds the file, where an opened one must stay.
  SharedObject(const std::string& path, std::optional<TempDir> folder)
      : folder_(std::move(folder)), library_(path) {}
  void* symbol(const std::string& name) const override { return library_.symbol(name); }
  std::span<const std::byte> instructions(const std::string& name) const override {
    return library_.code_of(name);
  }

 private:
  std::optional<TempDir> folder_;  // goes after the library
  DynamicLibrary library_;
};

// The loader needs a file; most systems let it be deleted as soon as it is mapped.
CodeRef open_object(const std::string& object) {
  std::optional<TempDir> folder(std::in_place, "tg-cpu");
  const std::filesystem::path path = folder->path() / "kernels.so";
  write_file(path, object, Sync::No);
  if (os::kLibraryFilesCanGo)
    return std::make_shared<const SharedObject>(path.string(), std::nullopt);
  return std::make_shared<const SharedObject>(path.string(), std::move(folder));
}

}  // namespace

std::string Compiler::render(std::span<const LinearKernel> kernels) const {
  return render_c(kernels);
}

std::string Compiler::build(const std::string& source, const std::string& what) const {
  const TempDir folder("tg-cpu");
  const std::filesystem::path out = folder.path() / "kernels.so";
  std::vector<std::string> command = toolchain_.command;
  command.push_back(out.string());
  const ProcessResult r = run_process(command, {.input = source});
  auto object = r.ok() ? try_read_file(out) : std::nullopt;
  if (!object) refused_source(command[0], what, r.describe(), r.errors, source, ".c");
  return std::move(*object);
}

CodeRef Compiler::load(const std::string& source, const std::string& what) const {
  const std::string key = toolchain_.identity + '\0' + source;
  if (const auto object = cache_.find(key)) {
    try {
      return open_object(*object);
    } catch (const DeviceError&) {
      // Whole, but not loadable here: built by a library that this machine lacks. It is rebuilt
      // below.
    }
  }
  const std::string object = build(source, what);
  CodeRef code = open_object(object);
  cache_.store(key, object);
  return code;
}

}  // namespace tg::cpu
