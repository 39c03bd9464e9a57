package rundir

import "testing"

func FuzzLockFilesAreReadOrNot(f *testing.F) {
	f.Add("12 1700000000000\n")
	f.Add("")
	f.Add("-1 x")
	f.Fuzz(func(t *testing.T, text string) {
		if by, known := parseLock(text); known && (by.PID <= 0 || by.Since == "") {
			t.Errorf("%+v", by)
		}
	})
}
