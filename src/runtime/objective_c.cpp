// See objective_c.h.
#include "runtime/objective_c.h"

#include "runtime/entry_points.h"

namespace tg {

ObjectiveC::ObjectiveC(std::span<const std::string_view> libraries)
    : runtime_(DynamicLibrary::find(libraries)) {
  if (!runtime_) return;
  EntryPoints points(runtime_);
  points.find("objc_msgSend", msg_send_);
  points.find("objc_getClass", get_class_);
  points.find("sel_registerName", register_name_);
  points.find("objc_autoreleasePoolPush", push_pool_);
  points.find("objc_autoreleasePoolPop", pop_pool_);
  is_complete_ = points.missing().empty();
  retain_ = message("retain");
  release_ = message("release");
  responds_ = message("respondsToSelector:");
}

ObjcMessage ObjectiveC::message(const char* name) const {
  return is_complete_ ? ObjcMessage{msg_send_, register_name_(name)} : ObjcMessage{};
}

ObjcOwned ObjectiveC::make(const char* class_name) const {
  const ObjcMethod<ObjcObject*()> new_object = message("new");
  return {*this, new_object(get_class_(class_name))};
}

ObjcObject* ObjectiveC::string(const std::string& text) const {
  const ObjcMethod<ObjcObject*(const char*)> make = message("stringWithUTF8String:");
  return make(get_class_("NSString"), text.c_str());
}

std::string ObjectiveC::text(ObjcObject* string) const {
  const ObjcMethod<const char*()> bytes_of = message("UTF8String");
  const char* bytes = bytes_of(string);
  return bytes == nullptr ? std::string() : std::string(bytes);
}

std::string ObjectiveC::reason(ObjcObject* error) const {
  const ObjcMethod<ObjcObject*()> description = message("localizedDescription");
  const std::string said = text(description(error));
  return said.empty() ? "no reason given" : said;
}

}  // namespace tg
