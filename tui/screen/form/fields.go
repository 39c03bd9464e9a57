package form

import (
	saved "cupola/core/config/palette"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// Fields asks for the values of the fields of a saved prompt.
func Fields(w intent.AskAgain, names []string) *Form {
	f := &Form{
		title: "Fields of the prompt", verb: "fill in", says: screen.OneLine(w.Text, 200), quick: true,
		make: func(values []string) (intent.Intent, string) {
			given := map[string]string{}
			for i, name := range names {
				given[name] = values[i]
			}
			w.Text, w.Filled = saved.Filled(w.Text, given), true
			return w, ""
		},
	}
	for _, name := range names {
		f.fields = append(f.fields, line(name, "", ""))
	}
	return f
}
