// tg::load_backend: a file becomes an entry of the registry. A loaded plug-in and its descriptor
// live as long as the process, as devices do.
#include <filesystem>
#include <map>
#include <mutex>

#include "backends/plugin/plugin_device.h"
#include "runtime/device.h"
#include "support/check.h"
#include "tg/backend.h"

namespace tg {
namespace {

using plugin::Plugin;

std::string probe(const void* object) {
  const auto& p = *static_cast<const Plugin*>(object);
  if (p.table().probe == nullptr) return {};
  const Plugin::Answer answer = p.ask([&](tg_message* m) { return p.table().probe(m); });
  if (answer.status == TG_OK) return {};
  return fmt::format("{} (plug-in {})",
                     answer.text.empty() ? "its probe fails without a message" : answer.text,
                     p.path());
}

std::unique_ptr<Device> open(const void* object) {
  return std::make_unique<plugin::PluginDevice>(*static_cast<const Plugin*>(object));
}

// One at a time: a file is loaded once, however many threads ask for it.
struct Loaded {
  std::mutex lock;
  std::map<std::string, std::string, std::less<>> names;  // of devices, by canonical path
};

Loaded& loaded() {
  static auto* l = new Loaded;
  return *l;
}

// A file has one name; what is no file is left to the loader's search.
std::string canonical(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path full = std::filesystem::canonical(path, failed);
  return failed ? path : full.string();
}

void refuse_taken_name(const Plugin& p) {
  for (const Backend* b : built_in_backends()) {
    if (b->name == p.name())
      user_error<DeviceError>(
          "load_backend", fmt::format("\"{}\": there is a device {} already", p.path(), p.name()));
  }
  for (const auto& [path, name] : loaded().names) {
    if (name == p.name())
      user_error<DeviceError>(
          "load_backend",
          fmt::format("\"{}\": there is a device {} already, of plug-in {}", p.path(), name, path));
  }
}

}  // namespace

std::string load_backend(const std::string& path) {
  std::lock_guard guard(loaded().lock);
  const std::string full = canonical(path);
  if (const auto it = loaded().names.find(full); it != loaded().names.end()) return it->second;
  auto p = std::make_unique<Plugin>(full);
  refuse_taken_name(*p);
  auto backend = std::make_unique<Backend>(
      Backend{p->name(), p->table().preference, {probe, p.get()}, {open, p.get()}});
  add_backend(*backend);
  loaded().names.emplace(full, p->name());
  backend.release();  // the registry's, for as long as the process lives
  return p.release()->name();
}

}  // namespace tg
