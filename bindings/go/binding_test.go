// What the binding adds: values there and back, errors of the library as errors of Go, closures that are
// captured, handles that go.

package tg

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// The result of a call that must not fail.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func expect[T any](t *testing.T, found, wanted T) {
	t.Helper()
	if !reflect.DeepEqual(found, wanted) {
		t.Errorf("found %v, wanted %v", found, wanted)
	}
}

func expectError(t *testing.T, err error, status Status, text string) {
	t.Helper()
	if !errors.Is(err, status) || !strings.Contains(err.Error(), text) {
		t.Errorf("found %v, wanted a %v with %q", err, status, text)
	}
}

func numbers(values ...float32) *Tensor { return must(FromSlice(values, int64(len(values)))) }

func TestValuesComeBackAsTheyWent(t *testing.T) {
	x := must(FromSlice([]int32{1, -2, 3, 4}, 2, 2))
	expect(t, must(Read[int32](x)), []int32{1, -2, 3, 4})
	expect(t, must(x.Shape()), []int64{2, 2})
	expect(t, must(x.Dtype()), DTypeInt32)
	expect(t, must(x.Device()), must(DefaultDevice()))
	expect(t, len(must(x.ToBytes())), 16)
	if !strings.Contains(x.String(), "-2") {
		t.Error(x)
	}
}

func TestOperandsAreTensorsAndNumbers(t *testing.T) {
	x := numbers(1, 2)
	expect(t, must(Read[float32](must(x.Add(x)))), []float32{2, 4})
	expect(t, must(Read[float32](must(x.Mul(3)))), []float32{3, 6})
	expect(t, must(Read[float32](must(x.Div(2.0)))), []float32{0.5, 1})
	_, err := x.Add("two")
	expectError(t, err, ArgumentError, "string")
}

func TestOptionsReachTheFunction(t *testing.T) {
	x := must(FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	rows := must(x.Sum(SumOptions{Axis: []int64{1}, Keepdim: Bool(true)}))
	expect(t, must(Read[float32](rows)), []float32{3, 7})
	expect(t, must(rows.Shape()), []int64{2, 1})
	halves := must(x.Softmax(SoftmaxOptions{Axis: Int(0), Dtype: DTypeFloat64}))
	expect(t, must(halves.Dtype()), DTypeFloat64)
	down := must(numbers(7).Div(2, DivOptions{Rounding: RoundingFloor.Ptr()}))
	expect(t, must(Item[float32](down)), 3)
}

func TestListsOfTensorsGoInAndOut(t *testing.T) {
	all := must(Cat([]*Tensor{numbers(1, 2), numbers(3)}))
	expect(t, must(Read[float32](all)), []float32{1, 2, 3})
	parts := must(all.Chunk(3))
	expect(t, len(parts), 3)
	expect(t, must(Item[float32](parts[2])), 3)
}

func TestAnIndexTakesEveryKindOfItem(t *testing.T) {
	values := make([]int32, 24)
	for i := range values {
		values[i] = int32(i)
	}
	x := must(FromSlice(values, 2, 3, 4))
	chosen := must(FromSlice([]int32{2, 0}, 2))
	y := must(x.Index([]IndexItem{At(1), Gather(chosen), Slice(1, nil, 2)}))
	expect(t, must(Read[int32](y)), []int32{21, 23, 13, 15})
	z := must(x.Index([]IndexItem{Ellipsis(), NewAxis(), At(-1)}))
	expect(t, must(z.Shape()), []int64{2, 3, 1})
}

func TestAVariableIsASize(t *testing.T) {
	n := must(Variable("n", 1, 8, 4))
	m := must(n.Compute('+', SizeOf(1)))
	expect(t, must(m.Current()), 5)
	if text := must(m.Text()); !strings.Contains(text, "n") {
		t.Error(text)
	}
	x := must(Ones(Dynamic{n, SizeOf(2)}))
	expect(t, must(Item[float32](must(x.Sum()))), 8)
}

func TestGradientsFlow(t *testing.T) {
	x := numbers(1, 2, 3)
	must(x.IsParamInPlace())
	if err := must(must(x.Square()).Sum()).Backward(); err != nil {
		t.Fatal(err)
	}
	expect(t, must(Read[float32](must(x.Grad()))), []float32{2, 4, 6})
}

func TestAClosureIsCapturedAndReplayed(t *testing.T) {
	jit := must(NewJit(func(inputs []any) ([]*Tensor, error) {
		y, err := inputs[0].(*Tensor).Mul(2)
		if err != nil {
			return nil, err
		}
		y, err = y.Realize()
		return []*Tensor{y}, err
	}))
	for i := 0; i < 4; i++ {
		y := must(jit.Call(must(numbers(float32(i)).Realize())))
		expect(t, must(Item[float32](y[0])), 2*float32(i))
	}
	expect(t, must(jit.Stats()).Captured, true)
}

func TestWhatFailsInsideAClosureFailsOutside(t *testing.T) {
	jit := must(NewJit(func([]any) ([]*Tensor, error) {
		return nil, &Error{FileError, "mine: no such thing."}
	}))
	_, err := jit.Call()
	expectError(t, err, FileError, "mine: no such thing.")
}

func TestAPanicInsideAClosureIsAnError(t *testing.T) {
	jit := must(NewJit(func([]any) ([]*Tensor, error) { panic("of the test") }))
	_, err := jit.Call()
	expectError(t, err, CallbackError, "of the test")
}

func TestStateIsNamedTensors(t *testing.T) {
	layer := must(NewLinear(3, 2))
	all := must(NewState())
	if err := all.Merge("layer.", must(layer.State())); err != nil {
		t.Fatal(err)
	}
	expect(t, must(all.Names()), []string{"layer.bias", "layer.weight"})
	_, err := all.Get("nothing")
	expectError(t, err, ArgumentError, "nothing")
}

func TestSizesThatDoNotFitAreAShapeError(t *testing.T) {
	_, err := numbers(1, 2, 3).Reshape(Shape{2, 2})
	expectError(t, err, ShapeError, "reshape: ")
}

func TestAnUnknownDeviceIsADeviceError(t *testing.T) {
	x, err := Zeros(Shape{2}, ZerosOptions{Device: "ABACUS"})
	if err == nil {
		_, err = x.Realize()
	}
	expectError(t, err, DeviceError, "ABACUS")
}

func TestTooMuchMemoryIsAnError(t *testing.T) {
	lazy := must(Full(Shape{1 << 50}, 1.0, FullOptions{Buffer: Bool(false)}))
	_, err := must(lazy.Contiguous()).Realize()
	if !errors.Is(err, DeviceError) && !errors.Is(err, MemoryError) {
		t.Fatal(err)
	}
	if !strings.Contains(err.Error(), "memory") {
		t.Error(err)
	}
}

func TestTheWrongElementTypeIsADtypeError(t *testing.T) {
	_, err := Read[int32](numbers(1))
	expectError(t, err, DtypeError, "cast first")
}

func TestTextWithAZeroByteIsAnArgumentError(t *testing.T) {
	_, err := Zeros(Shape{2}, ZerosOptions{Device: "CPU\x00"})
	expectError(t, err, ArgumentError, "0 byte")
}

func TestWhatWasReleasedIsAHandleError(t *testing.T) {
	x, y := numbers(1), numbers(2)
	before := LiveHandles()
	x.Release()
	x.Release()
	expect(t, LiveHandles(), before-1)
	_, err := y.Matmul(x)
	expectError(t, err, HandleError, "")
}

func TestOptionsOfTheProcessAreReadAndSet(t *testing.T) {
	before := must(Option("SEED"))
	if err := SetOption("SEED", "5"); err != nil {
		t.Fatal(err)
	}
	expect(t, must(Option("SEED")), "5")
	if err := UnsetOption("SEED"); err != nil {
		t.Fatal(err)
	}
	expect(t, must(Option("SEED")), before)
	if names := must(Devices()); !strings.Contains(strings.Join(names, " "), "CPU") {
		t.Error(names)
	}
}
