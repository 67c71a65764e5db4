"""Prepares requests that need more than existing objects in their path: creates further objects, or sets values of the
request."""

from objects import ACCOUNT, API, OBJECT_IDS, create, first, is_stateful, new_contact, new_object, numbers, send, session, upload, weightings


def in_place(case, values):
    """Sets values in the query or in the body, depending on where the request has them. If the request has a value in neither,
    sets it in the query."""
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
    """Removes the contact list from the query and the body, because a request cannot have both contacts and a contact list."""
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


def sent_survey_email(case, kwargs):
    case.path_parameters.update(survey_id=first("survey_id"), email_id=first("sent_email_id"))


def responses_to_delete(case, kwargs):
    in_place(case, {"response_ids": [new_object("response_id", case.path_parameters)]})


def deleted_response(case, kwargs):
    """Moves a new response to the trash, because a response can be restored or erased only once."""
    path = case.path_parameters
    path["response_id"] = create(f"/v3/surveys/{path['survey_id']}/responses/", {})
    send("DELETE", f"/v3/surveys/{path['survey_id']}/responses/{path['response_id']}/")


def deleted_survey(case, kwargs):
    """Moves a new survey to the trash, because a survey can be restored or erased only once."""
    survey = new_object("survey_id", {})
    send("DELETE", f"/v3/surveys/{survey}/")
    case.path_parameters["deleted_survey_id"] = survey


def collector_to_delete(case, kwargs):
    if "collector_id" not in case.path_parameters:
        in_place(case, {"id": new_object("collector_id", case.path_parameters)})


def account_to_delete(case, kwargs):
    """Creates an account, and sends the request with the credentials of this account, because no other account may delete it."""
    email, password = f"user{next(numbers)}@example.org", "correct horse battery"
    case.path_parameters["user_id"] = create("/v2/users/", {"email": email, "password": password})
    set_members(case, password=password)
    kwargs["auth"] = (email, password)


def invitation_key(survey):
    """Invites a colleague to the team of a survey. Returns the key of the link."""
    body = {"email": f"invited{next(numbers)}@example.net", "roles": "view"}
    return send("POST", f"/v3/surveys/{survey}/team/invitations/", body).get("url", "=").rpartition("=")[2]


def invitation_to_accept(case, kwargs):
    """Sends the request with the credentials of a new account, because nobody can accept their own invitation."""
    email, password = f"user{next(numbers)}@example.org", "correct horse battery"
    create("/v2/users/", {"email": email, "password": password})
    set_members(case, key=invitation_key(new_object("survey_id", {})))
    kwargs["auth"] = (email, password)


def invitation_to_decline(case, kwargs):
    set_members(case, key=invitation_key(new_object("survey_id", {})))


def survey_without_team(case, kwargs):
    """Selects a new survey, because a team can have 200 pending invitations, and a survey 50 preview links."""
    case.path_parameters["survey_id"] = new_object("survey_id", {})


def member_of_team(case, kwargs):
    """Adds a new account to the team of the survey."""
    email, password = f"user{next(numbers)}@example.org", "correct horse battery"
    survey = case.path_parameters["survey_id"]
    case.path_parameters["member_id"] = create("/v2/users/", {"email": email, "password": password})
    body = {"email": email, "roles": "view"}
    url = send("POST", f"/v3/surveys/{survey}/team/invitations/", body).get("url", "=")
    key = url.rpartition("=")[2]
    session.post(f"{API}/v3/colleague-invitations/accept/", json={"key": key}, auth=(email, password), timeout=20)


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
    """Reports a bounce of the newest message to an existing recipient. A Message-ID would select a specific message, so it is
    removed."""
    if isinstance(case.body, dict):
        case.body.pop("message_id", None)
    set_members(case, recipient=OBJECT_IDS["recipient"])


def condition(case, kwargs):
    """Sets a valid condition and a new name, because most generated conditions name no question, and the names of filters are
    unique."""
    set_members(case, name=f"filter {next(numbers)}", query="_completed=1")


def new_contact_details(case, kwargs):
    """Sets a new email address in the stateful phase, because the addresses of contacts are unique. The other phases also test
    addresses that are in use."""
    if is_stateful(case):
        set_members(case, email=f"new{next(numbers)}@example.org")


# The members of the structures that convertXlsform returns. A structure with any other member was generated.
CONVERTED = {"title", "form", "languages"}


def valid_structure(case, kwargs):
    """In the stateful phase, makes the source of a new survey or template valid, because most links need a survey or template
    and most generated structures are invalid. Keeps only one source, because a survey cannot have several."""
    if not is_stateful(case) or not isinstance(case.body, dict):
        return
    sources = {name: case.body.pop(name) for name in ("initial_structure", "template", "gallery_template", "structure", "survey") if name in case.body}
    own = [name for name in ("initial_structure", "structure") if set(sources.get(name) or [None]) <= CONVERTED]
    if case.operation.definition.raw["operationId"] == "createTemplate":
        set_members(case, survey=sources.get("survey", first("survey_id")))
    elif own:
        set_members(case, **{own[0]: sources[own[0]]})
    elif "template" in sources:
        set_members(case, template=sources["template"])
    elif "gallery_template" in sources:
        set_members(case, gallery_template=first("gallery_template_id"))


def new_account(case, kwargs):
    """Sets a new email address and username, because those of accounts are unique."""
    set_members(case, email=f"new{next(numbers)}@example.org", username=f"new{next(numbers)}")


def imported_survey(case, kwargs):
    """Names the survey that was imported, because no other survey has an import."""
    case.path_parameters["survey_id"] = first("imported")


def code_count(case, kwargs):
    if "count" not in {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}:
        in_place(case, {"count": 2})


def completion(case, kwargs):
    """Sets `completed` in the query if the request has no `completed`, because updateResponse of version 2 requires
    `completed` or `collector`."""
    sent = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
    if "completed" in {each.name for each in case.operation.query} - set(sent):
        in_place(case, {"completed": 1})


def filled_list(case, kwargs):
    """In the stateful phase, lists the entries of an existing object, because a new object has none. The links from a list use
    one of its entries."""
    if is_stateful(case):
        name = list(case.path_parameters)[0]
        case.path_parameters[name] = OBJECT_IDS[name][1 if case.operation.path.endswith("/versions/") else 0]
        case.query = {}


def webhook_to_delete(case, kwargs):
    url = f"https://hooks.example.com/unsubscribe/{next(numbers)}"
    send("POST", "/v3/webhooks/", {"event": "response_complete", "subscription_url": url})
    set_members(case, subscription_url=url)


def public_address(case, kwargs):
    """Sets an address with a public host, because the service rejects most generated addresses."""
    set_members(case, subscription_url=f"https://hooks.example.com/generated/{next(numbers)}")


def survey_with_files(case, kwargs):
    """Selects a survey with a question for files."""
    case.path_parameters["survey_id"] = first("survey_id")


def file_to_download(case, kwargs):
    """Creates a response with a file, because other requests replace the answers of the first response and thereby delete its
    files."""
    survey = first("survey_id")
    key = upload(f"/v3/surveys/{survey}/files/?question=photo")
    response = create(f"/v3/surveys/{survey}/responses/", {"photo": key})
    case.path_parameters.update(survey_id=survey, response_id=response, file_key=key)


def questions_with_choices(case, kwargs):
    """Compares two questions that can be counted in half of the requests, because most generated names are no questions, and
    in place of those of the example, which another survey with its id need not have."""
    if next(numbers) % 2 == 0 or (case.query or {}).get("rows") == "q1":
        case.path_parameters["survey_id"] = first("survey_id")
        case.query = {**(case.query or {}), "rows": "q1", "columns": "colour"}


def survey_to_hand_over(case, kwargs):
    """Offers a survey of its own in the stateful phase, because a later offer replaces the earlier offers of its surveys."""
    if is_stateful(case):
        set_members(case, surveys=new_object("survey_id", {}))


def new_category_name(case, kwargs):
    """Sets a new name in the stateful phase, because the names of categories are unique."""
    if is_stateful(case):
        set_members(case, name=f"category {next(numbers)}")


def text_answer(case, kwargs):
    """Codes an existing answer in half of the requests, because most generated answers do not exist."""
    if next(numbers) % 2 == 0:
        case.path_parameters["survey_id"] = survey = first("survey_id")
        response = create(f"/v3/surveys/{survey}/responses/", {"q3": "A text"})
        set_members(case, answers=[{"response_id": response, "key": "q3"}], add=[], remove=[], none=True)


def groups_with_filters(case, kwargs):
    """Compares groups of a survey in half of the requests. Most generated texts are no filters."""
    if next(numbers) % 2 == 0:
        case.path_parameters["survey_id"] = first("survey_id")
        case.query = {**(case.query or {}), "group": ["q1=0", ""]}


def no_open_round(case, kwargs):
    """Closes the rounds of a survey in half of the requests, because only one can be open."""
    if next(numbers) % 2 == 0:
        path = f"/v3/surveys/{case.path_parameters['survey_id']}/coding/rounds/"
        for each in send("GET", path).get("results", []):
            if each["closed_at"] is None:
                send("PUT", f"{path}{each['id']}/", {})


def existing_category(case, kwargs):
    """Names an existing category and question in half of the requests. Most generated ones do not exist."""
    if next(numbers) % 2 == 0:
        case.path_parameters["survey_id"] = first("survey_id")
        set_members(case, category=first("category_id"), question="q3")


def question_over_time(case, kwargs):
    """Counts a question of a survey in half of the requests, because most generated names are no questions, and in place of a
    question whose answers are files, or that of the example, which another survey with its id need not have."""
    if next(numbers) % 2 == 0 or (case.query or {}).get("question") in ("photo", "q1"):
        case.path_parameters["survey_id"] = first("survey_id")
        case.query = {**(case.query or {}), "question": "q1", "time_zone": "Europe/Berlin"}


def weightable_question(case, kwargs):
    """Weights a question that has answers in half of the requests, some with a wrong total. Most generated names are no questions."""
    if next(numbers) % 2 == 0:
        survey = case.path_parameters["survey_id"] = first("survey_id")
        for answer in (0, 1):
            create(f"/v3/surveys/{survey}/responses/", {"q1": answer, "_completed": 1})
        targets = [{"choice": 0, "percentage": 40}, {"choice": 1, "percentage": 50 if next(weightings) % 3 == 0 else 60}]
        set_members(case, questions=[{"question": "q1", "targets": targets}])


def weighted_survey(case, kwargs):
    """Reads or deletes weights that exist in half of the requests."""
    if next(numbers) % 2 == 0:
        survey = case.path_parameters["survey_id"] = first("survey_id")
        for answer in (0, 1):
            create(f"/v3/surveys/{survey}/responses/", {"q1": answer, "_completed": 1})
        targets = [{"choice": 0, "percentage": 40}, {"choice": 1, "percentage": 60}]
        send("PUT", f"/v3/surveys/{survey}/weighting/", {"questions": [{"question": "q1", "targets": targets}]})


def few_walks(case, kwargs):
    """Rehearses with few walks. A rehearsal with many takes seconds."""
    if isinstance(case.body, dict) and isinstance(case.body.get("walks", 1000), int):
        set_members(case, walks=min(case.body.get("walks", 5), 5))


def comment_on_existing(case, kwargs):
    """Comments on an existing question or page. Most generated ones do not exist."""
    if isinstance(case.body, dict):
        for name, value in (("question", "q3"), ("page", 1)):
            if name in case.body:
                case.body[name] = value


def pending_review(case, kwargs):
    """Requests a review of a new survey, because a review is decided once."""
    case.path_parameters["survey_id"] = survey = new_object("survey_id", {})
    reply = send("POST", f"/v3/surveys/{survey}/review/", {})
    if isinstance(case.body, dict) and "hash" in case.body:
        case.body["hash"] = reply.get("hash")
        if case.body.get("decision") == "return":
            case.body["sentence"] = "Too long"


def without_approval(case, kwargs):
    """Leaves approvals off: otherwise no later request could save a version of this survey."""
    for place in (case.query, case.body):
        if isinstance(place, dict):
            place.pop("approval_required", None)


def existing_place(case, kwargs):
    """Names an existing question, page or position. Most generated ones do not exist."""
    if isinstance(case.body, dict):
        case.body.update({name: value for name, value in {"question": "q3", "page": 1, "position": 1}.items() if name in case.body})


def copy_of_existing(case, kwargs):
    """Copies an existing question or page to a new survey. Most generated ones do not exist."""
    if isinstance(case.body, dict):
        set_members(case, to=new_object("survey_id", {}))
        case.body.pop("to_page", None)
        existing_place(case, kwargs)


# The preparation of each operation that needs more than existing objects in its path.
PREPARATIONS = {
    "acceptColleagueInvitation": invitation_to_accept,
    "addEmailRecipients": draft,
    "codeTextAnswers": text_answer,
    "copyToSurvey": copy_of_existing,
    "createCategory": new_category_name,
    "compareGroups": groups_with_filters,
    "createCodingRule": existing_category,
    "createComment": comment_on_existing,
    "createLibraryQuestion": existing_place,
    "insertLibraryQuestion": existing_place,
    "createPreviewLink": survey_without_team,
    "createContact": new_contact_details,
    "createFile": survey_with_files,
    "createHandOver": survey_to_hand_over,
    "createInviteCodes": code_count,
    "createSurvey": valid_structure,
    "createSurveyInviteCodes": code_count,
    "createTemplate": valid_structure,
    "createUser": new_account,
    "createWebhook": public_address,
    "decideReview": pending_review,
    "declineColleagueInvitation": invitation_to_decline,
    "deleteCollector": collector_to_delete,
    "deleteResponses": responses_to_delete,
    "deleteUser": account_to_delete,
    "eraseResponse": deleted_response,
    "eraseSurvey": deleted_survey,
    "generateLoginUrl": login,
    "getCrossTable": questions_with_choices,
    "getResponseFile": file_to_download,
    "inviteTeamMember": survey_without_team,
    "getSurveyImport": imported_survey,
    "getTrend": question_over_time,
    "getWeighting": weighted_survey,
    "deleteWeighting": weighted_survey,
    "setWeighting": weightable_question,
    "listDeliveries": filled_list,
    "listQuestions": filled_list,
    "listVersions": filled_list,
    "openCodingRound": no_open_round,
    "rehearseSurvey": few_walks,
    "remindEmail": sent_email,
    "resendSurveyEmail": sent_survey_email,
    "removeContactListContacts": contact_to_remove,
    "removeEmailRecipients": recipient_to_remove,
    "removeFilter": filter_to_remove,
    "removeMember": member_to_remove,
    "removeTeamMember": member_of_team,
    "removeTag": tag_to_remove,
    "reportBounce": recipient,
    "restoreResponse": deleted_response,
    "restoreSurvey": deleted_survey,
    "saveFilter": condition,
    "sendEmail": draft_with_recipient,
    "setMember": member,
    "subscribeWebhook": public_address,
    "unshareSurvey": group_to_remove,
    "unsubscribeWebhook": webhook_to_delete,
    "updateResponse": completion,
    "updateSettings": without_approval,
}
