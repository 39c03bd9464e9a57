package tui

// question asks for something by its id. N tells one from another; with Known it may wait for news.
type question = struct {
	ID    string
	N     int
	Known bool
}

// reading is what is read for the display: once, and again after each answer while it goes on.
type reading struct {
	asked question
	// pending is true until the answer to asked has come, ended once there is nothing more to read.
	pending, ended bool
}

// next makes the question about what has an id, which is asked now, and reports false if none is to be asked: the id is
// empty, the last one is open, or there is nothing more to read and no reason to read again.
func (r *reading) next(id string, again bool) bool {
	if id == "" {
		*r = reading{asked: question{N: r.asked.N}}
		return false
	}
	same := id == r.asked.ID
	if same && (r.pending || r.ended && !again) {
		return false
	}
	*r = reading{asked: question{ID: id, N: r.asked.N + 1, Known: same}, pending: true}
	return true
}

// answered notes that the answer has come; ended says that there is nothing more to read.
func (r *reading) answered(ended bool) { r.pending, r.ended = false, ended }
