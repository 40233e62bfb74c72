package extract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// A route to the gateway itself, to a function or to nothing has no host behind it.
func TestSpringGatewayForwardsToNoHost(t *testing.T) {
	f := doc.Parse("application.yml", []byte(`spring.cloud.gateway.routes:
  - {id: a, uri: "forward:/orders"}
  - {id: b, uri: "no://op"}
  - {id: c, uri: "lb://orders"}
`), doc.Limits{})
	facts := &model.Facts{}
	for _, format := range All() {
		if format.Name == "spring-cloud-gateway" {
			require.True(t, format.Match("application.yml", f.Docs[0]))
			format.Read(f.Docs[0], &Out{Repo: "shop", Path: "application.yml", Facts: facts})
		}
	}
	require.Len(t, facts.Routes, 3)
	require.Empty(t, facts.Routes[0].Dest)
	require.Empty(t, facts.Routes[1].Dest)
	require.Equal(t, []model.Name{model.Host("orders", "")}, facts.Routes[2].Dest)
}
