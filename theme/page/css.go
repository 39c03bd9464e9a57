package page

import (
	"fmt"
	"strings"

	"cupola/theme"
)

// contrast has the colours for users who ask for more contrast, by whether the scheme is light.
var contrast = map[bool]string{
	false: "--ground:#000;--panel:#000;--text:#fff;--dim:#d8dde4;--edge:#9aa4b2;--line:#c0c8d2;",
	true:  "--ground:#fff;--panel:#fff;--text:#000;--dim:#333b47;--edge:#5b6472;--line:#333b47;",
}

// unchosen selects the root of a page whose user chose no colours.
const unchosen = ":root:not([data-theme])"

// CSS is the style sheet that gives a page the colours of the dashboard, as variables: by what the browser prefers,
// or by the attribute data-theme of its root (dark, light, contrast-dark, contrast-light).
func CSS() string {
	var b strings.Builder
	for _, light := range []bool{false, true} {
		name := map[bool]string{false: "dark", true: "light"}[light]
		var rules strings.Builder
		for _, shade := range theme.Shades(light) {
			fmt.Fprintf(&rules, "--%s:%s;", shade.Name, shade.Colour)
		}
		own := rules.String()
		if light {
			fmt.Fprintf(&b, "@media(prefers-color-scheme:light){%s{color-scheme:light;%s}}\n", unchosen, own)
		} else {
			fmt.Fprintf(&b, ":root{color-scheme:dark;%s}\n", own)
		}
		fmt.Fprintf(&b, "@media(prefers-contrast:more) and (prefers-color-scheme:%s){%s{%s}}\n", name, unchosen,
			contrast[light])
		fmt.Fprintf(&b, ":root[data-theme=%s]{color-scheme:%s;%s}\n", name, name, own)
		fmt.Fprintf(&b, ":root[data-theme=contrast-%s]{color-scheme:%s;%s%s}\n", name, name, own, contrast[light])
	}
	return b.String()
}
