// Captured functions: a Go function whose calls are recorded once and then replayed. The C side of its
// callbacks: callbacks.c.

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

// Body of a captured function: its inputs are *Tensor, Size, float64 and bool.
type Body func(inputs []any) ([]*Tensor, error)

// The most results that a captured function has here.
const capacity = 64

// Jit is a function whose calls are recorded once and then replayed.
type Jit struct{ *object }

// JitStats is what was recorded; Launches and Kernels are those of a replay.
type JitStats struct {
	Captured          bool
	Launches, Kernels int64
	ArenaBytes        int64
}

// NewJit captures body: the first call runs it, the second records it, later ones replay. A panic in
// it becomes a CallbackError. At most 64 results. What body refers to lives as long as the Jit; it must
// not refer to the Jit itself, or neither is ever collected (Release does it then).
func NewJit(body Body) (*Jit, error) {
	return newJit(body, false)
}

// NewAliasingJit is the same, but the results of every call are the same tensors, written again: no
// memory is allocated for them, and what an earlier call gave changes.
func NewAliasingJit(body Body) (*Jit, error) { return newJit(body, true) }

func newJit(body Body, aliasOutputs bool) (*Jit, error) {
	user := C.tg_go(cgo.NewHandle(body))
	var options C.tg_jit_options
	options.struct_size = C.size_t(unsafe.Sizeof(options))
	options.alias_outputs = C.bool(aliasOutputs)
	o, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_jit_create(user, &options, out) })
	return &Jit{o}, err
}

// Call calls it with *Tensor, []*Tensor, Size, int, float64 and bool.
func (j *Jit) Call(inputs ...any) ([]*Tensor, error) {
	for i, input := range inputs {
		if list, ok := input.([]*Tensor); ok {
			inputs[i] = needTensors(list)
		}
	}
	a := pack(inputs)
	defer a.free()
	if a.err != nil {
		return nil, a.err
	}
	var results [capacity]C.tg_go
	var count C.size_t
	err := check(func() C.tg_status {
		n := C.size_t(len(a.values))
		return C.tg_go_jit_call(j.raw, a.pointer(), n, &results[0], capacity, &count)
	})
	runtime.KeepAlive(j.object)
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

// Reset forgets what was recorded.
func (j *Jit) Reset() error {
	defer runtime.KeepAlive(j.object)
	return check(func() C.tg_status { return C.tg_go_jit_reset(j.raw) })
}

// Stats is what was recorded.
func (j *Jit) Stats() (JitStats, error) {
	var s C.tg_jit_stats
	s.struct_size = C.size_t(unsafe.Sizeof(s))
	err := check(func() C.tg_status { return C.tg_go_jit_stats(j.raw, &s) })
	runtime.KeepAlive(j.object)
	stats := JitStats{bool(s.captured), int64(s.launches), int64(s.kernels), int64(s.arena_bytes)}
	return stats, err
}

func inputsOf(values []C.tg_value) []any {
	inputs := make([]any, len(values))
	for i := range values {
		v := &values[i]
		switch v.kind {
		case C.TG_TENSOR:
			inputs[i] = &Tensor{borrowed(*slot[C.tg_go](v))}
		case C.TG_TENSORS:
			var list []*Tensor
			for _, raw := range elements[C.tg_go](v) {
				list = append(list, &Tensor{borrowed(raw)})
			}
			inputs[i] = list
		case C.TG_FLOAT:
			inputs[i] = *slot[float64](v)
		case C.TG_BOOL:
			inputs[i] = *slot[int64](v) != 0
		default:
			inputs[i] = sizeOf(v)
		}
	}
	return inputs
}

//export tgGoRunBody
func tgGoRunBody(user C.tg_go, arguments *C.tg_value, count C.size_t, results *C.tg_value,
	room C.size_t, resultCount *C.size_t) C.int {
	tensors, err := protected("jit: the body", func() ([]*Tensor, error) {
		return cgo.Handle(user).Value().(Body)(inputsOf(unsafe.Slice(arguments, int(count))))
	})
	if err == nil && len(tensors) > int(room) {
		err = &Error{ArgumentError, fmt.Sprintf("jit: %d results, at most %d fit.", len(tensors), room)}
	}
	if err != nil {
		return C.int(fail(err))
	}
	for i, t := range tensors {
		C.tg_go_retain(t.handle())
		unsafe.Slice(results, int(room))[i] = scalar(C.TG_TENSOR, t.handle())
	}
	runtime.KeepAlive(tensors)
	*resultCount = C.size_t(len(tensors))
	return C.TG_OK
}
