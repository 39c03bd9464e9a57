package process

import (
	"strconv"
	"syscall"
)

// read returns a file of /proc/PID, in the buffer as far as it fits. It does
// without os.ReadFile, which hands every file to the runtime's poller: a status
// of 100 panes reads hundreds of them. The kernel fills a buffer of up to a page
// as far as the file goes: a read that leaves room in it was the last.
func read(pid int, name string, buffer []byte) ([]byte, error) {
	fd, err := open("/proc/" + strconv.Itoa(pid) + "/" + name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = syscall.Close(fd) }()
	text := buffer[:0]
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return nil, err
		case n == 0:
			return text, nil
		default:
			if text = text[:len(text)+n]; len(text) < cap(text) && cap(text) == cap(buffer) {
				return text, nil
			}
		}
	}
}

func open(path string) (fd int, err error) {
	for {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}
