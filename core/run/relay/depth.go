package relay

import (
	"strconv"
	"strings"

	"cupola/core"
)

// MaxDepth is how deep relays may nest: a backend that was asked asks no other.
const MaxDepth = 1

// depthVariables hold how deep this process is in relays. The second belongs to the program phone-a-friend, so that
// the two stop each other.
var depthVariables = []string{"CUPOLA_RELAY_DEPTH", "PHONE_A_FRIEND_DEPTH"}

// depthOf returns how deep the process with an environment is in relays. What is no number is 0.
func depthOf(environ []string) int {
	depth := 0
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		for _, variable := range depthVariables {
			if name != variable || strings.Trim(value, "0123456789") != "" || value == "" {
				continue
			}
			n, err := strconv.Atoi(value)
			if err != nil {
				n = MaxDepth
			}
			depth = max(depth, n)
		}
	}
	return depth
}

// checkDepth refuses a relay inside a relay.
func checkDepth(environ []string) error {
	if depthOf(environ) < MaxDepth {
		return nil
	}
	return &core.Error{
		Code: core.DepthLimit, Message: "Relay depth limit reached; refusing nested relay invocation",
		Hint: "This process was itself started by a relay, and agents that ask each other may never end. Answer " +
			"without asking.",
	}
}

// deeper returns the variables that a backend gets.
func deeper(environ []string) map[string]string {
	set := map[string]string{}
	for _, variable := range depthVariables {
		set[variable] = strconv.Itoa(depthOf(environ) + 1)
	}
	return set
}
