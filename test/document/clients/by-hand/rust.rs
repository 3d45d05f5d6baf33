//! The calls of a client by openapi-generator for Rust.
use plumbline_api::apis::{batch_api, changes_api, configuration::Configuration, projects_api};
use plumbline_api::models::{self, client_create_operation, project_create_operation};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let configuration = Configuration {
        base_path: std::env::var("PLUMBLINE_URL")?,
        bearer_access_token: Some(std::env::var("TOKEN")?),
        ..Default::default()
    };
    let active = Some(models::ProjectStatus::Active);
    let page = projects_api::projects_list(
        &configuration, Some(2), None, None, None, None, active, None, None, None, None, None, None, None, None, None,
        None, None, None, None, None, None, None,
    )
    .await?;
    assert_eq!(page.data.len(), 2);
    let fetched = projects_api::projects_fetch(&configuration, page.data[0].id, None, None).await?;
    assert_eq!(*fetched.data, page.data[0]);

    let feed = |after: String| {
        let configuration = &configuration;
        async move { changes_api::changes(configuration, Some(&after), None, None, Some(10), None, None).await }
    };
    let cursor = feed("now".into()).await?.meta.next;
    let mut client = models::ClientCreateOperation::new(
        client_create_operation::Op::Create,
        client_create_operation::Records::Clients,
        models::BatchClientCreate::new("Harbour Trust".into()),
    );
    client.r#as = Some("client".into());
    let mut pier = models::BatchProjectCreate::new("Pier".into());
    pier.client_id = Some(Some(Box::new(models::BatchId::BatchReference(serde_json::json!({ "$ref": "client" })))));
    let project = models::ProjectCreateOperation::new(
        project_create_operation::Op::Create,
        project_create_operation::Records::Projects,
        pier,
    );
    let operations = vec![
        models::BatchOperationInput::ClientCreateOperation(Box::new(client)),
        models::BatchOperationInput::ProjectCreateOperation(Box::new(project)),
    ];
    let input = models::BatchInput::new(models::BatchMode::All, operations);
    let done = batch_api::batch(&configuration, input, None, None, None, None).await?;
    assert!(done.data.operations.iter().all(|outcome| outcome.status == 201));

    let changes = feed(cursor).await?.data;
    let [models::Change::Clients(client), models::Change::Projects(project)] = &changes[..] else {
        panic!("a change of each was expected: {changes:?}")
    };
    assert_eq!(project.record.as_ref().unwrap().client_id, Some(client.record_id));
    Ok(())
}
