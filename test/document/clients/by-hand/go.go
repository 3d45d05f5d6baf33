// The calls of a client by openapi-generator for Go.
package main

import (
	"context"
	"os"

	plumbline "plumbline.example/client"
)

func check(holds bool, what string) {
	if !holds {
		panic(what)
	}
}

func must[T any](answer T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func main() {
	configuration := plumbline.NewConfiguration()
	configuration.Servers = plumbline.ServerConfigurations{{URL: os.Getenv("PLUMBLINE_URL")}}
	client := plumbline.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), plumbline.ContextAccessToken, os.Getenv("TOKEN"))

	page := must(client.ProjectsAPI.ProjectsList(ctx).Status(plumbline.PROJECTSTATUS_ACTIVE).Limit(2).Execute())
	check(len(page.Data) == 2 && page.Data[1].Status == plumbline.PROJECTSTATUS_ACTIVE, "list")
	fetched := must(client.ProjectsAPI.ProjectsFetch(ctx, page.Data[0].Id).Execute())
	check(fetched.Data.Name == page.Data[0].Name, "fetch")

	cursor := must(client.ChangesAPI.Changes(ctx).After("now").Execute()).Meta.Next
	create := plumbline.NewClientCreateOperation("create", "clients", *plumbline.NewBatchClientCreate("Harbour Trust"))
	create.SetAs("client")
	body := plumbline.NewBatchProjectCreate("Pier")
	body.SetClientId(plumbline.BatchId{MapmapOfStringAny: &map[string]any{"$ref": "client"}})
	batch := must(client.BatchAPI.Batch(ctx).BatchInput(*plumbline.NewBatchInput(plumbline.BATCHMODE_ALL, []plumbline.BatchOperationInput{
		plumbline.ClientCreateOperationAsBatchOperationInput(create),
		plumbline.ProjectCreateOperationAsBatchOperationInput(plumbline.NewProjectCreateOperation("create", "projects", *body)),
	})).Execute())
	check(len(batch.Data.Operations) == 2 && batch.Data.Operations[1].Status == 201, "batch")

	changes := must(client.ChangesAPI.Changes(ctx).After(cursor).Wait(10).Execute()).Data
	check(len(changes) == 2, "changes")
	check(changes[1].ProjectChange.Record.Get().GetClientId() == changes[0].ClientChange.RecordId, "record of a change")
}
