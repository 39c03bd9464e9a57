// Package scripted is a terminal program that behaves like a coding agent: it shows a banner
// and a composer, thinks, streams text, runs tools, asks for approval, fails, and logs its
// input. Tests of delivery and detection use it, and so does the demo; it knows no model.
//
// The agent is a pure model (handle a key, advance to a time, give rows for a
// size); the loop joins it to the clock, the terminal, the log and the script.
// Everything runs in the goroutine that called the command, except one that
// reads the terminal and ends with it.
//
// Protocol is the same agent without a terminal: it speaks the Agent Client Protocol, with the
// faults that real agents have.
//
// The words of a prompt say what its turn does, in their order; Words lists them. A prompt
// without any gets a short thought and a few lines. What is drawn is built from the marks of
// this package, on which the detection rules of the kind "scripted" rely.
package scripted
