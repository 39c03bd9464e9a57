package intent

// Rows are rows with a selection: one of them, or the first that is displayed.
type Rows struct {
	// At is that row, from 0, and Of how many there are.
	At, Of int
	// Page is by how many rows a page turns, Wheel by how many the mouse's wheel; less than 1 is 1.
	Page, Wheel int
}

// Moved returns the row to which an intent leads, which exists where any does; false for an intent that leads nowhere.
func (r Rows) Moved(wanted Intent) (at int, is bool) {
	at = r.At
	switch w := wanted.(type) {
	case Move:
		at += w.By
	case Scroll:
		at += w.By * max(1, r.Wheel)
	case Turn:
		at += w.By * max(1, r.Page)
	case Jump:
		at = 0
		if w.Last {
			at = r.Of - 1
		}
	default:
		return r.At, false
	}
	return max(0, min(at, r.Of-1)), true
}

// Arrow returns by how many columns and rows an intent moves a selection in a grid; false for an intent that is no
// arrow key and no turn of the mouse's wheel.
func Arrow(wanted Intent) (columns, rows int, is bool) {
	switch w := wanted.(type) {
	case Move:
		return 0, w.By, true
	case Scroll:
		return 0, w.By, true
	case Shift:
		return w.By, 0, true
	}
	return 0, 0, false
}
