// See assembler.h.
#include "backends/nvidia/assembler.h"

#include <fmt/format.h>

#include "backends/nvidia/nvjitlink_api.h"
#include "backends/nvidia/toolkit.h"
#include "runtime/failed_source.h"
#include "support/check.h"

namespace tg::nvidia {
namespace {

constexpr std::string_view kAssemblerNames[] = {"libnvJitLink.so", "libnvJitLink.so.13",
                                                "libnvJitLink.so.12"};
constexpr int kPtx = 2;

}  // namespace

Assembler::Assembler(const std::string& path)
    : library_(path), f_(std::make_shared<const AssemblerApi>(library_)) {
  unsigned major = 0, minor = 0;
  f_->version(&major, &minor);
  version_ = static_cast<int>(major * 1000 + minor * 10);
}

Image Assembler::assemble(const std::string& source, const std::string& arch,
                          const std::string& what) const {
  const std::string target = "-arch=" + arch;
  const char* options[] = {target.c_str(), "-verbose", "-Xptxas=-v"};
  const std::string name = fmt::format("nvJitLink {}", version_text(version_));
  AssemblerApi::Linker* made = nullptr;
  int status = f_->create(&made, static_cast<uint32_t>(std::size(options)), options);
  if (status != 0) {
    refused_source(name, what, fmt::format("it does not start for {} (status {})", arch, status),
                   "", source, ".ptx");
  }
  const auto destroy = [this](AssemblerApi::Linker* l) { f_->destroy(&l); };
  const std::unique_ptr<AssemblerApi::Linker, decltype(destroy)> linker(made, destroy);
  status = f_->add(made, kPtx, source.data(), source.size(), "kernel.ptx");
  if (status == 0) status = f_->complete(made);
  if (status != 0) {
    refused_source(name, what, fmt::format("status {}", status),
                   text_of(made, f_->error_size, f_->error), source, ".ptx");
  }
  std::string bytes = bytes_of(made, f_->cubin_size, f_->cubin);
  if (bytes.empty()) refused_source(name, what, "it gave no code", "", source, ".ptx");
  return {std::move(bytes), parse_use(text_of(made, f_->info_size, f_->info))};
}

// ---- finding it
namespace {

const FoundLibrary<Assembler>& found_assembler() {
  static const auto* const f = new FoundLibrary(found_in_toolkit<Assembler>(kAssemblerNames));
  return *f;
}

}  // namespace

const Assembler* find_assembler() { return found_assembler().library.get(); }
std::string missing_assembler_advice() { return found_assembler().problem; }

}  // namespace tg::nvidia
