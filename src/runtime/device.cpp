// The registry: finds backends by name, reads "NAME:settings", opens each device once, chooses the
// default. The table itself is generated (cmake/TgBackends.cmake).
#include "runtime/device.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <mutex>

#include "support/check.h"
#include "support/options.h"

namespace tg {
namespace {

struct Slot {
  const Backend* backend;
  std::string name;
  std::map<std::string, std::unique_ptr<Device>> devices;  // by settings in their normal form
};

// What the text of a device's name means.
struct Reference {
  Slot* slot = nullptr;
  std::string settings;  // in their normal form
  std::string name;      // as Device::name will have it
};

// Opened devices live as long as the process: buffers held by static objects still need their
// allocators.
struct Registry {
  std::mutex lock;
  std::deque<Slot> slots;
  std::map<std::string, Reference, std::less<>> texts;  // read before: a text keeps its meaning
  Registry() {
    for (const Backend* b : backends()) slots.push_back({b, std::string(b->name), {}});
  }
};

Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

std::string upper(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

Slot& slot_of(std::string_view name) {
  const std::string wanted = upper(name);
  std::vector<std::string> known;
  for (Slot& s : registry().slots) {
    if (s.name == wanted) return s;
    known.push_back(s.name);
  }
  std::ranges::sort(known);
  user_error<DeviceError>(
      "device", fmt::format("unknown device \"{}\": known are {}", name, fmt::join(known, ", ")),
      "Hint: set DEV to one of them.");
}

std::string normal_settings(const Slot& s, std::string_view name, std::string_view settings) {
  if (s.backend->normalise == nullptr) {
    user_error<DeviceError>("device", fmt::format("{} takes no settings, got \"{}\"", s.name, name),
                            fmt::format("Hint: DEV={}.", s.name));
  }
  if (settings.empty()) {
    user_error<DeviceError>("device",
                            fmt::format("nothing stands behind the colon of \"{}\"", name),
                            fmt::format("Hint: DEV={}{}.", s.name, s.backend->takes));
  }
  return s.backend->normalise(settings);
}

// Without the lock while a backend reads its settings: it may look at the machine.
const Reference& reference_to(std::string_view name) {
  Registry& r = registry();
  {
    const std::lock_guard guard(r.lock);
    if (const auto it = r.texts.find(name); it != r.texts.end()) return it->second;
  }
  const size_t colon = name.find(':');
  Reference found{&slot_of(name.substr(0, colon)), {}, {}};
  if (colon != std::string_view::npos)
    found.settings = normal_settings(*found.slot, name, name.substr(colon + 1));
  found.name = found.slot->name + (found.settings.empty() ? "" : ":" + found.settings);
  const std::lock_guard guard(r.lock);
  return r.texts.try_emplace(std::string(name), std::move(found)).first->second;
}

// The best other device that works here, as advice.
std::string alternative_to(const Slot& broken) {
  const Slot* best = nullptr;
  for (const Slot& s : registry().slots) {
    if (&s == &broken || !s.backend->probe().empty()) continue;
    if (best == nullptr || s.backend->preference > best->backend->preference) best = &s;
  }
  return best == nullptr ? "" : fmt::format("Hint: DEV={} works here.", best->name);
}

std::string without_full_stop(std::string reason) {
  if (reason.ends_with('.')) reason.pop_back();
  return reason;
}

// A reason that already names a way out gets no second one.
[[noreturn]] void unusable(const Slot& s, const std::string& reason) {
  const bool advises = reason.find("DEV=") != std::string::npos;
  user_error<DeviceError>(
      "device", fmt::format("{} cannot be used here: {}", s.name, without_full_stop(reason)),
      advises ? "" : alternative_to(s));
}

// The usable backend with the highest preference. Those with a negative one are considered only in
// a build without others; a slow device never stands in silently for one that is broken.
const std::string& best_device() {
  std::vector<const Slot*> order;
  for (const Slot& s : registry().slots) order.push_back(&s);
  std::ranges::sort(order, [](const Slot* a, const Slot* b) {
    const int pa = a->backend->preference, pb = b->backend->preference;
    return pa != pb ? pa > pb : a->name < b->name;
  });
  TG_CHECK(!order.empty(), "this build has no backend");
  const bool any_willing = order.front()->backend->preference >= 0;
  for (const Slot* s : order) {
    if (any_willing && s->backend->preference < 0) break;
    if (s->backend->probe().empty()) return s->name;
  }
  unusable(*order.front(), order.front()->backend->probe());
}

}  // namespace

void Device::launch(std::span<const Call> calls) {
  for (const Call& c : calls) c.program->launch(c.buffers, c.vars);
}

Device& device(std::string_view name) {
  const Reference& wanted = reference_to(name);
  Slot& s = *wanted.slot;
  const std::lock_guard guard(registry().lock);
  std::unique_ptr<Device>& d = s.devices[wanted.settings];
  if (d == nullptr && !wanted.settings.empty()) d = s.backend->open_with(wanted.settings);
  if (d == nullptr) {
    if (const std::string reason = s.backend->probe(); !reason.empty()) unusable(s, reason);
    d = s.backend->open();
  }
  TG_CHECK(d != nullptr, "{} opened no device", wanted.name);
  return *d;
}

Device& reference_device() {
  for (const Backend* b : backends()) {
    if (b->is_reference) return device(b->name);
  }
  user_error<DeviceError>("device", "this build has no device to compare others with",
                          "Hint: unset VALIDATE_WITH_CPU.");
}

const std::string& default_device() {
  const std::string& wanted = options().device;
  return wanted.empty() ? best_device() : reference_to(wanted).name;
}

}  // namespace tg
