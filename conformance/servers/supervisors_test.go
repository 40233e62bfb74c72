package servers

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
)

// quiet waits until no attempt came for so long: what restarts by itself never says that it has given up.
func quiet(ctx context.Context, for_ time.Duration) {
	rec := conformance.RecordOf(ctx)
	seen, since := 0, time.Now()
	for ctx.Err() == nil && time.Since(since) < for_ {
		if n := len(rec.Attempts()); n != seen {
			seen, since = n, time.Now()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A user's instance of systemd, in a mount namespace of its own, so that nothing of the machine is touched.
const systemd = `for h in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
	if [ -w $h/cgroup.procs ]; then mkdir -p $h/$0 && echo $$ > $h/$0/cgroup.procs; fi
done 2>/dev/null
mount -t tmpfs none /run && mkdir -p /run/systemd/system /run/user && chmod 700 /run/user &&
mkdir -p config/systemd/user && cp $1/*.service config/systemd/user/ &&
XDG_RUNTIME_DIR=/run/user XDG_CONFIG_HOME=$PWD/config exec /lib/systemd/systemd --user --unit=$2 --log-target=console`

// systemd starts a unit of a folder and waits until it has called the case's server once.
func (s *site) systemd(folder, unit string) {
	group := filepath.Base(s.dir)
	s.after = append(s.after, func() { removeCgroups(group) })
	s.start(nil, "unshare", "-m", "sh", "-c", systemd, group, folder, unit)
	s.first()
}

// first waits for the first attempt.
func (s *site) first() {
	for len(conformance.RecordOf(s.ctx).Attempts()) == 0 && s.ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
}

// removeCgroups removes the control groups that an instance made below its own.
func removeCgroups(name string) {
	for _, h := range []string{"/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		var dirs []string
		_ = filepath.WalkDir(filepath.Join(h, name), func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, p)
			}
			return nil
		})
		for i := len(dirs) - 1; i >= 0; i-- {
			_ = os.Remove(dirs[i])
		}
	}
}

func TestSystemd(t *testing.T) {
	t.Parallel()
	needs(t, "unshare", "/lib/systemd/systemd", "/usr/bin/curl")
	needsRoot(t)
	var cases []conformance.Case
	add := func(name, folder string, wait time.Duration) *conformance.Case {
		folder = "systemd/" + folder
		cases = append(cases, conformance.Case{Name: name, Repos: []string{folder}, Entry: "unit settle", Server: fails,
			Run: func(ctx context.Context, addr string) error {
				s := open(ctx, addr, folder)
				defer s.close()
				s.systemd(".", "settle.service")
				quiet(ctx, wait)
				return nil
			}})
		return &cases[len(cases)-1]
	}
	const starting = "starting a process takes time of its own, which no setting says."
	add("StartLimitBurst=3 in 1h, RestartSec=2", "burst", 3*time.Second).Time = starting
	add("nothing set but Restart=on-failure", "defaults", 1500*time.Millisecond).Time = starting
	c := add("RestartSec=2500ms, no limit set", "slow", 4*time.Second)
	c.Stop, c.Long = 7, true
	c = add("StartLimitIntervalSec=0", "no-limit", time.Second)
	c.Stop, c.Time = 12, starting
	c = add("Restart=always of a service that is no oneshot", "loop", time.Second)
	c.Layer, c.Time = "settle.service", starting
	add("StartLimitBurst=3 over curl --retry 1", "curl", 2*time.Second).Time = starting
	conformance.Group{Name: "systemd", Title: "systemd", Cases: cases}.Test(t)
}

func TestSupervisord(t *testing.T) {
	t.Parallel()
	needs(t, "supervisord", "curl")
	var cases []conformance.Case
	add := func(name, folder string, wait time.Duration) *conformance.Case {
		folder = "supervisord/" + folder
		cases = append(cases, conformance.Case{Name: name, Repos: []string{folder}, Layer: "supervisord.conf", Server: fails,
			Run: func(ctx context.Context, addr string) error {
				s := open(ctx, addr, folder)
				defer s.close()
				s.start(nil, "supervisord", "-c", s.path("supervisord.conf"))
				s.first()
				quiet(ctx, wait)
				return nil
			}})
		return &cases[len(cases)-1]
	}
	const ticks = "supervisord looks after its programs once a second, so that each wait may take a second more."
	add("startretries=1", "retries-1", 4*time.Second).Time = ticks
	add("startretries=0", "retries-0", 3*time.Second)
	task := func(name, folder string, wait time.Duration) *conformance.Case {
		c := add(name, folder, wait)
		c.Layer, c.Entry = "", "program settle"
		return c
	}
	task("autorestart=false, startretries=1", "task-1", 4*time.Second).Time = ticks
	c := task("autorestart=false, nothing else set", "task", 6*time.Second)
	c.Long, c.Time = true, ticks
	task("startretries=1 over curl --retry 1", "task-curl", 4*time.Second).Time = ticks
	conformance.Group{Name: "supervisord", Title: "supervisord", Cases: cases}.Test(t)
}
