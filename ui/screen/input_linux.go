package screen

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

// waiting reads a file for which Go's poller waits, through an epoll of its own, since
// the file is shared with other programs and must stay one that blocks. A thread that
// waits in a system call would keep one of the scheduler's processors: where there are
// two, what was typed waits for the scheduler to take one back, 20 ms at most.
type waiting struct {
	fd    int
	epoll *os.File // ready when the file is
	conn  syscall.RawConn
}

// newInput makes a reader that Cancel can interrupt.
func newInput(in io.Reader) (input, error) {
	if f, ok := in.(term.File); ok {
		return waitFor(int(f.Fd()))
	}
	return uv.NewCancelReader(in)
}

// waitFor fails where a file cannot be waited for, such as one on a disk.
func waitFor(fd int) (input, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	err = errors.Join(syscall.SetNonblock(epoll, true), // which tells Go to poll it
		syscall.EpollCtl(epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN}))
	w := &waiting{fd: fd, epoll: os.NewFile(uintptr(epoll), "what is typed")}
	if err == nil {
		w.conn, err = w.epoll.SyscallConn()
	}
	if err != nil {
		return nil, errors.Join(err, w.epoll.Close())
	}
	return w, nil
}

func (w *waiting) Read(b []byte) (n int, err error) {
	waited := w.conn.Read(func(epoll uintptr) bool {
		n, err = w.readNow(int(epoll), b)
		return err != syscall.EAGAIN
	})
	switch {
	case waited != nil:
		return 0, waited
	case err == nil && n == 0:
		return 0, io.EOF
	}
	return max(n, 0), err
}

// readNow does not wait: EAGAIN says that there is nothing yet.
func (w *waiting) readNow(epoll int, b []byte) (int, error) {
	var events [1]syscall.EpollEvent
	for {
		n, err := syscall.EpollWait(epoll, events[:], 0)
		if err == nil && n == 0 {
			return 0, syscall.EAGAIN
		}
		if err == nil {
			n, err = syscall.Read(w.fd, b)
		}
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// Cancel ends a Read that waits, and all later ones.
func (w *waiting) Cancel() bool { return w.epoll.SetReadDeadline(time.Unix(1, 0)) == nil }

func (w *waiting) Close() error { return w.epoll.Close() }
