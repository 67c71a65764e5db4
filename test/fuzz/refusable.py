"""The fields that data of the right shape can be refused for, by operation."""

import re

# What data of the right shape can be refused for, by operation: the fields, as a pattern of their whole names. OpenAPI
# has no words for it. The answer must be a 400 that says `"refused_for": "sense"` (src/api/engine/http-error.ts) and names no
# other field; a refusal of shape is never excused, nor is any on an operation that does not stand here.
EXCLUDING = "parameters of the query that exclude each other, or of which one is needed"
EITHER_PLACE = "the contract takes it in the query or in the body, and therefore requires it in neither"
SURVEY = "it depends on the survey: its questions, choices, languages, pages, collectors, filters"
STRUCTURE = "places in a structure, which is checked by the service (JSON pointers)"
TEXT = "a text with a grammar of its own"
ACCOUNT = "it depends on what the account holds"

SENSE = [
    (EXCLUDING, "collector", ("listContacts", "listContactListContacts", "listEmailRecipients")),
    (EXCLUDING, "comma_separated", ("exportCsv",)),
    (EXCLUDING, "completed", ("updateResponse",)),
    (EITHER_PLACE, "name", ("createCollector", "createSurvey", "renameSurvey", "removeFilter", "removeTag")),
    (EITHER_PLACE, "id", ("deleteCollector", "removeContactListContacts")),
    (EITHER_PLACE, "count", ("createInviteCodes", "createSurveyInviteCodes")),
    (EITHER_PLACE, "email", ("removeMember",)),
    (EITHER_PLACE, "group", ("unshareSurvey",)),
    (EITHER_PLACE, "response_ids", ("deleteResponses",)),
    (EITHER_PLACE, "contacts|contact_list", ("removeContactListContacts", "removeEmailRecipients")),
    (SURVEY, r".*", ("createResponse", "updateResponse", "listResponses", "exportCsv", "saveFilter", "createReport", "getReport")),
    (SURVEY, "since", ("listResponseChanges",)),
    (STRUCTURE, r"/.*", ("createSurvey", "createTemplate", "updateTemplate", "updateStructure", "updateLanguages")),
    (TEXT, "name", ("createGroup", "renameGroup")),
    (TEXT, "roles", ("setMember",)),
    (TEXT, "sender|subject|message|scheduled", ("createEmail", "sendEmail", "sendSurvey", "remindEmail", "sendSurveyInvites")),
    (TEXT, "subscription_url", ("subscribeWebhook", "createWebhook")),
    (TEXT, r"body|name|email|(column|row) \d+", ("importContacts",)),
    (TEXT, "password|username", ("createUser",)),
    (ACCOUNT, "password", ("deleteUser",)),
    (ACCOUNT, "sharing_password", ("shareReports",)),
    (ACCOUNT, r"settings\..*", ("createCollector", "createSurveyCollector", "updateCollector")),
    (ACCOUNT, r".*", ("updateSettings",)),
    (ACCOUNT, "recipients", ("sendEmail", "sendSurveyInvites", "remindEmail")),
]


def excused_fields(operation):
    """A second address of an operation is refused what the first is."""
    return [re.compile(fields, re.DOTALL) for _, fields, operations in SENSE if operation.removesuffix("Alias") in operations]
