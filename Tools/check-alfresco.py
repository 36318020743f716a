#!/usr/bin/env python3
"""Checks the sandbox's repository against the published API definitions.

usage: check-alfresco.py DEFINITIONS URL USER PASSWORD

DEFINITIONS is a directory with alfresco-core.yaml, -search.yaml, -auth.yaml, -model.yaml and -discovery.yaml as the
vendor publishes them; URL is the repository's address (http://127.0.0.1:PORT/alfresco). Walks through what a document
browser uses, and validates every body that goes out and every answer that comes back. What real servers are known to do
otherwise than the definitions say stands in KNOWN and is reported apart. Needs PyYAML and jsonschema.
"""
import base64
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

import jsonschema
import yaml

# (definition, path of the property, why): servers differ from their definitions here, and the servers win.
KNOWN = [
    ("Comment", "title", "left out when there is none"),
    ("Rating", "myRating", "a boolean or a number on the wire"),
    ("Person", "email", "the guest has none"),
    ("Person", "lastName", "the administrator has none"),
    ("ResultSetContext", "spellcheck", "spellCheck, one object"),
    ("GenericBucket", "display", "a text on the wire"),
    ("FavoriteTarget", "target", "a node of the old and the new kind at once"),
    ("SharedLink", "id", "user objects without an id for strangers"),
    ("Node", "createdAt", "versions and deleted nodes have none"),
    ("PathElement", "nodeType", "missing in the search definition"),
]

# Status codes that the server's own tests assert, where the definition names another.
STATUS = {("POST", "/shared-links"): 201, ("GET", "/discovery"): 200}


class Definitions:
    """The five files as one set of paths and schemas."""

    def __init__(self, directory):
        self.parts = {}
        for name in ("core", "search", "auth", "model", "discovery"):
            with open(f"{directory}/alfresco-{name}.yaml", encoding="utf-8") as file:
                self.parts[name] = yaml.safe_load(file)

    def operation(self, part, method, path):
        for template, operations in self.parts[part]["paths"].items():
            wanted, given = template.strip("/").split("/"), path.strip("/").split("/")
            fits = len(wanted) == len(given) and all(w.startswith("{") or w == g for w, g in zip(wanted, given))
            if fits and method.lower() in operations:
                return template, operations[method.lower()]
        return None, None

    def schema(self, part, reference):
        """A self-contained JSON schema: optional members may be left out, as servers leave out what is empty."""
        return {"definitions": self.parts[part].get("definitions", {}), **reference}


class Check:
    def __init__(self, definitions, url, user, password):
        self.definitions, self.url = definitions, url.rstrip("/")
        self.authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.calls, self.failures, self.known = 0, [], {}

    def roots(self, part):
        api = f"{self.url}/api/-default-/public"
        return {
            "core": f"{api}/alfresco/versions/1", "model": f"{api}/alfresco/versions/1",
            "search": f"{api}/search/versions/1", "auth": f"{api}/authentication/versions/1",
            "discovery": f"{self.url}/api",
        }[part]

    def call(self, method, path, body=None, part="core", query="", anonymous=False):
        template, operation = self.definitions.operation(part, method, path)
        if operation is None:
            self.failures.append(f"{method} {path}: the definitions know no such call")
            return None
        data = None
        headers = {"Accept": "application/json"}
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
            for parameter in operation.get("parameters", []):
                if parameter.get("in") == "body":
                    self.validate(part, parameter["schema"], body, f"{method} {template}: the body sent")
        if not anonymous:
            headers["Authorization"] = self.authorization
        request = urllib.request.Request(self.roots(part) + urllib.parse.quote(path) + query, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        self.calls += 1
        where = f"{method} {template}"
        answers = {str(code): answer for code, answer in operation["responses"].items()}
        is_refusal = status >= 400 and "default" in answers
        if str(status) not in answers and not is_refusal and status != STATUS.get((method, template)):
            self.failures.append(f"{where}: status {status}, the definition has {', '.join(sorted(answers))}")
        answer = answers.get(str(status)) or answers.get("200") or answers.get("default", {})
        if not text:
            return None
        value = json.loads(text)
        if "schema" in answer:
            self.validate(part, answer["schema"], value, f"{where} {status}")
        return value

    def validate(self, part, reference, value, where):
        validator = jsonschema.Draft4Validator(self.definitions.schema(part, reference))
        for error in validator.iter_errors(value):
            place = "/".join(str(step) for step in error.absolute_path)
            excuse = self.excuse(error, place)
            line = f"{where}: {place or '.'}: {error.message[:160]}"
            if excuse:
                self.known.setdefault(excuse, line)
            else:
                self.failures.append(line)

    @staticmethod
    def excuse(error, place):
        last = place.split("/")[-1]
        for definition, member, why in KNOWN:
            if last == member or f"'{member}' is a required property" in error.message:
                return f"{definition}.{member}: {why}"
        return None


def entry(value):
    return (value or {}).get("entry", {})


def walk(check):
    """What a document browser does in a day."""
    root = entry(check.call("GET", "/nodes/-root-"))
    check.call("GET", f"/nodes/{root['id']}/children", query="?maxItems=5&include=path,allowableOperations,properties")
    made = entry(check.call("POST", "/nodes/-shared-/children", {"name": "checked", "nodeType": "cm:folder"}))
    folder = made["id"]
    file = entry(check.call("POST", f"/nodes/{folder}/children", {"name": "a.txt", "nodeType": "cm:content"}))["id"]
    check.call("PUT", f"/nodes/{file}", {"properties": {"cm:title": "A title"}})
    check.call("GET", f"/nodes/{file}", query="?include=path,isLocked,isFavorite,permissions,allowableOperations")
    for facet in ("versions", "comments", "tags", "ratings", "renditions", "targets", "sources", "parents", "category-links"):
        check.call("GET", f"/nodes/{file}/{facet}")
    comment = entry(check.call("POST", f"/nodes/{file}/comments", {"content": "words"}))["id"]
    check.call("PUT", f"/nodes/{file}/comments/{comment}", {"content": "other words"})
    check.call("DELETE", f"/nodes/{file}/comments/{comment}")
    tag = entry(check.call("POST", f"/nodes/{file}/tags", {"tag": "checked"}))["id"]
    check.call("DELETE", f"/nodes/{file}/tags/{tag}")
    check.call("POST", f"/nodes/{file}/ratings", {"id": "likes", "myRating": True})
    check.call("GET", "/tags")
    check.call("POST", f"/nodes/{file}/lock", {"type": "ALLOW_OWNER_CHANGES", "timeToExpire": 60, "lifetime": "PERSISTENT"})
    check.call("POST", f"/nodes/{file}/unlock")
    copy = entry(check.call("POST", f"/nodes/{file}/copy", {"targetParentId": folder, "name": "b.txt"}))["id"]
    check.call("POST", f"/nodes/{copy}/move", {"targetParentId": root_shared(check)})
    check.call("POST", f"/nodes/{file}/targets", {"targetId": copy, "assocType": "cm:references"})
    check.call("GET", f"/nodes/{file}/targets")
    check.call("GET", "/categories/-root-/subcategories")
    check.call("POST", "/people/-me-/favorites", {"target": {"file": {"guid": file}}})
    check.call("GET", "/people/-me-/favorites", query="?maxItems=5")
    check.call("DELETE", f"/people/-me-/favorites/{file}")
    link = entry(check.call("POST", "/shared-links", {"nodeId": file}))["id"]
    check.call("GET", "/shared-links", query="?maxItems=5")
    check.call("GET", f"/shared-links/{link}", anonymous=True)
    check.call("DELETE", f"/shared-links/{link}")
    order = entry(check.call("POST", "/downloads", {"nodeIds": [folder]}))["id"]
    check.call("GET", f"/downloads/{order}")
    check.call("DELETE", f"/downloads/{order}")
    check.call("GET", "/sites")
    check.call("GET", "/sites/harbour-loans")
    check.call("GET", "/sites/harbour-loans/containers")
    check.call("GET", "/sites/harbour-loans/members")
    check.call("GET", "/site-membership-requests")
    check.call("POST", "/people/-me-/site-membership-requests", {"id": "archive-group", "message": "May I?"})
    check.call("GET", "/people/-me-/site-membership-requests")
    check.call("DELETE", "/people/-me-/site-membership-requests/archive-group")
    check.call("GET", "/people")
    check.call("GET", "/people/-me-")
    check.call("GET", "/people/-me-/sites")
    check.call("GET", "/people/-me-/activities")
    check.call("GET", "/queries/nodes", query="?term=minutes")
    check.call("GET", "/queries/sites", query="?term=harb")
    check.call("GET", "/queries/people", query="?term=sus")
    check.call("DELETE", f"/nodes/{copy}")
    check.call("GET", "/deleted-nodes", query="?include=path")
    check.call("GET", f"/deleted-nodes/{copy}")
    check.call("POST", f"/deleted-nodes/{copy}/restore", {"targetParentId": folder, "assocType": "cm:contains"})
    check.call("DELETE", f"/nodes/{folder}")
    check.call("DELETE", f"/deleted-nodes/{folder}")
    check.call("GET", f"/nodes/{folder}")
    check.call("GET", "/aspects", part="model")
    check.call("GET", "/aspects/cm:titled", part="model")
    check.call("GET", "/types/cm:content", part="model")
    check.call("GET", "/discovery", part="discovery")
    check.call("GET", "/probes/-ready-", anonymous=True)
    searches(check)


def searches(check):
    facets = {"facets": [{"field": "content.mimetype", "label": "type"}, {"field": "creator", "label": "who"}]}
    bodies = [
        {"query": {"query": "minutes"}},
        {"query": {"language": "afts", "query": "keywords:(\"quay*\")", "userQuery": "quay"},
         "templates": [{"name": "keywords", "template": "%(cm:name cm:title cm:description TEXT TAG)"}],
         "defaults": {"defaultFTSOperator": "AND", "defaultFieldName": "keywords"},
         "paging": {"maxItems": 5, "skipCount": 0}, "include": ["path", "allowableOperations"],
         "sort": [{"type": "FIELD", "field": "cm:name", "ascending": True}],
         "filterQueries": [{"query": "TYPE:'cm:content'"}], "facetFields": facets, "facetFormat": "V2",
         "highlight": {"prefix": "[", "postfix": "]", "fields": [{"field": "cm:name"}, {"field": "cm:content"}]}},
        {"query": {"query": "*"}, "facetFields": facets, "pivots": [{"key": "type", "pivots": [{"key": "who"}]}]},
        {"query": {"query": "*"}, "stats": [{"field": "content.size", "label": "size"}]},
        {"query": {"query": "*"},
         "ranges": [{"field": "content.size", "start": "0", "end": "1000000", "gap": "250000"}]},
        {"query": {"language": "cmis", "query": "select * from cmis:document"}},
        {"query": {"query": "cm:name:("}},
    ]
    for body in bodies:
        check.call("POST", "/search", body, part="search")


def root_shared(check):
    return entry(check.call("GET", "/nodes/-shared-"))["id"]


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    check = Check(Definitions(sys.argv[1]), *sys.argv[2:])
    walk(check)
    for excuse, example in sorted(check.known.items()):
        print(f"known    {excuse} ({example})")
    for failure in check.failures:
        print(f"differs  {failure}")
    print(f"{check.calls} calls, {len(check.failures)} differences, {len(check.known)} known deviations")
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()
