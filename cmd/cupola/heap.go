package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// roomy is how far the heap of a new process may grow until memory is collected
// for the first time, in percent of what is usual: most calls end before, and
// collecting costs a status of many agents a twelfth of its time.
const roomy = 400

// sparingly puts the first collection off. From then on the usual pace holds. An
// environment that says how to collect is left alone.
func sparingly() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(roomy)
	runtime.AddCleanup(new([16]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
