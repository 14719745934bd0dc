// Trains a small network on numbers that are drawn here and prints the loss of every step. The same
// program in C++ is tests/bindings/train.cpp, in Rust bindings/rust/examples/train.rs: all three print
// the same numbers.
package main

import (
	"fmt"
	"os"

	tg "tinygrad.cpp/go"
)

const steps = 50

type net struct{ first, second *tg.Layer }

func newNet() (n net, err error) {
	if n.first, err = tg.NewLinear(8, 32); err != nil {
		return n, err
	}
	n.second, err = tg.NewLinear(32, 1)
	return n, err
}

func (n net) call(x *tg.Tensor) (*tg.Tensor, error) {
	hidden, err := n.first.Call(x)
	if err != nil {
		return nil, err
	}
	if hidden, err = hidden.Tanh(); err != nil {
		return nil, err
	}
	return n.second.Call(hidden)
}

func (n net) adam() (*tg.Optimizer, error) {
	var parameters []*tg.Tensor
	for _, layer := range []*tg.Layer{n.first, n.second} {
		state, err := layer.State()
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"weight", "bias"} {
			parameter, err := state.Get(name)
			if err != nil {
				return nil, err
			}
			parameters = append(parameters, parameter)
		}
	}
	return tg.NewAdam(parameters, tg.NewAdamOptions{Lr: tg.Float(0.01)})
}

func data() (x, y *tg.Tensor, err error) {
	if x, err = tg.Randn([]int64{64, 8}); err != nil {
		return nil, nil, err
	}
	if x, err = x.Realize(); err != nil {
		return nil, nil, err
	}
	if y, err = x.Sum(tg.SumOptions{Axis: []int64{1}, Keepdim: tg.Bool(true)}); err != nil {
		return nil, nil, err
	}
	if y, err = y.Sin(); err != nil {
		return nil, nil, err
	}
	y, err = y.Realize()
	return x, y, err
}

func (n net) loss(x, y *tg.Tensor) (*tg.Tensor, error) {
	found, err := n.call(x)
	if err != nil {
		return nil, err
	}
	difference, err := found.Sub(y)
	if err != nil {
		return nil, err
	}
	square, err := difference.Square()
	if err != nil {
		return nil, err
	}
	return square.Mean()
}

func (n net) train(adam *tg.Optimizer, x, y *tg.Tensor) error {
	for i := 0; i < steps; i++ {
		loss, err := n.loss(x, y)
		if err != nil {
			return err
		}
		if err = adam.Step(loss); err != nil {
			return err
		}
		number, err := tg.Item[float32](loss)
		if err != nil {
			return err
		}
		fmt.Printf("%.9f\n", number)
	}
	return nil
}

func run() error {
	if err := tg.ManualSeed(7); err != nil {
		return err
	}
	x, y, err := data()
	if err != nil {
		return err
	}
	n, err := newNet()
	if err != nil {
		return err
	}
	adam, err := n.adam()
	if err != nil {
		return err
	}
	return tg.WithTraining(true, func() error { return n.train(adam, x, y) })
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
