import { makeZip } from '../support/workbook.ts'
import type { Person } from '../support/world.ts'

export const OCTETS = { 'content-type': 'application/octet-stream' }

/** Sends files of another tool: one file as it is, several as an archive. */
export async function sendFiles(person: Person, files: Readonly<Record<string, string>>, path = '/api/v3/imports/') {
  const [only, ...others] = Object.values(files)
  const body = others.length === 0 ? Buffer.from(only!) : await makeZip({ ...files })
  return person.post(path, { body, headers: OCTETS })
}

/** A note without its message. */
interface NoteView {
  code: string
  item: string | null
  column: string | null
  row: number | null
  value: string | null
  count: number
}

/** Returns the notes of a reply as texts: `code item column:row value ×count`. */
export const notesOf = (notes: readonly NoteView[]): string[] =>
  notes.map(({ code, item, column, row, value, count }) =>
    [code, item, row === null ? column : `${column ?? ''}:${row}`, value, count > 1 && `×${count}`]
      .filter((part) => part !== null && part !== false)
      .join(' '),
  )

interface ProofView {
  key: string
  old: { answered: number; sum: number | null }
  new: { answered: number; sum: number | null }
  lines: { value: string; choice: string | null; old: number; new: number }[]
  equal: boolean
}

/** Returns the proofs of a reply as texts: `key old=new answered; value>choice old=new`. */
export const proofsOf = (proofs: readonly ProofView[]): string[] =>
  proofs.map(
    ({ key, old, new: stored, lines, equal }) =>
      `${key} ${old.answered}=${stored.answered}${old.sum === null ? '' : ` Σ${old.sum}=${stored.sum}`}${lines
        .map((line) => ` ${line.value}>${line.choice} ${line.old}=${line.new}`)
        .join(',')}${equal ? '' : ' differs'}`,
  )

/** Returns the responses of an imported survey, the oldest first, without metadata. */
export async function answersOf(person: Person, surveyUri: string): Promise<Record<string, unknown>[]> {
  const { pathname } = new URL(surveyUri)
  const { body } = await person.get(`${pathname}responses/?page_size=100`)
  return body.results.map((response: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(response).filter(([key]) => !/^_|_uri$/.test(key))),
  )
}
