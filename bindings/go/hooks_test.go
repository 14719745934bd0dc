// What calls back into Go, and what a program sees of the library: gradients of its own, lines for people,
// counters, devices that fail.

package tg

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func parameter(values ...float32) *Tensor {
	x := numbers(values...)
	must(x.IsParamInPlace())
	return x
}

func backward(y *Tensor) error { return must(y.Sum()).Backward() }

func square(inputs []*Tensor) (*Tensor, error) { return inputs[0].Square() }

func TestAGradientOfOnesOwnIsUsed(t *testing.T) {
	x := parameter(0.4, 1.6)
	rounded := must(Custom(
		func(in []*Tensor) (*Tensor, error) { return in[0].Round() },
		func(_ []*Tensor, _, dy *Tensor) ([]*Tensor, error) {
			dx, err := dy.Mul(3)
			return []*Tensor{dx}, err
		}, x))
	if err := backward(rounded); err != nil {
		t.Fatal(err)
	}
	expect(t, must(Read[float32](rounded)), []float32{0, 2})
	expect(t, must(Read[float32](must(x.Grad()))), []float32{3, 3})
}

func TestAGradientSeesInputsAndResultAndMayLeaveSomeOut(t *testing.T) {
	x, y := parameter(2, 3), parameter(5, 7)
	product := must(Custom(
		func(in []*Tensor) (*Tensor, error) { return in[0].Mul(in[1]) },
		func(in []*Tensor, result, dy *Tensor) ([]*Tensor, error) {
			expect(t, len(in), 2)
			expect(t, must(result.Shape()), []int64{2})
			dx, err := dy.Mul(in[1])
			return []*Tensor{dx, nil}, err
		}, x, y))
	if err := backward(product); err != nil {
		t.Fatal(err)
	}
	expect(t, must(Read[float32](must(x.Grad()))), []float32{5, 7})
}

func TestAnErrorInForwardIsThatOfTheCall(t *testing.T) {
	_, err := Custom(
		func([]*Tensor) (*Tensor, error) { return nil, &Error{IndexError, "mine: too far."} },
		func([]*Tensor, *Tensor, *Tensor) ([]*Tensor, error) { return nil, nil })
	expectError(t, err, IndexError, "mine: too far.")
	_, err = Custom(nil, nil)
	expectError(t, err, ArgumentError, "nil")
}

func TestNoResultIsAnError(t *testing.T) {
	_, err := Custom(
		func([]*Tensor) (*Tensor, error) { return nil, nil },
		func([]*Tensor, *Tensor, *Tensor) ([]*Tensor, error) { return nil, nil })
	expectError(t, err, ArgumentError, "no result")
}

func TestWhatFailsInBackwardFailsTheDifferentiation(t *testing.T) {
	for _, c := range []struct {
		backward Backward
		status   Status
		text     string
	}{
		{func([]*Tensor, *Tensor, *Tensor) ([]*Tensor, error) {
			return nil, &Error{FileError, "mine: gone."}
		}, FileError, "mine: gone."},
		{func([]*Tensor, *Tensor, *Tensor) ([]*Tensor, error) {
			return nil, errors.New("of another kind")
		}, CallbackError, "of another kind"},
		{func([]*Tensor, *Tensor, *Tensor) ([]*Tensor, error) { panic("of the test") },
			CallbackError, "backward panicked: of the test"},
		{func([]*Tensor, *Tensor, *Tensor) ([]*Tensor, error) { return nil, nil },
			ArgumentError, "0 gradients for 1 inputs"},
	} {
		y := must(Custom(square, c.backward, parameter(1)))
		expectError(t, backward(y), c.status, c.text)
	}
}

func TestWhatCallbacksHoldGoesWithTheLastGradient(t *testing.T) {
	gone := make(chan bool)
	x := parameter(1)
	y := func() *Tensor {
		held := &struct{ calls int }{}
		runtime.SetFinalizer(held, func(*struct{ calls int }) { close(gone) })
		return must(Custom(square, func(_ []*Tensor, _, dy *Tensor) ([]*Tensor, error) {
			held.calls++
			return []*Tensor{dy}, nil
		}, x))
	}()
	runtime.GC()
	select {
	case <-gone:
		t.Fatal("the gradient still needs it")
	case <-time.After(20 * time.Millisecond):
	}
	y.Release()
	x.Release()
	for i := 0; i < 200; i++ {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("it is still there")
}

func TestResultsThatAliasAreTheSameOfEveryCall(t *testing.T) {
	jit := must(NewAliasingJit(func(inputs []any) ([]*Tensor, error) {
		y := must(inputs[0].(*Tensor).Add(1))
		return []*Tensor{must(y.Realize())}, nil
	}))
	var kept []*Tensor
	for i := 0; i < 4; i++ {
		kept = append(kept, must(jit.Call(must(numbers(float32(i)).Realize())))[0])
	}
	expect(t, must(Item[float32](kept[3])), 4)
	expect(t, must(Item[float32](kept[2])), 4)
}

func TestLinesForPeopleGoToAFunction(t *testing.T) {
	var lines []string
	must(0, SetLog(func(line string) { lines = append(lines, line) }))
	must(0, SetOption("DEBUG", "1"))
	must(must(numbers(1, 2).Add(1)).Realize())
	must(0, UnsetOption("DEBUG"))
	must(0, SetLog(func(string) { panic("of the test") }))
	must(0, SetOption("DEBUG", "1"))
	must(must(numbers(1, 2).Add(2)).Realize())
	must(0, UnsetOption("DEBUG"))
	must(0, SetLog(nil))
	if all := strings.Join(lines, "|"); !strings.Contains(all, "realize on") || strings.Contains(all, "\n") {
		t.Error(all)
	}
}

func TestCountersCountKernelsAndMemory(t *testing.T) {
	must(0, ResetCounters())
	must(must(numbers(1, 2).Mul(3)).Realize())
	c := must(ReadCounters())
	if c.Kernels < 1 || c.Bytes < 8 || c.PeakMemory < 8 || c.MemoryInUse > c.PeakMemory {
		t.Errorf("%+v", c)
	}
}

func TestAVariableHasBounds(t *testing.T) {
	double := must(must(Variable("n", 2, 8, 4)).Compute('*', SizeOf(2)))
	min, max, err := double.Bounds()
	if err != nil || min != 4 || max != 16 {
		t.Error(min, max, err)
	}
	if min, max, err = SizeOf(3).Bounds(); err != nil || min != 3 || max != 3 {
		t.Error(min, max, err)
	}
}

func TestABackendThatIsNoneIsAnError(t *testing.T) {
	_, err := LoadBackend("/nowhere/backend.so")
	if !errors.Is(err, DeviceError) && !errors.Is(err, FileError) {
		t.Error(err)
	}
	if !strings.Contains(err.Error(), "/nowhere/backend.so") {
		t.Error(err)
	}
	expectError(t, SynchronizeDevice("ABACUS"), DeviceError, "ABACUS")
}

// Backends that fail in one way, which tests/bindings/run.sh points to.
func TestDevicesThatFailAreErrorsWithTheirWords(t *testing.T) {
	folder := os.Getenv("TINYGRAD_TEST_PLUGINS")
	if folder == "" {
		t.Skip("TINYGRAD_TEST_PLUGINS names no folder")
	}
	for fault, text := range map[string]string{
		"ALLOC_FAILS":   "all 8 GB are taken",
		"COMPILE_FAILS": "what is a vector?",
	} {
		device := must(LoadBackend(folder + "/faulty_" + fault + ".so"))
		x, err := Zeros(Shape{6}, ZerosOptions{Device: device})
		if err == nil {
			_, err = must(x.Add(1)).Realize()
		}
		expectError(t, err, DeviceError, text)
	}
}

func TestACellTakesTheStateThatItGave(t *testing.T) {
	cell := must(NewLSTMCell(3, 2))
	x := must(FromSlice([]float32{1, 2, 3}, 1, 3))
	first := must(cell.Apply(x))
	expect(t, len(first), 2)
	second := must(cell.Apply(x, first[0], first[1]))
	expect(t, must(second[0].Shape()), []int64{1, 2})
	if must(Read[float32](first[1]))[0] == must(Read[float32](second[1]))[0] {
		t.Error("the state did not move")
	}
	_, err := cell.Call(x)
	expectError(t, err, ArgumentError, "2 tensors")
	_, err = cell.Apply()
	expectError(t, err, ArgumentError, "0 tensors")
}

func TestOptimisersTakeAStepTogether(t *testing.T) {
	a, b := numbers(1), numbers(2)
	fast := must(NewSGD([]*Tensor{a}, NewSGDOptions{Lr: Float(0.5)}))
	slow := must(NewSGD([]*Tensor{b}, NewSGDOptions{Lr: Float(0.25)}))
	loss := must(must(a.Mul(b)).Sum())
	must(0, StepTogether(loss, fast, slow))
	expect(t, must(Item[float32](a)), 0)
	expect(t, must(Item[float32](b)), 1.75)
	expectError(t, StepTogether(loss), ArgumentError, "")
}

func TestGradientsAreClipped(t *testing.T) {
	a, b := numbers(1), numbers(1)
	must(a.SetGrad(numbers(3)))
	must(b.SetGrad(numbers(-4)))
	all := []*Tensor{a, b}
	expect(t, must(Item[float32](must(ClipGradNorm(all, 1)))), 5)
	must(0, ClipGradValue(all, 0.25))
	expect(t, must(Item[float32](must(b.Grad()))), -0.25)
	expectError(t, ClipGradValue(all, -1), ArgumentError, "negative")
}
