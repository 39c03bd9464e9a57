package story

// Description returns that of the task in a line of a text, counted from 1.
func Description(line int, text string) string {
	b, _ := readBox(splitLines([]byte(text))[line-1])
	return b.description
}
