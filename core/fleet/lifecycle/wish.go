package lifecycle

import (
	"fmt"
	"strconv"
	"strings"

	"cupola/core"
)

// MaxWish is how many agents of one kind can be asked for at once.
const MaxWish = 50

// ParseWishes reads what people type to name agents: KIND, KIND=N or
// KIND:MODEL=N each. Whether the kind exists is found out when it is launched.
func ParseWishes(texts []string) ([]Wish, error) {
	var wishes []Wish
	for _, text := range texts {
		kind, count, counted := strings.Cut(text, "=")
		wish := Wish{Count: 1}
		named := false
		if wish.Kind, wish.Model, named = strings.Cut(kind, ":"); wish.Kind == "" || named && wish.Model == "" {
			return nil, &core.Error{
				Code: core.InvalidInput, Message: fmt.Sprintf("agents %q: the kind or its model is empty", text),
				Hint: "Write KIND=N or KIND:MODEL=N. Is a shell variable unset?",
			}
		}
		if counted {
			n, err := strconv.Atoi(count)
			if err != nil || n < 1 || n > MaxWish {
				return nil, &core.Error{
					Code:    core.InvalidInput,
					Message: fmt.Sprintf("agents %q: the count must be a number from 1 to %d", text, MaxWish),
					Hint:    "Write KIND=N, for example claude=2,codex=1.",
				}
			}
			wish.Count = n
		}
		wishes = append(wishes, wish)
	}
	return wishes, nil
}
