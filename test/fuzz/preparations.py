"""Prepares the service for a request, and the request for the service: what an operation needs beyond the objects in its path."""

from objects import ACCOUNT, OBJECT_IDS, create, first, is_stateful, new_contact, new_object, numbers, send, upload


def in_place(case, values):
    """Sets values where the request has them: in the query or in the body; in the query if it has them in neither."""
    for name, value in values.items():
        if isinstance(case.body, dict) and name in case.body and name not in (case.query or {}):
            case.body[name] = value
        else:
            case.query = {**(case.query or {}), name: value}


def filter_to_remove(case, kwargs):
    name = f"filter {next(numbers)}"
    send("POST", f"/v3/surveys/{case.path_parameters['survey_id']}/filters/", {"name": name, "query": "_completed=1"})
    in_place(case, {"name": name})


def tag_to_remove(case, kwargs):
    name = f"tag {next(numbers)}"
    send("POST", f"/v3/surveys/{case.path_parameters['survey_id']}/tags/", {"name": name})
    in_place(case, {"name": name})


def group_to_remove(case, kwargs):
    send("PUT", f"/v3/surveys/{case.path_parameters['survey_id']}/groups/", {"group": str(first("group_id"))})
    in_place(case, {"group": first("group_id")})


def member_to_remove(case, kwargs):
    email = OBJECT_IDS["member"]
    send("PUT", f"/v2/groups/{case.path_parameters['group_id']}/members/", {"email": email, "roles": "edit"})
    in_place(case, {"email": email})


def only_contacts(case):
    """Contacts cannot be combined with a contact list, in the query or in the body."""
    for place in (case.query, case.body):
        if isinstance(place, dict):
            place.pop("contact_list", None)


def contact_to_remove(case, kwargs):
    contact = new_contact()
    send("POST", f"/v3/contact-lists/{case.path_parameters['list_id']}/contacts/", {"id": str(contact)})
    declared = {each.name for each in case.operation.query}
    only_contacts(case)
    in_place(case, {"contacts" if "contacts" in declared else "id": [contact]})


def recipient_to_remove(case, kwargs):
    contact = new_contact()
    case.path_parameters["email_id"] = email = new_object("email_id", {})
    send("POST", f"/v2/emails/{email}/recipients/", {"contacts": str(contact)})
    only_contacts(case)
    in_place(case, {"contacts": [contact]})


def draft(case, kwargs):
    """A sent email cannot be changed, so each request gets an email of its own."""
    case.path_parameters["email_id"] = new_object("email_id", {})


def draft_with_recipient(case, kwargs):
    draft(case, kwargs)
    send("POST", f"/v2/emails/{case.path_parameters['email_id']}/recipients/", {"contacts": str(new_contact())})


def sent_email(case, kwargs):
    case.path_parameters["email_id"] = first("sent_email_id")


def responses_to_delete(case, kwargs):
    in_place(case, {"response_ids": [new_object("response_id", case.path_parameters)]})


def collector_to_delete(case, kwargs):
    if "collector_id" not in case.path_parameters:
        in_place(case, {"id": new_object("collector_id", case.path_parameters)})


def account_to_delete(case, kwargs):
    """Only an account can delete itself, so the request gets the credentials of a new one."""
    email, password = f"user{next(numbers)}@example.org", "correct horse battery"
    case.path_parameters["user_id"] = create("/v2/users/", {"email": email, "password": password})
    set_members(case, password=password)
    kwargs["auth"] = (email, password)


def set_members(case, **values):
    if isinstance(case.body, dict):
        case.body.update(values)


def login(case, kwargs):
    if isinstance(case.body, dict):
        case.body.pop("email", None)
    set_members(case, key=ACCOUNT["apiKey"], username=ACCOUNT["username"], password=ACCOUNT["password"])


def member(case, kwargs):
    set_members(case, email=OBJECT_IDS["member"])


def recipient(case, kwargs):
    """Without a Message-ID, a bounce is of the newest message to the recipient."""
    if isinstance(case.body, dict):
        case.body.pop("message_id", None)
    set_members(case, recipient=OBJECT_IDS["recipient"])


def condition(case, kwargs):
    """Most generated conditions name no question. The names of filters are unique."""
    set_members(case, name=f"filter {next(numbers)}", query="_completed=1")


def new_contact_details(case, kwargs):
    """The email addresses of contacts are unique. Other phases also send addresses that are in use."""
    if is_stateful(case):
        set_members(case, email=f"new{next(numbers)}@example.org")


# The members of the structures that convertXlsform returns. A generated structure has others.
CONVERTED = {"title", "form", "languages"}


def valid_structure(case, kwargs):
    """Most links begin at a new survey or template, but most generated structures are invalid. A survey has one source."""
    if not is_stateful(case) or not isinstance(case.body, dict):
        return
    sources = {name: case.body.pop(name) for name in ("initial_structure", "template", "gallery_template", "structure", "survey") if name in case.body}
    if "structure" in sources or "survey" in sources:
        set_members(case, survey=sources.get("survey", first("survey_id")))
    elif set(sources.get("initial_structure", [None])) <= CONVERTED:
        set_members(case, initial_structure=sources["initial_structure"])
    elif "template" in sources:
        set_members(case, template=sources["template"])
    elif "gallery_template" in sources:
        set_members(case, gallery_template=first("gallery_template_id"))


def new_account(case, kwargs):
    """Addresses and usernames of accounts are unique."""
    set_members(case, email=f"new{next(numbers)}@example.org", username=f"new{next(numbers)}")


def code_count(case, kwargs):
    if "count" not in {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}:
        in_place(case, {"count": 2})


def completion(case, kwargs):
    """A response of version 2 changes through `completed` in the query or body."""
    sent = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
    if "completed" in {each.name for each in case.operation.query} - set(sent):
        in_place(case, {"completed": 1})


def filled_list(case, kwargs):
    """Links that go on from a list need an entry. The lists of a new object are empty."""
    if is_stateful(case):
        name = list(case.path_parameters)[0]
        case.path_parameters[name] = OBJECT_IDS[name][1 if case.operation.path.endswith("/versions/") else 0]
        case.query = {}


def webhook_to_delete(case, kwargs):
    url = f"https://hooks.example.com/unsubscribe/{next(numbers)}"
    send("POST", "/v3/webhooks/", {"event": "response_complete", "subscription_url": url})
    set_members(case, subscription_url=url)


def public_address(case, kwargs):
    """Most generated addresses have no host that the service would call."""
    set_members(case, subscription_url=f"https://hooks.example.com/generated/{next(numbers)}")


def survey_with_files(case, kwargs):
    """Only some surveys ask for files."""
    case.path_parameters["survey_id"] = first("survey_id")


def file_to_download(case, kwargs):
    """Other requests replace the answers of the first response, and with them its files."""
    survey = first("survey_id")
    key = upload(f"/v3/surveys/{survey}/files/?question=photo")
    response = create(f"/v3/surveys/{survey}/responses/", {"photo": key})
    case.path_parameters.update(survey_id=survey, response_id=response, file_key=key)


# What operations need beyond the objects in their path.
PREPARATIONS = {
    "addEmailRecipients": draft,
    "createContact": new_contact_details,
    "createFile": survey_with_files,
    "createInviteCodes": code_count,
    "createSurvey": valid_structure,
    "createSurveyInviteCodes": code_count,
    "createTemplate": valid_structure,
    "createUser": new_account,
    "createWebhook": public_address,
    "deleteCollector": collector_to_delete,
    "deleteResponses": responses_to_delete,
    "deleteUser": account_to_delete,
    "generateLoginUrl": login,
    "getResponseFile": file_to_download,
    "listDeliveries": filled_list,
    "listQuestions": filled_list,
    "listVersions": filled_list,
    "remindEmail": sent_email,
    "removeContactListContacts": contact_to_remove,
    "removeEmailRecipients": recipient_to_remove,
    "removeFilter": filter_to_remove,
    "removeMember": member_to_remove,
    "removeTag": tag_to_remove,
    "reportBounce": recipient,
    "saveFilter": condition,
    "sendEmail": draft_with_recipient,
    "setMember": member,
    "subscribeWebhook": public_address,
    "unshareSurvey": group_to_remove,
    "unsubscribeWebhook": webhook_to_delete,
    "updateResponse": completion,
}
