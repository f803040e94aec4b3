//! A journal on a simulated disk, with every fault that a disk may have.
