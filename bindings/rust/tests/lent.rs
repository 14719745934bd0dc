//! Memory that is shared and not copied: wrapped, lent by DLPack, looked at in place.
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tinygrad_cpp::dlpack::{DataType, Managed, ManagedUnversioned};
use tinygrad_cpp::{DlPack, Error, Tensor};

fn numbers(values: &[f32]) -> Tensor {
    Tensor::from_slice(values, &[values.len() as i64]).unwrap()
}

// Elements that tell when they go.
struct Owner {
    elements: Vec<f32>,
    dropped: Arc<AtomicUsize>,
}

impl AsMut<[f32]> for Owner {
    fn as_mut(&mut self) -> &mut [f32] {
        &mut self.elements
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.elements.fill(f32::NAN);
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

fn owner(elements: Vec<f32>) -> (Owner, Arc<AtomicUsize>) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let owner = Owner {
        elements,
        dropped: dropped.clone(),
    };
    (owner, dropped)
}

#[test]
fn a_vector_becomes_a_tensor_where_it_lies() {
    let values = vec![1f32, 2., 3., 4.];
    let address = values.as_ptr();
    let x = Tensor::wrap(values, &[2, 2]).unwrap();
    assert_eq!(x.shape().unwrap(), [2, 2]);
    let seen = unsafe { x.host_slice::<f32>() }.unwrap().unwrap();
    assert_eq!(seen.as_ptr(), address);
    assert_eq!(seen, [1., 2., 3., 4.]);
}

#[test]
fn an_owner_goes_with_the_last_who_reads_its_memory() {
    let (owner, dropped) = owner(vec![1., 2., 3.]);
    let x = Tensor::wrap(owner, &[3]).unwrap();
    let lazy = (&x + 1.0).unwrap();
    drop(x);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    assert_eq!(lazy.read::<f32>().unwrap(), [2., 3., 4.]);
    drop(lazy);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn an_owner_goes_if_wrapping_fails() {
    let (owner, dropped) = owner(vec![1., 2., 3.]);
    let found = Tensor::wrap(owner, &[2, 2]);
    assert!(matches!(found, Err(Error::Shape(_))));
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn an_owner_that_panics_when_it_goes_does_no_harm() {
    struct Sulky(Box<[i64]>);
    impl AsMut<[i64]> for Sulky {
        fn as_mut(&mut self) -> &mut [i64] {
            &mut self.0
        }
    }
    impl Drop for Sulky {
        fn drop(&mut self) {
            panic!("of the test");
        }
    }
    let x = Tensor::wrap(Sulky(Box::new([7, 8])), &[2]).unwrap();
    assert_eq!(x.read::<i64>().unwrap(), [7, 8]);
}

#[test]
fn raw_memory_is_released_through_a_closure() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let (counter, mut memory) = (dropped.clone(), Box::new([5u8, 6]));
    let data = memory.as_mut_ptr();
    let release = move || {
        counter.fetch_add(memory.len(), Ordering::SeqCst);
    };
    let x = unsafe { Tensor::wrap_raw(data, 2, &[2], release) }.unwrap();
    assert_eq!(x.read::<u8>().unwrap(), [5, 6]);
    drop(x);
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}

#[test]
fn what_is_assigned_is_seen_in_place_and_through_an_alias() {
    let x = Tensor::wrap(vec![1f32, 2.], &[2]).unwrap();
    let same = x.alias().unwrap();
    x.assign(&numbers(&[8., 9.])).unwrap();
    x.realize(Default::default()).unwrap();
    assert_eq!(same.read::<f32>().unwrap(), [8., 9.]);
    let seen = unsafe { x.host_slice::<f32>() }.unwrap().unwrap();
    assert_eq!(seen, [8., 9.]);
}

#[test]
fn a_slice_of_other_elements_is_a_dtype_error() {
    let x = numbers(&[1.]);
    let found = unsafe { x.host_slice::<i32>() };
    assert!(matches!(found, Err(Error::Dtype(_))));
}

#[test]
fn a_tensor_passes_by_dlpack_and_back_without_a_copy() {
    let x = Tensor::from_slice(&[1i32, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
    let lent = x.to_dlpack().unwrap();
    assert_eq!(lent.shape(), [2, 3]);
    let dtype = DataType {
        code: 0,
        bits: 32,
        lanes: 1,
    };
    assert_eq!(lent.view().dtype, dtype);
    let address = lent.view().data;
    drop(x);
    let back = Tensor::from_dlpack(lent).unwrap();
    let seen = unsafe { back.host_slice::<i32>() }.unwrap().unwrap();
    assert_eq!(seen.as_ptr() as usize, address as usize);
    assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
}

// Calls its deleter once, which counts.
fn foreign(version: u32, gone: &AtomicUsize) -> NonNull<Managed> {
    unsafe extern "C" fn delete(managed: *mut Managed) {
        let managed = Box::from_raw(managed);
        (*managed.manager_ctx.cast::<AtomicUsize>()).fetch_add(1, Ordering::SeqCst);
    }
    let elements = Box::leak(Box::new([1.5f64, 2.5]));
    let shape = Box::leak(Box::new([2i64]));
    let lent = numbers(&[0.]).to_dlpack().unwrap();
    let mut managed = Managed {
        version: tinygrad_cpp::dlpack::Version {
            major: version,
            minor: 0,
        },
        manager_ctx: (gone as *const AtomicUsize as *mut AtomicUsize).cast(),
        deleter: Some(delete),
        flags: 0,
        dl_tensor: tinygrad_cpp::dlpack::View {
            data: elements.as_mut_ptr().cast(),
            shape: shape.as_mut_ptr(),
            strides: std::ptr::null_mut(),
            ..*lent.view()
        },
    };
    managed.dl_tensor.dtype.bits = 64;
    NonNull::from(Box::leak(Box::new(managed)))
}

#[test]
fn what_another_library_lends_is_given_back() {
    let gone = AtomicUsize::new(0);
    let x = Tensor::from_dlpack(unsafe { DlPack::from_raw(foreign(1, &gone)) }).unwrap();
    assert_eq!(x.read::<f64>().unwrap(), [1.5, 2.5]);
    assert_eq!(gone.load(Ordering::SeqCst), 0);
    drop(x);
    assert_eq!(gone.load(Ordering::SeqCst), 1);
}

#[test]
fn what_cannot_be_taken_over_is_given_back_too() {
    let gone = AtomicUsize::new(0);
    let found = Tensor::from_dlpack(unsafe { DlPack::from_raw(foreign(9, &gone)) });
    assert!(matches!(found, Err(Error::Argument(_))));
    assert_eq!(gone.load(Ordering::SeqCst), 1);
}

#[test]
fn producers_before_version_one_are_understood() {
    unsafe extern "C" fn delete(managed: *mut ManagedUnversioned) {
        drop(Box::from_raw(managed));
    }
    let gone = AtomicUsize::new(0);
    let versioned = unsafe { DlPack::from_raw(foreign(1, &gone)) };
    let managed = Box::new(ManagedUnversioned {
        dl_tensor: tinygrad_cpp::dlpack::View {
            ..*versioned.view()
        },
        manager_ctx: std::ptr::null_mut(),
        deleter: Some(delete),
    });
    let managed = NonNull::from(Box::leak(managed));
    let x = unsafe { Tensor::from_dlpack_unversioned(managed) }.unwrap();
    assert_eq!(x.read::<f64>().unwrap(), [1.5, 2.5]);
}
