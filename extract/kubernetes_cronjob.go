package extract

import (
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "kubernetes-cronjob",
	Title: "Kubernetes CronJob",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("batch", "CronJob"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		self := workload(root)
		spec := root.Get("spec")
		out.Node(model.Node{Name: self, Kind: model.NodeSchedule, At: out.Loc(spec.Get("schedule")), Label: "CronJob " + objectName(root), Entry: true})
		s := model.Service{Name: objectName(root), Kind: "cronjob", At: out.Loc(root.Path("metadata.name")), Namespace: namespace(root), Node: self,
			Schedule: plain(spec.Get("schedule"))}
		readJobSpec(spec.Path("jobTemplate.spec"), self, &s, out)
		out.Service(s)
	},
	Keys: []Key{
		{"spec.schedule", "cron expression", "required", "", ""},
		{"spec.jobTemplate.spec.backoffLimit", "retries", "6, Kubernetes", "1 attempt", "invalid"},
	},
	Doc: `A tick of the schedule is a new run, not a retry, so the schedule is the entry of a chain and never a factor; the Job that
it makes retries as any Job does. Somebody can rerun it by hand ("kubectl create job --from=cronjob/x"). Source: catalogue, A2.`,
	Example: `
-- cron.yaml --
apiVersion: batch/v1
kind: CronJob
metadata: {name: reminders, namespace: crm}
spec:
  schedule: "0 8 * * *"
  jobTemplate:
    spec: # want layer "attempts=7 origin=default"
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: remind
              image: curlimages/curl:8
              args: ["-fsS", "-X", "POST", "http://crm.crm.svc/reminders"]
`,
})
