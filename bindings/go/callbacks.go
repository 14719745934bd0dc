// Go functions that C calls, by the numbers of cgo.Handles: C keeps no pointer of Go. Their C side:
// callbacks.c.

package tg

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"strings"
)

// Runs a function of the user's. A panic must not travel through C++, so it is a CallbackError.
func protected[T any](what string, body func() (T, error)) (result T, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = &Error{CallbackError, fmt.Sprintf("%s panicked: %v.", what, problem)}
		}
	}()
	return body()
}

// Tells the failing call on the outside why.
func fail(err error) (status C.tg_status) {
	known := &Error{CallbackError, err.Error()}
	errors.As(err, &known)
	withText(strings.ReplaceAll(known.Message, "\x00", " "), func(message *C.char) {
		status = C.tg_fail(C.tg_status(known.Status), message)
	})
	return status
}

//export tgGoForget
func tgGoForget(user C.tg_go) { cgo.Handle(user).Delete() }

//export tgGoRelease
func tgGoRelease(user C.tg_go) {
	handle := cgo.Handle(user)
	release := handle.Value().(func())
	handle.Delete()
	// Nobody can be told of a panic, and it must not pass.
	defer func() { _ = recover() }()
	if release != nil {
		release()
	}
}
