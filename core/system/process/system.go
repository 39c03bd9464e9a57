package process

import (
	"bytes"
	"os"
	"strconv"
)

// Load returns how many processes of the whole system wanted to run in the last minute, on average; below 0 where the
// system does not say it in /proc.
func Load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return -1
	}
	word, _, _ := bytes.Cut(text, []byte(" "))
	load, err := strconv.ParseFloat(string(word), 64)
	if err != nil {
		return -1
	}
	return load
}

// FreeMemory returns how much memory programs can still get, in bytes; 0 where the system does not say it in /proc.
func FreeMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte("MemAvailable:"))
	word, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	kilobytes, err := strconv.ParseUint(string(word), 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}
