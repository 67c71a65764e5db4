import type { Section } from './row.ts'

const surveys = (test: string) => `api/v2/surveys › ${test}`
const responses = (test: string) => `api/v2/responses › ${test}`
const writing = (test: string) => `api/v2/responses-writing › ${test}`
const groups = (test: string) => `api/v2/groups › ${test}`

/** Version 2: accounts, groups, surveys and responses. */
export const v2: readonly Section[] = [
  {
    section: '4.2',
    rows: [
      ['GET me: user', ['v2.getCurrentUser'], 'api/v2/accounts › getCurrentUser'],
      ['User (v2): plan', ['v2.getPlan'], 'api/v2/accounts › getPlan'],
      [
        'POST users/: email, password, username',
        ['v2.createUser'],
        'api/v2/accounts › createUser › creates an account from',
        'api/v2/accounts › createUser › stores the given password',
      ],
      [
        'POST accounts/generate-login-url/',
        ['v2.generateLoginUrl'],
        'api/v2/accounts › generateLoginUrl › returns the properties in the specification',
      ],
      [
        'not_authorized: missing or invalid password',
        ['v2.generateLoginUrl'],
        'api/v2/accounts › generateLoginUrl › returns 401 with success',
      ],
    ],
  },
  {
    section: '4.5',
    rows: [
      [
        'POST groups/: name',
        ['v2.createGroup'],
        groups('createGroup%s › returns a summary without'),
        groups('createGroup%s › returns 400 for the'),
      ],
      ['GET groups/', ['v2.listGroups'], groups('listGroups%s')],
      ['GET groups/<id>/', ['v2.getGroup'], groups('getGroup%s')],
      ['PUT groups/<id>/: name', ['v2.renameGroup'], groups('renameGroup%s')],
      ['DELETE groups/<id>/', ['v2.deleteGroup'], groups('deleteGroup%s')],
      ['GET groups/<id>/members/', ['v2.listMembers'], groups('listMembers%s')],
      ['PUT groups/<id>/members/: email, roles', ['v2.setMember'], groups('setMember%s › returns the member with')],
      ['granting and revoking: the same request', ['v2.setMember'], groups('setMember%s › replaces the roles when')],
      ['DELETE groups/<id>/members/: email', ['v2.removeMember'], groups('removeMember%s')],
      ['PUT surveys/<id>/groups/', ['v2.shareSurvey'], 'api/v2/sharing › shareSurvey › adds the space-delimited'],
      ['DELETE surveys/<id>/groups/', ['v2.unshareSurvey'], 'api/v2/sharing › unshareSurvey › accepts the group'],
    ],
  },
  {
    section: '5.5',
    rows: [
      ['GET surveys/: total, surveys', ['v2.listSurveys'], surveys('listSurveys › returns total and every')],
      ['GET surveys/<id>/: details, variables', ['v2.getSurvey'], surveys('getSurvey › returns the summary, title')],
      ['GET surveys/<id>/?structure', ['v2.getSurvey'], surveys('getSurvey › returns the whole structure')],
      [
        'POST surveys/: JSON',
        ['v2.createSurvey'],
        surveys('createSurvey › returns name, uri, deploy_uri'),
        surveys('createSurvey › accepts a structure with'),
      ],
    ],
  },
  {
    section: '13.1',
    rows: [
      [
        'a survey without questions cannot be taken',
        ['page'],
        'web/respondent/settings › settings of a survey on its pages › shows that the survey is not available if it has no questions',
      ],
    ],
  },
  {
    section: '5.5',
    rows: [['GET surveys/<id>/status/', ['v2.getSurveyStatus'], surveys('setSurveyStatus › toggles between live and')]],
  },
  {
    section: '5.3',
    rows: [
      [
        'live, POST status/ without switch → closed',
        ['v2.setSurveyStatus'],
        surveys('setSurveyStatus › toggles between live and'),
      ],
      [
        'closed, POST status/ without switch → live',
        ['v2.setSurveyStatus'],
        surveys('setSurveyStatus › toggles between live and'),
      ],
      [
        'any, POST status/?switch=closed → closed',
        ['v2.setSurveyStatus'],
        surveys('setSurveyStatus › sets the status given'),
      ],
      [
        'any, POST status/?switch=live → live',
        ['v2.setSurveyStatus'],
        surveys('setSurveyStatus › sets the status given'),
      ],
    ],
  },
  {
    section: '7.8',
    rows: [
      [
        'GET responses/: offset, limit, total',
        ['v2.listResponses'],
        responses('listResponses › returns total, count and'),
        responses('listResponses › uses offset 0 and'),
      ],
      [
        'GET responses/: filter, saved',
        ['v2.listResponses'],
        'api/v3/filters › saveFilter › stores a name',
        responses('listResponses › accepts the filters and'),
      ],
      [
        'predefined completed, invite_emails, invite_codes',
        ['v2.listResponses'],
        responses('listResponses › accepts the predefined filter'),
        'api/v3/response-filters › listResponses with filters › accepts predefined',
      ],
      [
        'POST responses/: JSON dictionary',
        ['v2.createResponse'],
        writing('createResponse › creates a complete, scored'),
      ],
      ['POST responses/: form', ['v2.createResponse'], writing('createResponse › accepts question IDs')],
      [
        '500 survey_error: not a valid choice',
        ['v2.createResponse'],
        writing('createResponse › returns 500 survey_error for a value'),
      ],
      [
        '500 survey_error: an answer is required',
        ['v2.createResponse'],
        writing('createResponse › returns 500 survey_error when'),
      ],
      [
        'on single-page surveys only',
        ['v2.createResponse'],
        writing('createResponse › returns 400 and refers to version 3'),
      ],
      [
        'DELETE responses/: response_ids joined with +',
        ['v2.deleteResponses'],
        writing('deleteResponses › accepts ids joined with'),
      ],
    ],
  },
  {
    section: '7.11',
    rows: [['GET csv/', ['v2.exportCsv'], 'api/v2/csv › exportCsv › returns the same file']],
  },
]
