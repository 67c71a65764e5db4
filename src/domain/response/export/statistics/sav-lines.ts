import { PROGRAM_VERSION } from '../../../../lib/program-version.ts'
import {
  MAX_TEXT_BYTES,
  SavCases,
  type SavFormat,
  type SavSet,
  type SavVariable,
  savDictionary,
} from '../../../../lib/sav/write-sav.ts'
import { detail } from '../../../error-details.ts'
import { problems } from '../../../problem.ts'
import { parseIsoDatetime } from '../../../structure/datetime.ts'
import type { MetaField } from '../../../structure/meta-fields.ts'
import { isNumericText } from '../../../structure/number.ts'
import type { Field, Questionnaire } from '../../../structure/questionnaire.ts'
import { textIn } from '../../../structure/text.ts'
import type { FileColumn, Lines, LinesPlan } from '../lines.ts'
import { integerAt } from '../meta-cell.ts'
import type { Output, Tuples } from '../output.ts'
import type { ExportSession, Query } from '../session.ts'
import { StatisticsRows } from './statistics-lines.ts'
import { plainLabel, type Variable } from './variables.ts'

/** Seconds from the first day of SPSS, 1582-10-14, to 1970 and to 2000, the first day of PostgreSQL. */
const SECONDS_TO_1970 = 12_219_379_200
const SECONDS_TO_2000 = SECONDS_TO_1970 + Date.UTC(2000, 0) / 1000
const DAY_SECONDS = 86_400
const KEY_BYTES = 40
/** Maximum length of all texts of a case. Each case has a byte for every eight bytes, even if its texts are blank. */
const MAX_CASE_BYTES = 4_000_000
/** The size of a row in the stream of PostgreSQL, at least, and of the cases that are written at once, about. */
const MIN_ROW_BYTES = 100
const PART_BYTES = 2_000_000
/** Length of the key of a file, and of the separator before the next key. */
const FILE_KEY_BYTES = 33

/**
 * Writes a system file of SPSS: the variables of the file for statistics programs with their labels, and one case per
 * response. A query first measures the texts, whose maximum lengths precede the cases.
 */
export class SavLines implements Lines {
  readonly fields: readonly string[]
  readonly columns: readonly FileColumn[] = []
  header: Buffer = Buffer.alloc(0)
  partBytes = MIN_ROW_BYTES
  readonly #rows: StatisticsRows
  readonly #q: Questionnaire
  readonly #language: string
  readonly #files: string
  readonly #cases = new SavCases()
  /** The maximum length of each text in bytes; 0 for a number. */
  #widths: readonly number[] = []

  constructor({ questionnaire: q, options, ...plan }: LinesPlan) {
    this.#rows = new StatisticsRows({ questionnaire: q, options, ...plan })
    this.fields = this.#rows.fields
    this.#q = q
    this.#language = options.language ?? q.defaultLanguage
    this.#files = plan.files
  }

  /** @throws {Problem} `invalid_request` if the texts of a case have more bytes than {@link MAX_CASE_BYTES} */
  async prepare(session: ExportSession, rows: Query): Promise<void> {
    const { variables } = this.#rows
    const [found] = await session.select<Measured>(measureQuery(variables, rows))
    const { cases, changed, widths } = found!
    this.#widths = variables.map((variable, i) =>
      variable.type === 'text' ? textWidth(variable, widths[i] ?? 0, this.#files) : 0,
    )
    const caseBytes = this.#widths.reduce((sum, width) => sum + width, 0)
    if (caseBytes > MAX_CASE_BYTES) {
      const limit = { max: MAX_CASE_BYTES }
      throw problems.invalidField('include', 'too_many', limit, detail('texts_too_long', limit))
    }
    this.partBytes = MIN_ROW_BYTES * Math.ceil(PART_BYTES / (8 * variables.length + caseBytes / 8))
    this.header = savDictionary({
      title: plainLabel(textIn(this.#q.title, this.#language, this.#q)),
      product: `Canvass ${PROGRAM_VERSION}`,
      // The same responses make the same file.
      created: new Date((changed ?? 0) * 1000),
      cases,
      variables: variables.map((variable, i) => savVariable(variable, this.#widths[i]!)),
      sets: setsOf(variables),
    })
  }

  write(tuples: Tuples, bytes: Buffer, _: number, out: Output): void {
    const { meta, variables } = this.#rows
    const { start, end } = tuples
    for (const [i, field] of meta.entries()) this.#meta(field, i, bytes, start[i]!, end[i]!)
    for (const [index, cell] of this.#rows.answers(tuples, bytes).entries()) {
      const i = meta.length + index
      const { type } = variables[i]!
      if (type === 'text') this.#cases.text(Buffer.from(cell), this.#widths[i]!)
      else this.#cases.number(type === 'number' ? numberOf(cell) : secondsOf(cell, type))
    }
    this.#drain(out)
  }

  end(out: Output): void {
    this.#cases.end()
    this.#drain(out)
  }

  #drain(out: Output): void {
    this.#cases.drain((bytes, end) => {
      out.reserve(end)
      out.raw(bytes, 0, end)
    })
  }

  #meta({ type }: MetaField, index: number, bytes: Buffer, start: number, end: number): void {
    const cases = this.#cases
    const isNull = start === -1
    if (type === 'text') cases.text(isNull ? EMPTY : bytes.subarray(start, end), this.#widths[index]!)
    else if (type === 'key') cases.text(isNull ? EMPTY : Buffer.from(bytes.toString('hex', start, end)), KEY_BYTES)
    else if (isNull) cases.number(Number.NaN)
    else if (type === 'float') cases.number(bytes.readDoubleBE(start))
    else if (type === 'time') cases.number(Math.floor(integerAt(bytes, start, end) / 1e6) + SECONDS_TO_2000)
    else cases.number(integerAt(bytes, start, end))
  }
}

const EMPTY = Buffer.alloc(0)

/** What a query says about the rows: their number, the time of the last change in seconds, and lengths of texts. */
interface Measured {
  cases: number
  changed: number | null
  widths: readonly (number | null)[]
}

/** Selects the length of the longest text of each variable in bytes, as it is stored. */
function measureQuery(variables: readonly Variable[], { sql, parameters }: Query): Query {
  const keys: string[] = []
  const lengths = variables.map(({ source, type }) => {
    if (type !== 'text' || ('meta' in source && source.meta.type === 'key')) return '0'
    if ('meta' in source) return `max(octet_length(selected.${source.meta.column}))`
    keys.push(source.field.storedKey)
    return `max(octet_length(selected.answers->>$${parameters.length + keys.length}::text))`
  })
  return {
    sql: `select count(*)::integer as cases, extract(epoch from max(selected.updated_at))::float8 as changed,
      array[${lengths.join(', ')}]::integer[] as widths from (${sql}) as selected`,
    parameters: [...parameters, ...keys],
  }
}

/** Returns the maximum length of a text in the file, from the maximum length of the stored text. */
function textWidth({ source, values }: Variable, stored: number, files: string): number {
  if ('meta' in source && source.meta.type === 'key') return KEY_BYTES
  const isFile = 'field' in source && source.field.type === 'file'
  const addresses = isFile ? Math.ceil((stored + 1) / FILE_KEY_BYTES) * (files.length + FILE_KEY_BYTES + 1) : 0
  // A position in a list that was stored when the question had another type can have more digits than its number.
  const positions = 'field' in source && source.field.choices.length > 0 ? 2 * stored : stored
  const codes = values.map(({ value }) => Buffer.byteLength(value))
  return Math.min(MAX_TEXT_BYTES, Math.max(1, positions, addresses, ...codes))
}

const savVariable = (variable: Variable, width: number): SavVariable => {
  const { name, label, measure, values } = variable
  return { name, label, measure, values, content: width || formatOf(variable) }
}

function formatOf({ type, source }: Variable): SavFormat {
  if (type === 'date') return ['SDATE', 10, 0]
  if (type === 'time') return ['TIME', 8, 0]
  if (type === 'datetime') return ['DATETIME', 20, 0]
  const decimals = 'meta' in source ? (source.meta.type === 'float' ? 2 : 0) : decimalsOf(source.field)
  return ['F', 11 + decimals, decimals]
}

const MAX_DECIMALS = 16
const decimalsOf = (field: Field): number => {
  const { decimals = 2, validation } = field.question
  if (isNumericText(field)) return validation?.kind === 'integer' ? 0 : 2
  return field.type === 'decimal' ? Math.min(decimals, MAX_DECIMALS) : 0
}

/** Returns the questions of which respondents can tick several choices. Programs know no set of one variable. */
function setsOf(variables: readonly Variable[]): SavSet[] {
  const ticks = variables.filter(({ set }) => set !== undefined)
  const names = new Set<string>()
  const byField = Map.groupBy(ticks, ({ source }) => ('field' in source ? source.field : undefined))
  return [...byField.values()].flatMap((ofField) => {
    const [first] = ofField
    if (ofField.length < 2) return []
    const base = first!.name.replace(/_\d+$/, '')
    let name = base
    for (let count = 2; names.has(name.toLowerCase()); count += 1) name = `${base}_${count}`
    names.add(name.toLowerCase())
    return [{ name, label: first!.set!, variables: ofField.map((variable) => variable.name) }]
  })
}

/** A text that was stored when the question had another type is a missing value. */
const numberOf = (cell: string): number => (cell.trim() === '' ? Number.NaN : Number(cell))

/** Returns a date or time as SPSS counts it, without its time zone; NaN for any other text. */
function secondsOf(cell: string, type: 'date' | 'time' | 'datetime'): number {
  const parsed = parseIsoDatetime(cell.replace(/(?:Z|[+-]\d{2}:?\d{2})$/i, ''))
  if (!parsed) return Number.NaN
  const seconds = parsed.instant / 1000
  if (type === 'time') return ((seconds % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS
  const sinceFirst = seconds + SECONDS_TO_1970
  return parsed.format === 'time' || sinceFirst < DAY_SECONDS ? Number.NaN : sinceFirst
}
