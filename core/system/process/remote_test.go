package process

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The list of this machine, read as that of another, names the same processes.
func TestProcessesOfAnotherMachine(t *testing.T) {
	asked := 0
	SetRemote(func() ([]byte, error) {
		asked++
		return exec.Command("sh", "-c", ListRemote).Output()
	})
	t.Cleanup(func() { remote.Store(nil) })
	own := os.Getpid()
	p, err := Find(-own)
	if err != nil || p.PID != -own || p.Parent != -os.Getppid() || p.Name == "" || !p.Alive() {
		t.Errorf("Find(%d) = %+v, %v", -own, p, err)
	}
	if argv := Argv(-own); len(argv) == 0 || !strings.HasSuffix(argv[0], os.Args[0]) {
		t.Errorf("Argv(%d) = %q, want that of %q", -own, argv, os.Args[0])
	}
	if tree := Tree(-os.Getppid()); !slices.ContainsFunc(tree, func(p Proc) bool { return p.PID == -own }) {
		t.Errorf("Tree(%d) lacks %d", -os.Getppid(), -own)
	}
	if Environ(-own) != nil || Executable(-own) != "" || len(Files(-own)) > 0 {
		t.Error("more is known of a process of another machine than its list says")
	}
	if asked != 1 {
		t.Errorf("the list was asked for %d times", asked)
	}
	if ended, _ := End(t.Context(), []Proc{p}, 0); ended != 0 {
		t.Error("a process of another machine was signalled")
	}
}

func TestListsOfAnotherMachineAreReadAsFarAsTheyGo(t *testing.T) {
	table, argv := parseRemote("    1     0     1    -1 Ss   /sbin/init\n" +
		" 4711  4700  4711  4720 Ss   -bash\n" +
		" 4720  4711  4720  4720 Sl+  node /usr/bin/gemini --yolo\n" +
		"bad\n 12 13\n x 1 1 1 S no\n 5 1 5 0 Z <defunct>\n")
	if len(table) != 4 {
		t.Fatalf("%d processes: %+v", len(table), table)
	}
	if shell := table[1]; !shell.Bare() || shell.Name != "bash" || shell.Foreground != -4720 {
		t.Errorf("the shell is %+v", shell)
	}
	if got := argv[-4720]; !slices.Equal(got, []string{"node", "/usr/bin/gemini", "--yolo"}) {
		t.Errorf("arguments %q", got)
	}
	if !table[3].Zombie {
		t.Error("a process that has ended counts as alive")
	}
}
