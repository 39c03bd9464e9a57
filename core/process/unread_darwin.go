package process

// inputWaits is FIONREAD of <sys/filio.h>: it asks a terminal how much of its
// input was not read.
const inputWaits = 0x4004667f
