//! What calls back into Rust, and what a program sees of the library: gradients of its own, lines for
//! people, counters, devices that fail.
use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use tinygrad_cpp::{
    counters, load_backend, nn, reset_counters, set_log, set_option, synchronize_device, unset_log,
    Error, Input, Jit, Optimizer, Result, Size, Tensor, ZerosOptions,
};

fn numbers(values: &[f32]) -> Tensor {
    Tensor::from_slice(values, &[values.len() as i64]).unwrap()
}

fn parameter(values: &[f32]) -> Tensor {
    let x = numbers(values);
    x.is_param_(Default::default()).unwrap();
    x
}

fn backward(y: &Tensor) -> Result<()> {
    y.sum(Default::default())?.backward(Default::default())
}

#[test]
fn a_gradient_of_ones_own_is_used() {
    let x = parameter(&[0.4, 1.6]);
    let rounded = Tensor::custom(
        &[&x],
        |x| x[0].round(),
        |_, _, dy| Ok(vec![Some((dy * 3.0)?)]),
    );
    let rounded = rounded.unwrap();
    backward(&rounded).unwrap();
    assert_eq!(rounded.read::<f32>().unwrap(), [0., 2.]);
    assert_eq!(x.grad().unwrap().read::<f32>().unwrap(), [3., 3.]);
}

#[test]
fn a_gradient_sees_inputs_and_result_and_may_leave_some_out() {
    let (x, y) = (parameter(&[2., 3.]), parameter(&[5., 7.]));
    let product = Tensor::custom(
        &[&x, &y],
        |both| &both[0] * &both[1],
        |both, product, dy| {
            assert_eq!(both.len(), 2);
            assert_eq!(product.shape()?, [2]);
            Ok(vec![Some((dy * &both[1])?), None])
        },
    );
    backward(&product.unwrap()).unwrap();
    assert_eq!(x.grad().unwrap().read::<f32>().unwrap(), [5., 7.]);
    let nothing = y.grad().and_then(|g| g.read::<f32>());
    assert!(nothing.is_err() || nothing.unwrap().iter().all(|&g| g == 0.));
}

#[test]
fn a_closure_goes_with_the_last_gradient() {
    let held = Rc::new(Cell::new(0));
    let (x, inside) = (parameter(&[1.]), held.clone());
    let y = Tensor::custom(
        &[&x],
        |x| Ok(x[0].clone()),
        move |_, _, dy| {
            inside.set(inside.get() + 1);
            Ok(vec![Some(dy.clone())])
        },
    );
    let y = y.unwrap();
    assert_eq!(Rc::strong_count(&held), 2);
    backward(&y).unwrap();
    assert_eq!(held.get(), 1);
    drop((x, y));
    assert_eq!(Rc::strong_count(&held), 1);
}

#[test]
fn an_error_in_forward_is_that_of_the_call() {
    let mine = || Error::Index("mine: too far.".to_string());
    let found = Tensor::custom(&[], move |_| Err(mine()), |_, _, _| Ok(vec![]));
    assert_eq!(found.err().unwrap(), mine());
}

#[test]
fn an_error_in_backward_is_that_of_the_differentiation() {
    let x = parameter(&[1.]);
    let broken = |_: &[Tensor], _: &Tensor, _: &Tensor| Err(Error::File("mine: gone.".into()));
    let y = Tensor::custom(&[&x], |x| x[0].square(), broken).unwrap();
    let found = backward(&y).err().unwrap();
    assert!(matches!(found, Error::File(_)));
    assert!(found.message().contains("mine: gone."));
}

#[test]
fn a_panic_in_a_gradient_is_an_error_with_its_text() {
    let x = parameter(&[1.]);
    let forward = Tensor::custom(&[&x], |_| panic!("at {}", 7), |_, _, _| Ok(vec![]));
    let found = forward.err().unwrap();
    assert!(matches!(found, Error::Callback(_)));
    assert!(found.message().contains("forward panicked: at 7"));
    let y = Tensor::custom(&[&x], |x| x[0].square(), |_, _, _| panic!("of the test")).unwrap();
    let found = backward(&y).err().unwrap();
    assert!(found.message().contains("backward panicked: of the test"));
}

#[test]
fn too_few_gradients_are_an_argument_error() {
    let x = parameter(&[1.]);
    let y = Tensor::custom(&[&x], |x| x[0].square(), |_, _, _| Ok(vec![])).unwrap();
    let found = backward(&y).err().unwrap();
    assert!(matches!(found, Error::Argument(_)));
    assert!(found.message().contains("0 gradients for 1 inputs"));
}

#[test]
fn results_that_alias_are_the_same_tensor_of_every_call() {
    let jit = Jit::aliasing(|inputs| {
        let y = (inputs[0].tensor()? + 1.0)?;
        Ok(vec![y.realize(Default::default())?])
    });
    let (jit, mut kept) = (jit.unwrap(), vec![]);
    for i in 0..4 {
        let x = numbers(&[i as f32]).realize(Default::default()).unwrap();
        kept.push(jit.call(&[Input::from(&x)]).unwrap().remove(0));
    }
    assert_eq!(kept[3].read::<f32>().unwrap(), [4.]);
    assert_eq!(kept[2].read::<f32>().unwrap(), [4.], "written again");
}

#[test]
fn lines_for_people_go_to_a_closure() {
    let lines = Arc::new(Mutex::new(vec![]));
    let inside = lines.clone();
    set_log(move |line| inside.lock().unwrap().push(line.to_string())).unwrap();
    set_option("DEBUG", Some("1")).unwrap();
    let sum = (&numbers(&[1., 2.]) + 1.0).unwrap();
    sum.realize(Default::default()).unwrap();
    set_option("DEBUG", None).unwrap();
    assert_eq!(Arc::strong_count(&lines), 2);
    unset_log().unwrap();
    assert_eq!(Arc::strong_count(&lines), 1);
    let lines = lines.lock().unwrap();
    assert!(
        lines.iter().any(|line| line.contains("realize on")),
        "{lines:?}"
    );
    assert!(lines.iter().all(|line| !line.contains('\n')));
}

#[test]
fn counters_count_kernels_and_memory() {
    let before = counters().unwrap();
    let x = (&numbers(&[1., 2.]) * 3.0).unwrap();
    x.realize(Default::default()).unwrap();
    let after = counters().unwrap();
    assert!(after.kernels > before.kernels);
    assert!(after.bytes > before.bytes);
    assert!(after.peak_memory >= 8);
    // Others count at the same time, so nothing is said of the numbers afterwards.
    reset_counters().unwrap();
}

#[test]
fn a_variable_has_bounds() {
    let n = Size::variable("n", 2, 8, 4).unwrap();
    let double = n.compute('*', &Size::Int(2)).unwrap();
    assert_eq!(double.bounds().unwrap(), (4, 16));
    assert_eq!(Size::Int(3).bounds().unwrap(), (3, 3));
}

#[test]
fn a_backend_that_is_none_is_an_error() {
    let found = unsafe { load_backend("/nowhere/backend.so") }
        .err()
        .unwrap();
    assert!(matches!(found, Error::Device(_) | Error::File(_)));
    assert!(found.message().contains("/nowhere/backend.so"));
    let found = synchronize_device("ABACUS").err().unwrap();
    assert!(matches!(found, Error::Device(_)) && found.message().contains("ABACUS"));
}

// Backends that fail in one way, which tests/bindings/run.sh points to.
fn on_faulty_device(fault: &str) -> Option<Result<Vec<f32>>> {
    let folder = std::env::var("TINYGRAD_TEST_PLUGINS").ok()?;
    let device = unsafe { load_backend(&format!("{folder}/faulty_{fault}.so")) }.unwrap();
    let options = ZerosOptions {
        device: Some(&device),
        ..Default::default()
    };
    let zeros = Tensor::zeros(&[6], options);
    Some(zeros.and_then(|x| &x + 1.0).and_then(|y| y.read::<f32>()))
}

#[test]
fn a_device_without_memory_is_an_error_with_its_words() {
    if let Some(found) = on_faulty_device("ALLOC_FAILS") {
        let found = found.err().unwrap();
        assert!(matches!(found, Error::Device(_)));
        assert!(found.message().contains("all 8 GB are taken"), "{found}");
    }
}

#[test]
fn a_device_that_fails_is_an_error_with_its_words() {
    if let Some(found) = on_faulty_device("COMPILE_FAILS") {
        let found = found.err().unwrap();
        assert!(matches!(found, Error::Device(_)));
        assert!(found.message().contains("what is a vector?"), "{found}");
    }
}

#[test]
fn a_cell_takes_the_state_that_it_gave() {
    let cell = nn::lstm_cell(3, 2, Default::default()).unwrap();
    let x = Tensor::from_slice(&[1f32, 2., 3.], &[1, 3]).unwrap();
    let first = cell.apply(&[&x]).unwrap();
    assert_eq!(first.len(), 2);
    let second = cell.apply(&[&x, &first[0], &first[1]]).unwrap();
    assert_eq!(second[0].shape().unwrap(), [1, 2]);
    assert_ne!(
        first[1].read::<f32>().unwrap(),
        second[1].read::<f32>().unwrap()
    );
    let found = cell.call(&x).err().unwrap();
    assert!(matches!(found, Error::Argument(_)));
    assert!(cell.apply(&[]).is_err());
}

#[test]
fn optimisers_take_a_step_together() {
    let (a, b) = (numbers(&[1.]), numbers(&[2.]));
    let rate = |lr| nn::SGDOptions {
        lr: Some(lr),
        ..Default::default()
    };
    let (fast, slow) = (
        nn::sgd(&[&a], rate(0.5)).unwrap(),
        nn::sgd(&[&b], rate(0.25)).unwrap(),
    );
    let loss = (&a * &b).unwrap().sum(Default::default()).unwrap();
    Optimizer::step_together(&[&fast, &slow], &loss).unwrap();
    assert_eq!(a.item::<f32>().unwrap(), 0.);
    assert_eq!(b.item::<f32>().unwrap(), 1.75);
    assert!(Optimizer::step_together(&[], &loss).is_err());
}

#[test]
fn gradients_are_clipped() {
    let (a, b) = (numbers(&[1.]), numbers(&[1.]));
    a.set_grad(&numbers(&[3.])).unwrap();
    b.set_grad(&numbers(&[-4.])).unwrap();
    let norm = nn::clip_grad_norm(&[&a, &b], 1., Default::default()).unwrap();
    assert_eq!(norm.item::<f32>().unwrap(), 5.);
    let slope = b.grad().unwrap().item::<f32>().unwrap();
    assert!((slope + 0.8).abs() < 1e-5);
    nn::clip_grad_value(&[&a, &b], 0.25).unwrap();
    assert_eq!(b.grad().unwrap().item::<f32>().unwrap(), -0.25);
    assert!(nn::clip_grad_value(&[&a], -1.).is_err());
}
