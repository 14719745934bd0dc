// A library of the project's own: static, unless somebody changed the project's settings. See
// CMakeLists.txt.
int own() { return 1; }
