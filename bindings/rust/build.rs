// Tests and examples find libtinygrad in the folder that tinygrad_cpp-sys found (rpath).
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("DEP_TINYGRAD_LIBDIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder);
    }
}
