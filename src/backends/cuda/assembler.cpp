// See assembler.h.
#include "backends/cuda/assembler.h"

#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "backends/cuda/toolkit.h"
#include "runtime/failed_source.h"
#include "support/check.h"

namespace tg::cuda {

/// The functions of nvJitLink that we use. Results are 0, or a number.
struct AssemblerApi {
  struct Linker;
  int (*version)(unsigned* major, unsigned* minor);
  int (*create)(Linker**, uint32_t options, const char* const*);
  int (*destroy)(Linker**);
  int (*add)(Linker*, int kind, const void* text, size_t size, const char* name);
  int (*complete)(Linker*);
  int (*cubin_size)(Linker*, size_t*);
  int (*cubin)(Linker*, void*);
  int (*error_size)(Linker*, size_t*);
  int (*error)(Linker*, void*);
  int (*info_size)(Linker*, size_t*);
  int (*info)(Linker*, void*);

  explicit AssemblerApi(const DynamicLibrary& l) {
    const auto find = [&l](const char* name, auto& f) {
      f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(l.symbol(name));
    };
    find("nvJitLinkVersion", version);
    find("nvJitLinkCreate", create);
    find("nvJitLinkDestroy", destroy);
    find("nvJitLinkAddData", add);
    find("nvJitLinkComplete", complete);
    find("nvJitLinkGetLinkedCubinSize", cubin_size);
    find("nvJitLinkGetLinkedCubin", cubin);
    find("nvJitLinkGetErrorLogSize", error_size);
    find("nvJitLinkGetErrorLog", error);
    find("nvJitLinkGetInfoLogSize", info_size);
    find("nvJitLinkGetInfoLog", info);
  }

  static std::string text(Linker* l, int (*size_of)(Linker*, size_t*), int (*get)(Linker*, void*)) {
    size_t size = 0;
    if (size_of(l, &size) != 0) return {};
    std::string out(size, '\0');
    return get(l, out.data()) == 0 ? out : std::string();
  }
};

namespace {

constexpr std::array<std::string_view, 3> kNames = {"libnvJitLink.so", "libnvJitLink.so.13",
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
  const std::array options = {target.c_str(), "-verbose", "-Xptxas=-v"};
  const std::string name = fmt::format("nvJitLink {}", version_text(version_));
  AssemblerApi::Linker* made = nullptr;
  int status = f_->create(&made, static_cast<uint32_t>(options.size()), options.data());
  if (status != 0) {
    refused_source(name, what, fmt::format("it does not start for {} (status {})", arch, status),
                   "", source, ".ptx");
  }
  const auto destroy = [this](AssemblerApi::Linker* l) { f_->destroy(&l); };
  const std::unique_ptr<AssemblerApi::Linker, decltype(destroy)> linker(made, destroy);
  status = f_->add(made, kPtx, source.data(), source.size(), "kernel.ptx");
  if (status == 0) status = f_->complete(made);
  const auto log = [&](auto size, auto get) {
    const std::string text = AssemblerApi::text(made, size, get);
    return text.substr(0, text.find('\0'));
  };
  if (status != 0) {
    refused_source(name, what, fmt::format("status {}", status), log(f_->error_size, f_->error),
                   source, ".ptx");
  }
  std::string bytes = AssemblerApi::text(made, f_->cubin_size, f_->cubin);
  if (bytes.empty()) refused_source(name, what, "it gave no code", "", source, ".ptx");
  return {std::move(bytes), parse_use(log(f_->info_size, f_->info))};
}

// ---- finding it
namespace {

const FoundInToolkit<Assembler>& found() {
  static const auto* const f = new FoundInToolkit<Assembler>(kNames);
  return *f;
}

}  // namespace

const Assembler* find_assembler() { return found().library.get(); }
std::string missing_assembler_advice() { return found().problem; }

}  // namespace tg::cuda
