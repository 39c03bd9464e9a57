package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// Install copies this program to a host, as ~/.local/bin/cupola, if the host is of the same kind. The copy takes its
// place only when its sum is right. Conflict names the kind of a host that is another one.
func (d Dialer) Install(ctx context.Context, h *Host, program string) error {
	kind, err := d.output(ctx, h, nil, "uname -s -m")
	if err != nil {
		return err
	}
	system, machine, _ := strings.Cut(strings.TrimSpace(kind), " ")
	if over := strings.ToLower(system) + "/" + machines[machine]; over != runtime.GOOS+"/"+runtime.GOARCH {
		return core.Errorf(core.Conflict,
			"host %s is %s %s, and this program is for %s/%s: build it for that machine and copy it to ~/%s there",
			h.Name, system, machine, runtime.GOOS, runtime.GOARCH, InstalledIn)
	}
	text, err := plainfile.Read(program, plainfile.Record)
	if err != nil {
		return core.FileError("read this program", err)
	}
	sum := sha256.Sum256(text)
	script := `set -e; umask 022; mkdir -p "$HOME/.local/bin"; new="$HOME/` + InstalledIn + `.new"; cat >"$new"; ` +
		`if command -v sha256sum >/dev/null; then sum=$(sha256sum "$new"); else sum=$(shasum -a 256 "$new"); fi; ` +
		`[ "${sum%% *}" = ` + hex.EncodeToString(sum[:]) + ` ] || ` +
		`{ rm -f "$new"; echo "its sum is wrong" >&2; exit 1; }; ` +
		`chmod 755 "$new"; mv -f "$new" "$HOME/` + InstalledIn + `"`
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
