package packaging

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cupola/core/system/shell/shelltest"
)

const script = "../../.packaging/install.sh"

// archive is the name of the archive of this machine.
var archive = fmt.Sprintf("cupola_%s_%s", runtime.GOOS, runtime.GOARCH)

// installed are the files that the script writes below its prefix.
var installed = []string{
	"bin/cupola", "share/bash-completion/completions/cupola", "share/fish/vendor_completions.d/cupola.fish",
	"share/man/man1/cupola-send.1.gz", "share/man/man1/cupola.1.gz", "share/zsh/site-functions/_cupola",
}

// home is a user's home folder, in which an install script runs.
type home struct{ dir, script string }

// run runs the script with a PATH that has more folders in front.
func (h home) run(t *testing.T, more string, args ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{h.script}, args...)...)
	cmd.Env = []string{"HOME=" + h.dir, "PATH=" + more + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "SHELL=/bin/sh"}
	text, err := cmd.CombinedOutput()
	left, readErr := os.ReadDir(strings.TrimPrefix(cmd.Env[2], "TMPDIR="))
	if readErr != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, readErr)
	}
	return string(text), err
}

// files are the files in a folder, with slash-separated paths.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, filepath.ToSlash(strings.TrimPrefix(name, dir+string(filepath.Separator))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}

// release serves a release whose program is a shell script, and returns its folder and its address.
func release(t *testing.T) (dir, address string) {
	t.Helper()
	for _, needed := range []string{"sh", "tar", "awk"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip(needed, " is not here")
		}
	}
	if _, err := exec.LookPath("curl"); err != nil {
		if _, err := exec.LookPath("wget"); err != nil {
			t.Skip("neither curl nor wget is here")
		}
	}
	dir = t.TempDir()
	file, err := os.Create(filepath.Join(dir, archive+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	zipped := gzip.NewWriter(file)
	packed := tar.NewWriter(zipped)
	for _, name := range []string{
		"cupola", "man/cupola.1.gz", "man/cupola-send.1.gz",
		"completions/cupola.bash", "completions/_cupola", "completions/cupola.fish",
	} {
		body := "#!/bin/sh\necho cupola 1.2.3\n"
		header := &tar.Header{Name: archive + "/" + name, Mode: 0o755, Size: int64(len(body)), Typeflag: tar.TypeReg}
		if err := packed.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := packed.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range []interface{ Close() error }{packed, zipped, file} {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	body, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	sum.Write(body)
	writeSums(t, dir, fmt.Sprintf("%x  %s.tar.gz\n", sum.Sum(nil), archive))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return dir, server.URL
}

func writeSums(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheInstallScriptInstallsAndRemoves(t *testing.T) {
	t.Parallel()
	_, address := release(t)
	h := home{t.TempDir(), script}
	bin := filepath.Join(h.dir, ".local", "bin")

	said, err := h.run(t, "", "--from="+address)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if diff := cmp.Diff(installed, files(t, filepath.Join(h.dir, ".local"))); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	for _, want := range []string{
		"cupola 1.2.3 is in " + bin, bin + " is not on your PATH", "~/.profile", "cupola demo",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}

	said, err = h.run(t, bin+":", "--from="+address+"/")
	if err != nil || strings.Contains(said, "PATH") || !strings.Contains(said, "cupola engine-upgrade") {
		t.Errorf("a second time, with the folder on PATH: %v\n%s", err, said)
	}

	if said, err := h.run(t, "", "--remove"); err != nil || said != "" {
		t.Errorf("--remove: %v\n%s", err, said)
	}
	if left := files(t, h.dir); len(left) > 0 {
		t.Errorf("--remove left %v", left)
	}
}

func TestTheInstallScriptRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, want string
		spoil      func(t *testing.T, dir string)
		args       func(address string) []string
	}{
		{
			name: "another sum", want: "the checksum of " + archive + ".tar.gz is ",
			spoil: func(t *testing.T, dir string) {
				writeSums(t, dir, strings.Repeat("0", 64)+"  "+archive+".tar.gz\n")
			},
		},
		{
			name: "no sum", want: "checksums.txt does not name " + archive + ".tar.gz",
			spoil: func(t *testing.T, dir string) {
				writeSums(t, dir, strings.Repeat("0", 64)+"  another.tar.gz\n")
			},
		},
		{name: "no sums", want: "checksums.txt", spoil: func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "checksums.txt")); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "no archive", want: "cannot get ", spoil: func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, archive+".tar.gz")); err != nil {
				t.Fatal(err)
			}
		}},
		{
			name: "no address", want: "the address of Cupola's repository is not set",
			args: func(string) []string { return nil },
		},
		{
			name: "unknown argument", want: "unknown argument --form=",
			args: func(address string) []string { return []string{"--form=" + address} },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, address := release(t)
			args := []string{"--from=" + address}
			if test.args != nil {
				args = test.args(address)
			}
			if test.spoil != nil {
				test.spoil(t, dir)
			}
			h := home{t.TempDir(), script}
			said, err := h.run(t, "", args...)
			if err == nil || !strings.Contains(said, test.want) {
				t.Errorf("want a failure that says %q, got %v:\n%s", test.want, err, said)
			}
			if left := files(t, h.dir); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

// TestTheAddressIsThatOfTheRepository makes the install script that a release has, in a copy of .packaging.
func TestTheAddressIsThatOfTheRepository(t *testing.T) {
	t.Parallel()
	dir, address := release(t)
	for _, to := range []string{"releases/latest", "releases/download"} {
		if err := os.MkdirAll(filepath.Join(dir, to), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []string{"releases/latest/download", "releases/download/v1.2.3"} {
		if err := os.Symlink(dir, filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	copied, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	if err := os.CopyFS(copied, os.DirFS("../../.packaging")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(copied, "program")
	fake := "#!/bin/sh\n[ \"$1\" = man ] && echo '.TH' >\"$2/cupola.1\"\nexit 0\n"
	if err := shelltest.WriteProgram(program, []byte(fake)); err != nil {
		t.Fatal(err)
	}
	extras := func(address string) (said []byte, err error) {
		if err := os.WriteFile(filepath.Join(copied, "repository"), []byte(address+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(copied, "extras"), out, program, "--release")
		return cmd.CombinedOutput()
	}

	said, err := extras("unset")
	if err == nil || !strings.Contains(string(said), "does not have the repository's address") {
		t.Errorf("without an address: %v\n%s", err, said)
	}
	if said, err := extras(address); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, args := range [][]string{nil, {"--version=1.2.3"}, {"--version=v1.2.3"}} {
		h := home{t.TempDir(), filepath.Join(out, "install.sh")}
		if said, err := h.run(t, "", args...); err != nil {
			t.Errorf("install.sh %v: %v\n%s", args, err, said)
		}
		if diff := cmp.Diff(installed, files(t, filepath.Join(h.dir, ".local"))); diff != "" {
			t.Errorf("install.sh %v installed (-want +got):\n%s", args, diff)
		}
	}
}

// TestTheInstallScriptKnowsEveryShell checks the line for PATH of each shell.
func TestTheInstallScriptKnowsEveryShell(t *testing.T) {
	t.Parallel()
	for shell, want := range map[string]string{
		"/bin/bash": "~/.bash", "/usr/bin/zsh": "~/.zshrc", "/usr/bin/fish": "fish_add_path /opt/c/bin",
		"": "~/.profile",
	} {
		cmd := exec.CommandContext(t.Context(), "sh", script, "--path", "--prefix=/opt/c")
		cmd.Env = []string{"HOME=/h", "PATH=" + os.Getenv("PATH"), "SHELL=" + shell}
		if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), want) {
			t.Errorf("with SHELL=%s: %v, no %q in:\n%s", shell, err, want, said)
		}
	}
}
