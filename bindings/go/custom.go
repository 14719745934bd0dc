// Functions with gradients of the user's making.

package tg

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// Forward makes a tensor of the inputs.
type Forward func(inputs []*Tensor) (*Tensor, error)

// Backward gives the gradients of the inputs, from them, the result and the gradient that reaches it;
// nil for an input that has none.
type Backward func(inputs []*Tensor, result, gradient *Tensor) ([]*Tensor, error)

type custom struct {
	forward  Forward
	backward Backward
}

// Custom is forward(inputs), differentiated by what backward says: for gradients that are cheaper, more
// exact or other than the true ones (straight-through estimators, clipping, reversal). Both are built
// of tensor functions, so the gradient can be differentiated again. An error or panic in one of them is
// that of the call which needs it: this one, Backward or Gradient. What they refer to lives as long as
// the result can be differentiated.
//
//	// Rounds, and lets gradients pass as if it did not.
//	y, err := tg.Custom(
//		func(in []*tg.Tensor) (*tg.Tensor, error) { return in[0].Round() },
//		func(_ []*tg.Tensor, _, dy *tg.Tensor) ([]*tg.Tensor, error) { return []*tg.Tensor{dy}, nil },
//		x)
func Custom(forward Forward, backward Backward, inputs ...*Tensor) (*Tensor, error) {
	if forward == nil || backward == nil {
		return nil, &Error{ArgumentError, "custom: forward and backward must not be nil."}
	}
	handles := make([]C.tg_go, len(inputs))
	for i, x := range inputs {
		handles[i] = x.handle()
	}
	user := C.tg_go(cgo.NewHandle(custom{forward, backward}))
	o, err := made(func(out *C.tg_go) C.tg_status {
		return C.tg_go_custom(user, pointerTo(handles), C.size_t(len(handles)), out)
	})
	runtime.KeepAlive(inputs)
	if err != nil {
		return nil, err
	}
	return &Tensor{o}, nil
}

// The tensors that C lends to a callback.
func lent(arguments *C.tg_go, count C.size_t) []*Tensor {
	tensors := make([]*Tensor, int(count))
	for i, raw := range unsafe.Slice(arguments, int(count)) {
		tensors[i] = &Tensor{borrowed(raw)}
	}
	return tensors
}

// Gives tensors to C, which owns their counts.
func give(results *C.tg_go, tensors []*Tensor) {
	for i, slot := 0, unsafe.Slice(results, len(tensors)); i < len(tensors); i++ {
		slot[i] = tensors[i].handle()
		if slot[i] != 0 {
			C.tg_go_retain(slot[i])
		}
	}
	runtime.KeepAlive(tensors)
}

//export tgGoForward
func tgGoForward(user C.tg_go, arguments *C.tg_go, count C.size_t, results *C.tg_go, _ C.size_t) C.int {
	result, err := protected("custom: forward", func() (*Tensor, error) {
		return cgo.Handle(user).Value().(custom).forward(lent(arguments, count))
	})
	if err != nil {
		return C.int(fail(err))
	}
	give(results, []*Tensor{result})
	return C.TG_OK
}

//export tgGoBackward
func tgGoBackward(user C.tg_go, arguments *C.tg_go, count C.size_t, results *C.tg_go,
	wanted C.size_t) C.int {
	gradients, err := protected("custom: backward", func() ([]*Tensor, error) {
		all := lent(arguments, count)
		n := len(all) - 2
		return cgo.Handle(user).Value().(custom).backward(all[:n:n], all[n], all[n+1])
	})
	if err == nil && len(gradients) != int(wanted) {
		problem := fmt.Sprintf("custom: backward gave %d gradients for %d inputs.", len(gradients), wanted)
		err = &Error{ArgumentError, problem}
	}
	if err != nil {
		return C.int(fail(err))
	}
	give(results, gradients)
	return C.TG_OK
}
