import type { Subject } from '../logic.ts'
import type { SourceFile } from '../source.ts'
import { Columns, readTableFile } from '../table.ts'
import { readXmlRows, type XmlRow } from '../xml.ts'

/** The tables of a survey archive. */
export type Sections = ReadonlyMap<string, readonly XmlRow[]>

/** A question, subquestion, answer or group of LimeSurvey, with its texts by language. */
export interface LimeItem {
  row: XmlRow
  texts: ReadonlyMap<string, XmlRow>
}

/** A reference in conditions: `Q1`, `Q1.NAOK`, `Q1_SQ001.NAOK`, `123X4X5.NAOK`. */
export const REFERENCE = /(?!(?:is_empty|and|or|not|eq|ne|lt|gt|le|ge)\b)([A-Za-z]\w*|\d+X\d+X\w+)(?:\.\w+)?/

/** Values of responses that mean that the question was not shown or not answered. */
const NO_ANSWERS = new Set(['', 'N/A', '{question_not_shown}', '{question_not_shown }'])

/** A response of a table: its row, and the value of each column. */
export interface LimeResponse {
  number: number
  get(column: string): string | undefined
}

/** The responses in the files, with the names of their columns. */
export interface LimeResponses {
  /** Returns the name of a column by one of its names; undefined if the table lacks it. */
  find(...names: readonly string[]): string | undefined
  unused(): readonly string[]
  list: Iterable<LimeResponse>
}

/** Returns whether a file is an XML file of LimeSurvey of a kind. */
export const isLimeFile = ({ text }: SourceFile, kind: string): boolean =>
  text?.slice(0, 400).includes(`<LimeSurveyDocType>${kind}</LimeSurveyDocType>`) === true

/** Reads the responses: those of an archive (.lsr), or a table (CSV, VV or Excel). */
export async function responsesIn(files: readonly SourceFile[], known: ReadonlySet<string>): Promise<LimeResponses> {
  const archive = files.find((file) => isLimeFile(file, 'Responses'))
  if (archive) return archivedResponses(archive)
  for (const file of files) {
    const isHeading = (cell: string) => namesOf(cell).some((name) => known.has(name))
    const table = await readTableFile(file, isHeading)
    // The first row of a VV file has descriptions, the second one has names.
    const at = table?.rows.slice(0, 2).findIndex(({ cells }) => cells.filter(isHeading).length >= 2) ?? -1
    if (!table || at < 0) continue
    const header = table.rows[at]!.cells
    const columns = new Columns(header, namesOf)
    const indices = new Map(columns.names.map((name, index) => [name, index]))
    return {
      find: (...names) => {
        const index = columns.find(...names)
        return index === undefined ? undefined : columns.names[index]
      },
      unused: () => columns.unused().map(({ name }) => name),
      list: table.rows.slice(at + 1).map(({ number, cells }) => ({
        number,
        get: (column) => answerIn(cells[indices.get(column) ?? -1]),
      })),
    }
  }
  return { find: () => undefined, unused: () => [], list: [] }
}

function archivedResponses(file: SourceFile): LimeResponses {
  const rows = readXmlRows(file).sections.get('responses') ?? []
  // Names of elements cannot begin with a digit.
  const headings = [...new Set(rows.flatMap((row) => [...row.keys()]))]
  const columns = new Columns(headings, (name) => [name.replace(/^_(?=\d)/, '')])
  return {
    find: (...names) => {
      const index = columns.find(...names)
      return index === undefined ? undefined : headings[index]
    },
    unused: () => columns.unused().map(({ name }) => name),
    list: rows.map((row, index) => ({ number: index + 1, get: (column) => answerIn(row.get(column)) })),
  }
}

const answerIn = (value: string | undefined): string | undefined =>
  value === undefined || NO_ANSWERS.has(value.trim()) ? undefined : value

/** Returns the names under which a heading is found: `Q1[SQ001]. Text` is `Q1[SQ001]`. */
function namesOf(heading: string): readonly string[] {
  const text = heading.trim()
  const [code] = /^[A-Za-z0-9_]+(?:\s*\[[^\]]{1,60}\])*/.exec(text) ?? []
  const meta = META_NAMES[text.toLowerCase()]
  return [text, ...(code ? [code.replace(/\s+\[/g, '[')] : []), ...(meta ? [meta] : [])]
}

/** Headings of metadata as LimeSurvey shows them, in English. */
const META_NAMES: Readonly<Record<string, string>> = {
  'response id': 'id',
  'date submitted': 'submitdate',
  'last page': 'lastpage',
  'start language': 'startlanguage',
  'date started': 'startdate',
  'date last action': 'datestamp',
  'total time': 'interviewtime',
}

/** The columns that are not answers. */
export const META = new Set(
  'id token submitdate lastpage startlanguage seed startdate datestamp ipaddr refurl interviewtime quota_exit'.split(
    ' ',
  ),
)

/** Returns the conditions' view of a question: under its name, and under the name of its column in archives. */
export function addSubject(subjects: Map<string, Subject>, names: readonly string[], subject: Subject): void {
  for (const name of names) if (!subjects.has(name)) subjects.set(name, subject)
}

/** Returns a text by language. */
export const textsOf = (rows: readonly XmlRow[], column: string, languageColumn = 'language'): Record<string, string> =>
  Object.fromEntries(
    rows.flatMap((row): [string, string][] => {
      const text = row.get(column)
      return text === undefined ? [] : [[row.get(languageColumn) ?? 'en', text]]
    }),
  )
