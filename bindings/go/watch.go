// A program that watches itself: what was run so far, and the lines that the library prints.

package tg

/*
#include "shim.h"
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Counters are totals of the process, over all devices and threads.
type Counters struct {
	Kernels     int64   // that ran, and copies between devices
	Launches    int64   // of these: small ones that are independent share one
	Ops         int64   // floating-point operations
	Bytes       int64   // of memory, read and written
	Seconds     float64 // of kernels; measured only with the option DEBUG of 2 or more, or with PROFILE
	MemoryInUse int64   // bytes handed out by devices now
	PeakMemory  int64   // most of that at once
}

// ReadCounters gives the totals since the start of the process or the last ResetCounters.
func ReadCounters() (Counters, error) {
	var c C.tg_counters
	c.struct_size = C.size_t(unsafe.Sizeof(c))
	err := check(func() C.tg_status { return C.tg_read_counters(&c) })
	return Counters{int64(c.kernels), int64(c.launches), int64(c.ops), int64(c.bytes), float64(c.seconds),
		int64(c.memory_in_use), int64(c.peak_memory)}, err
}

// ResetCounters starts all totals from 0, the peak from what is in use.
func ResetCounters() error { return check(func() C.tg_status { return C.tg_reset_counters() }) }

// SetLog sends the lines for people (what the option DEBUG prints, and warnings) to sink, each without
// its end; nil: to standard error. It is called on the thread that has something to say, once at a time,
// and must call nothing of this package. A panic in it loses the line.
func SetLog(sink func(line string)) error {
	var user C.tg_go
	if sink != nil {
		user = C.tg_go(cgo.NewHandle(sink))
	}
	return check(func() C.tg_status { return C.tg_go_set_log(user) })
}

//export tgGoLog
func tgGoLog(user C.tg_go, line *C.char) {
	defer func() { _ = recover() }()
	cgo.Handle(user).Value().(func(string))(C.GoString(line))
}
