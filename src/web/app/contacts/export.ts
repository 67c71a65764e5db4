import { Readable } from 'node:stream'
import { exportContacts } from '../../../domain/contact/export.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

/** Streams the address book as a CSV file. */
export async function downloadContacts({ context, query }: SignedInRequest): Promise<PageResult> {
  const rows = exportContacts(context, {
    search: query.get('search') ?? undefined,
    bom: query.has('bom'),
    formulaGuard: query.has('formula_guard'),
  })
  return { file: Readable.from(rows, { objectMode: false }), type: 'text/csv; charset=utf-8', name: 'contacts.csv' }
}
