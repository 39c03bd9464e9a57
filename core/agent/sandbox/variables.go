package sandbox

import (
	"slices"
	"strings"
)

// usualVariables are inherited by every sandbox, with * for any end.
var usualVariables = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"XDG_STATE_HOME", "XDG_CACHE_HOME", "EDITOR", "PAGER", "NO_COLOR", "FORCE_COLOR", "CI", "HTTP_PROXY", "HTTPS_PROXY",
	"NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"GOPATH", "GOROOT", "GOFLAGS", "GOPROXY", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "NVM_DIR", "VIRTUAL_ENV",
	"CUPOLA_PORT_BASE",
}

// closed are variables that lead out of a sandbox; none has them, whatever its settings say.
var closed = []string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_*", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
	"XDG_RUNTIME_DIR", "DOCKER_HOST", "CONTAINER_HOST", "PODMAN_*", "TMUX_TMPDIR", "CUPOLA_SERVER_SOCKET", "TMPDIR",
	"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "VSCODE_*", "SSH_CONNECTION", "SSH_CLIENT",
}

// Inherited returns those of the inherited variables that the program gets.
func (r *Request) Inherited() []string {
	wanted := slices.Concat(usualVariables, r.Settings.Env)
	if r.Kind != nil {
		wanted = append(wanted, r.Kind.Sandbox.Env...)
	}
	return slices.DeleteFunc(slices.Clone(r.Environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return matches(closed, name) || !matches(wanted, name)
	})
}

// matches reports whether one of some patterns means a name.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if beginning, open := strings.CutSuffix(pattern, "*"); open {
			return strings.HasPrefix(name, beginning)
		}
		return pattern == name
	})
}
