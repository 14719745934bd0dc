// See objective_c.h.
#include "runtime/objective_c.h"

#include "runtime/entry_points.h"

namespace tg {

ObjectiveC::ObjectiveC(std::span<const std::string_view> libraries,
                       std::span<const char* const> selectors)
    : runtime_(DynamicLibrary::find(libraries)) {
  if (!runtime_) return;
  EntryPoints points(runtime_);
  points.find("objc_msgSend", msg_send_);
  points.find("objc_getClass", get_class_);
  points.find("sel_registerName", register_name_);
  points.find("objc_autoreleasePoolPush", push_pool_);
  points.find("objc_autoreleasePoolPop", pop_pool_);
  if (!points.missing().empty()) return;
  for (const char* name : selectors) selectors_.push_back(register_name_(name));
  retain_ = register_name_("retain");
  release_ = register_name_("release");
  responds_ = register_name_("respondsToSelector:");
}

ObjcObject* ObjectiveC::string(const std::string& text) const {
  return call<ObjcObject*>(class_of("NSString"), register_name_("stringWithUTF8String:"),
                           text.c_str());
}

std::string ObjectiveC::text(ObjcObject* string) const {
  const char* bytes = call<const char*>(string, register_name_("UTF8String"));
  return bytes == nullptr ? std::string() : std::string(bytes);
}

std::string ObjectiveC::reason(ObjcObject* error) const {
  const std::string said = text(call<ObjcObject*>(error, register_name_("localizedDescription")));
  return said.empty() ? "no reason given" : said;
}

}  // namespace tg
