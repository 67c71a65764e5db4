import type { Section } from './row.ts'

const surveys = (test: string) => `api/v3/surveys › ${test}`
const writing = (test: string) => `api/v3/responses-writing › ${test}`
const filters = (test: string) => `api/v3/response-filters › listResponses, its filters › ${test}`
const listed = (test: string) => `api/v3/responses › listResponses › ${test}`
const csv = (test: string) => `api/v3/csv › exportCsv › ${test}`
const cells = (test: string) => `api/v3/csv-cells › exportCsv › ${test}`
const contacts = (test: string) => `api/v3/contacts › ${test}`
const lists = (test: string) => `api/v3/contact-lists › ${test}`

/** Version 3. */
export const v3: readonly Section[] = [
  {
    section: '5.1',
    rows: [
      [
        'Survey (v3 representation): every member, every address answers',
        ['v3.getSurvey', 'v3.listSurveys'],
        'api/v3/survey-addresses › every address that a survey advertises › answers',
        surveys('createSurvey › form: name'),
      ],
    ],
  },
  {
    section: '4.3',
    rows: [['creator: the user resource', ['v3.getUser'], 'api/v3/users › getUser › id, username']],
  },
  {
    section: '1.4',
    rows: [
      [
        'slug keeps its value when the name is edited',
        ['v3.updateSurvey'],
        surveys('updateSurvey › name: the slug keeps'),
      ],
    ],
  },
  {
    section: '5.4',
    rows: [
      ['GET surveys/: paged envelope', ['v3.listSurveys'], surveys('listSurveys › paged envelope')],
      ['GET surveys/: search', ['v3.listSurveys'], surveys('listSurveys › search')],
      [
        'GET surveys/: group (id or name)',
        ['v3.listSurveys'],
        surveys('listSurveys › group'),
        'api/v3/sharing › a shared survey is in both lists',
      ],
      ['GET surveys/: tags', ['v3.listSurveys'], surveys('listSurveys › tags')],
      ['POST surveys/: name (required)', ['v3.createSurvey'], surveys('createSurvey › form: name')],
      ['POST surveys/: live', ['v3.createSurvey'], surveys('createSurvey › form: live')],
      ['PUT surveys/<id>/: name, new updated_at', ['v3.updateSurvey'], surveys('updateSurvey › name: the slug keeps')],
      ['PUT surveys/<id>/: live', ['v3.updateSurvey'], surveys('updateSurvey › PUT with live=0')],
    ],
  },
  {
    section: '5.12',
    rows: [['Index of v3 collections', ['v3.getIndex'], 'api/v3/collections › getIndex']],
  },
  {
    section: '5.3',
    rows: [
      ['any, PUT live=0 → closed, updated_at changes', ['v3.updateSurvey'], surveys('updateSurvey › PUT with live=0')],
      ['any, PUT live=1 → live, updated_at changes', ['v3.updateSurvey'], surveys('updateSurvey › PUT with live=0')],
      ['(new), POST surveys/ → as given; live without', ['v3.createSurvey'], surveys('createSurvey › form: live')],
    ],
  },
  {
    section: '7.1',
    rows: [
      ['Response (v3 representation)', ['v3.listResponses', 'v3.getResponse'], listed('a response has its answers')],
    ],
  },
  {
    section: '7.5',
    rows: [
      [
        'POST responses/: any number of answers → url, id, key',
        ['v3.createResponse'],
        writing('createResponse › any number'),
      ],
      [
        'POST responses/: zero parameters, a blank response',
        ['v3.createResponse'],
        writing('createResponse › zero parameters'),
      ],
    ],
  },
  {
    section: '7.3',
    rows: [
      ["POST responses/: an 'other' text", ['v3.createResponse'], writing('createResponse › form: strings, labels')],
    ],
  },
  {
    section: '7.5',
    rows: [
      [
        'url: where an end user completes it',
        ['page'],
        'web/respondent/respondent › taking a survey › resumes a response created',
      ],
      ['PUT responses/<id>/: 202, OK', ['v3.updateResponse'], writing('updateResponse › status 202')],
    ],
  },
  {
    section: '7.6',
    rows: [
      ['page', ['v3.listResponses'], listed('page: page index')],
      ['page_size', ['v3.listResponses'], listed('page_size')],
      ['_completed', ['v3.listResponses'], filters('_completed')],
      ['_invite_code', ['v3.listResponses'], filters('_invite_code')],
      ['_updated_at', ['v3.listResponses'], filters('_updated_at')],
      ['_created_at', ['v3.listResponses'], filters('_created_at')],
      [
        '<question_id>',
        ['v3.listResponses'],
        filters('<question_id>'),
        'domain/response/where › whereResponses finds exactly',
      ],
      ['filter', ['v3.listResponses'], filters('filter: a predefined one, a saved one')],
      ['include_labels: true, 1, yes, on', ['v3.listResponses'], listed('%s: label text'), 'api/engine/query › flags'],
      ['expand_GET', ['v3.listResponses'], listed('expand_GET')],
    ],
  },
  {
    section: '7.7',
    rows: [
      [
        'Date filters written directly in the query string',
        ['v3.listResponses'],
        filters('predicates as they are typed'),
      ],
    ],
  },
  {
    section: '7.10',
    rows: [
      ['GET csv/', ['v3.exportCsv'], csv('without parameters')],
      ['<question_id>, date filters', ['v3.exportCsv'], csv('<question_id>, date filters')],
      ['filter', ['v3.exportCsv'], csv('filter: name of saved filter')],
      ['ids', ['v3.exportCsv'], csv('ids')],
      ['include', ['v3.exportCsv'], csv('include: list')],
      ['include_url', ['v3.exportCsv'], csv('include_url, include_key')],
      ['include_labels', ['v3.exportCsv'], cells('include_labels')],
      ['include_id', ['v3.exportCsv'], csv('include_id and show_titles')],
      ['include_key', ['v3.exportCsv'], csv('include_url, include_key')],
      ['show_titles', ['v3.exportCsv'], csv('include_id and show_titles')],
      ['score_based', ['v3.exportCsv'], cells('score_based')],
      ['escape_newline', ['v3.exportCsv'], cells('escape_newline')],
      ['tab_separated', ['v3.exportCsv'], cells('tab_separated')],
      ['comma_separated', ['v3.exportCsv'], cells('comma_separated')],
      ['strip_html', ['v3.exportCsv'], cells('strip_html')],
      ['inverted', ['v3.exportCsv'], csv('inverted')],
      ['include_response_link', ['v3.exportCsv'], csv('include_url, include_key')],
      ['language', ['v3.exportCsv'], cells('language')],
      ['all flags together: what is read back was stored', ['v3.exportCsv'], 'api/v3/csv-property › exportCsv'],
    ],
  },
  {
    section: '8.1',
    rows: [
      [
        'Contact (v3): members; a custom field by a new name',
        ['v3.createContact'],
        contacts('createContact › a custom field'),
      ],
    ],
  },
  {
    section: '8.2',
    rows: [
      ['POST contacts/', ['v3.createContact'], contacts('createContact › form: name, email')],
      ['PUT contacts/<id>/', ['v3.updateContact'], contacts('updateContact › form')],
      [
        'GET contacts/: search, paged envelope',
        ['v3.listContacts'],
        contacts('listContacts › search'),
        contacts('listContacts › paged'),
      ],
      ['DELETE contacts/<id>/: OK', ['v3.deleteContact'], contacts('deleteContact')],
    ],
  },
  {
    section: '8.5',
    rows: [
      ['POST contact-lists/: name, color', ['v3.createContactList'], lists('createContactList › form: name, color')],
      ['a default colour', ['v3.createContactList'], lists('createContactList › a default colour')],
      [
        'POST contact-lists/<id>/contacts/: id',
        ['v3.addContactListContacts'],
        lists('addContactListContacts › form: id'),
      ],
      [
        'POST contact-lists/<id>/contacts/: name and email',
        ['v3.addContactListContacts'],
        lists('addContactListContacts › form: name and email'),
      ],
      [
        'answered with the paged envelope',
        ['v3.addContactListContacts'],
        lists('addContactListContacts › the answer is the first page'),
      ],
    ],
  },
  {
    section: '8.2',
    rows: [['GET contacts/<id>/', ['v3.getContact'], contacts('deleteContact')]],
  },
  {
    section: '8.5',
    rows: [['GET contact-lists/<id>/', ['v3.getContactList'], lists('updateContactList')]],
  },
  {
    section: '5.11',
    rows: [
      ['GET embeds/<id>/', ['v3.getEmbed'], 'api/v3/embeds › createEmbed › the snippet follows'],
      ['GET templates/<id>/', ['v3.getTemplate'], 'api/v3/templates › createTemplate › name, structure; unknown'],
    ],
  },
  {
    section: '11.2',
    rows: [['GET webhooks/<id>/deliveries/<did>/', ['v3.getDelivery'], 'api/v3/webhooks › listDeliveries › the log']],
  },
  {
    section: '9.3',
    rows: [
      [
        'surveys/<id>/invite_codes/: GET, POST',
        ['v3.listSurveyInviteCodes', 'v3.createSurveyInviteCodes'],
        'api/v3/invitations › %s, %s › count and collector',
      ],
    ],
  },
]
