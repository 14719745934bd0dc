//! What the binding adds: values there and back, errors of the library as errors of Rust, closures
//! that are captured, handles that go.
use tinygrad_cpp::{
    devices, live_handles, nn, option, set_option, DType, Error, FullOptions, Index, Input, Jit,
    Result, Size, SoftmaxOptions, State, SumOptions, Tensor, ZerosOptions,
};

fn numbers(values: &[f32]) -> Tensor {
    Tensor::from_slice(values, &[values.len() as i64]).unwrap()
}

fn message<T>(result: Result<T>) -> String {
    result
        .err()
        .expect("the call must fail")
        .message()
        .to_string()
}

#[test]
fn values_come_back_as_they_went() {
    let x = Tensor::from_slice(&[1i32, -2, 3, 4], &[2, 2]).unwrap();
    assert_eq!(x.read::<i32>().unwrap(), [1, -2, 3, 4]);
    assert_eq!(x.shape().unwrap(), [2, 2]);
    assert_eq!(x.dtype().unwrap(), DType::Int32);
    assert_eq!(x.device().unwrap(), tinygrad_cpp::default_device().unwrap());
    assert_eq!(x.to_bytes().unwrap().len(), 16);
    assert!(x.str().unwrap().contains("-2"));
}

#[test]
fn operators_take_tensors_and_numbers() {
    let x = numbers(&[1., 2.]);
    assert_eq!((&x + &x).unwrap().read::<f32>().unwrap(), [2., 4.]);
    assert_eq!((&x * 3.0).unwrap().read::<f32>().unwrap(), [3., 6.]);
    assert_eq!((&x - 1).unwrap().read::<f32>().unwrap(), [0., 1.]);
    assert_eq!((&x / 2.0).unwrap().read::<f32>().unwrap(), [0.5, 1.]);
    assert_eq!((-&x).unwrap().read::<f32>().unwrap(), [-1., -2.]);
}

#[test]
fn options_reach_the_function() {
    let x = Tensor::from_slice(&[1f32, 2., 3., 4.], &[2, 2]).unwrap();
    let rows = SumOptions {
        axis: Some(&[1]),
        ..Default::default()
    };
    assert_eq!(x.sum(rows).unwrap().read::<f32>().unwrap(), [3., 7.]);
    let halves = SoftmaxOptions {
        axis: Some(0),
        dtype: Some(DType::Float64),
    };
    assert_eq!(x.softmax(halves).unwrap().dtype().unwrap(), DType::Float64);
}

#[test]
fn lists_of_tensors_go_in_and_out() {
    let (a, b) = (numbers(&[1., 2.]), numbers(&[3.]));
    let all = Tensor::cat(&[&a, &b], Default::default()).unwrap();
    assert_eq!(all.read::<f32>().unwrap(), [1., 2., 3.]);
    let parts = all.chunk(3, Default::default()).unwrap();
    assert_eq!(parts.len(), 3);
    assert_eq!(parts[2].read::<f32>().unwrap(), [3.]);
}

#[test]
fn an_index_takes_every_kind_of_item() {
    let x = Tensor::from_slice(&(0..24).collect::<Vec<i32>>(), &[2, 3, 4]).unwrap();
    let chosen = Tensor::from_slice(&[2i32, 0], &[2]).unwrap();
    let y = x.index(&[
        Index::At(1),
        Index::Gather(&chosen),
        Index::Slice(Some(1), None, Some(2)),
    ]);
    assert_eq!(y.unwrap().read::<i32>().unwrap(), [21, 23, 13, 15]);
    let z = x
        .index(&[Index::Ellipsis, Index::NewAxis, Index::At(-1)])
        .unwrap();
    assert_eq!(z.shape().unwrap(), [2, 3, 1]);
}

#[test]
fn a_variable_is_a_size() {
    let n = Size::variable("n", 1, 8, 4).unwrap();
    let m = n.compute('+', &Size::Int(1)).unwrap();
    assert_eq!(m.current().unwrap(), 5);
    assert!(m.text().unwrap().contains('n'));
    let x = Tensor::ones(&[n, Size::Int(2)], Default::default()).unwrap();
    assert_eq!(
        x.sum(Default::default()).unwrap().item::<f32>().unwrap(),
        8.
    );
}

#[test]
fn gradients_flow() {
    let x = numbers(&[1., 2., 3.]);
    x.is_param_(Default::default()).unwrap();
    x.square()
        .unwrap()
        .sum(Default::default())
        .unwrap()
        .backward(Default::default())
        .unwrap();
    assert_eq!(x.grad().unwrap().read::<f32>().unwrap(), [2., 4., 6.]);
}

#[test]
fn a_closure_is_captured_and_replayed() {
    let jit = Jit::new(|inputs| {
        let y = (inputs[0].tensor()? * 2.0)?;
        Ok(vec![y.realize(Default::default())?])
    });
    let jit = jit.unwrap();
    for i in 0..4 {
        let x = numbers(&[i as f32]).realize(Default::default()).unwrap();
        let y = jit.call(&[Input::from(&x)]).unwrap();
        assert_eq!(y[0].item::<f32>().unwrap(), 2. * i as f32);
    }
    assert!(jit.stats().unwrap().captured);
}

#[test]
fn what_fails_inside_a_closure_fails_outside() {
    let jit = Jit::new(|_| Err(Error::File("mine: no such thing.".to_string()))).unwrap();
    let found = jit.call(&[]).err().unwrap();
    assert_eq!(found, Error::File("mine: no such thing.".to_string()));
}

#[test]
fn a_panic_inside_a_closure_is_an_error() {
    let jit = Jit::new(|_| panic!("of the test")).unwrap();
    assert!(matches!(jit.call(&[]), Err(Error::Callback(_))));
    assert!(message(jit.call(&[])).contains("of the test"));
}

#[test]
fn state_is_named_tensors() {
    let layer = nn::linear(3, 2, Default::default()).unwrap();
    let all = State::new().unwrap();
    all.merge("layer.", &layer.state().unwrap()).unwrap();
    let names: Vec<_> = all
        .entries()
        .unwrap()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["layer.bias", "layer.weight"]);
    assert!(matches!(all.get("nothing"), Err(Error::Argument(_))));
}

#[test]
fn sizes_that_do_not_fit_are_a_shape_error() {
    let found = numbers(&[1., 2., 3.]).reshape(&[2, 2]);
    assert!(matches!(found, Err(Error::Shape(_))));
    assert!(message(found).starts_with("reshape: "));
}

#[test]
fn an_unknown_device_is_a_device_error() {
    let options = ZerosOptions {
        device: Some("ABACUS"),
        ..Default::default()
    };
    let found = Tensor::zeros(&[2], options).and_then(|x| x.read::<f32>());
    assert!(matches!(found, Err(Error::Device(_))));
    assert!(message(found).contains("ABACUS"));
}

#[test]
fn too_much_memory_is_an_error() {
    let lazy = FullOptions {
        buffer: Some(false),
        ..Default::default()
    };
    let found = Tensor::full(&[1 << 50], 1.0, lazy)
        .and_then(|x| x.contiguous())
        .and_then(|x| x.realize(Default::default()));
    assert!(matches!(found, Err(Error::Device(_) | Error::Memory(_))));
    assert!(message(found).contains("memory"));
}

#[test]
fn text_with_a_zero_byte_is_an_argument_error() {
    let options = ZerosOptions {
        device: Some("CPU\0"),
        ..Default::default()
    };
    assert!(matches!(
        Tensor::zeros(&[2], options),
        Err(Error::Argument(_))
    ));
}

#[test]
fn the_wrong_element_type_is_a_dtype_error() {
    assert!(matches!(numbers(&[1.]).read::<i32>(), Err(Error::Dtype(_))));
}

#[test]
fn options_of_the_process_are_read_and_set() {
    let before = option("SEED").unwrap();
    set_option("SEED", Some("5")).unwrap();
    assert_eq!(option("SEED").unwrap(), "5");
    set_option("SEED", None).unwrap();
    assert_eq!(option("SEED").unwrap(), before);
    assert!(devices()
        .unwrap()
        .iter()
        .any(|d| d.name == "CPU" && d.problem.is_none()));
}

// Alone in a process: the other tests have handles of their own at the same time.
#[test]
#[ignore]
fn every_handle_is_given_back() {
    let before = live_handles();
    {
        let x = numbers(&[1., 2.]);
        let same = x.clone();
        let parts = (&x + &same).unwrap().chunk(2, Default::default()).unwrap();
        let layer = nn::linear(2, 2, Default::default()).unwrap();
        let kept = x.copy().unwrap();
        let jit = Jit::new(move |_| Ok(vec![kept.clone()])).unwrap();
        let wrapped = Tensor::wrap(vec![1f32, 2.], &[2]).unwrap();
        wrapped.is_param_(Default::default()).unwrap();
        let custom = Tensor::custom(
            &[&wrapped],
            |x| x[0].square(),
            |_, _, dy| Ok(vec![Some(dy.clone())]),
        );
        let sum = custom.unwrap().sum(Default::default()).unwrap();
        sum.backward(Default::default()).unwrap();
        let failing = Tensor::custom(&[&wrapped], |_| panic!("of the test"), |_, _, _| Ok(vec![]));
        drop((parts, layer, jit.call(&[]), wrapped, sum, failing));
        assert!(live_handles() > before);
    }
    assert_eq!(live_handles(), before);
}
