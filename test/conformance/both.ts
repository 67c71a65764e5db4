import type { Row, Section } from './row.ts'

/** Returns the row of a question type: its structure, page, answers through the API, CSV columns and report. */
const questionType = (type: string, describe: string): Row => [
  `${type}: structure, page, API, CSV, report`,
  ['v3.updateStructure', 'v3.createResponse', 'v2.createResponse', 'v3.exportCsv', 'v3.getReport', 'page'],
  `question-types/${type} › ${describe}`,
]

const events = (test: string) => `worker/events › ${test}`
const providerError = (test: string) =>
  `web/custom-authentication/errors › an identity provider of the kind %s › its reply about access › ${test}`
const signIn = (test: string) =>
  `web/custom-authentication/sign-in › a survey with an identity provider of the kind %s › ${test}`

/** Authentication, events, errors and the parts that both versions share. */
export const both: readonly Section[] = [
  {
    section: '3.4',
    rows: [
      [
        '(none), POST generate-login-url/ → unused',
        ['v2.generateLoginUrl'],
        'api/v2/accounts › generateLoginUrl › returns the properties in the specification',
      ],
      [
        'unused, visited → used, signed in, account page',
        ['page'],
        'web/login-link › a one-time login URL › signs the user in once',
      ],
      ['used, visited again → rejected', ['page'], 'web/login-link › a one-time login URL › signs the user in once'],
      ['two visits at the same moment', ['page'], 'web/login-link › a one-time login URL › signs in only one'],
    ],
  },
  {
    section: '3.1',
    rows: [
      ['v2: API key and password', ['v2.getCurrentUser'], 'api/authentication › valid Basic credentials'],
      ['v3: login name and password', ['v3.getIndex'], 'api/authentication › valid Basic credentials'],
    ],
  },
  {
    section: '3.2',
    rows: [
      [
        'wrong or no credentials',
        ['v2.getCurrentUser', 'v3.getIndex'],
        'api/authentication › invalid Basic credentials',
        'api/authentication › a request without credentials',
      ],
    ],
  },
  {
    section: '3.3',
    rows: [
      [
        'registration: name, homepage, callback, description → id and secret',
        ['page'],
        'oauth/developer › registering an application › returns a client ID, and a secret that is shown once',
      ],
      [
        'authorize: response_type, client_id, redirect_uri → code',
        ['page'],
        'oauth/authorize › the consent page › redirects with code, state and iss after consent',
      ],
      [
        'token: code, client_id, client_secret, redirect_uri, grant_type',
        ['oauth'],
        'oauth/token › a client without PKCE, state and scope › gets a token, and calls the API as the user',
      ],
      [
        'Authorization: Bearer',
        ['v3.getIndex', 'v2.getCurrentUser'],
        'oauth/token › a client without PKCE, state and scope › gets a token, and calls the API as the user',
      ],
      [
        'users limit and revoke the access',
        ['page', 'oauth'],
        'oauth/revoke › the account page › lists authorized applications with scopes and last use, and revokes them',
        'oauth/revoke › the account page › restricts an authorized application to read access',
      ],
    ],
  },
  {
    section: '12.2',
    rows: [
      [
        'authorize: redirect with response_type, client_id, redirect_uri',
        ['page'],
        signIn('can be completed by a user with access'),
      ],
      ['token by code', ['page'], signIn('can be completed by a user with access')],
      [
        'token by refresh',
        ['page'],
        'web/custom-authentication/errors › an identity provider of the kind %s › tokens › are refreshed',
      ],
      ['permission check: method, survey, response', ['page'], signIn('can be completed by a user with access')],
    ],
  },
  {
    section: '12.4',
    rows: [
      ['invalid_grant: no user is authenticated', ['page'], providerError('refreshes the token after invalid_grant')],
      ['404: denied', ['page'], providerError('denies access with 404')],
    ],
  },
  {
    section: '12.1',
    rows: [
      [
        'endpoints use HTTPS',
        ['v3.updateSettings'],
        'api/v3/settings › updateSettings › returns 400',
        'api/v3/settings › updateSettings › accepts http',
      ],
    ],
  },
  {
    section: '11.3',
    rows: [
      ['survey_create: its fields', ['event'], events('survey_create › is sent for a new survey')],
      [
        'response_complete: its fields, formats, N/A',
        ['event'],
        events('response_complete › contains the specified fields'),
      ],
      [
        'response_complete: account-wide, survey, collector',
        ['event'],
        events('response_complete › is sent for all surveys of the account'),
      ],
      ['report_create: its fields; survey narrows', ['event'], events('report_create › is sent for a new report')],
      ['contact_create: its fields', ['event'], events('contact_create › is sent for a new contact')],
    ],
  },
  {
    section: '7.4',
    rows: [
      [
        '0 → 1: the last page',
        ['page'],
        'web/respondent/respondent › the survey page › stores every page, and completes',
      ],
      [
        '1 quota reached, 2 terminated',
        ['page'],
        'web/respondent/quota › quotas › shows the message of a full quota',
        'web/respondent/logic › the logic of a survey on its pages › skips to',
      ],
    ],
  },
  {
    section: '6.1',
    rows: [
      [
        'languages, plain strings and language objects',
        ['v3.updateStructure'],
        'api/v3/structure › getStructure › returns every',
      ],
    ],
  },
  {
    section: '6.3',
    rows: [
      [
        'short and full form; from v2 to v3',
        ['v2.createSurvey', 'v3.getStructure'],
        'api/v2/structure-property › createSurvey stores structures',
      ],
      ['id: required and unique', ['v3.updateStructure'], 'api/v3/structure › updateStructure › names each'],
    ],
  },
  {
    section: '6.4',
    rows: [
      questionType('number', 'a number question'),
      questionType('email', 'an email question'),
      questionType('rating', 'a rating question'),
      questionType('slider', 'a slider question'),
      questionType('image-choice', 'an image choice question'),
      questionType('calculation', 'a calculation'),
      questionType('consent', 'a consent question'),
      questionType('file-upload', 'a file upload question'),
      questionType('signature', 'a signature question'),
      questionType('multiple-choice-grid', 'a grid with several choices per row'),
    ],
  },
  {
    section: '2.8',
    rows: [
      [
        'v2 error body: code, description; success under accounts',
        ['v2.listSurveys', 'v2.generateLoginUrl'],
        'api/v2/error-body › an error of v2 › has a code',
        'api/v2/error-body › an error of v2 › has the property success',
      ],
      ['v3 error body', ['v3.listSurveys'], 'api/v3/error-body › an error of v3 › is problem+json'],
    ],
  },
  {
    section: '2.6',
    rows: [
      [
        'page sizes and limits',
        ['v3.listResponses', 'v2.listResponses'],
        'api/paging › pageOf',
        'api/paging › sliceOf',
      ],
    ],
  },
  {
    section: '13.1',
    rows: [
      [
        'survey not live, not available, without questions',
        ['page'],
        'web/respondent/settings › settings of a survey on its pages › shows that the survey is not live and stores nothing if live is 0',
        'web/respondent/settings › settings of a survey on its pages › shows that the survey is not available if it has no questions',
      ],
    ],
  },
  {
    section: '1.3',
    rows: [
      [
        'Versioning: v2 and v3 side by side',
        ['v2.listSurveys', 'v3.listSurveys'],
        'contract › the contract of %s › has the same operations',
      ],
    ],
  },
]
