package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// roomy is how far the heap of a new process may grow before the first garbage collection,
// in percent of the default: most calls end before, and a collection costs a status of many
// agents a twelfth of its time.
const roomy = 400

// sparingly postpones the first collection; later ones keep the default pace. A GOGC in the
// environment is respected.
func sparingly() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(roomy)
	runtime.AddCleanup(new([16]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
