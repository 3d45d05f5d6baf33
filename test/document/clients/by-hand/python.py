"""The calls of a client by openapi-generator for Python."""
import os
import plumbline_api as api

configuration = api.Configuration(host=os.environ["PLUMBLINE_URL"], access_token=os.environ["TOKEN"])
with api.ApiClient(configuration) as client:
    projects = api.ProjectsApi(client)
    page = projects.projects_list(status=api.ProjectStatus.ACTIVE, limit=2)
    assert [project.status for project in page.data] == [api.ProjectStatus.ACTIVE] * 2
    if "sparse" in os.environ["CALLS"]:
        sparse = projects.projects_list(fields=[api.ProjectField.NAME], limit=2).data
        assert [(part.id > 0, part.status) for part in sparse] == [(True, None)] * 2
    else:
        assert projects.projects_fetch(page.data[0].id).data == page.data[0]
        operations = [
            api.ClientCreateOperation(
                op="create", records="clients", var_as="client", body=api.BatchClientCreate(name="Harbour Trust")
            ),
            api.ProjectCreateOperation(
                op="create",
                records="projects",
                body=api.BatchProjectCreate(name="Pier", client_id=api.BatchId({"$ref": "client"})),
            ),
        ]
        cursor = api.ChangesApi(client).changes(after="now").meta.next
        batch = api.BatchApi(client).batch(
            api.BatchInput(mode="all", operations=[api.BatchOperationInput(each) for each in operations])
        )
        assert [outcome.status for outcome in batch.data.operations] == [201, 201]
        changes = [change.actual_instance for change in api.ChangesApi(client).changes(after=cursor, wait=10).data]
        assert [type(change) for change in changes] == [api.ClientChange, api.ProjectChange]
        assert changes[1].record.client_id == changes[0].record.id
