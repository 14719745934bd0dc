// How a call travels: its arguments become tagged values, the record of the function's name is called
// with them, and its result becomes what Go says. ops.go, which is generated, consists of such calls.

package tg

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Arguments that must be given, of kinds whose nil means the default where they may be left out.
type (
	needInts    []int64
	needTensors []*Tensor
	needText    string
	choice      int
)

func optionalChoice[T ~int](value *T) any {
	if value == nil {
		return nil
	}
	return choice(*value)
}

// The options given, or none.
func first[T any](options []T) (o T) {
	if len(options) > 0 {
		o = options[0]
	}
	return o
}

// Int, Float and Bool are for options: fields that are nil have their defaults.
func Int(i int64) *int64       { return &i }
func Float(f float64) *float64 { return &f }
func Bool(b bool) *bool        { return &b }

// The arguments of a call. What C reads is in C's memory until free.
type arguments struct {
	values []C.tg_value
	memory []unsafe.Pointer
	err    error
}

func (a *arguments) free() {
	for _, m := range a.memory {
		C.free(m)
	}
}

// Memory for n elements.
func allocate[T any](a *arguments, n int) []T {
	if n == 0 {
		return nil
	}
	var element T
	m := C.malloc(C.size_t(n) * C.size_t(unsafe.Sizeof(element)))
	a.memory = append(a.memory, m)
	return unsafe.Slice((*T)(m), n)
}

func slot[T any](v *C.tg_value) *T { return (*T)(unsafe.Pointer(&v.as)) }

func scalar[T any](kind C.tg_kind, x T) (v C.tg_value) {
	v.kind = kind
	*slot[T](&v) = x
	return v
}

func array[T any](kind C.tg_kind, elements []T) (v C.tg_value) {
	v.kind, v.count = kind, C.size_t(len(elements))
	if len(elements) > 0 {
		*slot[uintptr](&v) = uintptr(unsafe.Pointer(&elements[0]))
	}
	return v
}

func (a *arguments) text(text string) C.tg_value {
	bytes := allocate[byte](a, len(text)+1)
	copy(bytes, text)
	bytes[len(text)] = 0
	for _, b := range bytes[:len(text)] {
		if b == 0 {
			a.err = &Error{ArgumentError, fmt.Sprintf("text: holds a 0 byte: %q.", text)}
		}
	}
	v := array(C.TG_STRING, bytes)
	v.count = 0
	return v
}

func (a *arguments) ints(ints []int64) C.tg_value {
	copied := allocate[int64](a, len(ints))
	copy(copied, ints)
	return array(C.TG_INTS, copied)
}

func (a *arguments) tensors(tensors []*Tensor) C.tg_value {
	handles := allocate[C.tg_go](a, len(tensors))
	for i, t := range tensors {
		handles[i] = t.handle()
	}
	return array(C.TG_TENSORS, handles)
}

func (a *arguments) sizes(sizes []Size) C.tg_value {
	values := allocate[C.tg_value](a, len(sizes))
	for i, s := range sizes {
		values[i] = a.value(s)
	}
	return array(C.TG_SIZES, values)
}

func (a *arguments) items(items []IndexItem) C.tg_value {
	made := allocate[C.tg_index_item](a, len(items))
	for i, item := range items {
		made[i] = C.tg_index_item{kind: C.tg_index_kind(item.kind), at: a.value(item.at),
			start: a.value(item.start), stop: a.value(item.stop), step: a.value(item.step)}
	}
	return array(C.TG_INDEX, made)
}

func (a *arguments) value(argument any) C.tg_value {
	switch x := argument.(type) {
	case nil:
		return C.tg_value{}
	case *Tensor:
		if x == nil {
			return C.tg_value{}
		}
		return scalar(C.TG_TENSOR, x.handle())
	case Size:
		if x.expression == nil {
			return scalar(C.TG_INT, x.number)
		}
		return scalar(C.TG_SIZE, x.expression.raw)
	case Shape:
		return a.ints(x)
	case Dynamic:
		return a.sizes(x)
	case needInts:
		return a.ints(x)
	case needTensors:
		return a.tensors(x)
	case needText:
		return a.text(string(x))
	case []byte:
		copied := allocate[byte](a, len(x))
		copy(copied, x)
		return array(C.TG_BYTES, copied)
	case []IndexItem:
		return a.items(x)
	case choice:
		return scalar(C.TG_CHOICE, int64(x))
	}
	return a.numberOrOption(argument)
}

func truth(b bool) (i int64) {
	if b {
		i = 1
	}
	return i
}

func (a *arguments) numberOrOption(argument any) C.tg_value {
	switch x := argument.(type) {
	case bool:
		return scalar(C.TG_BOOL, truth(x))
	case int:
		return scalar(C.TG_INT, int64(x))
	case int64:
		return scalar(C.TG_INT, x)
	case float32:
		return scalar(C.TG_FLOAT, float64(x))
	case float64:
		return scalar(C.TG_FLOAT, x)
	}
	switch x := argument.(type) {
	case *bool:
		if x != nil {
			return scalar(C.TG_BOOL, truth(*x))
		}
	case *int64:
		if x != nil {
			return scalar(C.TG_INT, *x)
		}
	case *float64:
		if x != nil {
			return scalar(C.TG_FLOAT, *x)
		}
	case DType:
		if x != 0 {
			return scalar(C.TG_DTYPE, int64(x))
		}
	case string:
		if x != "" {
			return a.text(x)
		}
	case []int64:
		if x != nil {
			return a.ints(x)
		}
	case []*Tensor:
		if x != nil {
			return a.tensors(x)
		}
	default:
		a.err = &Error{ArgumentError, fmt.Sprintf("argument: neither tensor nor number: %T.", x)}
	}
	return C.tg_value{}
}

func (a *arguments) pointer() *C.tg_value {
	if len(a.values) == 0 {
		return nil
	}
	return &a.values[0]
}

func pack(all []any) *arguments {
	a := &arguments{values: make([]C.tg_value, len(all))}
	for i, argument := range all {
		a.values[i] = a.value(argument)
	}
	return a
}

var records sync.Map // the functions called so far, by name

func recordOf(name string) (C.tg_go, error) {
	if known, ok := records.Load(name); ok {
		return known.(C.tg_go), nil
	}
	var record C.tg_go
	err := checkText(name, func(n *C.char) C.tg_status { return C.tg_go_find(n, &record) })
	if err == nil {
		records.Store(name, record)
	}
	return record, err
}

// Calls a function of the manifest by its name.
func call[T any](name string, all ...any) (result T, err error) {
	record, err := recordOf(name)
	if err != nil {
		return result, err
	}
	a := pack(all)
	defer a.free()
	if a.err != nil {
		return result, a.err
	}
	var out C.tg_value
	err = check(func() C.tg_status {
		return C.tg_go_call(record, a.pointer(), C.size_t(len(a.values)), &out)
	})
	runtime.KeepAlive(all)
	if err != nil {
		return result, err
	}
	defer C.tg_value_clear(&out)
	return result, unpack(&out, &result)
}

// The elements of an array in C's memory.
func elements[T any](v *C.tg_value) []T {
	if v.count == 0 {
		return nil
	}
	return unsafe.Slice(*slot[*T](v), int(v.count))
}

func unpack(v *C.tg_value, result any) error {
	switch r := result.(type) {
	case *struct{}:
	case *bool:
		*r = *slot[int64](v) != 0
	case *int64:
		*r = *slot[int64](v)
	case *float64:
		*r = *slot[float64](v)
	case *DType:
		*r = DType(*slot[int64](v))
	case *string:
		*r = C.GoString(*slot[*C.char](v))
	case *[]byte:
		*r = append([]byte{}, elements[byte](v)...)
	case *[]int64:
		*r = append([]int64{}, elements[int64](v)...)
	case *Size:
		*r = sizeOf(v)
	case *[]Size:
		*r = sizesOf(v)
	case **Tensor:
		*r = &Tensor{borrowed(*slot[C.tg_go](v))}
	case *[]*Tensor:
		for _, raw := range elements[C.tg_go](v) {
			*r = append(*r, &Tensor{borrowed(raw)})
		}
	case **Layer:
		*r = &Layer{borrowed(*slot[C.tg_go](v))}
	case **Optimizer:
		*r = &Optimizer{borrowed(*slot[C.tg_go](v))}
	default:
		return &Error{InternalError, fmt.Sprintf("result: Go has no %T.", r)}
	}
	return nil
}

func sizeOf(v *C.tg_value) Size {
	if v.kind == C.TG_SIZE {
		return Size{expression: borrowed(*slot[C.tg_go](v))}
	}
	return Size{number: *slot[int64](v)}
}

func sizesOf(v *C.tg_value) (sizes []Size) {
	if v.kind == C.TG_INTS {
		for _, i := range elements[int64](v) {
			sizes = append(sizes, Size{number: i})
		}
		return sizes
	}
	all := elements[C.tg_value](v)
	for i := range all {
		sizes = append(sizes, sizeOf(&all[i]))
	}
	return sizes
}

// A call that gives a text.
func textOf(call func(out *C.tg_value) C.tg_status) (string, error) {
	var out C.tg_value
	if err := check(func() C.tg_status { return call(&out) }); err != nil {
		return "", err
	}
	defer C.tg_value_clear(&out)
	return C.GoString(*slot[*C.char](&out)), nil
}
