//! Black-box tests of the built hall and of what it publishes, and its benchmark.
