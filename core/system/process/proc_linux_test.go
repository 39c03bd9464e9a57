package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseStatReadsNamesWithParentheses(t *testing.T) {
	line := "42 (a) (b c) S 7 40 39 34816 41 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9000 0 0\n"
	p, err := parseStat([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	want := Proc{PID: 42, Parent: 7, Group: 40, Session: 39, Foreground: 41, Start: 9000, Name: "a) (b c"}
	if p != want {
		t.Errorf("parseStat = %+v, want %+v", p, want)
	}
}

func TestParseStatRefusesLinesThatAreCutOff(t *testing.T) {
	line := "42 (sh) S 7 40 39 34816 41 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9000 0 0"
	for n := range len(line) - len("9000 0 0") {
		if p, err := parseStat([]byte(line[:n])); err == nil || p != (Proc{}) {
			t.Errorf("%q gives %+v, %v", line[:n], p, err)
		}
	}
	for _, word := range []string{"42", "7", "40", "39", "41", "9000"} {
		wrong := strings.Replace(line, " "+word+" ", " x ", 1)
		if word == "42" {
			wrong = "x" + line
		}
		if _, err := parseStat([]byte(wrong)); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

func TestAZombieTellsHowItEnded(t *testing.T) {
	fields := strings.Fields("Z 7 40 39 34816 41" + strings.Repeat(" 0", 44))
	fields[statStart], fields[statEnd] = "9000", "256"
	p, err := parseStat([]byte("42 (sh) " + strings.Join(fields, " ")))
	if err != nil || !p.Zombie || p.End.ExitStatus() != 1 {
		t.Errorf("got %+v, %v", p, err)
	}
	fields[statEnd] = "-1"
	if _, err := parseStat([]byte("42 (sh) " + strings.Join(fields, " "))); err == nil {
		t.Error("an end below zero is read")
	}
}

func TestAProcessIsBareWithoutArguments(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want bool
	}{
		{[]string{"cat"}, true},
		{[]string{"-cat"}, true},
		{[]string{"cat", "-"}, false},
		{[]string{"cat", "-u", "-"}, false},
		{[]string{"another-name"}, false},
	} {
		cmd := exec.Command("cat")
		cmd.Args = c.argv
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		p, err := Find(cmd.Process.Pid)
		// Until the kernel has laid out the new program, it has no arguments.
		for end := time.Now().Add(10 * time.Second); err == nil && p.arguments == 0 && time.Now().Before(end); {
			p, err = Find(cmd.Process.Pid)
		}
		if err != nil || p.Bare() != c.want {
			t.Errorf("%q: %+v, %v", c.argv, p, err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if (Proc{}).Bare() {
		t.Error("a process that is gone is bare")
	}
}

func TestAddressesThatAreHiddenMakeNoProcessBare(t *testing.T) {
	fields := strings.Fields("S 7 40 39 34816 41" + strings.Repeat(" 0", 44))
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"140737488347136", "140737488347139", true},
		{"18446744073709551000", "18446744073709551003", true},
		{"140737488347136", "140737488347145", false},
		{"0", "0", false},
		{"3", "0", false},
		{"x", "3", false},
		{"0", "x", false},
	} {
		fields[statArguments], fields[statArguments+1] = c.from, c.to
		p, err := parseStat([]byte("42 (sh) " + strings.Join(fields, " ")))
		if err != nil || p.Bare() != c.want {
			t.Errorf("%s to %s: %+v, %v", c.from, c.to, p, err)
		}
	}
}

func TestEnvironFilesAndExecutable(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	held := filepath.Join(dir, "held")
	if err := os.WriteFile(held, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUPOLA_SAMPLE", "a b")
	shell, _ := start(t, "exec 7<'"+held+"' 8</dev/zero; echo; while :; do sleep 0.05; done")
	if !slices.Contains(Environ(shell.PID), "CUPOLA_SAMPLE=a b") {
		t.Errorf("its environment is %q", Environ(shell.PID))
	}
	if files := Files(shell.PID); !slices.Equal(files, []string{held}) {
		t.Errorf("it holds %q", files)
	}
	if path := Executable(os.Getpid()); path == "" || filepath.Base(path) != filepath.Base(os.Args[0]) {
		t.Errorf("this runs %q", path)
	}
}

func TestNothingIsReadOfAProcessThatIsGone(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	gone := cmd.Process.Pid
	if Environ(gone) != nil || Files(gone) != nil || Executable(gone) != "" || Argv(gone) != nil || Tree(gone) != nil ||
		fullTree(gone) != nil {
		t.Errorf("process %d is still read", gone)
	}
}

func TestBothWaysToATreeAgree(t *testing.T) {
	parent, _ := start(t, "sh -c 'sleep 60 & echo; wait' & wait")
	want := pids(Tree(parent.PID))
	if got := pids(fullTree(parent.PID)); len(want) != 3 || !slices.Equal(got, want) {
		t.Errorf("%v, and by the whole table %v", want, got)
	}
	for _, p := range Tree(parent.PID) {
		_ = killNow(p)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (init) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0\n"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, line []byte) {
		if p, err := parseStat(line); err != nil && p != (Proc{}) {
			t.Errorf("an error with a process: %+v, %v", p, err)
		}
	})
}
