// The calls of a client by oapi-codegen.
package main

import (
	"context"
	"net/http"
	"os"

	plumbline "plumbline.example/client"
)

func check(holds bool, what string) {
	if !holds {
		panic(what)
	}
}

func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func ref[T any](value T) *T { return &value }

func main() {
	ctx := context.Background()
	client := must(plumbline.NewClientWithResponses(os.Getenv("PLUMBLINE_URL"), plumbline.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
			return nil
		})))
	active := plumbline.ProjectStatusACTIVE
	page := must(client.ProjectsListWithResponse(ctx, &plumbline.ProjectsListParams{Status: &active, Limit: ref(int32(2))})).JSON200
	check(len(page.Data) == 2 && page.Data[1].Status == active, "list")
	fetched := must(client.ProjectsFetchWithResponse(ctx, page.Data[0].Id, &plumbline.ProjectsFetchParams{})).JSON200
	check(fetched.Data.Name == page.Data[0].Name, "fetch")

	cursor := must(client.ChangesWithResponse(ctx, &plumbline.ChangesParams{After: ref("now")})).JSON200.Meta.Next
	var reference plumbline.BatchId
	must(0, reference.FromBatchReference(plumbline.BatchReference{"$ref": "client"}))
	operations := make([]plumbline.BatchOperationInput, 2)
	must(0, operations[0].FromClientCreateOperation(plumbline.ClientCreateOperation{
		Op: "create", Records: "clients", As: ref("client"), Body: plumbline.BatchClientCreate{Name: "Harbour Trust"},
	}))
	must(0, operations[1].FromProjectCreateOperation(plumbline.ProjectCreateOperation{
		Op: "create", Records: "projects", Body: plumbline.BatchProjectCreate{Name: "Pier", ClientId: &reference},
	}))
	body := plumbline.BatchInput{Mode: plumbline.BatchModeAll, Operations: operations}
	batch := must(client.BatchWithResponse(ctx, &plumbline.BatchParams{}, body)).JSON200
	check(len(batch.Data.Operations) == 2 && batch.Data.Operations[1].Status == 201, "batch")

	changes := must(client.ChangesWithResponse(ctx, &plumbline.ChangesParams{After: &cursor, Wait: ref(int32(10))})).JSON200.Data
	check(len(changes) == 2, "changes")
	created, of := must(changes[0].AsClientChange()), must(changes[1].AsProjectChange())
	check(*of.Record.ClientId == created.RecordId, "record of a change")
}
