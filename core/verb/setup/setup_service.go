package setup

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/system/textfile"
	"cupola/core/verb"
)

// serviceStep is the step that lets the system start the server at sign-in. It writes the file; the command that
// switches it on is the user's.
// It is done only if it is named, since few want it.
func serviceStep(env *verb.Env, named bool) setupStep {
	path, text, command := serviceFile(env)
	step := setupStep{
		Step: stepService, Does: "Write a service that runs 'cupola serve' while you are signed in", Ours: true,
		State: stepDone, Path: path, Detail: "there; switch it on with: " + command,
	}
	before, err := textfile.Read(path)
	switch {
	case err != nil:
		step.State, step.Ours, step.Detail = stepOptional, false, core.AsError(err).Error()
		return step
	case bytes.Equal(before, text):
		return step
	case before != nil:
		step.Detail = "it is for another program, or was edited"
	default:
		step.Detail = "not there"
	}
	step.State, step.Command = stepOptional, "cupola setup --service --yes"
	if !named {
		return step
	}
	step.do = func(_ context.Context, done *setupStep) error {
		written := &textfile.Change{File: path, Before: before, After: text, Mode: 0o644}
		if err := written.Apply(); err != nil {
			return err
		}
		done.finish("written; switch it on with: " + command)
		return nil
	}
	return step
}

// serviceName is the name of the service in the system.
const serviceName = "cupola"

// serviceFile is the file of the service for this system, and the command that switches it on.
func serviceFile(env *verb.Env) (path string, text []byte, command string) {
	home := env.Getenv("HOME")
	if runtime.GOOS == "darwin" {
		path = filepath.Join(home, "Library", "LaunchAgents", serviceName+".plist")
		return path, launchAgent(env.Self), "launchctl load -w " + path
	}
	folder := env.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(home, ".config")
	}
	path = filepath.Join(folder, "systemd", "user", serviceName+".service")
	return path, systemdUnit(env.Self), "systemctl --user enable --now " + serviceName
}

func systemdUnit(self string) []byte {
	// A percent sign begins a specifier, and a dollar sign a variable.
	program := strings.NewReplacer("%", "%%", "$", "$$").Replace(strconv.Quote(self))
	return fmt.Appendf(nil, `[Unit]
Description=Cupola, as a server

[Service]
ExecStart=%s --robot serve
Restart=on-failure

[Install]
WantedBy=default.target
`, program)
}

func launchAgent(self string) []byte {
	var program bytes.Buffer
	_ = xml.EscapeText(&program, []byte(self)) // a buffer takes everything
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key><string>%s</string>
	<key>ProgramArguments</key>
	<array><string>%s</string><string>--robot</string><string>serve</string></array>
	<key>RunAtLoad</key><true/>
	<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict>
</plist>
`, serviceName, program.String())
}
