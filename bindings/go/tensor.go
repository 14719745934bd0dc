// Package tg is Go on tinygrad.cpp: lazy tensors, gradients, layers, captured functions.
//
//	x, err := tg.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
//	y, err := x.Sum(tg.SumOptions{Axis: []int64{1}})
//
// Every function of the library is a method of Tensor or a function of the package; layers and
// optimisers are made by NewLinear, NewAdam, ... What need not be given are the fields of the options,
// which may be left out; fields that stay nil, 0 or "" have their defaults. Errors are *Error, with the
// library's message. Objects are given back by the collector, or at once by Release.
package tg

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Element is a type that elements can be made from and read as.
type Element interface {
	bool | int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

func dtypeOf[T Element]() DType {
	var element T
	switch any(element).(type) {
	case bool:
		return DTypeBool
	case int8:
		return DTypeInt8
	case uint8:
		return DTypeUint8
	case int16:
		return DTypeInt16
	case uint16:
		return DTypeUint16
	case int32:
		return DTypeInt32
	case uint32:
		return DTypeUint32
	case int64:
		return DTypeInt64
	case uint64:
		return DTypeUint64
	case float32:
		return DTypeFloat32
	}
	return DTypeFloat64
}

// FromSlice copies data, row-major, to the default device. ShapeError unless it fills the shape.
func FromSlice[T Element](data []T, shape ...int64) (*Tensor, error) {
	var element T
	var elements unsafe.Pointer
	if len(data) > 0 {
		elements = unsafe.Pointer(&data[0])
	}
	bytes := C.size_t(len(data)) * C.size_t(unsafe.Sizeof(element))
	return fromData(elements, bytes, dtypeOf[T](), sizesForC(shape), len(shape))
}

func fromData(data unsafe.Pointer, bytes C.size_t, dtype DType, shape *C.int64_t, ndim int) (*Tensor, error) {
	o, err := made(func(out *C.tg_go) C.tg_status {
		return C.tg_go_from_data(data, bytes, C.tg_dtype(dtype), shape, C.size_t(ndim), nil, out)
	})
	return &Tensor{o}, err
}

// Read computes the tensor and copies its elements, row-major. DtypeError unless they are T.
func Read[T Element](t *Tensor) ([]T, error) {
	n, err := countOf[T](t, "read")
	if err != nil || n == 0 {
		return nil, err
	}
	out := make([]T, n)
	return out, t.readInto(unsafe.Pointer(&out[0]), uintptr(n)*unsafe.Sizeof(out[0]))
}

func (t *Tensor) readInto(data unsafe.Pointer, bytes uintptr) error {
	defer runtime.KeepAlive(t)
	return check(func() C.tg_status { return C.tg_go_read(t.handle(), data, C.size_t(bytes)) })
}

// Item is the only element.
func Item[T Element](t *Tensor) (element T, err error) {
	all, err := Read[T](t)
	if err != nil {
		return element, err
	}
	if len(all) != 1 {
		return element, &Error{ShapeError, fmt.Sprintf("item: the tensor has %d elements.", len(all))}
	}
	return all[0], nil
}

// String shows the elements; of a tensor that cannot be computed, why.
func (t *Tensor) String() string {
	text, err := t.Str()
	if err != nil {
		return err.Error()
	}
	return text
}

// Replace makes t what value is now, for everybody who holds it. Nothing is computed.
func (t *Tensor) Replace(value *Tensor) error {
	defer runtime.KeepAlive(t)
	defer runtime.KeepAlive(value)
	return check(func() C.tg_status { return C.tg_go_replace(t.handle(), value.handle()) })
}

// Same tells whether both name one value.
func (t *Tensor) Same(other *Tensor) (bool, error) {
	var same C.bool
	err := check(func() C.tg_status { return C.tg_go_same(t.handle(), other.handle(), &same) })
	runtime.KeepAlive(t)
	runtime.KeepAlive(other)
	return bool(same), err
}

// Sizes are those of a shape, as a function takes them: Shape{2, 3}, or Dynamic{n, tg.SizeOf(3)}.
type Sizes interface{ areSizes() }

// Shape is sizes that are numbers.
type Shape []int64

// Dynamic is sizes of which some are expressions of variables.
type Dynamic []Size

func (Shape) areSizes()   {}
func (Dynamic) areSizes() {}

// Size is a whole number, or an expression of variables.
type Size struct {
	number     int64
	expression *object
}

// SizeOf is a number.
func SizeOf(number int64) Size { return Size{number: number} }

// Variable has bounds, and its value of this call. Kernels are made for all values from min to max.
func Variable(name string, min, max, value int64) (size Size, err error) {
	withText(name, func(n *C.char) {
		size.expression, err = made(func(out *C.tg_go) C.tg_status {
			return C.tg_go_variable(n, C.int64_t(min), C.int64_t(max), C.int64_t(value), out)
		})
	})
	return size, err
}

// Compute is `s op other` for op in + - * / %; division rounds down.
func (s Size) Compute(op byte, other Size) (Size, error) {
	a := pack([]any{s, other})
	var out C.tg_value
	err := check(func() C.tg_status {
		return C.tg_size_compute(C.char(op), a.values[0], a.values[1], &out)
	})
	runtime.KeepAlive(s)
	runtime.KeepAlive(other)
	if err != nil {
		return Size{}, err
	}
	defer C.tg_value_clear(&out)
	return sizeOf(&out), nil
}

// Current is the value of this call.
func (s Size) Current() (int64, error) {
	if s.expression == nil {
		return s.number, nil
	}
	var value C.int64_t
	err := check(func() C.tg_status { return C.tg_go_size_value(s.expression.raw, &value, nil, nil) })
	runtime.KeepAlive(s.expression)
	return int64(value), err
}

// Bounds are the smallest and the largest value that it can have.
func (s Size) Bounds() (min, max int64, err error) {
	if s.expression == nil {
		return s.number, s.number, nil
	}
	var low, high C.int64_t
	err = check(func() C.tg_status { return C.tg_go_size_value(s.expression.raw, nil, &low, &high) })
	runtime.KeepAlive(s.expression)
	return int64(low), int64(high), err
}

// Text is the size as a formula: "n + 1".
func (s Size) Text() (string, error) {
	if s.expression == nil {
		return fmt.Sprint(s.number), nil
	}
	defer runtime.KeepAlive(s.expression)
	return textOf(func(out *C.tg_value) C.tg_status { return C.tg_go_size_text(s.expression.raw, out) })
}

// IndexItem is one item between the brackets of x[...].
type IndexItem struct {
	kind                  int
	at, start, stop, step any
}

// At is the element at a place, an int or a Size; the axis goes.
func At(place any) IndexItem { return IndexItem{kind: C.TG_INDEX_AT, at: place} }

// Slice is start:stop:step; each is an int or nil, the ends also a Size.
func Slice(start, stop, step any) IndexItem {
	return IndexItem{kind: C.TG_INDEX_SLICE, start: start, stop: stop, step: step}
}

// Ellipsis is all axes that no other item names.
func Ellipsis() IndexItem { return IndexItem{kind: C.TG_INDEX_ELLIPSIS} }

// NewAxis is a new axis of size 1.
func NewAxis() IndexItem { return IndexItem{kind: C.TG_INDEX_NEW_AXIS} }

// Gather is the elements that the integers of a tensor name, or where its bools are true.
func Gather(indices *Tensor) IndexItem { return IndexItem{kind: C.TG_INDEX_GATHER, at: indices} }
