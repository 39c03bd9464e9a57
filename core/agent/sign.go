package agent

import (
	"cmp"
	"math"
	"slices"

	"cupola/core"
)

// Sign is one piece of evidence that a pane holds an agent of a kind.
type Sign struct {
	Kind core.Kind
	By   core.SignSource
}

// trust is how far a sign of each source can be believed alone, from 0 to 1. Titles outlive the program that set them.
var trust = map[core.SignSource]float64{
	core.SignProcess: 0.97, core.SignHook: 0.9, core.SignTree: 0.8, core.SignScreen: 0.6, core.SignTitle: 0.6,
}

// Standing is the kind of agent for which signs speak together.
type Standing struct {
	// Kind is the likeliest kind; empty without signs.
	Kind core.Kind
	// Sure is true if the kind can be relied on: the program in the foreground is known, or two sources agree and
	// none speaks for another kind as much.
	Sure bool
	// Confidence is how far the signs can be believed, from 0 to 1.
	Confidence float64
	// By are the sources of the signs for the kind, the strongest first.
	By []core.SignSource
}

// Rank weighs signs and returns the likeliest kind; the zero Standing without signs. Only Rank decides which agent a
// pane without tags holds.
func Rank(signs []Sign) Standing {
	var all []Standing
	for _, sign := range signs {
		i := slices.IndexFunc(all, func(s Standing) bool { return s.Kind == sign.Kind })
		if i < 0 {
			all, i = append(all, Standing{Kind: sign.Kind}), len(all)
		}
		if s := &all[i]; !slices.Contains(s.By, sign.By) {
			s.By = append(s.By, sign.By)
			s.Confidence = 1 - (1-s.Confidence)*(1-trust[sign.By])
		}
	}
	if len(all) == 0 {
		return Standing{}
	}
	slices.SortStableFunc(all, func(a, b Standing) int { return cmp.Compare(b.Confidence, a.Confidence) })
	best := all[0]
	slices.SortFunc(best.By, func(a, b core.SignSource) int { return cmp.Compare(trust[b], trust[a]) })
	rivalled := len(all) > 1 && all[1].Confidence >= best.Confidence
	best.Sure = best.By[0] == core.SignProcess || len(best.By) > 1 && !rivalled
	best.Confidence = math.Floor(100*best.Confidence) / 100
	return best
}
