package packaging

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const version = "1.2.3"

// TestDeepADebComesAndGoes packs a deb with nfpm, and installs it into a root of its own with dpkg.
func TestDeepADebComesAndGoes(t *testing.T) {
	if os.Getenv("CUPOLA_DEEP") == "" {
		t.Skip("CUPOLA_DEEP is not set")
	}
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not here")
	}
	dir, root := t.TempDir(), emptyRoot(t)
	before := tree(t, root)
	deb := packed(t, dir)

	dpkg(t, root, "--install", deb)
	status := output(t, "dpkg-query", "--admindir="+root+"/var/lib/dpkg", "-W", "-f=${Status} ${Version}", "cupola")
	if status != "install ok installed "+version {
		t.Errorf("dpkg says %q", status)
	}
	program := root + "/usr/bin/cupola"
	if said := output(t, program, "version", "--human"); said != "cupola "+version+"\n" {
		t.Errorf("cupola version says %q", said)
	}
	pageIsThere(t, root+"/usr/share/man/man1/cupola.1.gz")
	completionWorks(t, root+"/usr/share/bash-completion/completions/cupola", filepath.Dir(program))
	for _, name := range []string{
		"usr/share/zsh/vendor-completions/_cupola", "usr/share/fish/vendor_completions.d/cupola.fish",
		"usr/share/man/man1/cupola-send.1.gz",
	} {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}

	dpkg(t, root, "--purge", "cupola")
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("removing it left (-before +after):\n%s", diff)
	}
}

// packed builds the program and packs it.
func packed(t *testing.T, dir string) (deb string) {
	t.Helper()
	program := filepath.Join(dir, "cupola")
	flags := "-s -w -X main.version=" + version
	output(t, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", program, "../cupola")
	output(t, "../../.packaging/package", "deb", dir, program)
	found, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(found) != 1 {
		t.Fatalf("packed %v, %v", found, err)
	}
	return found[0]
}

// emptyRoot is a root folder in which dpkg knows no package.
func emptyRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"status", "available"} {
		if err := os.WriteFile(root+"/var/lib/dpkg/"+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// dpkg acts on a root. Its package has no script, so that no chroot is needed.
func dpkg(t *testing.T, root string, args ...string) {
	t.Helper()
	output(t, "dpkg", append([]string{
		"--force-not-root,script-chrootless", "--log=/dev/null",
		"--instdir=" + root, "--admindir=" + root + "/var/lib/dpkg",
	}, args...)...)
}

// tree lists a root without the notes that dpkg itself keeps.
func tree(t *testing.T, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(name, root)
		if base, below := strings.CutPrefix(rel, "/var/lib/dpkg/"); below &&
			!d.IsDir() && !strings.Contains(base, "cupola") {
			return err
		}
		names = append(names, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// pageIsThere checks that a file is a compressed manual page, and how man shows it where man is there.
func pageIsThere(t *testing.T, name string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(name, ": ", err)
	}
	if text, err := io.ReadAll(unzipped); err != nil || !bytes.Contains(text, []byte("\n.SH ")) {
		t.Errorf("%s is no manual page: %v", name, err)
	}
	if _, err := exec.LookPath("man"); err != nil {
		return
	}
	if shown := output(t, "man", "-l", "-P", "cat", name); !strings.Contains(shown, "Runs several coding agents") {
		t.Errorf("man shows\n%s", shown)
	}
}

// completionWorks completes a word in bash, where bash is there.
func completionWorks(t *testing.T, name, bin string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Log("bash is not here: its completion is not tried")
		return
	}
	const complete = `source "$1"; PATH="$2:$PATH"
COMP_WORDS=(cupola interr) COMP_CWORD=1 COMP_LINE='cupola interr' COMP_POINT=13 COMP_TYPE=9
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}") cword=1 cur=interr prev=cupola; }
__start_cupola; echo "${COMPREPLY[*]}"`
	if said := output(t, "bash", "-c", complete, "bash", name, bin); !strings.Contains(said, "interrupt") {
		t.Errorf("bash completes interr to %q", said)
	}
}

// output runs a program in an environment of its own, and returns what it prints on standard output.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var failed bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "MANWIDTH=80", "LC_ALL=C.UTF-8"), &failed
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, text, failed.Bytes())
	}
	return string(text)
}
