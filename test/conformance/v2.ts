import type { Section } from './row.ts'

const surveys = (test: string) => `api/v2/surveys › ${test}`
const responses = (test: string) => `api/v2/responses › ${test}`
const writing = (test: string) => `api/v2/responses-writing › ${test}`
const groups = (test: string) => `api/v2/groups › ${test}`
const emails = (test: string) => `api/v2/emails › ${test}`
const lists = (test: string) => `api/v2/contact-lists › ${test}`

/** Specification, the endpoints of v2 apart from people and messages. */
export const v2: readonly Section[] = [
  {
    title: 'v2: current user and accounts',
    rows: [
      ['GET me: user', ['v2.getCurrentUser'], 'api/v2/accounts › getCurrentUser'],
      ['User (v2): plan', ['v2.getPlan'], 'api/v2/accounts › getPlan'],
      [
        'POST users/: email, password, username',
        ['v2.createUser'],
        'api/v2/accounts › createUser › a developer opens',
        'api/v2/accounts › createUser › the password and the user name',
      ],
      [
        'POST accounts/generate-login-url/',
        ['v2.generateLoginUrl'],
        'api/v2/accounts › generateLoginUrl › the account by',
      ],
      [
        'not_authorized: missing or invalid password',
        ['v2.generateLoginUrl'],
        'api/v2/accounts › generateLoginUrl › %s: 401',
      ],
    ],
  },
  {
    title: 'v2: groups',
    rows: [
      ['POST groups/: name', ['v2.createGroup'], groups('createGroup%s › name'), groups('createGroup%s › group name')],
      ['GET groups/', ['v2.listGroups'], groups('listGroups%s')],
      ['GET groups/<id>/', ['v2.getGroup'], groups('getGroup%s')],
      ['PUT groups/<id>/: name', ['v2.renameGroup'], groups('renameGroup%s')],
      ['DELETE groups/<id>/', ['v2.deleteGroup'], groups('deleteGroup%s')],
      ['GET groups/<id>/members/', ['v2.listMembers'], groups('listMembers%s')],
      ['PUT groups/<id>/members/: email, roles', ['v2.setMember'], groups('setMember%s › email and roles')],
      ['granting and revoking: the same request', ['v2.setMember'], groups('setMember%s › granting and revoking')],
      ['DELETE groups/<id>/members/: email', ['v2.removeMember'], groups('removeMember%s')],
      [
        'PUT surveys/<id>/groups/',
        ['v2.shareSurvey'],
        'api/v3/sharing › shareSurvey › group',
        'api/roles › $prefix › $operationId',
      ],
      [
        'DELETE surveys/<id>/groups/',
        ['v2.unshareSurvey'],
        'api/v3/sharing › unshareSurvey › group',
        'api/roles › $prefix › $operationId',
      ],
    ],
  },
  {
    title: 'v2: surveys',
    rows: [
      ['GET surveys/: total, surveys', ['v2.listSurveys'], surveys('listSurveys › total, surveys')],
      ['GET surveys/<id>/: details, variables', ['v2.getSurvey'], surveys('getSurvey › details')],
      ['GET surveys/<id>/?structure', ['v2.getSurvey'], surveys('getSurvey › %s: the whole structure')],
      [
        'POST surveys/: JSON',
        ['v2.createSurvey'],
        surveys('createSurvey › JSON body'),
        surveys('createSurvey › minimum: title'),
      ],
      [
        'a survey without questions cannot be taken',
        ['page'],
        'pages/taking-settings › settings of a survey on its pages › no questions',
      ],
      ['GET surveys/<id>/status/', ['v2.getSurveyStatus'], surveys('setSurveyStatus › POST without switch')],
      [
        'live, POST status/ without switch → closed',
        ['v2.setSurveyStatus'],
        surveys('setSurveyStatus › POST without switch'),
      ],
      [
        'closed, POST status/ without switch → live',
        ['v2.setSurveyStatus'],
        surveys('setSurveyStatus › POST without switch'),
      ],
      [
        'any, POST status/?switch=closed → closed',
        ['v2.setSurveyStatus'],
        surveys('setSurveyStatus › POST with switch'),
      ],
      ['any, POST status/?switch=live → live', ['v2.setSurveyStatus'], surveys('setSurveyStatus › POST with switch')],
      [
        'GET responses/: offset, limit, total',
        ['v2.listResponses'],
        responses('listResponses › total, count'),
        responses('listResponses › offset'),
      ],
      [
        'GET responses/: filter, saved',
        ['v2.listResponses'],
        'api/v3/filters › saveFilter › name and query',
        responses('listResponses › filters and flags'),
      ],
      [
        'predefined completed, invite_emails, invite_codes',
        ['v2.listResponses'],
        responses('listResponses › filter: the predefined'),
        'api/v3/response-filters › listResponses, its filters › filter: a predefined one',
      ],
      ['POST responses/: JSON dictionary', ['v2.createResponse'], writing('createResponse › JSON dictionary')],
      ['POST responses/: form', ['v2.createResponse'], writing('createResponse › the same pairs as')],
      [
        '500 survey_error: not a valid choice',
        ['v2.createResponse'],
        writing('createResponse › 500 survey_error: a value is not'),
      ],
      [
        '500 survey_error: an answer is required',
        ['v2.createResponse'],
        writing('createResponse › 500 survey_error: an answer to'),
      ],
      ['on single-page surveys only', ['v2.createResponse'], writing('createResponse › a survey of several pages')],
      [
        'DELETE responses/: response_ids joined with +',
        ['v2.deleteResponses'],
        writing('deleteResponses › ids joined'),
      ],
      ['GET csv/', ['v2.exportCsv'], 'api/v2/csv › exportCsv › the same file'],
    ],
  },
  {
    title: 'v2: contacts',
    rows: [
      [
        'GET contacts/: offset, limit; custom, contacts, start, total',
        ['v2.listContacts'],
        'api/v2/contacts › listContacts › custom',
      ],
      ['GET contacts/: search', ['v2.listContacts'], 'api/v2/contacts › listContacts › search'],
      [
        'GET contacts/: survey or collector adds status, never both',
        ['v2.listContacts'],
        'api/v2/contacts › listContacts › survey or collector',
      ],
      [
        'POST contacts/: name, email, custom_<name>',
        ['v2.createContact'],
        'api/v2/contacts › createContact › JSON: name',
      ],
      ['GET contacts/<id>/', ['v2.getContact'], 'api/v2/contacts › getContact'],
      ['DELETE contacts/<id>/', ['v2.deleteContact'], 'api/v2/contacts › deleteContact'],
    ],
  },
  {
    title: 'v2: contact lists',
    rows: [
      ['GET contact-lists/: offset, limit', ['v2.listContactLists'], lists('listContactLists')],
      ['POST contact-lists/: name', ['v2.createContactList'], lists('createContactList')],
      ['GET contact-lists/<id>/', ['v2.getContactList'], lists('getContactList')],
      ['GET contact-lists/<id>/contacts/', ['v2.listContactListContacts'], lists('listContactListContacts')],
      [
        'POST …/contacts/: form contact_list',
        ['v2.addContactListContacts'],
        lists('addContactListContacts › form parameter'),
      ],
      [
        'POST …/contacts/: multipart contacts',
        ['v2.addContactListContacts'],
        lists('addContactListContacts › contacts'),
        lists('addContactListContacts › multipart'),
      ],
      [
        'POST …/contacts/: as contact creation',
        ['v2.addContactListContacts'],
        lists('addContactListContacts › the same parameters'),
      ],
      ['DELETE …/contacts/', ['v2.removeContactListContacts'], lists('removeContactListContacts')],
    ],
  },
  {
    title: 'v2: invite codes',
    rows: [
      [
        'POST invite-codes/: count, collector',
        ['v2.createInviteCodes'],
        'api/v2/invite-codes › createInviteCodes › count, invites',
      ],
      ['count from 1 to 1000', ['v2.createInviteCodes'], 'api/v2/invite-codes › createInviteCodes › refuses'],
      ['GET invite-codes/: offset, limit', ['v2.listInviteCodes'], 'api/v2/invite-codes › listInviteCodes › offset'],
      [
        'status Viewed, Completed; the response',
        ['v2.listInviteCodes', 'page'],
        'pages/invited › an invite code at the public page › opening it',
      ],
      [
        'one invite code per contact per survey, per collector',
        ['page'],
        'pages/invited › an invite code at the public page › one response per code',
      ],
    ],
  },
  {
    title: 'v2: emails',
    rows: [
      [
        '(new), POST emails/?survey= → created',
        ['v2.createEmail'],
        emails('createEmail › subject, sender and message'),
      ],
      ['a message without [Invite Link]', ['v2.createEmail'], emails('createEmail › refuses a wrong')],
      ['GET emails/<id>/', ['v2.getEmail'], emails('createEmail › subject, sender and message')],
      ['scheduled, DELETE emails/<id>/ → removed', ['v2.deleteEmail'], emails('deleteEmail')],
      [
        'recipients/: GET, POST, DELETE',
        ['v2.listEmailRecipients', 'v2.addEmailRecipients', 'v2.removeEmailRecipients'],
        emails('addEmailRecipients, listEmailRecipients, removeEmailRecipients › contacts'),
      ],
      [
        'created, POST send/ → scheduled',
        ['v2.sendEmail'],
        emails('sendEmail › created → scheduled'),
        'api/v2/emails-example › contact → e-mail',
      ],
      [
        'scheduled: a sum of numbers with w, d, h, m',
        ['v2.sendEmail'],
        emails('sendEmail › scheduled=%s'),
        'domain/email/schedule › delayOf',
      ],
      ['scheduled → sent', ['v2.sendEmail'], emails('sendEmail › created → scheduled → sent')],
      ['POST reminder/: subject, message', ['v2.remindEmail'], 'api/v2/emails-reminder › remindEmail › only those'],
    ],
  },
  {
    title: 'v2: webhooks',
    rows: [
      ['GET webhooks/: webhooks, total', ['v2.listWebhooks'], 'api/v2/webhooks › listWebhooks'],
      [
        '(none), POST subscribe/, not yet used → active, 201',
        ['v2.subscribeWebhook'],
        'api/v2/webhooks › subscribeWebhook › (none) → active',
      ],
      [
        '(none), POST subscribe/, already used → unchanged, 409',
        ['v2.subscribeWebhook'],
        'api/v2/webhooks › subscribeWebhook › (none) → unchanged',
      ],
      [
        'active, POST unsubscribe/ → removed, 200',
        ['v2.unsubscribeWebhook'],
        'api/v2/webhooks › unsubscribeWebhook › active → removed',
      ],
      ['active, a callback answered with 410 → removed', ['event'], 'worker/deliveries › active → removed'],
    ],
  },
]
