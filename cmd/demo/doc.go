// Package demo runs a fleet for users who have no agent installed: scripted
// agents in every state, on a private terminal server that reads no
// settings, in a temporary directory that is removed with it, records of the
// fleet included.
//
// A demo belongs to the process that runs it, which holds a lock in the directory;
// one that is kept belongs to no process and stays until Stop. What a killed
// process left is ended and removed by the next demo. The package prints
// nothing and knows no face: its caller shows the fleet. It starts no
// goroutine.
package demo
