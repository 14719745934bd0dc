// The errors that the library throws: one base class, a subclass for each kind of cause, so that a
// program can tell its own mistakes (shape, dtype, index, argument) from the machine's (device,
// file) and from ours (internal). How messages are built: src/support/check.h. Conversion to C
// status codes: src/capi.
#pragma once

#include <stdexcept>
#include <string>

#include "tg/export.h"

namespace tg {

/// Base of all errors of the library. `what()` reads `function: rule broken: the values. Hint.`
class TG_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// Sizes that do not fit together; the message shows both shapes.
class TG_API ShapeError : public Error {
 public:
  using Error::Error;
  ~ShapeError() override;
};

/// An element type that the function does not accept; the message names it and what is accepted.
class TG_API DTypeError : public Error {
 public:
  using Error::Error;
  ~DTypeError() override;
};

/// An index or axis outside its range.
class TG_API IndexError : public Error {
 public:
  using Error::Error;
  ~IndexError() override;
};

/// Any other argument or option that breaks a documented rule.
class TG_API ArgumentError : public Error {
 public:
  using Error::Error;
  ~ArgumentError() override;
};

/// A device that is unknown, missing, failed, or out of memory; compiler failures are here too.
class TG_API DeviceError : public Error {
 public:
  using Error::Error;
  ~DeviceError() override;
};

/// A file or stream that is missing, truncated, corrupt, or of another format.
class TG_API FileError : public Error {
 public:
  using Error::Error;
  ~FileError() override;
};

/// The work was stopped on request (Ctrl-C, a cancellation flag).
class TG_API CancelledError : public Error {
 public:
  using Error::Error;
  ~CancelledError() override;
};

/// A broken invariant of the library itself: please report it.
class TG_API InternalError : public Error {
 public:
  using Error::Error;
  ~InternalError() override;
};

}  // namespace tg
