// Package parallel acts on several panes at once.
package parallel

import (
	"strings"
	"time"

	"cupola/core"
)

const (
	// maxPanes is how many panes are acted on at once.
	maxPanes = 8
	// progressEvery is how long an operation may take before it reports progress, and how often it
	// reports after that.
	progressEvery = 2 * time.Second
)

// Each calls act for every pane, for several at once, and returns when all calls have
// returned. If that takes long, it reports progress from the calling goroutine.
func Each(panes []*core.Pane, progress core.ProgressFunc, phase string, act func(int, *core.Pane)) {
	slots := make(chan struct{}, maxPanes)
	done := make(chan int)
	for i, pane := range panes {
		go func() {
			slots <- struct{}{}
			act(i, pane)
			<-slots
			done <- i
		}()
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	over := make([]bool, len(panes))
	for count := 0; count < len(panes); {
		select {
		case i := <-done:
			over[i] = true
			count++
		case <-tick.C:
			progress.Report(phase, count*100/len(panes), "%d of %d panes are done; waiting for %s", count, len(panes),
				unfinished(panes, over))
		}
	}
}

// unfinished names the panes that are not over yet.
func unfinished(panes []*core.Pane, over []bool) string {
	var names []string
	for i, pane := range panes {
		if !over[i] {
			names = append(names, pane.Address())
		}
	}
	return strings.Join(names, ", ")
}
