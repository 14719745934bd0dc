// The registry: finds backends by name, opens each device once, chooses the default. The table
// itself is generated (cmake/TgBackends.cmake).
#include "runtime/device.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <mutex>

#include "support/check.h"
#include "support/options.h"

namespace tg {
namespace {

struct Slot {
  const Backend* backend;
  std::string name;
  std::unique_ptr<Device> device;
};

// Opened devices live as long as the process: buffers held by static objects still need their
// allocators.
struct Registry {
  std::mutex lock;
  std::deque<Slot> slots;
  Registry() {
    for (const Backend* b : backends()) slots.push_back({b, std::string(b->name), nullptr});
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
  Slot& s = slot_of(name);
  std::lock_guard guard(registry().lock);
  if (s.device == nullptr) {
    if (const std::string reason = s.backend->probe(); !reason.empty()) unusable(s, reason);
    s.device = s.backend->open();
    TG_CHECK(s.device != nullptr, "{} opened no device", s.name);
  }
  return *s.device;
}

const std::string& default_device() {
  const std::string& wanted = options().device;
  return wanted.empty() ? best_device() : slot_of(wanted).name;
}

}  // namespace tg
