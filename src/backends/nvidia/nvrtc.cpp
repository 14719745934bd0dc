// See nvrtc.h.
#include "backends/nvidia/nvrtc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/nvidia/nvrtc_api.h"
#include "backends/nvidia/toolkit.h"
#include "runtime/failed_source.h"
#include "support/check.h"
#include "support/text.h"

namespace tg::nvidia {
namespace {

constexpr std::array<std::string_view, 4> kNvrtcNames = {"libnvrtc.so", "libnvrtc.so.13",
                                                         "libnvrtc.so.12", "libnvrtc.so.11.2"};

}  // namespace

Nvrtc::Nvrtc(const std::string& path)
    : library_(path), f_(std::make_shared<const NvrtcApi>(library_)) {
  int major = 0, minor = 0, count = 0;
  f_->version(&major, &minor);
  version_ = major * 1000 + minor * 10;
  // NVRTC asks the loader for its built-in headers by name, which finds what is open already.
  open_beside(path, fmt::format("libnvrtc-builtins.so.{}.{}", major, minor));
  if (f_->arch_count(&count) == 0 && count > 0) {
    archs_.resize(static_cast<size_t>(count));
    f_->archs(archs_.data());
    std::ranges::sort(archs_);
  }
}

std::string Nvrtc::description() const {
  return fmt::format("NVRTC {} ({})", version_text(version_), path());
}

Image Nvrtc::compile(const std::string& source, const std::string& arch,
                     const std::string& what) const {
  const std::string target = "--gpu-architecture=" + arch;
  // No option that loosens values: nothing is fused, divisions and roots are exact.
  const std::array options = {target.c_str(),      "--std=c++17",      "--fmad=false",
                              "--prec-div=true",   "--prec-sqrt=true", "--ftz=false",
                              "--ptxas-options=-v"};
  const std::string compiler = fmt::format("NVRTC {}", version_text(version_));
  NvrtcProgram* made = nullptr;
  int status = f_->create(&made, source.c_str(), "kernel.cu", 0, nullptr, nullptr);
  if (status != 0) refused_source(compiler, what, f_->error(status), "", source, ".cu");
  const auto destroy = [this](NvrtcProgram* p) { f_->destroy(&p); };
  const std::unique_ptr<NvrtcProgram, decltype(destroy)> program(made, destroy);
  status = f_->compile(made, static_cast<int>(options.size()), options.data());
  const std::string log = text_of(made, f_->log_size, f_->log);
  if (status != 0) refused_source(compiler, what, f_->error(status), log, source, ".cu");
  const bool machine_code = arch.starts_with("sm_");
  std::string bytes = machine_code ? bytes_of(made, f_->cubin_size, f_->cubin)
                                   : bytes_of(made, f_->ptx_size, f_->ptx);
  if (bytes.empty()) refused_source(compiler, what, "it gave no code", log, source, ".cu");
  return {std::move(bytes), parse_use(log)};
}

// ---- finding it
namespace {

const FoundLibrary<Nvrtc>& found_nvrtc() {
  static const auto* const f = new FoundLibrary(found_in_toolkit<Nvrtc>(kNvrtcNames));
  return *f;
}

// The number before `unit`, as "24 registers"; 0 if there is none.
int64_t number_before(std::string_view log, std::string_view unit) {
  const size_t at = log.find(unit);
  if (at == std::string_view::npos) return 0;
  const std::string_view before = trim(log.substr(0, at));
  const size_t start = before.find_last_not_of("0123456789");
  return parse_int64(before.substr(start == std::string_view::npos ? 0 : start + 1)).value_or(0);
}

}  // namespace

const Nvrtc* find_nvrtc() { return found_nvrtc().library.get(); }
std::string missing_nvrtc_advice() { return found_nvrtc().problem; }

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

KernelUse parse_use(std::string_view log) {
  return {.registers = static_cast<int>(number_before(log, " registers")),
          .spilled_bytes = number_before(log, " bytes spill stores"),
          .stack_bytes = number_before(log, " bytes stack frame"),
          .shared_bytes = number_before(log, " bytes smem")};
}

std::string arch_for(int capability, const std::vector<int>& archs) {
  if (std::ranges::find(archs, capability) != archs.end())
    return fmt::format("sm_{}{}", capability, capability == 90 ? "a" : "");
  const auto newer = std::ranges::upper_bound(archs, capability);
  if (newer == archs.begin()) {
    user_error<DeviceError>(
        "CUDA",
        fmt::format("the graphics processor has compute capability {}.{}, for which this compiler "
                    "makes no code any more",
                    capability / 10, capability % 10),
        "Hint: set CUDA_PATH to an older toolkit: CUDA 12 knows 5.0 and later.");
  }
  return fmt::format("compute_{}", *(newer - 1));
}

}  // namespace tg::nvidia
