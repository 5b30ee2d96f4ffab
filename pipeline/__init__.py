"""Everything with a file, a process or a person in it; imports `kernels`, never the other way."""
