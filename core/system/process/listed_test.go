package process

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The list of this machine, read as that of another, names the same processes.
func TestProcessesOfAnotherMachine(t *testing.T) {
	asked := 0
	there := NewListed(func() ([]byte, error) {
		asked++
		return exec.Command("sh", "-c", ListCommand).Output()
	})
	own := os.Getpid()
	p, err := there.Find(own)
	if err != nil || p.PID != own || p.Parent != os.Getppid() || p.Name == "" || !p.Alive() {
		t.Errorf("Find(%d) = %+v, %v", own, p, err)
	}
	if argv := there.Argv(own); len(argv) == 0 || !strings.HasSuffix(argv[0], os.Args[0]) {
		t.Errorf("Argv(%d) = %q, want that of %q", own, argv, os.Args[0])
	}
	if tree := there.Tree(os.Getppid()); !slices.ContainsFunc(tree, func(p Proc) bool { return p.PID == own }) {
		t.Errorf("Tree(%d) lacks %d", os.Getppid(), own)
	}
	if there.Environ(own) != nil || there.Executable(own) != "" || len(there.Files(own)) > 0 || there.Local() {
		t.Error("more is known of a process of another machine than its list says")
	}
	if asked != 1 {
		t.Errorf("the list was asked for %d times", asked)
	}
}

// A process of another machine is not signalled, nor is one of this machine that has its pid and its start.
func TestProcessesOfAnotherMachineAreNotSignalled(t *testing.T) {
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	here, err := Find(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	there := here
	there.source = NewListed(func() ([]byte, error) { return exec.Command("sh", "-c", ListCommand).Output() })
	if ended, _ := End(t.Context(), []Proc{there}, 0); ended != 0 {
		t.Error("a process of another machine was ended")
	}
	if err := Signal(there, syscall.SIGKILL); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Signal: %v", err)
	}
	if !here.Alive() {
		t.Error("the process of this machine with its pid was ended")
	}
}

func TestListsOfAnotherMachineAreReadAsFarAsTheyGo(t *testing.T) {
	table, argv := parseList("    1     0     1    -1 Ss   /sbin/init\n" +
		" 4711  4700  4711  4720 Ss   -bash\n" +
		" 4720  4711  4720  4720 Sl+  node /usr/bin/gemini --yolo\n" +
		"bad\n 12 13\n x 1 1 1 S no\n 5 1 5 0 Z <defunct>\n")
	if len(table) != 4 {
		t.Fatalf("%d processes: %+v", len(table), table)
	}
	if shell := table[1]; !shell.Bare() || shell.Name != "bash" || shell.Foreground != 4720 {
		t.Errorf("the shell is %+v", shell)
	}
	if got := argv[4720]; !slices.Equal(got, []string{"node", "/usr/bin/gemini", "--yolo"}) {
		t.Errorf("arguments %q", got)
	}
	if !table[3].Zombie {
		t.Error("a process that has ended counts as alive")
	}
}
