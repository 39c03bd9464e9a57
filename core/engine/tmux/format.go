package tmux

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"cupola/core"
)

// tmux prints records of fields. A field that holds text is asked for with the
// q: modifier, which puts a backslash before every '|' of a value, so that a
// bare '|' can only be the end of a field. A value may hold newlines: a record
// ends with its last field, not with its line.
const fieldEnd = '|'

// records reads records from the head of out.
type records struct {
	out string
	// version is the version of the tmux that wrote them; empty if it is not known.
	version string
}

func (r *records) more() bool { return r.out != "" }

// versioned reads the version, with which an answer begins.
func (r *records) versioned() (err error) {
	r.version, r.out, err = cutField(r.out)
	return err
}

// next reads the fields of one record into dst, and the newline behind them.
func (r *records) next(dst []string) error { return cmp.Or(r.fields(dst), r.end()) }

// fields reads the next fields of a record into dst.
func (r *records) fields(dst []string) (err error) {
	for i := range dst {
		if dst[i], r.out, err = cutField(r.out); err != nil {
			return err
		}
		if r.version == escapesDollars {
			dst[i] = dollars().ReplaceAllString(dst[i], "$1")
		}
	}
	return nil
}

// marked steps over a mark, and reports whether there was one.
func (r *records) marked(mark string) bool {
	rest, found := strings.CutPrefix(r.out, mark+"|")
	r.out = rest
	return found
}

// end steps over the newline behind a record.
func (r *records) end() error {
	if !strings.HasPrefix(r.out, "\n") {
		return anomaly{fmt.Sprintf("record without an end: %.60q", r.out)}
	}
	r.out = r.out[1:]
	return nil
}

// escapesDollars is the only version that prints a second backslash before every dollar that begins a name, besides the
// one of q:.
const escapesDollars = "3.4"

var dollars = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\(\$[A-Za-z_{])`) })

// cutField returns the first field of s, unescaped, and what follows its end.
func cutField(s string) (value, rest string, err error) {
	at := strings.IndexAny(s, `|\`)
	if at < 0 {
		return "", "", anomaly{fmt.Sprintf("field without an end: %.60q", s)}
	}
	if s[at] == fieldEnd {
		return s[:at], s[at+1:], nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == fieldEnd:
			return b.String(), s[i+1:], nil
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", anomaly{fmt.Sprintf("field without an end: %.60q", s)}
}

// format asks for variables as a record.
func format(variables ...string) string {
	var b strings.Builder
	for _, v := range variables {
		b.WriteString("#{" + v + "}|")
	}
	return b.String()
}

// marked asks for a part of a record, which takes time even where it does not
// apply, only where the condition is true: behind a mark, and last in the record.
func marked(mark, condition, part string) string {
	return "#{?" + condition + "," + mark + "|" + part + ",}"
}

// literal writes text so that tmux, which expands formats in names and folders,
// keeps it. "##" is an escaped "#", except that a run of them before a bracket
// begins a style and is kept as it is.
func literal(text string) string {
	if !strings.Contains(text, "#") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '#' {
			b.WriteByte(text[i])
			i++
			continue
		}
		run := len(text[i:]) - len(strings.TrimLeft(text[i:], "#"))
		written := 2 * run
		if strings.HasPrefix(text[i+run:], "[") {
			written = run
		}
		b.WriteString(strings.Repeat("#", written))
		i += run
	}
	return b.String()
}

// quote writes an argument as one word of a tmux configuration. A line of it that began with '#' would be a comment.
func quote(arg string) string { return "'" + quoted.Replace(arg) + "'" }

var quoted = strings.NewReplacer("'", `'\''`, "\n", `'"\n"'`)

// A user option is inherited by panes from their window, session and server, so
// the id of what a tag was set on goes into its value: a value with another id
// in it was inherited. The rest is percent-encoded, which keeps any text
// intact in every place that a value passes.
func stamp(id, value string) string { return id + ":" + encode(value) }

// stamped returns the value that was set on id itself.
func stamped(id, raw string) (string, bool) {
	coded, own := strings.CutPrefix(raw, id+":")
	if !own {
		return "", false
	}
	return decode(coded), true
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,@+:"

const hexadecimal = "0123456789ABCDEF"

func encode(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if c := text[i]; strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hexadecimal[c>>4], hexadecimal[c&15]})
		}
	}
	return b.String()
}

// decode undoes encode, and keeps what encode never wrote.
func decode(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			high, low := strings.IndexByte(hexadecimal, text[i+1]), strings.IndexByte(hexadecimal, text[i+2])
			if high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// option is how the server spells a tag.
func option(tag string) string { return "@cupola_" + tag }

// tagged is an option of every pane that was ever tagged.
const tagged = "@cupola_tagged"

// optionFields asks for the values of tags.
func optionFields(tags []string) []string {
	return core.Map(tags, func(tag string) string { return "q:" + option(tag) })
}

// readTags returns those of the values that were set on id itself.
func readTags(id string, tags, values []string) map[string]string {
	var own map[string]string
	for i, tag := range tags {
		if values[i] == "" {
			continue
		}
		if value, ok := stamped(id, values[i]); ok {
			if own == nil {
				own = make(map[string]string)
			}
			own[tag] = value
		}
	}
	return own
}
