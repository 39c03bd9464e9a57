package disk

import (
	"syscall"
	"testing"
)

func TestANetworkFileSystemIsKnownByItsNumber(t *testing.T) {
	for kind, want := range map[int64]string{0x6969: "nfs", 0xFF534D42: "cifs", 0xEF53: "", 0x01021994: ""} {
		stat := syscall.Statfs_t{}
		stat.Type = kind
		if got := network(&stat); got != want {
			t.Errorf("%x is %q, not %q", kind, got, want)
		}
	}
	if got := Network(t.TempDir() + "/not/yet"); got != "" {
		t.Errorf("the temporary folder is on %s", got)
	}
}
