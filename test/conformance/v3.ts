import type { Section } from './row.ts'
import { emails } from './v3-emails.ts'
import { files } from './v3-files.ts'
import { texts } from './v3-texts.ts'
import { themes } from './v3-themes.ts'

const surveys = (test: string) => `api/v3/surveys › ${test}`
const writing = (test: string) => `api/v3/responses-writing › ${test}`
const filters = (test: string) => `api/v3/response-filters › listResponses with filters › ${test}`
const responses = (test: string) => `api/v3/responses › listResponses › ${test}`
const csv = (test: string) => `api/v3/csv › exportCsv › ${test}`
const cells = (test: string) => `api/v3/csv-cells › exportCsv › ${test}`
const contacts = (test: string) => `api/v3/contacts › ${test}`
const lists = (test: string) => `api/v3/contact-lists › ${test}`

/** Version 3. */
export const v3: readonly Section[] = [
  themes,
  texts,
  ...emails,
  ...files,
  {
    section: '5.1',
    rows: [
      [
        'Survey (v3 representation): every member, every address answers',
        ['v3.getSurvey', 'v3.listSurveys'],
        'api/v3/survey-addresses › every URL in a survey › returns 200 to GET',
        surveys('createSurvey › creates a survey from'),
      ],
    ],
  },
  {
    section: '4.3',
    rows: [['creator: the user resource', ['v3.getUser'], 'api/v3/users › getUser › returns id']],
  },
  {
    section: '1.4',
    rows: [
      ['slug keeps its value when the name is edited', ['v3.updateSurvey'], surveys('updateSurvey › changes the name')],
    ],
  },
  {
    section: '5.4',
    rows: [
      ['GET surveys/: paged envelope', ['v3.listSurveys'], surveys('listSurveys › returns the paged')],
      ['GET surveys/: search', ['v3.listSurveys'], surveys('listSurveys › search')],
      [
        'GET surveys/: group (id or name)',
        ['v3.listSurveys'],
        surveys('listSurveys › returns no surveys for an unknown'),
        'api/v3/sharing › listSurveys returns',
      ],
      ['GET surveys/: tags', ['v3.listSurveys'], surveys('listSurveys › returns the surveys')],
      ['POST surveys/: name (required)', ['v3.createSurvey'], surveys('createSurvey › returns 400')],
      ['POST surveys/: live', ['v3.createSurvey'], surveys('createSurvey › accepts live')],
      ['PUT surveys/<id>/: name, new updated_at', ['v3.updateSurvey'], surveys('updateSurvey › changes the name')],
      ['PUT surveys/<id>/: live', ['v3.updateSurvey'], surveys('updateSurvey › closes with live=0')],
    ],
  },
  {
    section: '5.12',
    rows: [['Index of v3 collections', ['v3.getIndex'], 'api/v3/collections › getIndex']],
  },
  {
    section: '5.3',
    rows: [
      [
        'any, PUT live=0 → closed, updated_at changes',
        ['v3.updateSurvey'],
        surveys('updateSurvey › closes with live=0'),
      ],
      ['any, PUT live=1 → live, updated_at changes', ['v3.updateSurvey'], surveys('updateSurvey › closes with live=0')],
      ['(new), POST surveys/ → as given; live without', ['v3.createSurvey'], surveys('createSurvey › accepts live')],
    ],
  },
  {
    section: '7.1',
    rows: [['Response (v3 representation)', ['v3.listResponses', 'v3.getResponse'], responses('returns the answers')]],
  },
  {
    section: '7.5',
    rows: [
      [
        'POST responses/: any number of answers → url, id, key',
        ['v3.createResponse'],
        writing('createResponse › stores any number'),
      ],
      [
        'POST responses/: zero parameters, a blank response',
        ['v3.createResponse'],
        writing('createResponse › creates a blank'),
      ],
    ],
  },
  {
    section: '7.3',
    rows: [["POST responses/: an 'other' text", ['v3.createResponse'], writing('createResponse › accepts a form')]],
  },
  {
    section: '7.5',
    rows: [
      [
        'url: where an end user completes it',
        ['page'],
        'web/respondent/respondent › the survey page › continues a response that was created',
      ],
      ['PUT responses/<id>/: 202, OK', ['v3.updateResponse'], writing('updateResponse › returns 202')],
    ],
  },
  {
    section: '7.6',
    rows: [
      ['page', ['v3.listResponses'], responses('reads page')],
      ['page_size', ['v3.listResponses'], responses('limits page_size')],
      ['_completed', ['v3.listResponses'], filters('maps _completed')],
      ['_invite_code', ['v3.listResponses'], filters('finds the response')],
      ['_updated_at', ['v3.listResponses'], filters('compares _updated_at')],
      ['_created_at', ['v3.listResponses'], filters('compares _created_at')],
      [
        '<question_id>',
        ['v3.listResponses'],
        filters('filters answers'),
        'domain/response/where › whereResponses selects exactly',
      ],
      ['filter', ['v3.listResponses'], filters('accepts predefined')],
      [
        'include_labels: true, 1, yes, on',
        ['v3.listResponses'],
        responses('returns labels'),
        'api/engine/query › flags',
      ],
      ['expand_GET', ['v3.listResponses'], responses('returns the GET variables')],
    ],
  },
  {
    section: '7.7',
    rows: [['Date filters written directly in the query string', ['v3.listResponses'], filters('accepts plain')]],
  },
  {
    section: '7.10',
    rows: [
      ['GET csv/', ['v3.exportCsv'], csv('writes 17 metadata')],
      ['<question_id>, date filters', ['v3.exportCsv'], csv('filters by answer')],
      ['filter', ['v3.exportCsv'], csv('applies the saved')],
      ['ids', ['v3.exportCsv'], csv('returns only the responses')],
      ['include', ['v3.exportCsv'], csv('returns only the questions')],
      ['include_url', ['v3.exportCsv'], csv('appends columns')],
      ['include_labels', ['v3.exportCsv'], cells('writes choice')],
      ['include_id', ['v3.exportCsv'], csv('changes the header')],
      ['include_key', ['v3.exportCsv'], csv('appends columns')],
      ['show_titles', ['v3.exportCsv'], csv('changes the header')],
      ['score_based', ['v3.exportCsv'], cells('writes scores')],
      ['escape_newline', ['v3.exportCsv'], cells('replaces newline')],
      ['tab_separated', ['v3.exportCsv'], cells('writes a file')],
      ['comma_separated', ['v3.exportCsv'], cells('writes a CSV')],
      ['strip_html', ['v3.exportCsv'], cells('removes HTML')],
      ['inverted', ['v3.exportCsv'], csv('writes one line')],
      ['include_response_link', ['v3.exportCsv'], csv('appends columns')],
      ['language', ['v3.exportCsv'], cells('writes titles')],
      ['all flags together: what is read back was stored', ['v3.exportCsv'], 'api/v3/csv-property › exportCsv'],
      [
        'ETag, Range, If-Range, If-None-Match',
        ['v3.exportCsv', 'v2.exportCsv'],
        'api/v3/csv-resume › exportCsv, cut ten times and resumed › returns the bytes',
        'api/v3/csv-range › exportCsv with If-None-Match › returns 304',
      ],
    ],
  },
  {
    section: '8.1',
    rows: [
      [
        'Contact (v3): members; a custom field by a new name',
        ['v3.createContact'],
        contacts('createContact › creates a custom'),
      ],
    ],
  },
  {
    section: '8.2',
    rows: [
      ['POST contacts/', ['v3.createContact'], contacts('createContact › creates a contact')],
      ['PUT contacts/<id>/', ['v3.updateContact'], contacts('updateContact › changes name')],
      [
        'GET contacts/: search, paged envelope',
        ['v3.listContacts'],
        contacts('listContacts › search'),
        contacts('listContacts › returns the paged'),
      ],
      ['DELETE contacts/<id>/: OK', ['v3.deleteContact'], contacts('deleteContact')],
    ],
  },
  {
    section: '8.5',
    rows: [
      ['POST contact-lists/: name, color', ['v3.createContactList'], lists('createContactList › creates a list')],
      ['a default colour', ['v3.createContactList'], lists('createContactList › uses a default')],
      [
        'POST contact-lists/<id>/contacts/: id',
        ['v3.addContactListContacts'],
        lists('addContactListContacts › adds existing'),
      ],
      [
        'POST contact-lists/<id>/contacts/: name and email',
        ['v3.addContactListContacts'],
        lists('addContactListContacts › creates and'),
      ],
      [
        'answered with the paged envelope',
        ['v3.addContactListContacts'],
        lists('addContactListContacts › returns the first'),
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
      ['GET embeds/<id>/', ['v3.getEmbed'], 'api/v3/embeds › createEmbed › updates the snippet'],
      ['GET templates/<id>/', ['v3.getTemplate'], 'api/v3/templates › createTemplate › stores name'],
      ['GET gallery/', ['v3.listGalleryTemplates'], 'api/v3/gallery › listGalleryTemplates › lists the templates'],
      ['GET gallery/<id>/', ['v3.getGalleryTemplate'], 'api/v3/gallery › getGalleryTemplate › returns a structure'],
      ['POST xlsform/', ['v3.convertXlsform'], 'api/v3/gallery › convertXlsform › returns a structure'],
    ],
  },
  {
    section: '11.2',
    rows: [
      ['GET webhooks/<id>/deliveries/<did>/', ['v3.getDelivery'], 'api/v3/webhooks › listDeliveries › returns status'],
    ],
  },
  {
    section: '9.3',
    rows: [
      [
        'surveys/<id>/invite_codes/: GET, POST',
        ['v3.listSurveyInviteCodes', 'v3.createSurveyInviteCodes'],
        'api/v3/invitations › %s, %s › accept count',
      ],
    ],
  },
]
