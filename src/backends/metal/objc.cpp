// See objc.h.
#include "backends/metal/objc.h"

#include <array>

#include "runtime/entry_points.h"

namespace tg::metal {
namespace {

constexpr std::array<std::string_view, 1> kRuntimes = {"/usr/lib/libobjc.A.dylib"};
constexpr std::array<std::string_view, 1> kFrameworks = {
    "/System/Library/Frameworks/Metal.framework/Metal"};
// A program without windows has a default device only with it.
constexpr std::array<std::string_view, 1> kGraphics = {
    "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"};

}  // namespace

std::unique_ptr<const Objc> Objc::open(std::span<const std::string_view> runtimes,
                                       std::span<const std::string_view> frameworks) {
  std::unique_ptr<Objc> objc(new Objc(runtimes));
  objc->framework_ = DynamicLibrary::find(frameworks);
  if (!*objc || !objc->framework_) return nullptr;
  EntryPoints points(objc->framework_);
  points.find("MTLCreateSystemDefaultDevice", objc->default_device_);
  if (!points.missing().empty()) return nullptr;
  points.find("MTLCopyAllDevices", objc->copy_all_devices_);
  return objc;
}

// Never closed: the frameworks run threads that do not survive it.
const Objc* find_objc() {
  struct Loaded {
    DynamicLibrary graphics = DynamicLibrary::find(kGraphics);
    std::unique_ptr<const Objc> objc = Objc::open(kRuntimes, kFrameworks);
  };
  static const Loaded* const loaded = new Loaded;
  return loaded->objc.get();
}

}  // namespace tg::metal
