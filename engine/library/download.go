package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"time"
)

// download is one file on its way. Bytes are appended to PATH.part, which is
// renamed when they are all there and their SHA-256 is right.
type download struct {
	hub     *Hub
	repo    string
	file    RemoteFile
	root    *os.Root
	address string
	report  func(have int64, checking bool)

	out  *os.File
	sum  hash.Hash // of the first have bytes
	have int64
}

// cut is an end that another try may mend.
type cut struct{ error }

func (c cut) Unwrap() error { return c.error }

func (d *download) run(ctx context.Context) (err error) {
	if done, err := d.present(ctx); done || err != nil {
		return err
	}
	if dir := path.Dir(d.file.Path); dir != "." {
		if err := d.root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if d.out, err = d.root.OpenFile(d.file.Path+unfinished, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	defer d.out.Close()
	if !lock(d.out) {
		return errors.New("another confab is fetching it")
	}
	resumed, err := d.resume(ctx)
	if err != nil {
		return err
	}
	if err := d.fill(ctx); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		if !resumed {
			return errors.Join(err, d.root.Remove(d.file.Path+unfinished))
		}
		// The first bytes were of another version, or the disk's: once more.
		if err := d.restart(); err != nil {
			return err
		}
		if err := d.fill(ctx); err != nil {
			return err
		}
		if err := d.check(); err != nil {
			return errors.Join(err, d.root.Remove(d.file.Path+unfinished))
		}
	}
	return d.finish()
}

// present tells whether the file is there and right. One of another size or
// content is replaced when the new one is complete.
func (d *download) present(ctx context.Context) (bool, error) {
	f, err := d.root.Open(d.file.Path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() != d.file.Bytes || d.file.SHA256 == "" {
		return false, err
	}
	d.sum = sha256.New()
	if err := d.digest(ctx, f); err != nil {
		return false, err
	}
	return d.check() == nil, nil
}

// resume takes up what an earlier call left.
func (d *download) resume(ctx context.Context) (bool, error) {
	st, err := d.out.Stat()
	if err != nil {
		return false, err
	}
	d.sum, d.have = sha256.New(), 0
	if st.Size() == 0 || st.Size() > d.file.Bytes {
		return false, d.restart()
	}
	return true, d.digest(ctx, d.out)
}

// digest reads a file from its beginning into the sum.
func (d *download) digest(ctx context.Context, f *os.File) error {
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		d.sum.Write(buf[:n])
		d.have += int64(n)
		d.report(d.have, true)
		if err == io.EOF {
			return nil
		} else if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

func (d *download) restart() error {
	d.sum, d.have = sha256.New(), 0
	if err := d.out.Truncate(0); err != nil {
		return err
	}
	_, err := d.out.Seek(0, io.SeekStart)
	return err
}

// maxTries is how often in a row a connection may bring nothing.
const maxTries = 5

// fill asks until the file is full, going on where a connection was cut.
func (d *download) fill(ctx context.Context) error {
	for try := 1; d.have < d.file.Bytes; try++ {
		before := d.have
		err := d.once(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("stopped at %s of %s, which stay on the disk: %w", Size(d.have), Size(d.file.Bytes), ctx.Err())
		}
		if err == nil {
			continue
		}
		if _, again := errors.AsType[cut](err); !again {
			return err
		}
		if d.have > before {
			try = 0
		} else if try >= maxTries {
			return fmt.Errorf("given up after %d tries at %s of %s, which stay on the disk: %w", try, Size(d.have), Size(d.file.Bytes), err)
		}
		select {
		case <-time.After(d.hub.pause << max(0, try-1)):
		case <-ctx.Done():
		}
	}
	return nil
}

func (d *download) check() error {
	if d.file.SHA256 == "" {
		return errors.New("the hub names no SHA-256 for it, so nothing says that it is whole")
	}
	if got := hex.EncodeToString(d.sum.Sum(nil)); got != d.file.SHA256 {
		return fmt.Errorf("its SHA-256 is %s…, the hub names %s…: the bytes were changed on the way and are thrown away", got[:12], d.file.SHA256[:12])
	}
	return nil
}

func (d *download) finish() error {
	if err := d.out.Sync(); err != nil {
		return d.full(err)
	}
	return d.root.Rename(d.file.Path+unfinished, d.file.Path)
}
