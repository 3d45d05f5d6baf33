import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

/** The calls of a client by openapi-generator for Java. */
public final class Calls {
  static void check(boolean holds, String what) {
    if (!holds) throw new IllegalStateException(what);
  }

  public static void main(String[] words) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("PLUMBLINE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));

    ProjectsApi projects = new ProjectsApi(client);
    Project first = page(projects).getData().get(0);
    check(page(projects).getData().size() == 2 && first.getStatus() == ProjectStatus.ACTIVE, "list");
    check(projects.projectsFetch(first.getId(), null, null).getData().equals(first), "fetch");

    ChangesApi changes = new ChangesApi(client);
    String cursor = changes.changes("now", null, null, null, null, null).getMeta().getNext();
    var create = new ClientCreateOperation().op(ClientCreateOperation.OpEnum.CREATE)
        .records(ClientCreateOperation.RecordsEnum.CLIENTS).as("client").body(new BatchClientCreate().name("Harbour Trust"));
    var pier = new BatchProjectCreate().name("Pier").clientId(new BatchId((Object) Map.of("$ref", "client")));
    var refer = new ProjectCreateOperation().op(ProjectCreateOperation.OpEnum.CREATE)
        .records(ProjectCreateOperation.RecordsEnum.PROJECTS).body(pier);
    var input = new BatchInput().mode(BatchMode.ALL)
        .operations(List.of(new BatchOperationInput(create), new BatchOperationInput(refer)));
    var done = new BatchApi(client).batch(input, null, null, null, null).getData().getOperations();
    check(done.size() == 2 && done.get(1).getStatus() == 201, "batch");

    List<Change> told = changes.changes(cursor, null, null, 10, null, null).getData();
    check(told.size() == 2, "changes");
    ClientChange created = told.get(0).getClientChange();
    check(told.get(1).getProjectChange().getRecord().getClientId().equals(created.getRecordId()), "record of a change");
  }

  static ProjectPage page(ProjectsApi projects) throws Exception {
    return projects.projectsList(2, null, null, null, null, ProjectStatus.ACTIVE, null, null, null, null, null, null, null,
        null, null, null, null, null, null, null, null, null);
  }
}
