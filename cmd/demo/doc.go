// Package demo is a fleet for people who have no agent installed: scripted
// agents in every state, on a private terminal server that reads nobody's
// settings, in a temporary folder that goes away with it, and with it what was recorded
// of the fleet.
//
// A demo belongs to the process that runs it, which holds a lock in the folder;
// one that is kept belongs to nobody and stays until Stop. What a process left
// that was killed is ended and removed by the next one. The package prints
// nothing and knows no face: whoever calls it shows the fleet. It starts no
// goroutine.
package demo
