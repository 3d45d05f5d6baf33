// A sparse list by openapi-generator for Go, whose client knows `fields` from the complete document.
package main

import (
	"context"
	"os"

	plumbline "plumbline.example/client"
)

func main() {
	configuration := plumbline.NewConfiguration()
	configuration.Servers = plumbline.ServerConfigurations{{URL: os.Getenv("PLUMBLINE_URL")}}
	ctx := context.WithValue(context.Background(), plumbline.ContextAccessToken, os.Getenv("TOKEN"))
	fields := []plumbline.ProjectField{plumbline.PROJECTFIELD_NAME}
	page, _, err := plumbline.NewAPIClient(configuration).ProjectsAPI.ProjectsList(ctx).Fields(fields).Limit(2).Execute()
	if err != nil {
		panic(err)
	}
	for _, part := range page.Data {
		if !part.HasName() || part.HasStatus() {
			panic("more or less than the fields that were asked for")
		}
	}
}
