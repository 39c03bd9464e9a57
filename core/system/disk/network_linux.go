package disk

import "syscall"

// networks are the network file systems by the number that the kernel gives each.
var networks = map[uint32]string{
	0x6969: "nfs", 0x517B: "smb", 0xFF534D42: "cifs", 0xFE534D42: "smb2", 0x5346414F: "afs", 0x00C36400: "ceph",
	0x0BD00BD0: "lustre", 0x47504653: "gpfs", 0x73757245: "coda",
}

func network(stat *syscall.Statfs_t) string {
	return networks[uint32(stat.Type)] //nolint:gosec // these numbers have 32 bits
}
