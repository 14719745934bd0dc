// See builder.h.
#include "backends/nvidia/builder.h"

#include <fmt/format.h>

#include "renderer/ptx.h"

namespace tg::nvidia {
namespace {

// A cubin is an ELF file, PTX is text: what else there is, is damaged.
bool is_image(std::string_view bytes) {
  return bytes.starts_with(
             "\x7f"
             "ELF") ||
         bytes.find(".version") != std::string_view::npos;
}

}  // namespace

Builder::Builder(const Nvrtc* nvrtc, int capability)
    : nvrtc_(nvrtc),
      arch_(nvrtc == nullptr ? ptx_arch(capability) : arch_for(capability, nvrtc->archs())),
      cache_(fmt::format("NVRTC {} {}", nvrtc == nullptr ? 0 : nvrtc->version(), arch_)) {}

std::string Builder::build(const std::string& source, const std::string& what) const {
  if (auto image = cache_.find(source); image && is_image(*image)) return *std::move(image);
  return rebuild(source, what);
}

std::string Builder::rebuild(const std::string& source, const std::string& what) const {
  std::string image = nvrtc_->compile(source, arch_, what).bytes;
  cache_.store(source, image);
  return image;
}

}  // namespace tg::nvidia
