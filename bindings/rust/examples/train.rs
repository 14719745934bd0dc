//! Trains a small network on numbers that are drawn here and prints the loss of every step. The
//! same program in C++ is tests/bindings/train.cpp, in Go bindings/go/examples/train: all three
//! print the same numbers.
use tinygrad_cpp::{manual_seed, nn, with_training, Layer, Optimizer, Result, SumOptions, Tensor};

const STEPS: usize = 50;

struct Net {
    first: Layer,
    second: Layer,
}

impl Net {
    fn new() -> Result<Net> {
        let first = nn::linear(8, 32, Default::default())?;
        let second = nn::linear(32, 1, Default::default())?;
        Ok(Net { first, second })
    }

    fn call(&self, x: &Tensor) -> Result<Tensor> {
        self.second.call(&self.first.call(x)?.tanh()?)
    }

    fn adam(&self) -> Result<Optimizer> {
        let (first, second) = (self.first.state()?, self.second.state()?);
        let parameters = [
            first.get("weight")?,
            first.get("bias")?,
            second.get("weight")?,
            second.get("bias")?,
        ];
        let parameters: Vec<&Tensor> = parameters.iter().collect();
        let options = nn::AdamOptions {
            lr: Some(0.01),
            ..Default::default()
        };
        nn::adam(&parameters, options)
    }
}

fn main() -> Result<()> {
    manual_seed(7)?;
    let x = Tensor::randn(&[64, 8], Default::default())?.realize(Default::default())?;
    let rows = SumOptions {
        axis: Some(&[1]),
        keepdim: Some(true),
        ..Default::default()
    };
    let y = x.sum(rows)?.sin()?.realize(Default::default())?;
    let net = Net::new()?;
    let adam = net.adam()?;
    with_training(true, || {
        for _ in 0..STEPS {
            let loss = (&net.call(&x)? - &y)?.square()?.mean(Default::default())?;
            adam.step(&loss)?;
            println!("{:.9}", loss.item::<f32>()?);
        }
        Ok(())
    })
}
