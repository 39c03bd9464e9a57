package dashboard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheDashboardWelcomesOnce(t *testing.T) {
	d := testDashboard(t)
	if !d.firstTime() || d.firstTime() {
		t.Error("it is not the first time once")
	}
}

func TestFaultsOfTheUsersKeysAreReported(t *testing.T) {
	d := testDashboard(t)
	if keys, fault := d.keymap(); keys != nil || fault != "" {
		t.Errorf("without a file: %v, %q", keys, fault)
	}
	file := d.Env.Paths.Keys()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[tree]\ns = \"i\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, fault := d.keymap(); !strings.Contains(fault, file) || !strings.Contains(fault, "would mean both") {
		t.Errorf("the fault is %q", fault)
	}
}
