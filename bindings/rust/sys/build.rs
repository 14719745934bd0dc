// Where libtinygrad is: the folder in TINYGRAD_LIB_DIR, else what pkg-config says, else where the
// linker looks by itself. Crates that depend on this one directly learn the folder from
// DEP_TINYGRAD_LIBDIR, which their build scripts may write into programs (rpath).
use std::process::Command;

fn from_pkg_config() -> Option<String> {
    let output = Command::new("pkg-config")
        .args(["--variable=libdir", "tinygrad"])
        .output()
        .ok()?;
    let folder = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !folder.is_empty()).then_some(folder)
}

fn main() {
    println!("cargo:rerun-if-env-changed=TINYGRAD_LIB_DIR");
    println!("cargo:rerun-if-changed=build.rs");
    if let Some(folder) = std::env::var("TINYGRAD_LIB_DIR")
        .ok()
        .or_else(from_pkg_config)
    {
        println!("cargo:rustc-link-search=native={}", folder);
        println!("cargo:libdir={}", folder);
    }
    println!("cargo:rustc-link-lib=dylib=tinygrad");
    if std::env::var_os("CARGO_FEATURE_MODELS").is_some() {
        println!("cargo:rustc-link-lib=dylib=tinygrad_models");
    }
}
