package theme

// Colour decides whether an output is coloured. Choice is "always", "never" or
// "auto"; then NO_COLOR, then CLICOLOR_FORCE and FORCE_COLOR, then CLICOLOR=0
// and TERM=dumb, then whether the output is a terminal.
func Colour(choice string, terminal bool, getenv func(string) string) bool {
	forced := func(name string) bool { value := getenv(name); return value != "" && value != "0" }
	switch {
	case choice == "always":
		return true
	case choice == "never", getenv("NO_COLOR") != "":
		return false
	case forced("CLICOLOR_FORCE"), forced("FORCE_COLOR"):
		return true
	case getenv("CLICOLOR") == "0", getenv("TERM") == "dumb":
		return false
	}
	return terminal
}
