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
import { isNumericText } from '../../../structure/number.ts'
import type { Field } from '../../../structure/questionnaire.ts'
import type { Output } from '../output.ts'
import type { DataFile, DataFilePlan } from './data-lines.ts'
import type { Variable } from './variables.ts'

/** Seconds from the first day of SPSS, 1582-10-14, to 1970. */
const SECONDS_TO_1970 = 12_219_379_200
const DAY_SECONDS = 86_400
/** Maximum length of all texts of a case. Each case has a byte for every eight bytes, even if its texts are blank. */
const MAX_CASE_BYTES = 4_000_000

/** A system file of SPSS. */
export class SavFile implements DataFile {
  readonly header: Buffer
  readonly caseBytes: number
  readonly #cases = new SavCases()
  /** The maximum length of each text in bytes; 0 for a number. */
  readonly #widths: readonly number[]
  readonly #isTime: readonly boolean[]

  /** @throws {Problem} `invalid_request` if the texts of a case have more bytes than {@link MAX_CASE_BYTES} */
  constructor({ variables, changed, ...plan }: DataFilePlan) {
    this.#widths = plan.widths.map((width) => Math.min(width, MAX_TEXT_BYTES))
    this.#isTime = variables.map(({ type }) => type === 'time')
    const textBytes = this.#widths.reduce((sum, width) => sum + width, 0)
    if (textBytes > MAX_CASE_BYTES) {
      const limit = { max: MAX_CASE_BYTES }
      throw problems.invalidField('include', 'too_many', limit, detail('texts_too_long', limit))
    }
    this.caseBytes = 8 * variables.length + textBytes / 8
    this.header = savDictionary({
      ...plan,
      created: changed,
      variables: variables.map((variable, i) => savVariable(variable, this.#widths[i]!)),
      sets: setsOf(variables),
    })
  }

  missing(index: number): void {
    const width = this.#widths[index]!
    if (width > 0) this.#cases.text(EMPTY, 0, 0, width)
    else this.#cases.number(Number.NaN)
  }

  number(_: number, value: number): void {
    this.#cases.number(value)
  }

  text(index: number, bytes: Uint8Array, start: number, end: number): void {
    this.#cases.text(bytes, start, end, this.#widths[index]!)
  }

  instant(index: number, milliseconds: number): void {
    const seconds = milliseconds / 1000
    const sinceFirst = seconds + SECONDS_TO_1970
    if (this.#isTime[index]) this.#cases.number(seconds)
    else this.#cases.number(sinceFirst < DAY_SECONDS ? Number.NaN : sinceFirst)
  }

  endCase(out: Output): void {
    this.#cases.drain((bytes, end) => {
      out.reserve(end)
      out.raw(bytes, 0, end)
    })
  }

  end(out: Output): void {
    this.#cases.end()
    this.endCase(out)
  }
}

const EMPTY = Buffer.alloc(0)

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
  if (field.category) return 0
  const { decimals = 2, validation } = field.question
  if (isNumericText(field)) return validation?.kind === 'integer' ? 0 : 2
  return field.type === 'decimal' ? Math.min(decimals, MAX_DECIMALS) : 0
}

/** Returns the questions of which respondents can tick several choices. Programs know no set of one variable. */
function setsOf(variables: readonly Variable[]): SavSet[] {
  const ticks = variables.filter(({ set }) => set !== undefined)
  const names = new Set<string>()
  const byField = Map.groupBy(ticks, ({ source }) =>
    'field' in source ? (source.field.category?.of.key ?? source.field.key) : undefined,
  )
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
