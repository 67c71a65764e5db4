"""The fields for which data that matches the contract can be rejected, by operation."""

import re

# The fields for which data that matches the contract can be rejected, as a pattern of their whole names. OpenAPI cannot
# describe these rules. The reply must be a 400 whose errors have codes that only the service can decide
# (src/domain/field-error.ts), in no other field. On other operations nothing is excused.
EXCLUDING = "query parameters that exclude each other, or one of which is required"
EITHER_PLACE = "the contract accepts it in the query or in the body, and therefore requires it in neither"
SURVEY = "it depends on the survey: its questions, choices, languages, pages, collectors, filters"
STRUCTURE = "members of a structure (JSON pointers)"
TEXT = "a text with its own grammar"
ACCOUNT = "it depends on the data of the account"

RULES = [
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
    """Returns patterns of the fields. The second address of an operation has the rules of the first."""
    return [re.compile(fields, re.DOTALL) for _, fields, operations in RULES if operation.removesuffix("Alias") in operations]
