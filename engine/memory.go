package engine

import (
	"fmt"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// unknownMemory is the free memory of a machine that does not tell.
const unknownMemory = math.MaxInt64

// freeMemory is how many bytes this process may still take: what the machine has
// available, and what the control groups around the process and its own limit leave.
func freeMemory() int64 {
	free := int64(unknownMemory)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if kib, ok := field(string(text), "MemAvailable:"); ok {
			free = kib << 10
		}
	}
	if text, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		free = min(free, groupsLeave("/sys/fs/cgroup", string(text)))
	}
	limits, err := os.ReadFile("/proc/self/limits")
	status, err2 := os.ReadFile("/proc/self/status")
	if err == nil && err2 == nil {
		free = min(free, limitLeaves(string(limits), string(status)))
	}
	return free
}

// limitLeaves is what a limit of address space (ulimit -v) leaves of it, by the texts of
// a process's /proc/PID/limits and /proc/PID/status.
func limitLeaves(limits, status string) int64 {
	for line := range strings.Lines(limits) {
		rest, ok := strings.CutPrefix(line, "Max address space")
		if words := strings.Fields(rest); ok && len(words) > 0 {
			most, err := strconv.ParseInt(words[0], 10, 64) // or "unlimited"
			if kib, known := field(status, "VmSize:"); err == nil && known {
				return max(0, most-kib<<10)
			}
		}
	}
	return unknownMemory
}

// groupsLeave is what the limits of a process's control groups leave of them, by
// the text of its /proc/PID/cgroup.
func groupsLeave(root, groups string) int64 {
	free := int64(unknownMemory)
	for line := range strings.Lines(groups) {
		_, controllers, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(controllers, ":")
		folder, limit, usage, cache := root, "memory.max", "memory.current", "inactive_file"
		if controllers == "memory" {
			folder, limit, usage, cache = path.Join(root, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		} else if controllers != "" {
			continue
		}
		for ; ; group = path.Dir(group) {
			at := path.Join(folder, group)
			most, limited := number(path.Join(at, limit))
			used, known := number(path.Join(at, usage))
			if limited && known {
				stat, _ := os.ReadFile(path.Join(at, "memory.stat"))
				again, _ := field(string(stat), cache)
				free = min(free, max(0, most-used+again))
			}
			if group == "/" || group == "." || group == "" {
				break
			}
		}
	}
	return free
}

// number reads a file that holds one number; "max" is none.
func number(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// field finds the number after a name at the beginning of a line.
func field(text, name string) (int64, bool) {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// room is what the size of a pool depends on.
type room struct {
	free      int64 // bytes
	weights   int64 // bytes that the weights take of them
	cellBytes int64
	context   int // the most tokens of one conversation
	cells     int // as configured, 0 to choose
}

// mostUseful is how many cells are enough for anybody's chats, where one
// conversation may not be longer than that by itself.
const mostUseful = 65536

// choose is the number of cells of the pool: as configured where that fits, else
// enough for several full conversations as far as memory goes. A sixteenth of
// the free memory is left alone, for what a step needs.
func (r room) choose() (int, error) {
	left := math.MaxInt
	if r.free != unknownMemory {
		left = int(max(0, (r.free-r.free/16-r.weights)/max(r.cellBytes, 1)))
	}
	if r.cells > 0 {
		if r.cells > left {
			return 0, r.tooLarge(r.cells, left)
		}
		return r.cells, nil
	}
	want := max(r.context, min(8*r.context, mostUseful))
	if r.free != unknownMemory {
		want = min(want, left*3/4)
	}
	if least := min(r.context, 512); want < least {
		return 0, r.tooLarge(least, left)
	}
	return want, nil
}

func (r room) tooLarge(cells, left int) error {
	cure := fmt.Sprintf("lower engine.cells to %d", left)
	if left < 64 {
		cure = "choose a smaller model or a stronger quantisation, or close other programs"
	}
	return fmt.Errorf("engine: needs %s for weights and cells, %s free: %s",
		gib(r.weights+int64(cells)*r.cellBytes), gib(r.free), cure)
}

// gib prints bytes for people.
func gib(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
