/** How a meta column is written: by the type it has in the table. */
export type MetaKind = 'completion' | 'integer' | 'float' | 'time' | 'text'

export interface MetaColumn {
  name: string
  column: string
  kind: MetaKind
  /** Says who answered: empty in an export of an anonymous survey. */
  personal: boolean
}

const meta = (name: string, column: string, kind: MetaKind, personal = false): MetaColumn => ({
  name,
  column,
  kind,
  personal,
})

/** The first columns of every export, in the order clients rely on (decisions, section 3, "CSV"). */
export const META: readonly MetaColumn[] = [
  meta('_completed', 'completed', 'completion'),
  meta('_id', 'id', 'integer'),
  meta('_updated_at', 'updated_at', 'time'),
  meta('_created_at', 'created_at', 'time'),
  meta('_language', 'language', 'text'),
  meta('_ip_address', 'ip_address', 'text', true),
  meta('_locale', 'locale', 'integer'),
  meta('_username', 'username', 'text', true),
  meta('_get_variables', 'get_variables', 'text', true),
  meta('_referrer', 'referrer', 'text', true),
  meta('_saves', 'saves', 'integer'),
  meta('_weighted_score', 'weighted_score', 'float'),
  meta('_completion_time', 'completion_time', 'integer'),
  meta('_invite_code', 'invite_code', 'text', true),
  meta('_invite_email', 'invite_email', 'text', true),
  meta('_invite_name', 'invite_name', 'text', true),
  meta('_collector', 'collector_id', 'integer'),
]

/** What `_completed` prints, by the stored 0, 1 and 2. */
export const COMPLETION: readonly string[] = ['Incomplete', 'Complete', 'Terminated']
