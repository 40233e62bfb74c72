package servers

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/retrylint/retrylint/conformance"
)

// variant copies folders of this package with edits "file", "old", "new"; the old text "" makes a new file.
func variant(t *testing.T, folders []string, edits ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var out []string
	for _, f := range folders {
		to := filepath.Join(dir, filepath.Base(f))
		if err := os.CopyFS(to, os.DirFS(filepath.Join(here(), f))); err != nil {
			t.Fatal(err)
		}
		out = append(out, to)
	}
	for i := 0; i+2 < len(edits); i += 3 {
		file := filepath.Join(dir, edits[i])
		b, err := os.ReadFile(file)
		if edits[i+1] == "" {
			err = nil
		} else if !strings.Contains(string(b), edits[i+1]) {
			t.Fatalf("%s has no %q", edits[i], edits[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
		text := edits[i+2]
		if edits[i+1] != "" {
			text = strings.Replace(string(b), edits[i+1], edits[i+2], 1)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// scene is a ledger before a bank, and a road to the ledger on which answers are lost.
type scene struct {
	*site
	ledgers []string // addresses of the ledger's processes; requests go round
	credits atomic.Int32
	asked   atomic.Int32
	slow    time.Duration // how long the bank takes
	down    int32         // so many requests the bank refuses
	bank    *httptest.Server
	road    *httptest.Server
	arrives bool // answers are not lost
}

// play opens the folders and makes road and bank; ledger.pay.svc is the road.
func play(ctx context.Context, folders []string) *scene {
	x := &scene{}
	x.bank = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(x.slow)
		if x.asked.Add(1) <= x.down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		x.credits.Add(1)
	}))
	var turn atomic.Int32
	x.road = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := x.ledgers[int(turn.Add(1)-1)%len(x.ledgers)]
		req, err := http.NewRequest(r.Method, "http://"+to+r.URL.Path, r.Body)
		must(err)
		req.Header = r.Header.Clone()
		resp, err := http.DefaultClient.Do(req)
		if err != nil || !x.arrives {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	x.site = open(ctx, x.road.URL, folders...)
	x.after = append(x.after, x.road.Close, x.bank.Close)
	return x
}

// ledger starts so many processes of the ledger.
func (x *scene) ledger(processes int, env ...string) {
	bin := x.build("ledger", ".")
	for range processes {
		listen := free()
		p := x.start(append(env, "LISTEN="+listen, "BANK_URL="+x.bank.URL), bin)
		p.await(listen, 20*time.Second)
		x.ledgers = append(x.ledgers, listen)
	}
}

// redis starts a Redis that forgets everything when it ends.
func (s *site) redis() string {
	addr := free()
	_, port, _ := strings.Cut(addr, ":")
	s.serve(addr, "redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", s.dir)
	return addr
}

// postgres starts a PostgreSQL on a socket of the loopback interface, as a user that it accepts.
func (s *site) postgres() string {
	bin := postgresBin()
	data := s.path("data")
	as := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		as.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		must(os.Mkdir(data, 0o700))
		must(os.Chown(data, 65534, 65534))
	}
	run := func(argv ...string) *exec.Cmd {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.SysProcAttr, cmd.Env = "/", as, append(os.Environ(), "LC_ALL=C", "HOME=/")
		return cmd
	}
	if out, err := run(filepath.Join(bin, "initdb"), "-D", data, "-U", "ledger", "-A", "trust", "--no-sync").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("initdb: %v\n%s", err, out))
	}
	addr := free()
	_, port, _ := strings.Cut(addr, ":")
	p := &process{cmd: run(filepath.Join(bin, "postgres"), "-D", data, "-h", "127.0.0.1", "-p", port, "-k", "", "-F"), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	s.launch(p)
	p.await(addr, 30*time.Second)
	return "postgres://ledger@" + addr + "/postgres?sslmode=disable"
}

// postgresBin is the folder of PostgreSQL's programs, "" where it is not installed.
func postgresBin() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// times puts a number of effects into words.
func times(n int32, what string) (string, bool) {
	switch n {
	case 0:
		return what + " never", true
	case 1:
		return what + " once", false
	}
	return fmt.Sprintf("%s %d times", what, n), true
}

func TestClaims(t *testing.T) {
	t.Parallel()
	needs(t, "curl", "redis-server", "unshare", "/lib/systemd/systemd")
	needsRoot(t)
	if conformance.Long() && postgresBin() == "" {
		t.Skip("PostgreSQL is not installed")
	}
	const credited = "the account was credited"
	var claims []conformance.Claim
	long := false
	add := func(name, rule string, found bool, folders []string, run func(x *scene) (string, bool)) {
		claims = append(claims, conformance.Claim{Name: name, Repos: folders, Rule: rule, Found: found, Long: long, Run: func(ctx context.Context) (string, bool) {
			x := play(ctx, folders)
			defer x.close()
			return run(x)
		}})
	}
	tick := func(x *scene, batch string) {
		x.run("sh", "-c", "BATCH="+batch+"; export BATCH; "+x.command("cron/nightly.crontab"))
	}
	night := func(processes int) func(x *scene) (string, bool) {
		return func(x *scene) (string, bool) {
			x.ledger(processes, "REDIS_ADDR="+x.redis())
			tick(x, "b1")
			return times(x.credits.Load(), credited)
		}
	}
	cron, redis := []string{"claims/cron", "claims/redis/ledger"}, "ledger/main.go"
	add("keys kept in Redis for 30 days, every answer lost", "window-too-short", false, variant(t, cron), night(2))
	add("keys kept in Redis for 700 ms, every answer lost", "window-too-short", true, variant(t, cron, redis, "720 * time.Hour", "700 * time.Millisecond"), night(2))

	both := func(x *scene) (string, bool) {
		x.ledger(1, "REDIS_ADDR="+x.redis())
		x.slow, x.arrives = 300*time.Millisecond, true
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() { x.run("sh", "-c", "BATCH=b1; export BATCH; "+x.command("cron/nightly.crontab")) })
		}
		wait.Wait()
		return times(x.credits.Load(), credited)
	}
	add("the key is claimed before the effect, a repeat comes meanwhile", "record-after-effect", false, variant(t, cron), both)
	add("the key is recorded after the effect, a repeat comes meanwhile", "record-after-effect", true, variant(t, []string{"claims/cron", "claims/redis-late/ledger"}), both)

	job := []string{"claims/job/settle", "claims/redis/ledger"}
	run := func(x *scene) (string, bool) {
		x.ledger(1, "REDIS_ADDR="+x.redis())
		x.run("env", "LEDGER_URL="+x.road.URL, "BATCH=b1", x.build("settle", "."))
		return times(x.credits.Load(), credited)
	}
	add("the key is made before the loop", "key-per-attempt", false, variant(t, job), run)
	add("the key is made in the loop", "key-per-attempt", true, variant(t, job, "settle/main.go", `Set("Idempotency-Key", key)`, `Set("Idempotency-Key", uuid.NewString())`,
		"settle/main.go", "	key := uuid.NewString()\n", ""), run)

	two := func(x *scene) (string, bool) {
		x.ledger(1, "REDIS_ADDR="+x.redis())
		x.arrives = true
		tick(x, "b1")
		tick(x, "b2")
		n := x.credits.Load()
		return fmt.Sprintf("of two batches %d were credited", n), n != 2
	}
	add("two batches, the key names the batch", "constant-key", false, variant(t, cron), two)
	add("two batches, one key", "constant-key", true, variant(t, cron, "cron/nightly.crontab", "settle-$BATCH", "settle"), two)

	long = true
	memory := []string{"claims/cron", "claims/memory/ledger"}
	add("keys in the memory of one process", "volatile-store", false, variant(t, memory, "ledger/deploy.yaml", "replicas: 2", "replicas: 1"), func(x *scene) (string, bool) {
		x.ledger(1)
		tick(x, "b1")
		return times(x.credits.Load(), credited)
	})
	add("keys in the memory of each of two processes", "volatile-store", true, variant(t, memory), func(x *scene) (string, bool) {
		x.ledger(2)
		tick(x, "b1")
		return times(x.credits.Load(), credited)
	})

	unit := []string{"claims/job/settle", "claims/job/unit", "claims/redis/ledger"}
	units := func(x *scene) (string, bool) {
		x.ledger(1, "REDIS_ADDR="+x.redis())
		x.rewrite("unit/settle.service", "/usr/local/bin/settle", x.build("settle", "."))
		group := filepath.Base(x.dir)
		x.after = append(x.after, func() { removeCgroups(group) })
		x.start(nil, "unshare", "-m", "sh", "-c", systemd, group, "unit", "settle.service")
		time.Sleep(4 * time.Second)
		return times(x.credits.Load(), credited)
	}
	add("a unit that runs three times, the key is made in each run", "key-per-delivery", true, variant(t, unit), units)
	add("a unit that runs three times, the key is the batch", "key-per-delivery", false, variant(t, unit, "settle/main.go", "uuid.NewString()", `"settle-" + batch`,
		"settle/main.go", "\n\t\"github.com/google/uuid\"\n", ""), units)

	recovers := func(x *scene) (string, bool) {
		x.ledger(1, "REDIS_ADDR="+x.redis())
		x.arrives, x.down = true, 1
		tick(x, "b1")
		return times(x.credits.Load(), credited)
	}
	replay := []string{"claims/cron", "claims/replay/ledger"}
	add("the first answer is stored whatever it is, the bank recovers", "failure-stored", true, variant(t, replay), recovers)
	add("the first good answer is stored, the bank recovers", "failure-stored", false, variant(t, replay, redis, "		l.keys.Set(r.Context()", "		if t.code >= 500 {\n			return\n		}\n		l.keys.Set(r.Context()"), recovers)

	ledger := []string{"claims/cron", "claims/postgres/ledger"}
	pq := func(x *scene) (string, bool) {
		url := x.postgres()
		db, err := sql.Open("postgres", url)
		must(err)
		defer db.Close()
		for end := time.Now().Add(20 * time.Second); db.Ping() != nil && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		}
		_, err = db.Exec(x.read("ledger/schema.sql"))
		must(err)
		stop := make(chan struct{})
		defer close(stop)
		if _, err := os.Stat(x.path("ledger/purge.sql")); err == nil {
			_, err = db.Exec(x.read("ledger/purge.sql"))
			must(err)
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(100 * time.Millisecond):
						_, _ = db.Exec("SELECT purge()")
					}
				}
			}()
		}
		x.ledger(2, "DATABASE_URL="+url)
		tick(x, "b1")
		var n int32
		must(db.QueryRow("SELECT credits FROM accounts").Scan(&n))
		return times(n, credited)
	}
	const once = "--retry 1 --retry-delay 2"
	add("a unique key in PostgreSQL, written with the effect", "window-too-short", false, variant(t, ledger, "cron/nightly.crontab", "--retry 2 --retry-delay 1", once), pq)
	add("a unique key in PostgreSQL that is purged after a second", "window-too-short", true, variant(t, ledger, "cron/nightly.crontab", "--retry 2 --retry-delay 1", once,
		"ledger/purge.sql", "", `-- Run by the database's scheduler.
CREATE FUNCTION purge() RETURNS void LANGUAGE sql AS $$
  DELETE FROM entries WHERE at < now() - interval '1 second'
$$;
`), pq)

	stream := []string{"claims/nats/publish", "claims/nats/streams"}
	publish := func(ctx context.Context, folders []string) (string, bool) {
		s := openAs(ctx, func(string) string { return "" }, folders...)
		defer s.close()
		nc, stop := natsServer(s.dir)
		defer stop()
		natsAPI(nc, "STREAM.CREATE.SETTLED", s.read("streams/stream.json"))
		// What the publisher sends is stored, and the acknowledgement is lost on the way.
		p := lossy(nc.ConnectedAddr())
		defer p.Close()
		s.run("env", "NATS_URL=nats://"+p.Addr().String(), "BATCH=b1", s.build("publish", "."))
		js, err := nc.JetStream()
		must(err)
		info, err := js.StreamInfo("SETTLED")
		must(err)
		return times(int32(info.State.Msgs), "the message was stored")
	}
	for _, window := range []string{"30 days", "200 ms"} {
		folders, found := variant(t, stream), window == "200 ms"
		if !found {
			folders = variant(t, stream, "streams/stream.json", "200000000", "2592000000000000")
		}
		claims = append(claims, conformance.Claim{Name: "JetStream remembers message ids for " + window + ", acknowledgements are lost", Repos: folders, Rule: "window-too-short", Found: found, Long: true,
			Run: func(ctx context.Context) (string, bool) { return publish(ctx, folders) }})
	}
	conformance.Claims{Name: "claims", Title: "Keys and dedupe memories", Text: "One intent is played through real processes and stores, with answers lost on the way, and its effects are counted. " +
		"Pairs differ in the one thing that the rule is about.", Claims: claims}.Test(t)
}

// natsServer starts an embedded server with JetStream.
func natsServer(dir string) (nc *nats.Conn, stop func()) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: filepath.Join(dir, "jetstream"), NoLog: true, NoSigs: true})
	must(err)
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		panic("the NATS server does not start")
	}
	nc, err = nats.Connect(s.ClientURL())
	must(err)
	return nc, func() { nc.Close(); s.Shutdown(); s.WaitForShutdown() }
}

// natsAPI asks JetStream for something in its own JSON.
func natsAPI(nc *nats.Conn, what, body string) {
	m, err := nc.Request("$JS.API."+what, []byte(body), 5*time.Second)
	must(err)
	if strings.Contains(string(m.Data), `"error"`) {
		panic(fmt.Sprintf("%s: %s", what, m.Data))
	}
}
