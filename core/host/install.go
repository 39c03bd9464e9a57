package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"

	"cupola/core"
	"cupola/core/system/plainfile"
)

// InstalledIn is where Install puts the program, below the home directory.
const InstalledIn = ".local/bin/cupola"

// machines maps the machine that uname prints to Go's name of it.
var machines = map[string]string{
	"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64", "armv7l": "arm",
}

// Install copies a program to a host, as ~/.local/bin/cupola: this program, at a path, if the host is of the same kind,
// and else the one for that kind in a folder of released programs; an empty folder has none. The copy takes its place
// only when its sum is right and it runs there. Conflict names the kind of a host for which there is no program.
func (d Dialer) Install(ctx context.Context, h *Host, program, released string) error {
	kind, err := d.output(ctx, h, nil, "uname -s -m")
	if err != nil {
		return err
	}
	system, machine, _ := strings.Cut(strings.TrimSpace(kind), " ")
	var text []byte
	over := strings.ToLower(system) + "/" + machines[machine]
	switch {
	case released != "":
		text, err = Released(released, strings.ToLower(system), machines[machine])
	case over == runtime.GOOS+"/"+runtime.GOARCH:
		if text, err = plainfile.Read(program, plainfile.Record); err != nil {
			err = core.FileError("read this program", err)
		}
	default:
		err = &core.Error{
			Code: core.Conflict, Subject: core.Subject{Host: h.Name},
			Message: fmt.Sprintf("host %s is %s %s, and this program is for %s/%s", h.Name, system, machine,
				runtime.GOOS, runtime.GOARCH),
			Remedies: []core.Remedy{core.RemedyInstallReleased},
		}
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	script := `set -e; umask 022; dir="$HOME/.local/bin"; mkdir -p "$dir/.new"; new="$dir/.new/cupola"; ` +
		`refuse() { rm -rf "$dir/.new"; echo "$1" >&2; exit 1; }; cat >"$new"; ` +
		`if command -v sha256sum >/dev/null; then sum=$(sha256sum "$new"); else sum=$(shasum -a 256 "$new"); fi; ` +
		`[ "${sum%% *}" = ` + hex.EncodeToString(sum[:]) + ` ] || refuse "its sum is wrong"; chmod 755 "$new"; ` +
		`"$new" --version >/dev/null || refuse "it does not run there"; ` +
		`mv -f "$new" "$HOME/` + InstalledIn + `"; rm -rf "$dir/.new"`
	_, err = d.output(ctx, h, bytes.NewReader(text), script)
	return err
}

// output runs a script of the shell on a host, and returns what it prints.
func (d Dialer) output(ctx context.Context, h *Host, in io.Reader, script string) (string, error) {
	argv, err := d.Argv(h, false, "exec sh -c '"+strings.ReplaceAll(script, "'", `'\''`)+"'")
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	printed := &said{}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = in, &out, printed, endWithin
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() != sshFailed:
		return "", core.Errorf(core.IOError, "on host %s: %s", h.Name, reasonOf(printed.String()))
	case err != nil && cmd.ProcessState != nil:
		return "", faultOf(h, cmd.ProcessState.ExitCode(), printed.String()).AsError()
	case err != nil:
		return "", core.Errorf(core.ToolNotFound, "start ssh: %w", err)
	}
	return out.String(), nil
}
