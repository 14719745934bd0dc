// Counted handles as objects, and those that are no tensors: layers, optimisers, tensors by name. Those
// there are to make are in ops.go.

package tg

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// A counted handle. The collector gives it back some time after the last use; Release does at once.
type object struct{ raw C.tg_go }

// Release gives the object back now: later uses are a HandleError.
func (o *object) Release() {
	if o != nil && o.raw != 0 {
		C.tg_go_release(o.raw)
		o.raw = 0
	}
}

// The handle of an object that may be nil.
func (o *object) handle() C.tg_go {
	if o == nil {
		return 0
	}
	return o.raw
}

func owned(raw C.tg_go) *object {
	o := &object{raw}
	runtime.SetFinalizer(o, (*object).Release)
	return o
}

func borrowed(raw C.tg_go) *object {
	C.tg_go_retain(raw)
	return owned(raw)
}

// What a call makes that gives a handle.
func made(call func(out *C.tg_go) C.tg_status) (*object, error) {
	var raw C.tg_go
	if err := check(func() C.tg_status { return call(&raw) }); err != nil {
		return nil, err
	}
	return owned(raw), nil
}

// The first element for C, which reads it during the call.
func pointerTo[T any](elements []T) *T {
	if len(elements) == 0 {
		return nil
	}
	return &elements[0]
}

// Runs body with a copy of text that C can read.
func withText(text string, body func(text *C.char)) {
	copied := C.CString(text)
	defer C.free(unsafe.Pointer(copied))
	body(copied)
}

// A call with a text that gives nothing else.
func checkText(text string, call func(text *C.char) C.tg_status) (err error) {
	withText(text, func(t *C.char) { err = check(func() C.tg_status { return call(t) }) })
	return err
}

// Tensor is an array that is computed when somebody looks. One tensor is used by one goroutine at a
// time.
type Tensor struct{ *object }

// Layer is a layer of a network.
type Layer struct{ *object }

// Optimizer is an optimiser.
type Optimizer struct{ *object }

// State is tensors by name.
type State struct{ *object }

func (t *Tensor) handle() C.tg_go {
	if t == nil {
		return 0
	}
	return t.object.handle()
}

// Call is the layer applied to x.
func (l *Layer) Call(x *Tensor) (*Tensor, error) {
	o, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_layer_call(l.raw, x.handle(), out) })
	runtime.KeepAlive(l.object)
	runtime.KeepAlive(x)
	return &Tensor{o}, err
}

// Apply is the same for layers that take or give several tensors: NewLSTMCell's takes x, or x, output and
// cell of the step before, and gives the next output and cell.
func (l *Layer) Apply(inputs ...*Tensor) ([]*Tensor, error) {
	handles := make([]C.tg_go, len(inputs))
	for i, x := range inputs {
		handles[i] = x.handle()
	}
	var results [8]C.tg_go // more than any layer gives
	var count C.size_t
	err := check(func() C.tg_status {
		return C.tg_go_layer_apply(l.raw, pointerTo(handles), C.size_t(len(handles)), &results[0],
			C.size_t(len(results)), &count)
	})
	runtime.KeepAlive(l.object)
	runtime.KeepAlive(inputs)
	if err != nil {
		return nil, err
	}
	tensors := make([]*Tensor, count)
	for i := range tensors {
		tensors[i] = &Tensor{owned(results[i])}
	}
	return tensors, nil
}

// State gives its tensors by name; they are its own, not copies.
func (l *Layer) State() (*State, error) {
	o, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_layer_state(l.raw, out) })
	runtime.KeepAlive(l.object)
	return &State{o}, err
}

// Step is a whole step: gradients of loss, update of the parameters, everything computed. With a nil
// loss, from the gradients that Backward left.
func (o *Optimizer) Step(loss *Tensor) error {
	err := check(func() C.tg_status { return C.tg_go_step(o.raw, loss.handle()) })
	runtime.KeepAlive(o.object)
	runtime.KeepAlive(loss)
	return err
}

// StepTogether is a step of several optimisers with parameters of their own, as one.
func StepTogether(loss *Tensor, optimizers ...*Optimizer) error {
	handles := make([]C.tg_go, len(optimizers))
	for i, o := range optimizers {
		handles[i] = o.handle()
	}
	err := check(func() C.tg_status {
		return C.tg_go_step_together(pointerTo(handles), C.size_t(len(handles)), loss.handle())
	})
	runtime.KeepAlive(optimizers)
	runtime.KeepAlive(loss)
	return err
}

// ZeroGrad forgets the gradients of the parameters.
func (o *Optimizer) ZeroGrad() error {
	defer runtime.KeepAlive(o.object)
	return check(func() C.tg_status { return C.tg_go_zero_grad(o.raw) })
}

// Lr is that of the next step.
func (o *Optimizer) Lr() (float64, error) {
	var rate C.double
	err := check(func() C.tg_status { return C.tg_go_rate(o.raw, &rate) })
	runtime.KeepAlive(o.object)
	return float64(rate), err
}

// SetLr sets it.
func (o *Optimizer) SetLr(rate float64) error {
	defer runtime.KeepAlive(o.object)
	return check(func() C.tg_status { return C.tg_go_set_rate(o.raw, C.double(rate)) })
}

// State is what it keeps between steps, by name; its own tensors, not copies.
func (o *Optimizer) State() (*State, error) {
	s, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_optimizer_state(o.raw, out) })
	runtime.KeepAlive(o.object)
	return &State{s}, err
}

// NewState holds no tensors.
func NewState() (*State, error) {
	o, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_state_create(out) })
	return &State{o}, err
}

// LoadState reads a file of tensors, by its content: safetensors, PyTorch, GGUF, .npz (docs/files.md).
// The tensors come onto the default device.
func LoadState(path string) (state *State, err error) { return LoadStateOn(path, "") }

// LoadStateOn is the same, onto a device.
func LoadStateOn(path, device string) (state *State, err error) {
	withText(path, func(p *C.char) {
		withText(device, func(d *C.char) {
			var o *object
			o, err = made(func(out *C.tg_go) C.tg_status { return C.tg_go_state_load(p, d, out) })
			state = &State{o}
		})
	})
	return state, err
}

// MNIST is hand-written digits as uint8: "train.images" [count, 28, 28], "train.labels" [count],
// "test.images", "test.labels", on the default device. From the usual places and the net, else drawn by
// the library; source says which.
func MNIST() (state *State, source string, err error) {
	source, err = textOf(func(out *C.tg_value) (status C.tg_status) {
		var raw C.tg_go
		if status = C.tg_go_mnist(&raw, out); status == C.TG_OK {
			state = &State{owned(raw)}
		}
		return status
	})
	return state, source, err
}

// Save writes a safetensors file.
func (s *State) Save(path string) error {
	defer runtime.KeepAlive(s.object)
	return checkText(path, func(p *C.char) C.tg_status { return C.tg_go_state_save(s.raw, p) })
}

// Set adds a tensor, or replaces that of this name.
func (s *State) Set(name string, tensor *Tensor) error {
	defer runtime.KeepAlive(s.object)
	defer runtime.KeepAlive(tensor)
	return checkText(name, func(n *C.char) C.tg_status {
		return C.tg_go_state_set(s.raw, n, tensor.handle())
	})
}

// Get is the tensor of this name; ArgumentError if there is none.
func (s *State) Get(name string) (tensor *Tensor, err error) {
	withText(name, func(n *C.char) {
		var o *object
		o, err = made(func(out *C.tg_go) C.tg_status { return C.tg_go_state_get(s.raw, n, out) })
		tensor = &Tensor{o}
	})
	runtime.KeepAlive(s.object)
	return tensor, err
}

// Merge adds all of from, with prefix before their names.
func (s *State) Merge(prefix string, from *State) error {
	defer runtime.KeepAlive(s.object)
	defer runtime.KeepAlive(from.object)
	return checkText(prefix, func(p *C.char) C.tg_status {
		return C.tg_go_state_merge(s.raw, p, from.raw)
	})
}

// Assign assigns the values of from to the tensors here and computes them; all or nothing.
func (s *State) Assign(from *State) error {
	defer runtime.KeepAlive(s.object)
	defer runtime.KeepAlive(from.object)
	return check(func() C.tg_status { return C.tg_go_state_assign(s.raw, from.raw) })
}

// Names are in alphabetical order.
func (s *State) Names() ([]string, error) {
	defer runtime.KeepAlive(s.object)
	var count C.size_t
	if err := check(func() C.tg_status { return C.tg_go_state_count(s.raw, &count) }); err != nil {
		return nil, err
	}
	names := make([]string, count)
	for i := range names {
		name, err := textOf(func(out *C.tg_value) C.tg_status {
			return C.tg_go_state_name(s.raw, C.size_t(i), out)
		})
		if err != nil {
			return nil, err
		}
		names[i] = name
	}
	return names, nil
}
