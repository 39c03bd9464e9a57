package layout

// Zone is a rectangle that reacts to the mouse.
type Zone struct {
	Rect Rect
	// Target is a value of the owner's type.
	Target any
}

// Zones are the zones of one frame, in the order in which they were drawn.
type Zones []Zone

// Add registers what was drawn in a rect; an empty one is left out.
func (z *Zones) Add(r Rect, target any) {
	if !r.Empty() {
		*z = append(*z, Zone{Rect: r, Target: target})
	}
}

// At returns the zone under a cell: of several, the one drawn last.
func (z Zones) At(x, y int) (zone Zone, ok bool) {
	for i := len(z) - 1; i >= 0; i-- {
		if z[i].Rect.Contains(x, y) {
			return z[i], true
		}
	}
	return Zone{}, false
}
