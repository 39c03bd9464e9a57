package process

import "testing"

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

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (init) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0\n"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, line []byte) {
		if p, err := parseStat(line); err != nil && p != (Proc{}) {
			t.Errorf("an error with a process: %+v, %v", p, err)
		}
	})
}
