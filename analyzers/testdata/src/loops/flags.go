package loops

import (
	"context"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/spf13/cobra"
	"github.com/urfave/cli/v2"
)

// attempt and pause come from the flags of each library below.
func (o flagged) attempt(ctx context.Context, r remote) (err error) {
	for i := 0; i < o.cobra; i++ { // want layer "attempts=3 attempts<-flag:cobra-tries initial=3s initial<-flag:cobra-wait"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
		time.Sleep(o.cobraWait)
	}
	for i := 0; i < o.kingpin; i++ { // want layer "attempts=4 attempts<-flag:kingpin-tries initial=4s initial<-env:KINGPIN_WAIT"
		if err = r.Do(ctx, "y"); err == nil {
			return nil
		}
		time.Sleep(*o.kingpinWait)
	}
	for i := 0; i < o.cli; i++ { // want layer "attempts=5 attempts<-flag:cli-tries initial=5s initial<-env:CLI_WAIT"
		if err = r.Do(ctx, "z"); err == nil {
			return nil
		}
		time.Sleep(o.cliWait)
	}
	return err
}

type flagged struct {
	cobra, kingpin, cli int
	cobraWait, cliWait  time.Duration
	kingpinWait         *time.Duration
}

func newFlagged(cmd *cobra.Command, app *kingpin.Application) *flagged {
	o := &flagged{}
	fs := cmd.PersistentFlags()
	cmd.Flags().IntVar(&o.cobra, "cobra-tries", 3, "how often")
	fs.DurationVarP(&o.cobraWait, "cobra-wait", "w", 3*time.Second, "how long")
	app.Flag("kingpin-tries", "how often").Default("4").IntVar(&o.kingpin)
	o.kingpinWait = app.Flag("kingpin-wait", "how long").Envar("KINGPIN_WAIT").Default("4s").Duration()
	return o
}

func cliFlags(o *flagged) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "cli-tries", Value: 5, Destination: &o.cli},
		&cli.DurationFlag{Name: "cli-wait", Value: 5 * time.Second, EnvVars: []string{"CLI_WAIT"}},
	}
}

func cliAction(c *cli.Context) *flagged { return &flagged{cliWait: c.Duration("cli-wait")} }
