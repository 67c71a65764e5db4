import { csvTable } from '../../lib/csv.ts'
import type { Context } from '../context.ts'
import { recordOncePerHour } from '../security/record.ts'
import { listFields } from './fields.ts'
import { type ContactSummary, contactsOf } from './queries.ts'

/** Number of contacts read at a time, which limits the memory of an export. */
const BATCH_ROWS = 2_000
const FIXED_COLUMNS = ['name', 'email', 'unsubscribed'] as const

export interface ContactExport {
  /** The same as `search` of `ContactSearch`. If absent, all contacts are exported. */
  search?: string | undefined
  /** Puts an apostrophe before cells that a spreadsheet would run as a formula. */
  formulaGuard?: boolean | undefined
  /** Starts the file with a UTF-8 byte order mark. */
  bom?: boolean | undefined
}

/**
 * Streams the address book as CSV (RFC 4180), oldest contact first. The columns are the name, the email address,
 * whether the contact has unsubscribed, and the custom fields. `importContacts` can read the file. The database
 * connection is released between two batches.
 */
export async function* exportContacts(context: Context, options: ContactExport): AsyncGenerator<Buffer> {
  await recordOncePerHour(context, context.actor.id, 'exported', { what: 'contacts' })
  const fields = await listFields(context)
  const { formulaGuard = false, bom = false } = options
  const table = csvTable([...FIXED_COLUMNS, ...fields], { formulaGuard, bom })
  const rowOf = ({ name, email, unsubscribed, custom }: ContactSummary) => [
    name,
    email,
    unsubscribed,
    ...fields.map((field) => (Object.hasOwn(custom, field) ? custom[field] : '')),
  ]
  yield Buffer.from(table.header)
  for (let last = 0; ; ) {
    const contacts = await contactsAfter(context, options, last)
    if (contacts.length) yield Buffer.from(table.rows(contacts.map(rowOf)))
    if (contacts.length < BATCH_ROWS) return
    last = contacts.at(-1)!.id
  }
}

const contactsAfter = (context: Context, { search }: ContactExport, last: number): Promise<ContactSummary[]> =>
  contactsOf(context, { search })
    .select(['id', 'name', 'email', 'unsubscribed', 'custom'])
    .where('id', '>', last)
    .orderBy('id')
    .limit(BATCH_ROWS)
    .execute()
