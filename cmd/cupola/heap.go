package main

import (
	"os"
	"runtime"
	"runtime/debug"

	_ "cupola/cmd/prefault" // at its initialisation
)

// firstGCPercent is how far the heap of a new process may grow before the first garbage collection,
// in percent of the default: most calls end before, and a collection costs a status of many
// agents a twelfth of its time.
const firstGCPercent = 400

// delayFirstGC postpones the first collection; later ones keep the default pace. A GOGC in the
// environment is respected.
func delayFirstGC() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(firstGCPercent)
	runtime.AddCleanup(new([16]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
