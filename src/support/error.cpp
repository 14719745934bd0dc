// Out-of-line destructors anchor the vtables of the error classes in this library, so that
// exceptions keep their type across shared objects; and the one place that words a failed
// invariant.
#include "tg/error.h"

#include "support/check.h"

namespace tg {

Error::~Error() = default;
ShapeError::~ShapeError() = default;
DTypeError::~DTypeError() = default;
IndexError::~IndexError() = default;
ArgumentError::~ArgumentError() = default;
DeviceError::~DeviceError() = default;
FileError::~FileError() = default;
CancelledError::~CancelledError() = default;
InternalError::~InternalError() = default;

namespace detail {
void internal_failure(std::string_view condition, std::string message, std::source_location where) {
  throw InternalError(
      fmt::format("internal error at {}:{}: {} does not hold: {}. Please report this.",
                  where.file_name(), where.line(), condition, message));
}
}  // namespace detail

}  // namespace tg
