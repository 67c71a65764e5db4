/** One fact about a response besides its answers. */
export interface MetaField {
  key: string
  type: 'string' | 'single' | 'datetime' | 'number'
  label: string
  choices?: readonly string[]
}

const meta = (key: string, label: string, type: MetaField['type'] = 'string', choices?: readonly string[]): MetaField =>
  Object.freeze({ key, type, label, ...(choices ? { choices } : {}) })

/** The 17 meta fields, in the order of the export's first columns. */
export const metaFields: readonly MetaField[] = Object.freeze([
  meta('_completed', 'Completed', 'single', Object.freeze(['Incomplete', 'Complete', 'Terminated'])),
  meta('_id', 'Response ID', 'number'),
  meta('_updated_at', 'Last updated', 'datetime'),
  meta('_created_at', 'Started', 'datetime'),
  meta('_language', 'Language'),
  meta('_ip_address', 'IP address'),
  meta('_locale', 'Locale'),
  meta('_username', 'User name'),
  meta('_get_variables', 'GET variables'),
  meta('_referrer', 'Referrer'),
  meta('_saves', 'Saves', 'number'),
  meta('_weighted_score', 'Weighted score', 'number'),
  meta('_completion_time', 'Completion time', 'number'),
  meta('_invite_code', 'Invite code'),
  meta('_invite_email', 'Invite email'),
  meta('_invite_name', 'Invite name'),
  meta('_collector', 'Collector'),
])

/** Members of a shown response that no question may be called: they would hide each other. */
export const reservedKeys: ReadonlySet<string> = new Set([
  ...metaFields.map(({ key }) => key),
  '_key',
  '_pagepath',
  'response_uri',
  '__proto__',
])
