//! ONNX models: with the feature `models`.
#![cfg(feature = "models")]
use tinygrad_cpp::{Error, OnnxModel, State, Tensor};

// y [n] = x [n] times w [1], which is 3.
const MODEL: &[u8] = &[
    8, 8, 58, 73, 10, 14, 10, 1, 120, 10, 1, 119, 18, 1, 121, 34, 3, 77, 117, 108, 42, 13, 8, 1,
    16, 1, 66, 1, 119, 74, 4, 0, 0, 64, 64, 90, 16, 10, 1, 120, 18, 11, 10, 9, 8, 1, 18, 5, 10, 3,
    18, 1, 110, 98, 16, 10, 1, 121, 18, 11, 10, 9, 8, 1, 18, 5, 10, 3, 18, 1, 110, 18, 4, 116, 101,
    115, 116, 66, 4, 10, 0, 16, 17,
];

fn named(name: &str, values: &[f32]) -> State {
    let state = State::new().unwrap();
    let tensor = Tensor::from_slice(values, &[values.len() as i64]).unwrap();
    state.set(name, &tensor).unwrap();
    state
}

fn y(model: &OnnxModel, x: &[f32]) -> Vec<f32> {
    let outputs = model.call(&named("x", x)).unwrap();
    outputs.get("y").unwrap().read::<f32>().unwrap()
}

#[test]
fn a_model_is_called_with_tensors_by_name() {
    let model = OnnxModel::parse(MODEL).unwrap();
    assert_eq!(y(&model, &[1., 2.]), [3., 6.]);
    assert!(model
        .describe()
        .unwrap()
        .contains("\"operators\":{\"Mul\":1}"));
}

#[test]
fn weights_are_replaced() {
    let model = OnnxModel::parse(MODEL).unwrap();
    let weight = model.parameters().unwrap().get("w").unwrap();
    assert_eq!(weight.read::<f32>().unwrap(), [3.]);
    model.set_parameters(&named("w", &[5.])).unwrap();
    assert_eq!(y(&model, &[1.]), [5.]);
    let unknown = model.set_parameters(&named("v", &[5.]));
    assert!(matches!(unknown, Err(Error::Argument(_))));
}

#[test]
fn mistakes_are_errors() {
    let model = OnnxModel::parse(MODEL).unwrap();
    let missing = model.call(&State::new().unwrap()).err().unwrap();
    assert!(missing.message().contains("input \"x\" is missing"));
    assert!(matches!(OnnxModel::parse(b"no model"), Err(Error::File(_))));
    assert!(matches!(
        OnnxModel::load("/nowhere.onnx"),
        Err(Error::File(_))
    ));
}
