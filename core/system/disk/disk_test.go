package disk_test

import (
	"path/filepath"
	"testing"

	"cupola/core/system/disk"
)

func TestSpaceIsThatOfTheNearestFolder(t *testing.T) {
	here, err := disk.Of(t.TempDir())
	if err != nil || here.Total == 0 || here.Free > here.Total {
		t.Fatalf("got %+v, %v", here, err)
	}
	if missing, err := disk.Of(filepath.Join(t.TempDir(), "not", "yet")); err != nil || missing.Total != here.Total {
		t.Errorf("got %+v, %v; want the space of the folder above", missing, err)
	}
}

func TestPercentIsRoundedDown(t *testing.T) {
	for space, want := range map[disk.Space]int{
		{}: 100, {Free: 1, Total: 3}: 33, {Free: 0, Total: 9}: 0,
		{Free: 9, Total: 9}: 100,
	} {
		if got := space.Percent(); got != want {
			t.Errorf("%+v: %d", space, got)
		}
	}
}
