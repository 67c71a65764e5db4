/** What kind of "no" a problem is. Each face maps a kind to its own status and shape. */
export type Kind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'closed'
  | 'expired'
  | 'answers'
  | 'too_many'
  | 'unavailable'

/** One place that is wrong: `field` is a parameter, a body member, a question key or a JSON pointer. */
export interface FieldError {
  field: string
  message: string
}

/**
 * The one way the domain says no. It knows nothing of HTTP.
 * `answers` is its own kind because v2 answers it with the specified 500 `survey_error`, v3 with 400.
 */
export class Problem extends Error {
  readonly kind: Kind
  readonly code: string
  readonly errors: readonly FieldError[]
  /** Seconds after which it is worth another try, where that is known. */
  retryAfter?: number

  constructor(kind: Kind, code: string, message: string, errors: readonly FieldError[] = []) {
    super(message)
    this.name = 'Problem'
    this.kind = kind
    this.code = code
    this.errors = errors
  }
}

const missing = (code: string, what: string) => () =>
  new Problem('missing', `${code}_not_found`, `There is no such ${what}.`)

/** The catalogue: every refusal the domain knows, by name. */
export const problems = {
  unauthenticated: () =>
    new Problem('unauthenticated', 'not_authorized', 'Send a user name and password, an API key, or an access token.'),
  /** A pair of Basic credentials of which we know none, or not together; which of the two is wrong is not said. */
  credentialsRefused: () =>
    new Problem(
      'unauthenticated',
      'not_authorized',
      'These credentials are wrong: a user name (or e-mail address), a password and an API key go together in pairs.',
    ),
  /** A name and a password that do not belong together; which of the two is wrong is not said. */
  signInRefused: () =>
    new Problem('unauthenticated', 'not_authorized', 'The user name, the e-mail address or the password is wrong.'),
  developerKeyRefused: () =>
    new Problem('unauthenticated', 'not_authorized', 'key: must be an API key of a developer account.'),
  /** @param seconds until the next try is looked at */
  tooManyTries: (seconds: number) =>
    Object.assign(
      new Problem('too_many', 'too_many_tries', `Too many wrong passwords. Try again in ${seconds} seconds.`),
      { retryAfter: seconds },
    ),
  /** @param seconds after which it is worth another try */
  tooManyRequests: (message: string, seconds: number) =>
    Object.assign(
      new Problem('too_many', 'too_many_requests', `${message} Try again in ${Math.max(1, seconds)} seconds.`),
      {
        retryAfter: Math.max(1, seconds),
      },
    ),
  linkUsed: () => new Problem('closed', 'link_used', 'This link has been used, or it is too old.'),
  emailTaken: () =>
    new Problem('conflict', 'email_taken', 'This e-mail address has an account already.', [
      { field: 'email', message: 'has an account already' },
    ]),
  sessionNotFound: missing('session', 'session'),
  apiKeyNotFound: missing('api_key', 'API key'),
  applicationNotFound: missing('application', 'application'),
  /** Of a survey that the actor sees by a group. */
  roleMissing: (enough: readonly string[]) =>
    new Problem('forbidden', 'forbidden', `This takes the role ${enough.join(' or ')} in a group of the survey.`),
  ownerOnly: () => new Problem('forbidden', 'forbidden', 'Only the owner of the survey may do this.'),
  forbidden: (what: string) => new Problem('forbidden', 'forbidden', `You are not allowed to ${what}.`),
  invalid: (errors: readonly FieldError[]) =>
    new Problem(
      'invalid',
      'invalid_request',
      errors.map(({ field, message }) => `${field}: ${message}`).join('; ') || 'The request is not valid.',
      errors,
    ),
  invalidField: (field: string, message: string) => problems.invalid([{ field, message }]),
  /** The answers do not fit the questions; `field` of each fault is a response key. */
  invalidAnswers: (errors: readonly FieldError[]) =>
    new Problem(
      'answers',
      'survey_error',
      errors.map(({ field, message }) => `${field}: ${message}`).join('; '),
      errors,
    ),
  surveyNotFound: missing('survey', 'survey'),
  responseNotFound: missing('response', 'response'),
  /** Names the first of them; a long list helps nobody. */
  responsesNotFound: (ids: readonly number[]) =>
    new Problem(
      'missing',
      'response_not_found',
      `There is no response ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ` and ${ids.length - 10} more` : ''}; nothing was deleted.`,
    ),
  cursorExpired: () =>
    new Problem(
      'expired',
      'cursor_expired',
      'The change at which this cursor stands no longer exists: the database was restored from a backup. Discard what you know of the responses, and start again without since.',
      [{ field: 'since', message: 'stands at a change that no longer exists; leave it out to start again' }],
    ),
  collectorNotFound: missing('collector', 'collector'),
  /** Somebody saved another version since the one that was changed. @param version the current one */
  structureChanged: (version: number) =>
    new Problem(
      'conflict',
      'structure_changed',
      `The structure was changed in the meantime: version ${version} is the current one.`,
    ),
  questionNotFound: missing('question', 'question'),
  versionNotFound: missing('version', 'version'),
  templateNotFound: missing('template', 'template'),
  embedNotFound: missing('embed', 'embed'),
  reportNotFound: missing('report', 'report'),
  filterNotFound: missing('filter', 'filter'),
  tagNotFound: missing('tag', 'tag'),
  webhookNotFound: missing('webhook', 'webhook'),
  deliveryNotFound: missing('delivery', 'delivery'),
  groupNotFound: missing('group', 'group'),
  memberNotFound: missing('member', 'member of this group'),
  userNotFound: missing('user', 'user'),
  planNotFound: missing('plan', 'plan'),
  anonymityPromised: () =>
    new Problem(
      'conflict',
      'anonymity_promised',
      'Responses have come in under the promise of anonymity; it cannot be taken back.',
      [{ field: 'anonymous', message: 'cannot be switched off once there are responses' }],
    ),
  contactNotFound: missing('contact', 'contact'),
  contactListNotFound: missing('contact_list', 'contact list'),
  /** Names every one of them. @param field what the caller gave them in */
  contactsNotFound: (field: string, ids: readonly number[]) =>
    new Problem(
      'missing',
      'contact_not_found',
      `There is no contact ${ids.join(', ')}; nothing was changed.`,
      ids.map((id) => ({ field, message: `there is no contact ${id}` })),
    ),
  emailNotFound: missing('email', 'e-mail'),
  messageNotFound: missing('message', 'message'),
  emailSent: () =>
    new Problem('conflict', 'email_sent', 'This e-mail has been handed in for sending; it cannot be changed any more.'),
  emailNotSent: () =>
    new Problem('conflict', 'email_not_sent', 'This e-mail is a draft: nobody can be reminded of it.'),
  noRecipients: () => problems.invalidField('recipients', 'there are none: add some before you send the e-mail'),
  nobodyToRemind: () =>
    new Problem(
      'conflict',
      'nobody_to_remind',
      'Nobody has to be reminded: no message has gone out, or all have answered.',
    ),
  collectorDefault: () =>
    new Problem('conflict', 'collector_default', 'This is the default collector of its survey; it cannot be deleted.'),
  collectorUsed: () =>
    new Problem(
      'conflict',
      'collector_used',
      'Responses have come in by this collector; close it instead of deleting it.',
    ),
  /** Version 2 takes whole responses only (specification, "v2: surveys"). */
  severalPages: () =>
    problems.invalidField(
      'survey_id',
      'this survey has several pages; create its responses through version 3 of this interface',
    ),
  surveyFull: () => new Problem('closed', 'survey_full', 'This survey has all the responses it takes.'),
  busy: () => new Problem('conflict', 'busy', 'Somebody else changed the same thing at the same moment; try again.'),
  /** The database does not answer, or has too much to do. */
  unavailable: () =>
    Object.assign(
      new Problem('unavailable', 'unavailable', 'The service cannot reach its database. Try again in a few seconds.'),
      { retryAfter: 2 },
    ),
  tooManyExports: () =>
    Object.assign(
      new Problem('unavailable', 'too_many_exports', 'Too many exports are running. Try again in a few seconds.'),
      { retryAfter: 10 },
    ),
  tooManyPictures: () =>
    Object.assign(
      new Problem('unavailable', 'too_many_pictures', 'Too many pictures are being drawn. Try again in a moment.'),
      { retryAfter: 5 },
    ),
  pictureTooSlow: () =>
    new Problem('unavailable', 'picture_too_slow', 'This picture takes too long to draw. The SVG file shows the same.'),
  surveyClosed: () => new Problem('closed', 'survey_closed', 'This survey is not live.'),
}

/** Runs a rule on a member of something larger: what it refuses is named as seen from there, `settings.close_at`. */
export function within<Result>(member: string, rule: () => Result): Result {
  try {
    return rule()
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    throw problems.invalid(error.errors.map(({ field, message }) => ({ field: `${member}.${field}`, message })))
  }
}
