import { detail, type ErrorDetail } from './error-details.ts'
import {
  describeErrors,
  type FieldError,
  type FieldErrorCode,
  type FieldErrorParams,
  fieldError,
} from './field-error.ts'
import { type ProblemCode, type ProblemKind, problemCodes } from './problem-codes.ts'

export type { FieldError } from './field-error.ts'

export { type ProblemKind, problemCodes } from './problem-codes.ts'

/**
 * An error that the API or a page reports to the client. It is independent of HTTP: API and pages map its kind to a
 * status. `invalid_answers` is a separate kind because its status depends on the version of the API.
 */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly code: string
  readonly errors: readonly FieldError[]
  /** Seconds after which a retry can succeed, if known. */
  retryAfter?: number

  constructor(kind: ProblemKind, code: string, message: string, errors: readonly FieldError[] = []) {
    super(message)
    this.name = 'Problem'
    this.kind = kind
    this.code = code
    this.errors = errors
  }
}

const problem = (code: ProblemCode, message: string, errors: readonly FieldError[] = []) =>
  new Problem(problemCodes[code][0], code, message, errors)

const retriable = (code: ProblemCode, message: string, seconds: number) =>
  Object.assign(problem(code, message), { retryAfter: seconds })

type NotFoundCode = Extract<ProblemCode, `${string}_not_found`>

/** What the rights on responses allow. */
const rightTexts = {
  Report: 'view reports',
  View: 'view responses',
  Correct: 'edit responses',
  Export: 'export responses',
  Delete: 'delete responses',
}

const notFound = (code: NotFoundCode, noun: string) => () => problem(code, `There is no such ${noun}.`)

const invalid = (code: ProblemCode, errors: readonly FieldError[]) =>
  problem(code, describeErrors(errors) || 'The request is not valid.', errors)

/** Creates the problems of the domain. */
export const problems = {
  unauthenticated: () =>
    problem(
      'unauthenticated',
      'Authentication required. Send a username and password, an API key, or an access token.',
    ),
  /** The username or the password of Basic authentication is wrong. The message does not reveal which. */
  invalidCredentials: () =>
    problem(
      'unauthenticated',
      'Invalid credentials. A username (or email address) and a password, or a username and an API key, must match.',
    ),
  /** The username or the password of a sign-in is wrong. The message does not reveal which. */
  invalidLogin: () => problem('unauthenticated', 'The username, email address or password is wrong.'),
  apiKeyRequired: () =>
    problem(
      'unauthenticated',
      'This account has a second factor, so its password alone is not enough. Use the username and an API key.',
    ),
  /** Thrown only for the right credentials. */
  accountDisabled: () => problem('unauthenticated', 'This account is disabled. Ask the administrator of this server.'),
  developerKeyRequired: () => problem('unauthenticated', 'key: must be an API key of a developer account'),
  /** @param seconds until the next attempt is accepted */
  tooManyAttempts: (seconds: number) =>
    retriable('too_many_attempts', `Too many wrong passwords. Try again in ${seconds} seconds.`, seconds),
  /** @param seconds after which a retry can succeed */
  tooManyRequests: (message: string, seconds: number) =>
    retriable('too_many_requests', `${message} Try again in ${Math.max(1, seconds)} seconds.`, Math.max(1, seconds)),
  linkExpired: () => problem('link_expired', 'This link has expired or has already been used.'),
  emailTaken: (message = 'This email address already has an account.') =>
    problem('email_taken', message, [fieldError('email', 'taken', {}, detail('account_exists'))]),
  usernameTaken: () => problem('username_taken', 'This username is taken.', [fieldError('username', 'taken')]),
  slugTaken: () => problem('slug_taken', 'Another survey took this address at the same time. Try again.'),
  filterExists: () =>
    problem('filter_exists', 'The survey already has a filter with this name.', [fieldError('name', 'taken')]),
  categoryExists: () =>
    problem('category_exists', 'The survey already has a category with this name.', [fieldError('name', 'taken')]),
  contactExists: () =>
    problem('contact_exists', 'A contact with this name and email address already exists.', [
      fieldError('email', 'taken', {}, detail('contact_exists')),
    ]),
  webhookExists: () =>
    problem('webhook_exists', 'This URL already has a webhook.', [
      fieldError('subscription_url', 'taken', {}, detail('webhook_exists')),
    ]),
  inviteUsed: () => problem('invite_used', 'This invite code already has a response.', [fieldError('code', 'taken')]),
  /** A response in the trash cannot be restored beside the one that has replaced it. */
  responseReplaced: () =>
    problem('invite_used', 'Another response has the same invitation or the same key. Delete it first.'),
  sessionNotFound: notFound('session_not_found', 'session'),
  passkeyNotFound: notFound('passkey_not_found', 'passkey'),
  secondFactorRequired: () =>
    problem(
      'second_factor_required',
      'This server requires a second factor. Add another one before you remove this one.',
    ),
  identityNotFound: notFound('identity_not_found', 'identity'),
  identityTaken: () => problem('identity_taken', 'Another account is already connected to this identity.'),
  apiKeyNotFound: notFound('api_key_not_found', 'API key'),
  applicationNotFound: notFound('application_not_found', 'application'),
  /** @param roles the roles, of which any one is sufficient */
  roleRequired: (roles: readonly string[]) =>
    problem(
      'forbidden',
      `You need ${roles.map((role) => (role in rightTexts ? `the right to ${rightTexts[role as keyof typeof rightTexts]}` : `the ${role} role`)).join(' or ')} on this survey.`,
    ),
  ownerOnly: () => problem('forbidden', 'Only the owner of the survey can do this.'),
  /** @param action completes “You are not allowed to …” */
  forbidden: (action: string) => problem('forbidden', `You are not allowed to ${action}.`),
  invalid: (errors: readonly FieldError[]) => invalid('invalid_request', errors),
  invalidField: (field: string, code: FieldErrorCode, params?: FieldErrorParams, message?: string | ErrorDetail) =>
    problems.invalid([fieldError(field, code, params, message)]),
  /** `field` of each error is a JSON pointer into the structure. */
  invalidStructure: (errors: readonly FieldError[]) => invalid('invalid_structure', errors),
  /** `field` of each error is a column, a row or a cell of the file, or `body`. */
  invalidCsv: (errors: readonly FieldError[]) => invalid('invalid_csv', errors),
  /** `field` of each error is `file`, or a sheet of the file. */
  invalidImport: (errors: readonly FieldError[]) => invalid('invalid_import', errors),
  invalidXlsform: (errors: readonly FieldError[]) => invalid('invalid_xlsform', errors),
  /** `field` of each error is a response key (the key of an answer, such as `grid_0`). */
  invalidAnswers: (errors: readonly FieldError[]) => problem('survey_error', describeErrors(errors), errors),
  surveyNotFound: notFound('survey_not_found', 'survey'),
  fileNotFound: notFound('file_not_found', 'file'),
  responseNotFound: notFound('response_not_found', 'response'),
  /** The message contains the first ten ids. */
  responsesNotFound: (ids: readonly number[]) =>
    problem(
      'response_not_found',
      `No such response: ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ` and ${ids.length - 10} more` : ''}. Nothing was deleted.`,
    ),
  /** @param count the number of responses that match */
  responseCountChanged: (count: number) =>
    problem('response_count_changed', `The number of matching responses is now ${count}. Nothing was deleted.`),
  cursorExpired: () =>
    problem(
      'cursor_expired',
      'The cursor refers to a change that no longer exists, because the database was restored from a backup. Discard your copy of the responses and start again without since.',
      [fieldError('since', 'cursor_expired')],
    ),
  approvalRequired: () =>
    problem(
      'approval_required',
      'This survey requires an approval before it is published, and this structure was not approved.',
    ),
  noReview: () => problem('no_review', 'No review of this survey is pending.'),
  commentNotFound: notFound('comment_not_found', 'comment'),
  libraryQuestionNotFound: notFound('library_question_not_found', 'question of the library'),
  previewLinkNotFound: notFound('preview_link_not_found', 'preview link'),
  collectorNotFound: notFound('collector_not_found', 'collector'),
  /** @param version the current version */
  structureChanged: (version: number) =>
    problem('structure_changed', `The structure has changed in the meantime. The current version is ${version}.`),
  draftChanged: () =>
    problem(
      'structure_changed',
      'Someone else has changed this part of the survey in the meantime. Nothing was saved.',
    ),
  questionNotFound: notFound('question_not_found', 'question'),
  versionNotFound: notFound('version_not_found', 'version'),
  templateNotFound: notFound('template_not_found', 'template'),
  galleryTemplateNotFound: notFound('gallery_template_not_found', 'template in the gallery'),
  embedNotFound: notFound('embed_not_found', 'embed'),
  importNotFound: notFound('import_not_found', 'import'),
  reportNotFound: notFound('report_not_found', 'report'),
  categoryNotFound: notFound('category_not_found', 'category'),
  codingRuleNotFound: notFound('coding_rule_not_found', 'coding rule'),
  roundNotFound: notFound('round_not_found', 'round'),
  roundOpen: () => problem('round_open', 'A round of blind coders is open. Close it first.'),
  filterNotFound: notFound('filter_not_found', 'filter'),
  weightingNotFound: notFound('weighting_not_found', 'weighting'),
  tagNotFound: notFound('tag_not_found', 'tag'),
  webhookNotFound: notFound('webhook_not_found', 'webhook'),
  deliveryNotFound: notFound('delivery_not_found', 'delivery'),
  groupNotFound: notFound('group_not_found', 'group'),
  memberNotFound: notFound('member_not_found', 'member of this group'),
  handOverNotFound: notFound('hand_over_not_found', 'pending offer'),
  invitationNotFound: notFound('invitation_not_found', 'pending invitation'),
  lastAdministrator: () =>
    problem('forbidden', 'This is the last administrator. Make another account an administrator first.'),
  ownAccount: () => problem('forbidden', 'Ask another administrator to do this with your account.'),
  userNotFound: notFound('user_not_found', 'user'),
  planNotFound: notFound('plan_not_found', 'plan'),
  anonymityLocked: () =>
    problem('anonymity_locked', 'The survey has anonymous responses, so anonymity cannot be turned off.', [
      fieldError('anonymous', 'anonymity_locked', {}, detail('anonymous_responses')),
    ]),
  contactNotFound: notFound('contact_not_found', 'contact'),
  contactListNotFound: notFound('contact_list_not_found', 'contact list'),
  /** @param field the request field that contains the ids */
  contactsNotFound: (field: string, ids: readonly number[]) =>
    problem(
      'contact_not_found',
      `No such contact: ${ids.join(', ')}. Nothing was changed.`,
      ids.map((id) => fieldError(field, 'not_found', { value: id })),
    ),
  emailNotFound: notFound('email_not_found', 'email'),
  messageNotFound: notFound('message_not_found', 'message'),
  emailSent: () => problem('email_sent', 'This email has been sent or scheduled and cannot be changed.'),
  emailNotSent: () => problem('email_not_sent', 'This email is a draft and has not been sent.'),
  noRecipients: () => problems.invalidField('recipients', 'no_recipients'),
  noOneToRemind: () =>
    problem(
      'nobody_to_remind',
      'There is no one to remind: no message has been sent, or all recipients have responded.',
    ),
  collectorDefault: () => problem('collector_default', 'The default collector of a survey cannot be deleted.'),
  collectorHasResponses: () =>
    problem('collector_has_responses', 'The collector has responses and cannot be deleted. Close it instead.'),
  /** Operations that submit a complete response support surveys with one page only (docs/specification.md 7.8). */
  multiplePages: () => problems.invalidField('survey_id', 'multiple_pages'),
  surveyFull: () => problem('survey_full', 'The survey has reached its limit of responses.'),
  storageFull: (max: number) =>
    problem('storage_full', `The files of the surveys do not fit into your storage of ${max} MB.`),
  surveysShared: (names: readonly string[]) =>
    problem(
      'surveys_shared',
      `Other people work on surveys that you own: ${names.map((name) => `“${name}”`).join(', ')}. Hand the surveys over, or remove the people, before you delete your account.`,
    ),
  busy: () => problem('busy', 'Another request changed the same object at the same time. Try again.'),
  /** The database does not reply. */
  unavailable: () => retriable('unavailable', 'The service cannot reach its database. Try again in a few seconds.', 2),
  /** The disk of the server, its virus scanner or the bucket of files fails. */
  filesUnavailable: () =>
    retriable('unavailable', 'The service cannot receive files at the moment. Try again in a minute.', 60),
  filesUnreadable: () =>
    retriable('unavailable', 'The service cannot read files at the moment. Try again in a minute.', 60),
  /**
   * The server processes too many requests. The time to wait varies, so that not all clients retry at the same moment.
   */
  overloaded: () =>
    retriable(
      'unavailable',
      'The service is overloaded. Try again in a few seconds.',
      1 + Math.floor(4 * Math.random()),
    ),
  tooManyExports: () => retriable('too_many_exports', 'Too many exports are running. Try again in a few seconds.', 10),
  tooManyPictures: () =>
    retriable('too_many_pictures', 'Too many images are being rendered. Try again in a moment.', 5),
  renderTimeout: () =>
    problem('render_timeout', 'Rendering the image took too long. Request the SVG file, which shows the same chart.'),
  surveyClosed: () => problem('survey_closed', 'The survey is not live.'),
}

/**
 * Runs a check of a member of the request body. Prefixes the `field` of each error with the name of the member, as in
 * `settings.close_at`.
 */
export function within<Result>(member: string, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    throw problems.invalid(
      error.errors.map((fieldError) => ({ ...fieldError, field: `${member}.${fieldError.field}` })),
    )
  }
}
