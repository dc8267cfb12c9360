//! The JSON Schema in the repository matches the types.

use blockyard_scenario::schema::json_schema;

#[test]
fn the_schema_in_the_tree_is_current() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../schemas/scenario.schema.json"
    );
    let stored = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        stored == json_schema(),
        "schemas/scenario.schema.json differs from the types; regenerate it with\n\
         blockyard schema > schemas/scenario.schema.json"
    );
}
