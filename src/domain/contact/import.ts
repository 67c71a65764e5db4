import { sql } from 'kysely'
import { escapeLiteral } from 'pg'
import type { Context } from '../context.ts'
import { enqueueWebhookEvents } from '../event.ts'
import { readStart } from '../table/read-table.ts'
import type { Tables } from '../tables.ts'
import { createMissingFields } from './fields.ts'
import {
  type ColumnUse,
  type ContactRow,
  type ContactTable,
  checkColumnCount,
  isHeading,
  readContacts,
  usesOf,
} from './import-table.ts'
import { unsubscribeAddresses, unsubscribedAmong } from './unsubscribed-address.ts'

/** Contacts per insert statement. */
const BATCH_ROWS = 5_000

/** The number of contacts that an import created and updated, and of blank rows that it skipped. */
export interface ImportCounts {
  created: number
  updated: number
  skipped: number
}

/**
 * Imports the rows of a table as contacts: all of them or none. An existing contact with the same name and email
 * address is updated: each column replaces the value of its field (an empty cell removes the value), and an
 * unsubscribed contact stays unsubscribed. Call it inside a transaction.
 * @param text a table with a header, see `readTable` and `readHeader`
 * @param uses what each column contains; absent: as its heading says
 * @throws {Problem} `invalid_csv` naming columns or rows; `invalid_request` for too many custom fields
 */
export async function importContacts(
  context: Context,
  text: string,
  uses?: readonly ColumnUse[],
): Promise<ImportCounts> {
  const table = await readContacts(text, uses)
  await lockImports(context)
  await createMissingFields(context, table.fields)
  const counts = { created: 0, updated: 0, skipped: table.skipped }
  for (let start = 0; start < table.rows.length; start += BATCH_ROWS) {
    const batch = table.rows.slice(start, start + BATCH_ROWS)
    const addresses = await unsubscribedIn(context, batch)
    const stored = await store(context, table, batch, addresses)
    if (addresses.size > 0) await unsubscribeAddresses(context, context.actor.id, addresses, null)
    const created = stored.filter((row) => row.created)
    await enqueueWebhookEvents(
      context,
      created.map(({ name, email }) => ({ type: 'contact_create', name, email })),
    )
    counts.created += created.length
    counts.updated += stored.length - created.length
  }
  return counts
}

/** Returns the addresses, in lower case, that have unsubscribed, as the table says or as the account remembers. */
async function unsubscribedIn(context: Context, rows: readonly ContactRow[]): Promise<Set<string>> {
  const addresses = await unsubscribedAmong(
    context,
    context.actor.id,
    rows.map(({ email }) => email),
  )
  for (const { email, unsubscribed } of rows) if (unsubscribed) addresses.add(email.toLowerCase())
  return addresses
}

/**
 * Ensures that only one import of an account runs at a time. Two imports of the same contacts in different orders would
 * deadlock.
 */
async function lockImports({ em, actor }: Context): Promise<void> {
  await em.getKysely<Tables>().selectFrom('account').select('id').where('id', '=', actor.id).forNoKeyUpdate().execute()
}

/** Returns texts as SQL literals, because Citus loses the parameters of `on conflict`. The driver quotes the texts. */
const literals = (texts: readonly string[]) => sql.raw(texts.map(escapeLiteral).join(', '))

async function store(
  { em, actor, now }: Context,
  { fields }: ContactTable,
  rows: readonly ContactRow[],
  unsubscribed: ReadonlySet<string>,
) {
  const result = await sql<{ name: string; email: string; created: boolean }>`
    insert into contact (owner_id, name, email, unsubscribed, custom, created_at, updated_at)
    select ${actor.id}::bigint, name, email, unsubscribed, custom::jsonb, ${now}::timestamptz, ${now}::timestamptz
    from (
      select distinct on (lower(email), name) * from unnest(
        ${rows.map(({ name }) => name)}::text[], ${rows.map(({ email }) => email)}::text[],
        ${rows.map(({ email }) => unsubscribed.has(email.toLowerCase()))}::boolean[],
        ${rows.map(({ custom }) => JSON.stringify(custom))}::text[]
      ) with ordinality as imported (name, email, unsubscribed, custom, ordinal)
      order by lower(email), name, ordinal desc
    ) as distinct_rows order by ordinal
    on conflict (owner_id, lower(email), name) do update set
      custom = (contact.custom - array[${literals(fields)}]::text[]) || excluded.custom,
      unsubscribed = contact.unsubscribed or excluded.unsubscribed,
      updated_at = excluded.updated_at
    returning name, email, xmax = 0 as created`.execute(em.getKysely<Tables>())
  return result.rows
}

/** The columns of a table before its import. */
export interface TablePreview {
  columns: { heading: string; use: ColumnUse }[]
  /** The first rows, with as many cells as there are columns. */
  rows: string[][]
}

/** Number of rows that an owner sees before the import. */
const PREVIEW_ROWS = 5

/**
 * Returns the first rows of a table of contacts, and what its columns seem to contain.
 * @throws {Problem} `invalid_csv`
 */
export async function previewContacts(text: string): Promise<TablePreview> {
  const { header, rows } = await readStart(text, isHeading, PREVIEW_ROWS)
  checkColumnCount(header)
  const uses = usesOf(header)
  return {
    columns: header.map((cell, index) => {
      const heading = cell.trim()
      return { heading, use: heading === '' ? 'ignored' : uses[index]! }
    }),
    rows: rows.map((cells) => header.map((_, index) => cells[index] ?? '')),
  }
}
