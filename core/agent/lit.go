package agent

import "strings"

// lit marks the option whose label has another background than most of its row:
// some dialogs show in no other way what is selected. Where all labels have one,
// the option is marked whose background differs from that of the others. If this is not
// exactly one option, none is marked.
func (p *page) lit(options []Option) {
	if len(options) == 0 || !p.coloured(options) {
		return
	}
	grounds := p.grounds()
	labels, own := make([]string, len(options)), 0
	marked := -1
	for i, o := range options {
		row := grounds[o.row]
		at := labelColumn(p.rows[o.row], o.Label)
		if at >= len(row) || row[at] == common(row) {
			continue
		}
		labels[i], marked, own = row[at], i, own+1
	}
	if own > 1 {
		marked = odd(labels)
	}
	if marked >= 0 {
		options[marked].Selected = true
	}
}

// odd returns the index of the one among at least three that differs from all others, which are the same; -1 if there
// is none.
func odd(all []string) int {
	if len(all) < 3 {
		return -1
	}
	usual := common(all)
	found := -1
	for i, one := range all {
		switch {
		case one == usual:
		case found >= 0:
			return -1
		default:
			found = i
		}
	}
	return found
}

// coloured reports whether the rows of options were captured with attributes.
func (p *page) coloured(options []Option) bool {
	for _, o := range options {
		if !p.styled(o.row) {
			return false
		}
	}
	return true
}

// grounds are the backgrounds of every character of the page, row by row. A
// capture carries attributes on from one row to the next.
func (p *page) grounds() [][]string {
	rows := make([][]string, len(p.raw))
	ground := ""
	for i, raw := range p.raw {
		raw = invisible.Replace(raw)
		for raw != "" {
			if at := escape().FindStringIndex(raw); len(at) == 2 && at[0] == 0 {
				ground = background(ground, raw[:at[1]])
				raw = raw[at[1]:]
				continue
			}
			end := len(raw)
			if at := strings.IndexByte(raw[1:], '\x1b'); at >= 0 {
				end = at + 1
			}
			for range raw[:end] {
				rows[i] = append(rows[i], ground)
			}
			raw = raw[end:]
		}
	}
	return rows
}

// background returns the background after an SGR sequence, as such a sequence again; other sequences leave it
// unchanged.
func background(now, sequence string) string {
	body, is := strings.CutPrefix(sequence, "\x1b[")
	if body, is2 := strings.CutSuffix(body, "m"); is && is2 {
		words := strings.Split(strings.ReplaceAll(body, ":", ";"), ";")
		for i := 0; i < len(words); i++ {
			switch word := words[i]; {
			case word == "" || word == "0" || word == "49" || word == "27":
				now = ""
			case word == "7":
				now = "reverse"
			case word == "38" || word == "48":
				length := 3
				if i+1 < len(words) && words[i+1] == "2" {
					length = 5
				}
				if word == "48" {
					now = strings.Join(words[i:min(i+length, len(words))], ";")
				}
				i += length - 1
			case len(word) == 2 && word[0] == '4', len(word) == 3 && strings.HasPrefix(word, "10"):
				now = word
			}
		}
	}
	return now
}

// common is the background that most characters of a row have.
func common(row []string) string {
	counts := map[string]int{}
	most := ""
	for _, ground := range row {
		counts[ground]++
		if counts[ground] > counts[most] {
			most = ground
		}
	}
	return most
}
