package main

import (
	"bytes"
	"os/exec"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// natsServer is a server in this process that keeps its streams in files.
func natsServer(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	require.True(t, s.ReadyForConnections(20*time.Second))
	return s.ClientURL()
}

func letters(t *testing.T, address string) (out []*nats.Msg) {
	t.Helper()
	conn, err := nats.Connect(address)
	require.NoError(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), "RETRYLINT_scan_DEAD")
	require.NoError(t, err)
	info, err := stream.Info(t.Context())
	require.NoError(t, err)
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq && seq > 0; seq++ {
		m, err := stream.GetMsg(t.Context(), seq)
		require.NoError(t, err)
		out = append(out, &nats.Msg{Header: m.Header, Data: m.Data})
	}
	return out
}

// TestQueue has three worker processes. The one with the slow repository is killed, another one gets it; the poisoned one
// becomes a dead letter; enqueue runs twice.
func TestQueue(t *testing.T) {
	f := newFleet(t)
	address, facts := natsServer(t), f.path("facts")
	flags := []string{"--queue", address, "--facts", facts, "--ack-wait", "3s", "--attempts", "2"}
	enqueue := append([]string{"enqueue", "--manifest", f.manifest}, flags...)
	f.run(t, 0, nil, enqueue...)
	f.run(t, 0, nil, enqueue...)

	worker := append([]string{"worker", "--cache", "off", "--idle", "1s", "--jobs", "1"}, flags...)
	procs := map[*exec.Cmd]*bytes.Buffer{}
	spawn := func() *exec.Cmd {
		cmd, log := f.process(t.Context(), t, nil, worker...)
		require.NoError(t, cmd.Start())
		procs[cmd] = log
		return cmd
	}
	first := spawn()
	select {
	case <-f.held:
	case <-time.After(time.Minute):
		t.Fatal("nobody asks for the slow repository")
	}
	// The signs of life keep it with its worker for longer than the ack wait; the others do the rest.
	second, third := spawn(), spawn()
	time.Sleep(4 * time.Second)
	require.Empty(t, f.held, "the repository was handed out twice although its worker lives")
	require.NoError(t, first.Process.Kill())
	_ = first.Wait()
	close(f.hold)
	for _, p := range []*exec.Cmd{second, third} {
		_ = p.Wait()
		require.Zero(t, p.ProcessState.ExitCode(), procs[p].String())
	}
	report, stderr := f.reduce(t, 3, facts)
	require.Contains(t, stderr, "poisoned (open)")
	require.Equal(t, f.single(t), report)

	dead := letters(t, address)
	require.Len(t, dead, 1)
	require.Contains(t, string(dead[0].Data), `"poisoned"`)
	require.NotEmpty(t, dead[0].Header.Get("Retrylint-Reason"))
	for _, log := range procs {
		require.NotContains(t, log.String(), "panic")
	}
}

// TestRepositoryThatKillsItsWorkers is handed out no more often than it should, and is named in the end.
func TestRepositoryThatKillsItsWorkers(t *testing.T) {
	f := newFleet(t)
	address, facts := natsServer(t), f.path("facts")
	flags := []string{"--queue", address, "--facts", facts, "--ack-wait", "1s", "--attempts", "1"}
	f.run(t, 0, nil, append([]string{"enqueue", f.URL + "/slow/.git"}, flags...)...)
	worker := append([]string{"worker", "--cache", "off", "--idle", "2s"}, flags...)
	cmd, _ := f.process(t.Context(), t, nil, worker...)
	require.NoError(t, cmd.Start())
	<-f.held
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	log := f.run(t, 0, nil, worker...)
	require.Contains(t, log, "dead letter: slow: given up after 1 attempts")
	_, stderr := f.reduce(t, 3, facts)
	require.Contains(t, stderr, "its workers died or fell silent")
	require.Len(t, letters(t, address), 1)
}

func TestQueueAddresses(t *testing.T) {
	f := &fleet{dir: t.TempDir()}
	for _, address := range []string{"http://x", "nats://user:secret@127.0.0.1:1", "x", "nats://127.0.0.1:1"} {
		stderr := f.run(t, 2, nil, "worker", "--queue", address, "--facts", t.TempDir())
		require.NotContains(t, stderr, "secret")
		require.Contains(t, stderr, "queue")
	}
}
