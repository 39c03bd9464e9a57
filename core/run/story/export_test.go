package story

// Scenarios reads a spec.
var Scenarios = scenarios

// Description returns that of the task in a line of a text, counted from 1.
func Description(line int, text string) string {
	b, _ := readBox(splitLines([]byte(text))[line-1])
	return b.description
}

// IsTask reports whether a line of a text, counted from 1, is a task.
func IsTask(line int, text []byte) bool {
	_, ok := readBox(splitLines(text)[line-1])
	return ok
}
