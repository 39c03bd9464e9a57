package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
)

// seatbelt returns the command line of sandbox-exec up to the program. Of two rules that fit, the later one counts. It
// has no namespaces: hidden paths are refused, copied files are read-only, and other processes are seen.
func seatbelt(v *View, network, doorway string) []string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	for _, path := range []string{"/dev/null", "/dev/tty", "/dev/ptmx", "/dev/dtracehelper"} {
		fmt.Fprintf(&b, "(allow file-write* (literal %s))\n", quoted(path))
	}
	b.WriteString("(allow file-write* (regex #\"^/dev/ttys[0-9]+$\"))\n")
	for i := range v.Access {
		a := &v.Access[i]
		where := "(subpath " + quoted(a.Path) + ")"
		switch a.How {
		case Hidden:
			fmt.Fprintf(&b, "(deny file-read* file-write* %s)\n(allow file-read-metadata %s)\n", where, where)
		case Barred:
			fmt.Fprintf(&b, "(deny file-read* file-write* (literal %s))\n", quoted(a.Path))
		case Reads, Copied:
			fmt.Fprintf(&b, "(allow file-read* %s)\n(deny file-write* %s)\n", where, where)
		case Writes:
			fmt.Fprintf(&b, "(allow file-read* file-write* %s)\n", where)
		}
	}
	fmt.Fprintf(&b, "(allow file-read* file-write* (subpath %s))\n", quoted(doorway))
	if network == NetworkAll {
		b.WriteString("(deny network-outbound (remote unix-socket))\n")
	} else {
		b.WriteString("(deny network*)\n")
	}
	fmt.Fprintf(&b, "(allow network-outbound (literal %s) (literal \"/private/var/run/mDNSResponder\"))\n",
		quoted(filepath.Join(doorway, DoorName)))
	b.WriteString("(deny process-info* (target others))\n(deny signal (target others))\n(deny mach-lookup " +
		"(global-name \"com.apple.coreservices.launchservicesd\") (global-name \"com.apple.pasteboard.1\"))\n" +
		"(deny appleevent-send)\n")
	return []string{
		"sandbox-exec", "-p", b.String(), "/usr/bin/env", "TMPDIR=" + doorway, DoorwayVariable + "=" + doorway,
	}
}

// quoted returns a text as a literal of the profile's language.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
