package socket_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"cupola/core/system/private"
	"cupola/core/system/private/socket"
)

const testTimeout = 20 * time.Second

// TestMain is also a program that listens on a socket as another user, and prints what it is sent.
func TestMain(m *testing.M) {
	if path := os.Getenv("LISTEN_ON"); path != "" {
		listenOn(path)
		return
	}
	os.Exit(m.Run())
}

func listenOn(path string) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	_ = os.Chmod(path, 0o777)
	_, _ = os.Stdout.WriteString("listens\n")
	conn, err := listener.Accept()
	if err != nil {
		panic(err)
	}
	_ = conn.SetDeadline(time.Now().Add(testTimeout))
	sent := make([]byte, 100)
	n, _ := conn.Read(sent)
	_, _ = os.Stdout.Write(sent[:n])
}

// foreign is a socket of another user in a folder, and what reads that user's output.
func foreign(t *testing.T, folder string) (path string, printed *os.File) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	path = filepath.Join(folder, "s")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	// The program of the test lies in a folder of root's.
	program := filepath.Join(folder, "program")
	if err := exec.CommandContext(t.Context(), "cp", os.Args[0], program).Run(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Stdout, cmd.Dir = []string{"LISTEN_ON=" + path}, in, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	_ = out.SetReadDeadline(time.Now().Add(testTimeout))
	if _, err := out.Read(make([]byte, len("listens\n"))); err != nil {
		t.Fatal(err)
	}
	return path, out
}

// open is a folder of this user's into which all may write.
func open(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "socket") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestNothingIsSaidToAnotherUser(t *testing.T) {
	path, printed := foreign(t, open(t))
	if conn, err := socket.Dial(t.Context(), path, time.Second); !errors.Is(err, private.ErrForeign) {
		t.Fatalf("%v, %v", conn, err)
	}
	_ = printed.SetReadDeadline(time.Now().Add(testTimeout))
	if n, _ := printed.Read(make([]byte, 100)); n > 0 {
		t.Error("it was told something")
	}
}

func TestAnotherUserIsNotTakenForAServer(t *testing.T) {
	if path, _ := foreign(t, open(t)); socket.Listens(path) {
		t.Error("another user listens, and is taken")
	}
}

func TestAFolderThatIsALinkIsNotUsed(t *testing.T) {
	folder := open(t)
	listener, err := net.Listen("unix", filepath.Join(folder, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := socket.Dial(t.Context(), filepath.Join(folder, "s"), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	link := folder + "-link"
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(link)
	if _, err := socket.Dial(t.Context(), filepath.Join(link, "s"), time.Second); !errors.Is(err, private.ErrForeign) {
		t.Errorf("behind a link: %v", err)
	}
	if !socket.Listens(filepath.Join(folder, "s")) {
		t.Error("it listens")
	}
}
