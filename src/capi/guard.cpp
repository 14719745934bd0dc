// See guard.h: which exception is which status.
#include "capi/guard.h"

#include <new>

#include "capi/handles.h"
#include "tg/version.h"

namespace tg::capi {
namespace {

struct LastFailure {
  std::string message;
  uint64_t count = 0;
  const char* text = "";
};
thread_local LastFailure last;

tg_status fail(tg_status status, const char* message) noexcept {
  ++last.count;
  try {
    last.message = message;
    last.text = last.message.c_str();
  } catch (...) {
    last.text = "out of host memory";
  }
  return status;
}

}  // namespace

uint64_t failures() { return last.count; }

tg_status fail_with_current_exception() noexcept {
  try {
    throw;
  } catch (const CallbackError& e) {
    return fail(e.status, e.what());
  } catch (const HandleError& e) {
    return fail(TG_ERROR_HANDLE, e.what());
  } catch (const ShapeError& e) {
    return fail(TG_ERROR_SHAPE, e.what());
  } catch (const DTypeError& e) {
    return fail(TG_ERROR_DTYPE, e.what());
  } catch (const IndexError& e) {
    return fail(TG_ERROR_INDEX, e.what());
  } catch (const ArgumentError& e) {
    return fail(TG_ERROR_ARGUMENT, e.what());
  } catch (const DeviceError& e) {
    return fail(TG_ERROR_DEVICE, e.what());
  } catch (const FileError& e) {
    return fail(TG_ERROR_FILE, e.what());
  } catch (const CancelledError& e) {
    return fail(TG_ERROR_CANCELLED, e.what());
  } catch (const std::bad_alloc&) {
    return fail(TG_ERROR_MEMORY, "out of host memory");
  } catch (const std::length_error&) {
    return fail(TG_ERROR_MEMORY, "out of host memory: a list is longer than memory can hold");
  } catch (const std::exception& e) {
    return fail(TG_ERROR_INTERNAL, e.what());
  } catch (...) {
    return fail(TG_ERROR_INTERNAL, "an exception of unknown type");
  }
}

}  // namespace tg::capi

using namespace tg::capi;

uint32_t tg_abi_version(void) { return TG_ABI_VERSION; }
const char* tg_version(void) { return tg::version().data(); }
const char* tg_error_message(void) { return last.text; }
tg_status tg_fail(tg_status status, const char* message) {
  return fail(status, message == nullptr ? "" : message);
}

tg_status tg_retain(const void* handle) {
  return guarded([&] { HandleTable::instance().retain(handle); });
}
tg_status tg_release(const void* handle) {
  return guarded([&] { HandleTable::instance().release(handle); });
}
int64_t tg_live_handles(void) { return HandleTable::instance().live(); }
