package host_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/system/shell/shelltest"
)

// three are a machine, another, and one that is not asked.
func three() host.Hosts {
	return host.Of(map[string]host.Settings{
		"gpu1": {SSH: "dev@gpu1", Labels: []string{"big", "gpu"}}, "gpu2": {},
		"old": {Disabled: true, Labels: []string{"gpu"}},
	})
}

func names(hosts []*host.Host) (all []string) {
	for _, h := range hosts {
		if h == nil {
			all = append(all, host.Local)
			continue
		}
		all = append(all, h.Name)
	}
	return all
}

// What is done to the settings is done to hosts that are disabled too.
func TestEntriesAreNamedByPatterns(t *testing.T) {
	for word, want := range map[string]string{
		"gpu1": "gpu1", "gpu*": "gpu1 gpu2", "all": "gpu1 gpu2 old", "*": "gpu1 gpu2 old", "old": "old", "o*": "old",
		"all:gpu": "gpu1 old",
	} {
		if got, err := three().Entries(word); err != nil || !slices.Equal(names(got), strings.Fields(want)) {
			t.Errorf("%s: %v, %v", word, names(got), err)
		}
	}
	for word, code := range map[string]core.Code{
		"": core.NotFound, "local": core.NotFound, "gpo*": core.NotFound, "[": core.InvalidInput,
		"all:gpo": core.NotFound,
	} {
		if _, err := three().Entries(word); !core.AsError(err).HasCode(code) {
			t.Errorf("%q: %v", word, err)
		}
	}
}

func TestWordsSelectHosts(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"gpu1", "gpu1"},
		{"gpu*", "gpu1 gpu2"},
		{"all", "local gpu1 gpu2"},
		{"local gpu2 gpu*", "local gpu2 gpu1"},
		{"*", "gpu1 gpu2"},
		{"gpu1 gpu1", "gpu1"},
		{"all:gpu", "gpu1"},
	} {
		got, err := three().Select(strings.Fields(c.words)...)
		if err != nil || !slices.Equal(names(got), strings.Fields(c.want)) {
			t.Errorf("%s: %v, %v", c.words, names(got), err)
		}
	}
	for word, code := range map[string]core.Code{
		"gpu3": core.NotFound, "old": core.NotReady, "[": core.InvalidInput, "": core.NotFound, "x*": core.NotFound,
		"all:none": core.NotFound, "all:": core.NotFound, "any": core.NotFound,
	} {
		_, err := three().Select(word)
		if !core.AsError(err).HasCode(code) {
			t.Errorf("%q: %v", word, err)
		}
	}
	if _, err := three().Select("gpu3"); !slices.Contains(core.AsError(err).Suggestions, "gpu1") {
		t.Errorf("no near miss: %+v", err)
	}
	if _, err := three().Select("all:gpo"); !slices.Contains(core.AsError(err).Suggestions, "gpu") {
		t.Errorf("no near label: %+v", err)
	}
	for word, want := range map[string]string{"any": "all", "any:gpu": "all:gpu", "gpu1": "", "anyone": ""} {
		if all, _ := host.AnyOf(word); all != want {
			t.Errorf("any of %q is %q", word, all)
		}
	}
}

func TestAddressesNameHosts(t *testing.T) {
	for address, want := range map[string][2]string{
		"gpu1/api.2": {"gpu1", "api.2"}, "local/api": {"local", "api"}, "old/a/b": {"old", "a/b"},
		"other/api": {"", "other/api"}, "api": {"", "api"}, "": {"", ""}, "/api": {"", "/api"},
	} {
		if at := three().Address(address); at.Host != want[0] || at.There() != want[1] {
			t.Errorf("%q: %+v", address, at)
		}
	}
}

func TestNamesOfHostsAreChecked(t *testing.T) {
	for _, good := range []string{"a", "gpu-1", "GPU_2", "0"} {
		if err := host.CheckName(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	if host.CheckLabel("big_1") != nil || host.CheckLabel("a b") == nil || host.CheckLabel("a,b") == nil {
		t.Error("labels are not checked")
	}
	for _, bad := range []string{"", "all", "local", "-a", "a.b", "a/b", "a b", "ü", strings.Repeat("a", 64)} {
		if host.CheckName(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestSSHIsCalledSoThatNothingIsAsked(t *testing.T) {
	d := host.Dialer{Dir: filepath.Join(shortDir(t), "run")}
	h, _ := three().Find("gpu1")
	argv, err := d.Argv(h, false, h.Command("remote"))
	line := strings.Join(argv, " ")
	if err != nil || !strings.Contains(line, "BatchMode=yes") ||
		!strings.Contains(line, "ControlPath="+d.Dir+"/") || argv[len(argv)-2] != "dev@gpu1" ||
		argv[len(argv)-3] != "--" {
		t.Errorf("%q, %v", argv, err)
	}
	if info, err := os.Stat(d.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("ssh finds no folder for its socket: %v, %v", info, err)
	}
	if person, _ := d.Argv(h, true, ""); strings.Contains(strings.Join(person, " "), "BatchMode") {
		t.Error("a person is not asked for a password")
	}
	for _, dir := range []string{filepath.Join(d.Dir, strings.Repeat("x", 90)), ""} {
		d.Dir = dir
		if own, _ := d.Argv(h, false, ""); !strings.Contains(strings.Join(own, " "), "ControlPath=none") {
			t.Errorf("with %q a connection of the user's is shared: %q", dir, own)
		}
	}
	h.SSH = "-oProxyCommand=evil"
	if _, err := d.Argv(h, false, ""); err == nil {
		t.Error("a destination is an option")
	}
}

// shortDir is a folder whose path is short enough for sockets.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "host") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// controlPath is where the connection of a host has its socket.
func controlPath(t *testing.T, d host.Dialer, h *host.Host) string {
	t.Helper()
	argv, err := d.Argv(h, false, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range argv {
		if path, is := strings.CutPrefix(arg, "ControlPath="); is {
			return path
		}
	}
	t.Fatalf("%q has no ControlPath", argv)
	return ""
}

// Each entry has a connection of its own, whatever is alike.
func TestAConnectionBelongsToOneEntry(t *testing.T) {
	d := host.Dialer{Dir: shortDir(t)}
	entries := []*host.Host{
		{Name: "gpu1"},
		{Name: "gpu2"},
		{Name: "gpu1", Settings: host.Settings{SSH: "dev@gpu1"}},
		{Name: "gpu2", Settings: host.Settings{SSH: "gpu1"}},
		{Name: "gpu1", Settings: host.Settings{Options: []string{"-i", "ro"}}},
		{Name: "gpu1", Settings: host.Settings{Options: []string{"-i ro"}}},
		{Name: "gpu1", Settings: host.Settings{Options: []string{"-i", "rw"}}},
		{Name: "gpu1", Settings: host.Settings{Options: []string{"-i", "ro", "-J", "jump"}}},
	}
	paths := map[string]*host.Host{}
	for _, h := range entries {
		path := controlPath(t, d, h)
		if other := paths[path]; other != nil {
			t.Errorf("%+v shares the connection of %+v", h, other)
		}
		paths[path] = h
		if again := controlPath(t, d, &host.Host{Name: h.Name, Settings: h.Settings, Timeout: 1}); again != path {
			t.Errorf("%+v is not found again: %s, then %s", h, path, again)
		}
	}
	link := filepath.Join(shortDir(t), "l")
	if err := os.Symlink(d.Dir, link); err != nil {
		t.Fatal(err)
	}
	d.Dir = link
	if path := controlPath(t, d, entries[0]); path != "none" {
		t.Errorf("behind a link: %s", path)
	}
}

// What the user's configuration gives to people it gives to no host, unless the entry says so.
func TestTheUsersConfigurationGivesAHostNothing(t *testing.T) {
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("ssh is not installed")
	}
	dir := shortDir(t)
	generous := filepath.Join(dir, "config")
	text := "Host *\n  ForwardAgent yes\n  ForwardX11 yes\n  LocalForward 7001 localhost:1\n" +
		"  RemoteForward 7002 localhost:1\n  DynamicForward 7003\n  Tunnel yes\n  PermitLocalCommand yes\n" +
		"  LocalCommand touch x\n  RemoteCommand tmux attach\n  RequestTTY force\n  BatchMode no\n" +
		"  GSSAPIDelegateCredentials yes\n  ControlMaster yes\n  ControlPath /tmp/shared\n  LogLevel QUIET\n" +
		"  ServerAliveInterval 0\n  ConnectTimeout 1000\n"
	if err := os.WriteFile(generous, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	effective := func(terminal bool, options ...string) map[string]string {
		d := host.Dialer{Dir: dir, Program: ssh}
		h := &host.Host{Name: "gpu1", Settings: host.Settings{Options: append([]string{"-F", generous}, options...)}}
		argv, err := d.Argv(h, terminal, "true")
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), argv[0], append([]string{"-G"}, argv[1:]...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", argv, err, out)
		}
		values := map[string]string{}
		for line := range strings.Lines(string(out)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			values[name] = value
		}
		return values
	}
	for _, terminal := range []bool{false, true} {
		got := effective(terminal)
		want := map[string]string{
			"forwardagent": "no", "forwardx11": "no", "clearallforwardings": "yes", "tunnel": "false",
			"permitlocalcommand": "no", "gssapidelegatecredentials": "no", "serveraliveinterval": "5",
			"connecttimeout": "10", "controlmaster": "auto",
		}
		if !terminal {
			want["batchmode"], want["requesttty"], want["loglevel"] = "yes", "false", "ERROR"
		}
		for name, value := range want {
			if got[name] != value && (name != "gssapidelegatecredentials" || got[name] != "") { // not all have it
				t.Errorf("%s is %q, want %q", name, got[name], value)
			}
		}
		if command := got["remotecommand"]; command != "" && command != "none" {
			t.Errorf("it runs %q", command)
		}
		if strings.HasPrefix(got["controlpath"], "/tmp/shared") {
			t.Error("it shares a connection of the user's")
		}
	}
	asked := effective(false, "-A", "-X", "-o", "ClearAllForwardings=no")
	if asked["forwardagent"] != "yes" || asked["forwardx11"] != "yes" || asked["clearallforwardings"] != "no" {
		t.Errorf("the entry asks, and has %q", asked)
	}
}

// A reason contains all that ssh printed.
func TestReasonsAreWhole(t *testing.T) {
	h, _ := three().Find("gpu1")
	printed := "nojump: Name or service not known\r\n" +
		"kex_exchange_identification: Connection closed by remote host\r\n" +
		"\x1b]0;x\x07Connection closed by UNKNOWN port 65535\r\n"
	const want = "nojump: Name or service not known; kex_exchange_identification: Connection closed by remote host; " +
		"Connection closed by UNKNOWN port 65535"
	if fault := host.FaultOf(h, 255, printed); fault.Reason != want {
		t.Errorf("%q", fault.Reason)
	}
	if fault := host.FaultOf(h, 255, strings.Repeat("x", 1<<20)); len(fault.Reason) > 2000 {
		t.Errorf("a reason has %d bytes", len(fault.Reason))
	}
	if fault := host.FaultOf(h, 127, "sh: 1: exec: cupola: not found\n"); !strings.Contains(fault.Reason, "not found") {
		t.Errorf("%q", fault.Reason)
	}
}

// A reason also contains the message of a jump host, which ssh drops if it would share the connection.
func TestReasonsOfJumpHostsAreReported(t *testing.T) {
	h, _ := three().Find("gpu1")
	program := filepath.Join(t.TempDir(), "ssh")
	script := "#!/bin/sh\n[ \"$2\" = ControlMaster=no ] && echo 'ssh: Could not resolve hostname nojump' >&2\n" +
		"echo 'kex_exchange_identification: Connection closed by remote host' >&2\nexit 255\n"
	if err := shelltest.WriteProgram(program, []byte(script)); err != nil {
		t.Fatal(err)
	}
	_, err := host.Dialer{Dir: t.TempDir(), Program: program}.Open(t.Context(), h, host.Reads)
	fault := new(host.Fault)
	if !errors.As(err, &fault) || !strings.HasPrefix(fault.Reason, "ssh: Could not resolve hostname nojump; kex") {
		t.Errorf("%v", err)
	}
}

// A host's own words say what is wrong with it.
func TestFaultsSayHowAHostIs(t *testing.T) {
	for printed, want := range map[string]struct {
		exit  int
		state host.State
	}{
		"ssh: connect to host gpu1 port 22: Connection refused":  {255, host.Down},
		"dev@gpu1: Permission denied (publickey).":               {255, host.Refused},
		"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @":   {255, host.Refused},
		"Host key verification failed.":                          {255, host.Refused},
		"sh: 1: exec: cupola: not found":                         {127, host.Missing},
		"":                                                       {255, host.Down},
		"panic: something":                                       {2, host.Down},
		"ssh: Could not resolve hostname gpu1: Name or service.": {255, host.Down},
	} {
		h, _ := three().Find("gpu1")
		fault := host.FaultOf(h, want.exit, printed)
		e := fault.AsError()
		if fault.State != want.state || fault.Reason == "" || e.Code == "" || e.Subject.Host != "gpu1" ||
			!errors.Is(e, fault) {
			t.Errorf("%q: %+v, %+v", printed, fault, e)
		}
	}
}

func TestNamesOfSSHAreThoseThatAHostCanHave(t *testing.T) {
	home := t.TempDir()
	if got := host.SSHNames(home); len(got) != 0 {
		t.Errorf("without a file: %q", got)
	}
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "# mine\nHost gpu2 gpu1 *.example.org !x\n  HostName 10.0.0.1\nhost = laptop\nHost *\nMatch host gpu3\n" +
		"Host gpu1\n"
	if err := os.WriteFile(filepath.Join(home, ".ssh", "config"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := host.SSHNames(home); !slices.Equal(got, []string{"gpu1", "gpu2", "laptop"}) {
		t.Errorf("%q", got)
	}
}

func TestTheMachineWithMoreRoomIsLessBusy(t *testing.T) {
	small, large := &host.Machine{Cores: 2, Load: -1}, &host.Machine{Cores: 64, Load: 8}
	full := &host.Machine{Cores: 64, MemoryFree: 1 << 20}
	for _, one := range []struct {
		a      *host.Machine
		agents int
		b      *host.Machine
		others int
		busier bool
	}{
		{small, 1, small, 0, true},
		{small, 1, small, 1, false},
		{small, 1, large, 10, true},
		{large, 10, small, 1, false},
		{full, 0, small, 9, true},
		{nil, 1, small, 1, true},
		{nil, 0, nil, 0, false},
	} {
		if got := host.Busier(one.a, one.agents, one.b, one.others); got != one.busier {
			t.Errorf("%+v with %d and %+v with %d: %v", one.a, one.agents, one.b, one.others, got)
		}
	}
	if own := host.ThisMachine(); own.Cores < 1 || own.DiskFree == 0 {
		t.Errorf("%+v", own)
	}
}

func TestHostsOfTheSettingsComeBeforeThoseOfTheBus(t *testing.T) {
	known := host.Of(map[string]host.Settings{"gpu1": {SSH: "dev@gpu1"}, "gpu2": {Disabled: true}}).WithBus(
		"lab", "gpu1", "gpu2")
	if got := known.Names(); !slices.Equal(got, []string{"gpu1", "gpu2", "lab"}) {
		t.Errorf("names: %q", got)
	}
	for name, onBus := range map[string]bool{"gpu1": false, "gpu2": false, "lab": true} {
		if h, is := known.Find(name); !is || h.OnBus != onBus || !known.OnBus(name) {
			t.Errorf("%+v, %v", h, is)
		}
	}
	chosen, err := known.Select("*")
	if err != nil || len(chosen) != 2 || chosen[1].Name != "lab" {
		t.Errorf("chosen: %v, %v", chosen, err)
	}
	if at := known.Address("lab/api.1"); at.Host != "lab" || at.There() != "api.1" {
		t.Errorf("%+v", at)
	}
}
