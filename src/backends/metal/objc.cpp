// See objc.h.
#include "backends/metal/objc.h"

namespace tg::metal {
namespace {

constexpr std::array<std::string_view, 1> kRuntimes = {"/usr/lib/libobjc.A.dylib"};
constexpr std::array<std::string_view, 1> kFrameworks = {
    "/System/Library/Frameworks/Metal.framework/Metal"};
// A program without windows has a default device only with it.
constexpr std::array<std::string_view, 1> kGraphics = {
    "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"};

template <typename F>
bool find(const DynamicLibrary& library, const char* name, F& function) {
  function = reinterpret_cast<F>(library.find_symbol(name));
  return function != nullptr;
}

}  // namespace

bool Objc::find_all() {
  find(framework_, "MTLCopyAllDevices", copy_all_devices_);
  return find(runtime_, "objc_msgSend", msg_send_) && find(runtime_, "objc_getClass", get_class_) &&
         find(runtime_, "sel_registerName", register_name_) &&
         find(runtime_, "objc_autoreleasePoolPush", push_pool_) &&
         find(runtime_, "objc_autoreleasePoolPop", pop_pool_) &&
         find(framework_, "MTLCreateSystemDefaultDevice", default_device_);
}

std::unique_ptr<const Objc> Objc::open(std::span<const std::string_view> runtimes,
                                       std::span<const std::string_view> frameworks) {
  auto objc = std::make_unique<Objc>();
  objc->runtime_ = DynamicLibrary::find(runtimes);
  objc->framework_ = DynamicLibrary::find(frameworks);
  if (!objc->runtime_ || !objc->framework_ || !objc->find_all()) return nullptr;
  for (size_t i = 0; i < kSelectors.size(); ++i)
    objc->selectors_[i] = objc->register_name_(kSelectors[i]);
  return objc;
}

Object* Objc::string(const std::string& text) const {
  return send<Object*>(class_of("NSString"), Message::StringWithUtf8, text.c_str());
}

std::string Objc::text(Object* string) const {
  const char* bytes = send<const char*>(string, Message::Utf8String);
  return bytes == nullptr ? std::string() : std::string(bytes);
}

std::string Objc::reason(Object* error) const {
  const std::string said = text(send<Object*>(error, Message::LocalizedDescription));
  return said.empty() ? "no reason given" : said;
}

Object* Objc::copy_all_devices() const {
  return copy_all_devices_ == nullptr ? nullptr : copy_all_devices_();
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
