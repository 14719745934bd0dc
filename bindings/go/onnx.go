//go:build tinygrad_models

// ONNX models as functions of tensors by name: with the build tag tinygrad_models, which links
// libtinygrad_models.

package tg

/*
#cgo LDFLAGS: -ltinygrad_models
#include "shim.h"
#include "tg/c/tg_models.h"

static inline tg_status tg_go_onnx_load(const char* path, const char* device, tg_go* out) {
  TG_GO_MAKE(tg_onnx, tg_onnx_load(path, device, &made));
}
static inline tg_status tg_go_onnx_parse(const void* bytes, size_t count, tg_go* out) {
  TG_GO_MAKE(tg_onnx, tg_onnx_parse(bytes, count, NULL, NULL, &made));
}
static inline tg_status tg_go_onnx_describe(tg_go model, tg_value* text) {
  return tg_onnx_describe((tg_onnx)model, text);
}
static inline tg_status tg_go_onnx_call(tg_go model, tg_go inputs, tg_go* out) {
  TG_GO_MAKE(tg_state, tg_onnx_call((tg_onnx)model, (tg_state)inputs, &made));
}
static inline tg_status tg_go_onnx_parameters(tg_go model, tg_go* out) {
  TG_GO_MAKE(tg_state, tg_onnx_get_parameters((tg_onnx)model, &made));
}
static inline tg_status tg_go_onnx_set_parameters(tg_go model, tg_go from) {
  return tg_onnx_set_parameters((tg_onnx)model, (tg_state)from);
}
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// OnnxModel is a model of an .onnx file.
type OnnxModel struct{ *object }

// LoadOnnx reads an .onnx file, with the external data that lies beside it, onto the default device.
func LoadOnnx(path string) (*OnnxModel, error) { return LoadOnnxOn(path, "") }

// LoadOnnxOn is the same, onto a device.
func LoadOnnxOn(path, device string) (model *OnnxModel, err error) {
	withText(path, func(p *C.char) {
		withText(device, func(d *C.char) {
			var o *object
			o, err = made(func(out *C.tg_go) C.tg_status { return C.tg_go_onnx_load(p, d, out) })
			model = &OnnxModel{o}
		})
	})
	return model, err
}

// ParseOnnx gives a model of the bytes of a file without external data.
func ParseOnnx(bytes []byte) (*OnnxModel, error) {
	o, err := made(func(out *C.tg_go) C.tg_status {
		return C.tg_go_onnx_parse(unsafe.Pointer(pointerTo(bytes)), C.size_t(len(bytes)), out)
	})
	return &OnnxModel{o}, err
}

// Describe gives its inputs, outputs and operators, as the text of a JSON object (tg_models.h says which).
func (m *OnnxModel) Describe() (string, error) {
	defer runtime.KeepAlive(m.object)
	return textOf(func(out *C.tg_value) C.tg_status { return C.tg_go_onnx_describe(m.raw, out) })
}

// Call gives the outputs by name, lazily; of a sequence the items, "name.0", "name.1", ....
func (m *OnnxModel) Call(inputs *State) (*State, error) {
	o, err := made(func(out *C.tg_go) C.tg_status {
		return C.tg_go_onnx_call(m.raw, inputs.handle(), out)
	})
	runtime.KeepAlive(m.object)
	runtime.KeepAlive(inputs)
	return &State{o}, err
}

// Parameters are its weights by name; they are its own tensors, not copies.
func (m *OnnxModel) Parameters() (*State, error) {
	o, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_onnx_parameters(m.raw, out) })
	runtime.KeepAlive(m.object)
	return &State{o}, err
}

// SetParameters replaces weights by tensors of their shape and dtype, which may be on another device;
// all or nothing.
func (m *OnnxModel) SetParameters(from *State) error {
	defer runtime.KeepAlive(m.object)
	defer runtime.KeepAlive(from)
	return check(func() C.tg_status { return C.tg_go_onnx_set_parameters(m.raw, from.handle()) })
}
