package cpu

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// cores counts the processor cores that the process may use: two threads of one core add
// nothing to arithmetic that keeps it busy.
func cores() int {
	n := runtime.GOMAXPROCS(0)
	var allowed unix.CPUSet
	if unix.SchedGetaffinity(0, &allowed) != nil {
		return n
	}
	siblings := map[string]bool{}
	for cpu := range len(allowed) * 64 {
		if !allowed.IsSet(cpu) {
			continue
		}
		list, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
		if err != nil {
			return n
		}
		siblings[string(list)] = true
	}
	return min(n, len(siblings))
}
