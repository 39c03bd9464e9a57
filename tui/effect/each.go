package effect

import (
	"strings"
	"sync"

	"cupola/core"
	"cupola/tui/intent"
)

// each carries out several acts at once and says how each ended. Its error is that of the first that failed.
func (e *Effects) each(w intent.Each) Done {
	dones := make([]Done, len(w.Acts))
	var underway sync.WaitGroup
	for i, wanted := range w.Acts {
		if act := e.act(wanted); act != nil {
			underway.Go(func() { dones[i] = act() })
		}
	}
	underway.Wait()
	var all Done
	var said, failed []string
	for i := range dones {
		if dones[i].Said != "" {
			said = append(said, dones[i].Said)
		}
		all.Unsent = append(all.Unsent, dones[i].Unsent...)
		if err := dones[i].Err; err != nil {
			if all.Err == nil {
				all.Err = err
			}
			if dones[i].Said == "" {
				failed = append(failed, core.AsError(err).Error())
			}
		}
	}
	all.Said = strings.Join(append(said, failed...), ", ")
	return all
}
