// The registry: finds backends by name, reads "NAME:settings", opens each device once, chooses the
// default. It starts with the generated table (cmake/TgBackends.cmake) and grows by add_backend.
#include "runtime/device.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "support/check.h"
#include "support/options.h"
#include "support/text.h"
#include "tg/backend.h"

namespace tg {
namespace {

struct Slot {
  explicit Slot(const Backend& b) : backend(&b), name(b.name) {}
  const Backend* const backend;
  const std::string name;
  std::mutex opening;  // guards `devices`; one that takes long to open holds up no other backend
  std::map<std::string, std::unique_ptr<Device>> devices;  // by settings in their normal form
};

// What the text of a device's name means.
struct Reference {
  Slot* slot = nullptr;
  std::string settings;  // in their normal form
  std::string name;      // as Device::name will have it
};

// Opened devices live as long as the process: buffers held by static objects still need their
// allocators. Slots stay where they are.
struct Registry {
  std::mutex lock;
  std::deque<Slot> slots;
  std::map<std::string, Reference, std::less<>> texts;  // read before: a text keeps its meaning
  std::deque<std::vector<const Backend*>> tables;  // one for each addition; spans point into them
  std::deque<std::vector<Slot*>> orders;           // the same; the highest preference first
  Registry() {
    for (const Backend* b : built_in_backends()) slots.emplace_back(*b);
    publish();
  }
  void publish() {
    std::vector<const Backend*>& table = tables.emplace_back();
    std::vector<Slot*>& order = orders.emplace_back();
    for (Slot& s : slots) {
      table.push_back(s.backend);
      order.push_back(&s);
    }
    std::ranges::sort(order, [](const Slot* a, const Slot* b) {
      const int pa = a->backend->preference, pb = b->backend->preference;
      return pa != pb ? pa > pb : a->name < b->name;
    });
  }
};

Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

// What TG_BACKENDS asked for so far. A list is looked at once; scopes may bring other lists.
struct Requests {
  std::mutex lock;
  std::set<std::string, std::less<>> lists;
  std::set<std::string, std::less<>> paths;
  std::vector<FailedBackend> failed;
};

Requests& requests() {
  static auto* r = new Requests;
  return *r;
}

void load_requested() {
  const std::string& list = options().backends;
  if (list.empty()) return;
  Requests& r = requests();
  std::lock_guard guard(r.lock);
  if (!r.lists.insert(list).second) return;
  for (const std::string_view path : split(list, ':')) {
    if (path.empty() || !r.paths.emplace(path).second) continue;
    try {
      load_backend(std::string(path));
    } catch (const Error& e) {
      r.failed.push_back({std::string(path), e.what()});
    }
  }
}

std::vector<Slot*> all_slots() {
  load_requested();
  std::lock_guard guard(registry().lock);
  std::vector<Slot*> out;
  for (Slot& s : registry().slots) out.push_back(&s);
  return out;
}

const std::vector<Slot*>& slots_by_preference() {
  load_requested();
  std::lock_guard guard(registry().lock);
  return registry().orders.back();
}

}  // namespace

int preference_here(const Backend& backend) {
  const bool allowed = backend.may_be_default == nullptr || backend.may_be_default();
  return backend.preference >= 0 && !allowed ? -1 : backend.preference;
}

namespace {

std::string without_full_stop(std::string reason) {
  if (reason.ends_with('.')) reason.pop_back();
  return reason;
}

std::string upper(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// Null if there is none of this name.
Slot* find_slot(std::string_view wanted) {
  load_requested();
  std::lock_guard guard(registry().lock);
  for (Slot& s : registry().slots) {
    if (s.name == wanted) return &s;
  }
  return nullptr;
}

Slot& slot_of(std::string_view name) {
  if (Slot* found = find_slot(upper(name))) return *found;
  std::vector<std::string> known;
  for (const Backend* b : backends()) known.emplace_back(b->name);
  std::ranges::sort(known);
  std::string failed;
  for (const FailedBackend& f : failed_backends())
    failed += fmt::format("; not loaded: {}", without_full_stop(f.reason));
  user_error<DeviceError>(
      "device",
      fmt::format("unknown device \"{}\": known are {}{}", name, fmt::join(known, ", "), failed),
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
  for (const Slot* s : all_slots()) {
    if (s == &broken || !s->backend->probe().empty()) continue;
    if (best == nullptr || preference_here(*s->backend) > preference_here(*best->backend)) best = s;
  }
  return best == nullptr ? "" : fmt::format("Hint: DEV={} works here.", best->name);
}

// A reason that already names a way out gets no second one.
[[noreturn]] void unusable(const Slot& s, const std::string& reason) {
  const bool advises = reason.find("DEV=") != std::string::npos;
  user_error<DeviceError>(
      "device", fmt::format("{} cannot be used here: {}", s.name, without_full_stop(reason)),
      advises ? "" : alternative_to(s));
}

// The usable backend with the highest preference. A processor that cannot be used is an error: a
// slow device never stands in silently for one that is broken. Those with a negative preference
// are considered only in a build without others.
const std::string& best_device() {
  const std::vector<Slot*>& order = slots_by_preference();
  if (const auto failed = failed_backends(); !failed.empty()) {
    user_error<DeviceError>("TG_BACKENDS", without_full_stop(failed[0].reason),
                            "Hint: correct TG_BACKENDS, or choose a device with DEV.");
  }
  TG_CHECK(!order.empty(), "this build has no backend");
  const Slot* broken = nullptr;
  for (const Slot* s : order) {
    const Backend& b = *s->backend;
    if (b.preference < 0 && broken != nullptr) break;
    if (preference_here(b) < b.preference) continue;
    if (b.may_be_default != nullptr || b.probe().empty()) return s->name;
    if (broken == nullptr) broken = s;
  }
  const Slot& wanted = broken != nullptr ? *broken : *order.front();
  unusable(wanted, wanted.backend->probe());
}

}  // namespace

void Device::launch(std::span<const Call> calls) {
  for (const Call& c : calls) c.program->launch(c.buffers, c.vars);
}

namespace {

class ReplayInTurn final : public Replay {
 public:
  ReplayInTurn(Device& device, const CallSequence& sequence)
      : device_(device), sequence_(sequence) {}
  void run() override {
    size_t begin = 0;
    for (const size_t end : sequence_.ends) {
      const std::span calls = sequence_.calls.subspan(begin, end - begin);
      if (calls.size() == 1)
        calls[0].program->launch(calls[0].buffers, calls[0].vars);
      else
        device_.launch(calls);
      begin = end;
    }
  }

 private:
  Device& device_;
  const CallSequence sequence_;
};

}  // namespace

std::unique_ptr<Replay> Device::prepare(const CallSequence& sequence) {
  return std::make_unique<ReplayInTurn>(*this, sequence);
}

double Device::timed(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  call.program->launch(call.buffers, call.vars);
  synchronize();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::span<const Backend* const> backends() {
  load_requested();
  std::lock_guard guard(registry().lock);
  return registry().tables.back();
}

void add_backend(const Backend& backend) {
  std::lock_guard guard(registry().lock);
  for (const Slot& s : registry().slots) {
    if (s.name == backend.name)
      user_error<DeviceError>("add_backend", fmt::format("there is a device {} already", s.name));
  }
  registry().slots.emplace_back(backend);
  registry().publish();
}

std::vector<FailedBackend> failed_backends() {
  if (options().backends.empty()) return {};
  const std::vector<std::string_view> wanted = split(options().backends, ':');
  std::lock_guard guard(requests().lock);
  std::vector<FailedBackend> out;
  for (const FailedBackend& f : requests().failed) {
    if (std::ranges::find(wanted, f.path) != wanted.end()) out.push_back(f);
  }
  return out;
}

// A backend is asked whether it works here without the lock: the answer may name other backends.
Device& device(std::string_view name) {
  const Reference& wanted = reference_to(name);
  Slot& s = *wanted.slot;
  {
    const std::lock_guard guard(s.opening);
    if (const auto it = s.devices.find(wanted.settings); it != s.devices.end()) return *it->second;
  }
  if (wanted.settings.empty()) {
    if (const std::string reason = s.backend->probe(); !reason.empty()) unusable(s, reason);
  }
  const std::lock_guard guard(s.opening);
  if (const auto it = s.devices.find(wanted.settings); it != s.devices.end()) return *it->second;
  std::unique_ptr<Device> opened =
      wanted.settings.empty() ? s.backend->open() : s.backend->open_with(wanted.settings);
  TG_CHECK(opened != nullptr, "{} opened no device", wanted.name);
  return *s.devices.emplace(wanted.settings, std::move(opened)).first->second;
}

void synchronize_all() {
  std::vector<Device*> opened;
  for (Slot* s : all_slots()) {
    const std::lock_guard guard(s->opening);
    for (const auto& [settings, d] : s->devices) opened.push_back(d.get());
  }
  for (Device* d : opened) d->synchronize();
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
