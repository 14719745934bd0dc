// What concerns the whole process or thread: devices, options, modes, random numbers.

package tg

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"runtime"
)

// Version of the library, "0.1.0".
func Version() string { return C.GoString(C.tg_version()) }

// LiveHandles is how many objects of the library are alive now, of all kinds: for tests.
func LiveHandles() int64 { return int64(C.tg_live_handles()) }

// ManualSeed starts the sequence of random numbers of seed.
func ManualSeed(seed uint64) error {
	return check(func() C.tg_status { return C.tg_manual_seed(C.uint64_t(seed)) })
}

// SetOption sets an option of the library for the whole process.
func SetOption(name, value string) error {
	return checkText(name, func(n *C.char) (status C.tg_status) {
		withText(value, func(v *C.char) { status = C.tg_set_option(n, v) })
		return status
	})
}

// UnsetOption takes that back.
func UnsetOption(name string) error {
	return checkText(name, func(n *C.char) C.tg_status { return C.tg_set_option(n, nil) })
}

// Option is an option's value as text.
func Option(name string) (value string, err error) {
	withText(name, func(n *C.char) {
		value, err = textOf(func(out *C.tg_value) C.tg_status { return C.tg_get_option(n, out) })
	})
	return value, err
}

// Devices are the names of those that can be used.
func Devices() (names []string, err error) {
	for i := 0; ; i++ {
		var usable C.bool
		name, err := textOf(func(out *C.tg_value) C.tg_status {
			return C.tg_device_at(C.size_t(i), out, &usable, nil)
		})
		if errors.Is(err, IndexError) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		if usable {
			names = append(names, name)
		}
	}
}

// DefaultDevice is where tensors go that name none.
func DefaultDevice() (string, error) {
	return textOf(func(out *C.tg_value) C.tg_status { return C.tg_default_device(out) })
}

// LoadBackend loads a backend's shared object, which then runs in this process; gives the name of its
// device.
func LoadBackend(path string) (name string, err error) {
	withText(path, func(p *C.char) {
		name, err = textOf(func(out *C.tg_value) C.tg_status { return C.tg_load_backend(p, out) })
	})
	return name, err
}

// SynchronizeDevice waits until everything launched so far on a device is done.
func SynchronizeDevice(device string) error {
	return checkText(device, func(d *C.char) C.tg_status { return C.tg_synchronize(d) })
}

// Synchronize waits until everything launched so far is done, on all devices.
func Synchronize() error {
	return check(func() C.tg_status { return C.tg_synchronize(nil) })
}

// WithTraining runs body with training (dropout, batch_norm) on or off. The switch belongs to the
// thread, where the goroutine stays until body returns.
func WithTraining(on bool, body func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before C.bool
	if err := check(func() C.tg_status { return C.tg_set_training(C.bool(on), &before) }); err != nil {
		return err
	}
	defer C.tg_set_training(before, nil)
	return body()
}

// WithGrad runs body with the recording of gradients on or off, as WithTraining does.
func WithGrad(on bool, body func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before C.bool
	if err := check(func() C.tg_status { return C.tg_set_grad_enabled(C.bool(on), &before) }); err != nil {
		return err
	}
	defer C.tg_set_grad_enabled(before, nil)
	return body()
}
