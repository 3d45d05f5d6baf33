"""The calls of a client by openapi-python-client."""
import os
from plumbline_api_client import AuthenticatedClient, models
from plumbline_api_client.api.batch import batch
from plumbline_api_client.api.changes import changes
from plumbline_api_client.api.projects import projects_fetch, projects_list

with AuthenticatedClient(base_url=os.environ["PLUMBLINE_URL"], token=os.environ["TOKEN"]) as client:
    page = projects_list.sync(client=client, status=models.ProjectStatus.ACTIVE, limit=2)
    assert [project.status for project in page.data] == [models.ProjectStatus.ACTIVE] * 2
    assert projects_fetch.sync(page.data[0].id, client=client).data == page.data[0]

    cursor = changes.sync(client=client, after="now").meta.next_
    reference = models.BatchReference.from_dict({"$ref": "client"})
    operations = [
        models.ClientCreateOperation(
            op=models.ClientCreateOperationOp.CREATE,
            records=models.ClientCreateOperationRecords.CLIENTS, as_="client", body=models.BatchClientCreate(name="Harbour Trust")
        ),
        models.ProjectCreateOperation(
            op=models.ProjectCreateOperationOp.CREATE,
            records=models.ProjectCreateOperationRecords.PROJECTS, body=models.BatchProjectCreate(name="Pier", client_id=reference)
        ),
    ]
    done = batch.sync(client=client, body=models.BatchInput(mode=models.BatchMode.ALL, operations=operations))
    assert [outcome.status for outcome in done.data.operations] == [201, 201]
    told = changes.sync(client=client, after=cursor, wait=10).data
    assert [type(change) for change in told] == [models.ClientChange, models.ProjectChange]
    assert told[1].record.client_id == told[0].record.id
