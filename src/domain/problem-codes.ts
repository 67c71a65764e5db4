/** The kind of a problem. The API and the pages map it to an HTTP status. */
export type ProblemKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'closed'
  | 'expired'
  | 'invalid_answers'
  | 'too_many'
  | 'unavailable'

const define = <Code extends string>(codes: Record<Code, readonly [ProblemKind, string]>) => codes

const notFound = (noun: string) => ['not_found', `The ${noun} does not exist, or you cannot see it.`] as const

/** Every problem code with its kind and its description in the API reference. */
export const problemCodes = define({
  invalid_request: ['invalid', 'A parameter or a member of the body is not valid. `errors` lists each.'],
  invalid_structure: ['invalid', 'The structure of the survey is not valid. `errors` lists JSON pointers.'],
  invalid_csv: ['invalid', 'The CSV file is not valid. `errors` lists rows and columns.'],
  invalid_import: ['invalid', 'The files cannot be imported. `errors` says which file and why.'],
  invalid_xlsform: ['invalid', 'The file is not an XLSForm, or it is too large. `errors` says why.'],
  survey_error: ['invalid_answers', 'The answers do not match the survey. `errors` lists questions.'],
  unauthenticated: ['unauthenticated', 'The credentials are missing or wrong.'],
  forbidden: ['forbidden', 'You can see the object, but your role does not allow the operation.'],
  too_many_attempts: ['too_many', 'Too many wrong passwords. Wait for `Retry-After`.'],
  too_many_requests: ['too_many', 'A limit of your account or IP address is reached. Wait for `Retry-After`.'],
  link_expired: ['closed', 'The link has expired or has been used.'],
  survey_full: ['closed', 'The survey has reached its limit of responses.'],
  survey_closed: ['closed', 'The survey is not live.'],
  cursor_expired: [
    'expired',
    'The service was restored from a backup older than the cursor. Start again without a cursor.',
  ],
  email_taken: ['conflict', 'The email address already has an account.'],
  username_taken: ['conflict', 'The username is taken.'],
  second_factor_required: ['conflict', 'The server requires a second factor, and this is the last one.'],
  identity_taken: ['conflict', 'Another account is connected to this identity.'],
  slug_taken: ['conflict', 'Another survey took the address at the same time. Try again.'],
  filter_exists: ['conflict', 'The survey already has a filter with this name.'],
  category_exists: ['conflict', 'The survey already has a category with this name.'],
  round_open: ['conflict', 'A round of blind coders is open. Close it first.'],
  contact_exists: ['conflict', 'A contact with this name and email address already exists.'],
  webhook_exists: ['conflict', 'A webhook with this URL already exists.'],
  invite_used: ['conflict', 'The invite code already has a response.'],
  response_count_changed: ['conflict', 'Another number of responses than `expected` matches. Nothing was deleted.'],
  approval_required: ['conflict', 'The survey requires an approval, and this structure was not approved.'],
  no_review: ['conflict', 'No review of the survey is pending.'],
  structure_changed: ['conflict', 'The structure was changed after the version that you edited.'],
  anonymity_locked: ['conflict', 'The survey has anonymous responses, so anonymity cannot be turned off.'],
  email_sent: ['conflict', 'The email has been sent or scheduled and cannot be changed.'],
  email_not_sent: ['conflict', 'The email is a draft.'],
  nobody_to_remind: ['conflict', 'No message has been sent, or all recipients have responded.'],
  collector_default: ['conflict', 'The default collector cannot be deleted.'],
  collector_has_responses: ['conflict', 'A collector with responses cannot be deleted.'],
  storage_full: ['conflict', 'The files of the surveys do not fit into the storage of your account.'],
  surveys_shared: [
    'conflict',
    'Other people work on surveys of the account. Hand the surveys over, or remove the people, before you delete it.',
  ],
  busy: ['conflict', 'Another request changed the same object at the same time. Try again.'],
  unavailable: ['unavailable', 'The service is overloaded, or its database does not reply. Wait for `Retry-After`.'],
  too_many_exports: ['unavailable', 'Too many exports are running. Wait for `Retry-After`.'],
  too_many_pictures: ['unavailable', 'Too many images are being rendered. Wait for `Retry-After`.'],
  render_timeout: ['unavailable', 'Rendering the image took too long. Request the SVG file.'],
  api_key_not_found: notFound('API key'),
  application_not_found: notFound('application'),
  category_not_found: notFound('category'),
  coding_rule_not_found: notFound('coding rule'),
  collector_not_found: notFound('collector'),
  comment_not_found: notFound('comment'),
  contact_not_found: notFound('contact'),
  contact_list_not_found: notFound('contact list'),
  delivery_not_found: notFound('delivery'),
  email_not_found: notFound('email'),
  embed_not_found: notFound('embed'),
  file_not_found: notFound('file'),
  filter_not_found: notFound('filter'),
  weighting_not_found: notFound('weighting'),
  group_not_found: notFound('group'),
  library_question_not_found: notFound('question of the library'),
  member_not_found: notFound('member of the group'),
  hand_over_not_found: notFound('pending offer'),
  import_not_found: notFound('import'),
  invitation_not_found: notFound('pending invitation'),
  message_not_found: notFound('message'),
  plan_not_found: notFound('plan'),
  preview_link_not_found: notFound('preview link'),
  question_not_found: notFound('question'),
  report_not_found: notFound('report'),
  response_not_found: notFound('response'),
  round_not_found: notFound('round'),
  session_not_found: notFound('session'),
  identity_not_found: notFound('identity'),
  passkey_not_found: notFound('passkey'),
  survey_not_found: notFound('survey'),
  tag_not_found: notFound('tag'),
  template_not_found: notFound('template'),
  gallery_template_not_found: notFound('template of the gallery'),
  user_not_found: notFound('user'),
  version_not_found: notFound('version'),
  webhook_not_found: notFound('webhook'),
})

export type ProblemCode = keyof typeof problemCodes
