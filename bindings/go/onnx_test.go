//go:build tinygrad_models

// ONNX models.

package tg

import (
	"strings"
	"testing"
)

// y [n] = x [n] times w [1], which is 3.
var model = []byte{
	8, 8, 58, 73, 10, 14, 10, 1, 120, 10, 1, 119, 18, 1, 121, 34, 3, 77, 117, 108,
	42, 13, 8, 1, 16, 1, 66, 1, 119, 74, 4, 0, 0, 64, 64, 90, 16, 10, 1, 120,
	18, 11, 10, 9, 8, 1, 18, 5, 10, 3, 18, 1, 110, 98, 16, 10, 1, 121, 18, 11,
	10, 9, 8, 1, 18, 5, 10, 3, 18, 1, 110, 18, 4, 116, 101, 115, 116, 66, 4, 10,
	0, 16, 17,
}

func named(name string, values ...float32) *State {
	state := must(NewState())
	if err := state.Set(name, numbers(values...)); err != nil {
		panic(err)
	}
	return state
}

func TestAModelIsCalledWithTensorsByName(t *testing.T) {
	m := must(ParseOnnx(model))
	outputs := must(m.Call(named("x", 1, 2)))
	expect(t, must(Read[float32](must(outputs.Get("y")))), []float32{3, 6})
	if text := must(m.Describe()); !strings.Contains(text, `"operators":{"Mul":1}`) {
		t.Error(text)
	}
}

func TestWeightsAreReplaced(t *testing.T) {
	m := must(ParseOnnx(model))
	expect(t, must(Read[float32](must(must(m.Parameters()).Get("w")))), []float32{3})
	if err := m.SetParameters(named("w", 5)); err != nil {
		t.Error(err)
	}
	expect(t, must(Read[float32](must(must(m.Call(named("x", 1))).Get("y")))), []float32{5})
	expectError(t, m.SetParameters(named("v", 5)), ArgumentError, "there is no parameter")
}

func TestMistakesOfModelsAreErrors(t *testing.T) {
	_, err := must(ParseOnnx(model)).Call(must(NewState()))
	expectError(t, err, ArgumentError, `input "x" is missing`)
	_, err = ParseOnnx([]byte("no model"))
	expectError(t, err, FileError, "")
	_, err = LoadOnnx("/nowhere.onnx")
	expectError(t, err, FileError, "/nowhere.onnx")
}
