package story

import "strings"

// fence is a line that may begin or end code.
type fence struct {
	// mark is a backquote or a tilde; 0 for any other line. bare is true if nothing follows the marks.
	mark byte
	long int
	bare bool
	// inline is true for code that begins and ends within the line.
	inline bool
}

func readFence(line string) fence {
	line = trim(line)
	if line == "" || line[0] != '`' && line[0] != '~' {
		return fence{}
	}
	rest := strings.TrimLeft(line, line[:1])
	f := fence{mark: line[0], long: len(line) - len(rest), bare: rest == ""}
	if f.long < 3 {
		return fence{}
	}
	f.inline = f.mark == '`' && strings.Contains(rest, "`")
	return f
}

// ends reports whether a fence ends the code that another began.
func (f fence) ends(started fence) bool {
	return f.bare && f.mark == started.mark && f.long >= started.long
}

// fenced says of each line whether it is code. A fence that nothing ends begins none.
func fenced(lines []string) []bool {
	code := make([]bool, len(lines))
	// Where a search for an end failed, a search further down for one that is as long or longer fails too.
	fails := map[byte]int{}
	for i := 0; i < len(lines); i++ {
		started := readFence(lines[i])
		if started.mark == 0 || started.inline {
			continue
		}
		if long, failed := fails[started.mark]; failed && started.long >= long {
			continue
		}
		end := i + 1
		for end < len(lines) && !readFence(lines[end]).ends(started) {
			end++
		}
		if end == len(lines) {
			fails[started.mark] = started.long
			continue
		}
		for ; i < end; i++ {
			code[i] = true
		}
		code[end] = true
	}
	return code
}

// specFenced is fenced for specs, as OpenSpec reads them: a fence that nothing ends hides all below it.
func specFenced(lines []string) []bool {
	code := make([]bool, len(lines))
	var started fence
	for i, line := range lines {
		f := readFence(line)
		code[i] = started.mark != 0 || f.mark != 0
		switch {
		case started.mark == 0:
			started = f
		case f.ends(started):
			started = fence{}
		}
	}
	return code
}
