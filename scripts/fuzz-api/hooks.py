"""Narrows the document to what a schema cannot say, so that all data made from it must be accepted."""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    schemas = raw_schema["components"]["schemas"]
    # A rule document and its bets must be installed, and which are is a fact of the server.
    schemas["rules"]["enum"] = ["punto-banco@1"]
    schemas["bet"]["enum"] = ["player", "banker", "tie"]
    # So must a review policy be, and one is in force.
    schemas["policy"]["enum"] = ["review@1"]
    # schemathesis does not know `propertyNames`, here the ids of bets.
    limits = schemas["limits"]
    limits["properties"] = {bet: limits["additionalProperties"] for bet in schemas["bet"]["enum"]}
    limits["additionalProperties"] = False
    # schemathesis does not know `dependentRequired`: session and sequence come together.
    for schema in schemas.values():
        if "dependentRequired" in schema:
            schema["required"] += ["session", "sequence"]
    # A new password is not one repeated character, nor a common one, nor the account's name.
    for body, name in (("NewAccountBody", "password"), ("PasswordChangeBody", "newPassword"), ("ResetBody", "newPassword")):
        schemas[body]["properties"][name]["pattern"] = "^[a-z] 7 horses"
    # Lines of events have the type of a string. Single events and batches have the same schema.
    events = raw_schema["paths"]["/v1/events"]["post"]["requestBody"]["content"]
    del events["application/x-ndjson"]
    # Two days of a table are there or neither (`dependentRequired`), in their order. None is tried.
    for scope in schemas["ExportScope"]["oneOf"]:
        scope.pop("dependentRequired", None)
        for day in ("from", "to"):
            scope["properties"].pop(day, None)
    # A ruling for many findings names the preview that it was answered, or asks for one.
    ruling = schemas["BulkRuling"]
    ruling["required"].append("dryRun")
    ruling["properties"]["dryRun"]["enum"] = [True]
    # Days, and times, must not end before they begin. Only their beginning is tried.
    for item in raw_schema["paths"].values():
        for operation in item.values():
            parameters = operation.get("parameters", [])
            operation["parameters"] = [
                each for each in parameters if each["name"] != "to" or not each["schema"].get("format", "").startswith("date")
            ]
    # A list accepts only a cursor that it returned, and a finding only the reference of an act on it.
    for item in raw_schema["paths"].values():
        for operation in item.values():
            parameters = operation.get("parameters", [])
            operation["parameters"] = [each for each in parameters if each["name"] not in ("cursor", "after")]
