package form

import (
	"cmp"
	"slices"
	"strings"

	"cupola/core/system/shell"
	"cupola/core/verb/settings"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Setting asks for the value of a setting: by picking where there are only some.
func Setting(w intent.AskSetting) *Form {
	values := []string{"true", "false"}
	if w.Type != "bool" {
		values = strings.Split(w.Values, ",")
	}
	one := line("", w.Usual, w.Value)
	if values[0] != "" && w.Type != "list" {
		one = field{lines: 1, editor: widget.NewChoice(w.Value, values...), begin: w.Value}
	}
	says := w.Doc + "."
	if w.Type == "list" {
		says += " Separate its words by spaces, with quotes around those that contain some."
	}
	return &Form{
		title: w.Key, verb: "set", says: says, fields: []field{one},
		make: func(entered []string) (intent.Intent, string) {
			set := settings.ConfigSetIn{Key: w.Key, Value: []string{strings.TrimSpace(entered[0])}}
			if w.Type == "list" {
				var err error
				if set.Value, err = shell.Words(entered[0]); err != nil {
					return nil, errorText(err)
				}
			}
			return intent.Act{Input: set, What: w.Key}, ""
		},
	}
}

// columnsOf are the columns that a text names, separated by commas or blanks.
func columnsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// Arrange asks how to group and sort the list, which shows at once.
func Arrange(now screen.Order) *Form {
	choose := func(label, chosen string, words []string) field {
		return field{label: label, lines: 1, editor: widget.NewChoice(chosen, words...), begin: chosen}
	}
	all := strings.Join(screen.Columns, ",")
	return &Form{
		title: "Arrange the list", verb: "keep",
		fields: []field{
			choose("Group by", cmp.Or(now.Group, screen.BySession), screen.Groups),
			choose("Sort by", cmp.Or(now.Sort, screen.SortName), screen.Sorts),
			line("Columns", all, cmp.Or(now.Columns, all)),
		},
		says: "needs: who needs you first; change: whose state changed last first.",
		make: func(values []string) (intent.Intent, string) {
			columns := columnsOf(values[2])
			for _, column := range columns {
				if !slices.Contains(screen.Columns, column) {
					return nil, column + " is no column. There are: " + all + "."
				}
			}
			return intent.Arrange{
				Group: values[0], Sort: values[1], Columns: strings.Join(columns, ","), Save: true,
			}, ""
		},
		live: func(values []string) intent.Intent {
			return intent.Arrange{Group: values[0], Sort: values[1], Columns: strings.Join(columnsOf(values[2]), ",")}
		},
		left: func() intent.Intent { return intent.Arrange{} },
	}
}
