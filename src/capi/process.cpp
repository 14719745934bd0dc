// What belongs to the whole process: devices, options, the random source, counters.
#include "capi/guard.h"
#include "capi/values.h"
#include "engine/plan.h"
#include "runtime/device.h"
#include "tg/backend.h"
#include "tg/config.h"
#include "tg/counters.h"
#include "tg/interrupt.h"
#include "tg/log.h"
#include "tg/random.h"

using namespace tg;
using namespace tg::capi;

tg_status tg_device_at(size_t i, tg_value* name, bool* usable, tg_value* reason) {
  return guarded([&] {
    const std::span<const Backend* const> all = backends();
    if (i >= all.size())
      user_error<IndexError>("tg_device_at", fmt::format("device {} of {}", i, all.size()));
    const std::string problem = all[i]->probe();
    OwnedValue text(to_c(std::string(all[i]->name)));
    if (reason != nullptr) *reason = to_c(problem);
    if (usable != nullptr) *usable = problem.empty();
    text.hand_on_to(name);
  });
}

tg_status tg_default_device(tg_value* name) {
  return guarded([&] {
    given(name, "tg_default_device", "name");
    *name = to_c(std::string(default_device()));
  });
}

tg_status tg_load_backend(const char* path, tg_value* name) {
  return guarded([&] {
    const std::string loaded = load_backend(given(path, "tg_load_backend", "path"));
    if (name != nullptr) *name = to_c(loaded);
  });
}

tg_status tg_synchronize(const char* name) {
  return guarded([&] {
    if (name != nullptr) return device(name).synchronize();
    synchronize_all();
  });
}

tg_status tg_set_option(const char* name, const char* value) {
  return guarded([&] {
    given(name, "tg_set_option", "name");
    set_option(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
  });
}

tg_status tg_get_option(const char* name, tg_value* value) {
  return guarded([&] {
    given(value, "tg_get_option", "value");
    *value = to_c(get_option(given(name, "tg_get_option", "name")));
  });
}

tg_status tg_set_log(tg_log_callback callback, void* user, tg_free_callback release) {
  return guarded([&] {
    const auto lender = std::make_shared<Lender>(release, user);
    if (callback == nullptr) return static_cast<void>(set_log_sink({}));
    set_log_sink([callback, user, lender](std::string_view line) {
      callback(user, std::string(line).c_str());
    });
  });
}

tg_status tg_set_interrupt(tg_interrupt_callback callback, void* user, tg_free_callback release) {
  return guarded([&] {
    const auto lender = std::make_shared<Lender>(release, user);
    if (callback == nullptr) return static_cast<void>(set_interrupt_hook({}));
    set_interrupt_hook([callback, user, lender] { return callback(user); });
  });
}

tg_status tg_manual_seed(uint64_t seed) {
  return guarded([&] { manual_seed(seed); });
}

tg_status tg_read_counters(tg_counters* counters) {
  return guarded([&] {
    const GlobalCounters now = GlobalCounters::read();
    tg_counters out = {};
    out.kernels = now.kernels;
    out.launches = now.launches;
    out.ops = now.ops;
    out.bytes = now.bytes;
    out.seconds = now.seconds;
    out.memory_in_use = now.memory_in_use;
    out.peak_memory = now.peak_memory;
    fill(counters, out, "tg_read_counters");
  });
}

tg_status tg_reset_counters(void) {
  return guarded([] { GlobalCounters::reset(); });
}

tg_status tg_kept_schedules(int64_t* count) {
  return guarded([&] {
    given(count, "tg_kept_schedules", "count");
    *count = kept_plans();
  });
}

tg_status tg_clear_caches(void) {
  return guarded([] { clear_caches(); });
}
