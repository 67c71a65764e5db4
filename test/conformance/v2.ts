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
    section: '4.5',
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
      ['PUT surveys/<id>/groups/', ['v2.shareSurvey'], 'api/v3/sharing › shareSurvey › group'],
      ['DELETE surveys/<id>/groups/', ['v2.unshareSurvey'], 'api/v3/sharing › unshareSurvey › group'],
    ],
  },
  {
    section: '5.5',
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
    ],
  },
  {
    section: '13.1',
    rows: [
      [
        'a survey without questions cannot be taken',
        ['page'],
        'web/respondent/settings › settings of a survey on its pages › no questions',
      ],
    ],
  },
  {
    section: '5.5',
    rows: [['GET surveys/<id>/status/', ['v2.getSurveyStatus'], surveys('setSurveyStatus › POST without switch')]],
  },
  {
    section: '5.3',
    rows: [
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
    ],
  },
  {
    section: '7.8',
    rows: [
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
      [
        'on single-page surveys only',
        ['v2.createResponse'],
        writing('createResponse › returns 400 and refers to version 3'),
      ],
      [
        'DELETE responses/: response_ids joined with +',
        ['v2.deleteResponses'],
        writing('deleteResponses › ids joined'),
      ],
    ],
  },
  {
    section: '7.11',
    rows: [['GET csv/', ['v2.exportCsv'], 'api/v2/csv › exportCsv › the same file']],
  },
]
