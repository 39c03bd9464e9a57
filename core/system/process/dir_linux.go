package process

import (
	"os"
	"strconv"
)

// Dir returns the working directory of a process.
func Dir(pid int) (string, error) { return os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd") }
