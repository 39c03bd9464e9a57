package lifecycle

import (
	"fmt"
	"strconv"
	"strings"

	"cupola/core"
)

// maxAgents is how many agents of one kind can be started at once.
const maxAgents = 50

// ParseAgentCounts parses texts of the forms KIND, KIND=N and KIND:MODEL=N. It does not
// check whether the kind exists.
func ParseAgentCounts(texts []string) ([]AgentCount, error) {
	var counts []AgentCount
	for _, text := range texts {
		kind, number, counted := strings.Cut(text, "=")
		count := AgentCount{Count: 1}
		named := false
		if count.Kind, count.Model, named = strings.Cut(kind, ":"); count.Kind == "" || named && count.Model == "" {
			return nil, &core.Error{
				Code: core.InvalidInput, Message: fmt.Sprintf("agents %q: the kind or its model is empty", text),
				Hint: "Write KIND=N or KIND:MODEL=N. Is a shell variable unset?",
			}
		}
		if counted {
			n, err := strconv.Atoi(number)
			if err != nil || n < 1 || n > maxAgents {
				return nil, &core.Error{
					Code:    core.InvalidInput,
					Message: fmt.Sprintf("agents %q: the count must be a number from 1 to %d", text, maxAgents),
					Hint:    "Write KIND=N, for example claude=2,codex=1.",
				}
			}
			count.Count = n
		}
		counts = append(counts, count)
	}
	return counts, nil
}
