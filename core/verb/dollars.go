package verb

import (
	"fmt"
	"strconv"
	"strings"

	"cupola/core"
)

// Dollars reads an amount of USD above 0 that a flag was given: 20, 2.50, $3.
func Dollars(flag, text string) (float64, error) {
	usd, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || !(usd > 0 && usd < 1e12) {
		return 0, &core.Error{
			Code:    core.InvalidInput,
			Message: fmt.Sprintf("%s: %q is not an amount of dollars above 0", flag, text),
			Hint:    "Give dollars such as 20 or 2.50.",
		}
	}
	return usd, nil
}
