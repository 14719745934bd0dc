// Errors: the statuses of tg.h as errors of Go, with the message of the thread that failed.

package tg

/*
#cgo CFLAGS: -I${SRCDIR}/../../include
#cgo LDFLAGS: -ltinygrad
#include "shim.h"
*/
import "C"

import "runtime"

// Status says what came of a call. Each but the first is an error for errors.Is:
//
//	if errors.Is(err, tg.ShapeError) { ... }
type Status int

// The numbers are those of tg_status in tg.h.
const (
	ShapeError     Status = 1  // sizes that do not fit together
	DtypeError     Status = 2  // an element type that the function does not accept
	IndexError     Status = 3  // an index or axis outside its range
	ArgumentError  Status = 4  // any other argument that breaks a documented rule
	DeviceError    Status = 5  // a device is unknown, missing, failed or out of memory
	FileError      Status = 6  // a file is missing, damaged or of another format
	CancelledError Status = 7  // stopped on request
	InternalError  Status = 8  // a broken invariant of the library
	HandleError    Status = 9  // an object was released before
	MemoryError    Status = 10 // the host has no memory left
	CallbackError  Status = 11 // a callback failed without saying why, or panicked
)

var statusNames = []string{"ok", "shape", "dtype", "index", "argument", "device", "file", "cancelled",
	"internal", "handle", "memory", "callback"}

// Error names the kind of error.
func (s Status) Error() string {
	if s < 0 || int(s) >= len(statusNames) {
		return "unknown error"
	}
	return statusNames[s] + " error"
}

// Error is a failed call: its status, and what the library says of it, `function: rule broken: the
// values. Hint.`
type Error struct {
	Status  Status
	Message string
}

func (e *Error) Error() string { return e.Message }

// Is makes errors.Is(err, tg.ShapeError) work.
func (e *Error) Is(target error) bool {
	status, ok := target.(Status)
	return ok && status == e.Status
}

// The message belongs to the thread of the call, so the goroutine stays there until it is read.
func check(call func() C.tg_status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	status := call()
	if status == C.TG_OK {
		return nil
	}
	return &Error{Status(status), C.GoString(C.tg_error_message())}
}
