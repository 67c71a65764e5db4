import { csvRows } from '../../lib/csv.ts'
import { isAutomatic } from '../../questions/index.ts'
import { cellFormat } from '../response/export/cell.ts'
import { DEFAULT_EXPORT_OPTIONS, type ExportOptions } from '../response/export/columns.ts'
import { createLines } from '../response/export/lines.ts'
import { Output, Tuples } from '../response/export/output.ts'
import { isList } from '../structure/answered.ts'
import { metaFields } from '../structure/meta-fields.ts'
import type { DeadPart } from '../structure/publishing/paths.ts'
import type { Answer, Answers, Question, Questionnaire } from '../structure/questionnaire.ts'
import type { ObstacleTally, SampleResponse, Tally } from './tally.ts'
import type { WalkEnd } from './walk.ts'

/** What simulated respondents found out about a survey. */
export interface RehearsalReport {
  /** Identifies the structure that was rehearsed. */
  revision: string
  seed: number
  requested: number
  /** The number of walks; fewer than requested if the survey makes too much work. */
  walks: number
  ends: Readonly<Record<WalkEnd, number>>
  minutes: { shortest: number; average: number; longest: number } | undefined
  languages: { code: string; name: string; walks: number; minutes: number | undefined }[]
  /** The most frequent paths, and the number of all. */
  paths: { pages: readonly number[]; end: WalkEnd; walks: number; minutes: number }[]
  pathCount: number
  obstacles: (Omit<ObstacleTally, 'question'> & { question: Question | undefined })[]
  /** Pages and questions that no walk saw. `isCertain`: no respondent can see them. */
  unseenPages: { page: number; isCertain: boolean }[]
  unseenQuestions: { question: Question; isCertain: boolean }[]
  /** Quotas with the number of complete walks that count towards them. */
  quotas: { name: string; limit: number; walks: number; isCertain: boolean }[]
  sample: SampleTable
}

const MAX_LISTED = 20
const MAX_UNSEEN = 100

/** Returns the report on finished walks. */
export async function reportOf(
  q: Questionnaire,
  {
    tally,
    dead,
    ...request
  }: { tally: Tally; dead: readonly DeadPart[]; seed: number; requested: number; revision: string },
): Promise<RehearsalReport> {
  const unreachable = new Set(dead.map(({ pointer }) => pointer))
  const { ends, seconds, walks } = tally
  const finished = ends.complete + ends.terminate
  const paths = Object.values(tally.paths).sort((a, b) => b.walks - a.walks)
  const isUnseen = ({ number }: { number: number }) => !tally.pages[number]
  return {
    ...request,
    walks,
    ends,
    minutes:
      finished > 0
        ? {
            shortest: inMinutes(seconds.shortest),
            average: inMinutes(seconds.sum / finished),
            longest: inMinutes(seconds.longest),
          }
        : undefined,
    languages: q.languages.map(({ code, name }) => {
      const own = tally.languages[code]
      return { code, name, walks: own?.walks ?? 0, minutes: own && inMinutes(own.seconds / own.walks) }
    }),
    paths: paths.slice(0, MAX_LISTED).map((path) => ({
      pages: path.pages,
      end: path.end,
      walks: path.walks,
      minutes: inMinutes(path.seconds / path.walks),
    })),
    pathCount: paths.length + tally.otherPaths,
    obstacles: Object.values(tally.obstacles)
      .sort((a, b) => b.walks - a.walks)
      .slice(0, MAX_LISTED)
      .map((obstacle) => ({ ...obstacle, question: q.byId.get(obstacle.question ?? '') })),
    unseenPages: q.pages
      .filter((page) => page.questions.some(({ kind }) => !isAutomatic(kind)) && isUnseen(page))
      .slice(0, MAX_UNSEEN)
      .map(({ number, at }) => ({ page: number, isCertain: unreachable.has(`/form/${at}`) })),
    // The questions of an unseen page are not listed one by one.
    unseenQuestions: q.pages
      .filter((page) => !isUnseen(page))
      .flatMap(({ questions }) => questions)
      .filter(({ id }) => !tally.questions[id])
      .slice(0, MAX_UNSEEN)
      .map((question) => ({ question, isCertain: unreachable.has(question.pointer) })),
    quotas: q.quotas.map(({ name, limit }, index) => ({
      name,
      limit,
      walks: tally.quotas[index] ?? 0,
      isCertain: unreachable.has(`/quotas/${index}`),
    })),
    sample: await sampleTable(q, tally.samples),
  }
}

const inMinutes = (seconds: number): number => Math.round(seconds / 6) / 10

/** A table as the export of responses writes it. */
interface SampleTable {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

const OPTIONS: Readonly<ExportOptions> = {
  ...DEFAULT_EXPORT_OPTIONS,
  labels: true,
  titles: true,
  titlesForPeople: true,
}
/** The columns before the answers, and those that a simulated response has. */
const META_KEYS = metaFields.filter(({ exported }) => exported).map(({ key }) => key)
const SHOWN: ReadonlySet<string> = new Set(['_completed', '_language', '_completion_time'])

/** Writes simulated responses with the code of the export, as rows with titles and labels. */
async function sampleTable(q: Questionnaire, samples: readonly SampleResponse[]): Promise<SampleTable> {
  const lines = createLines({
    questionnaire: q,
    options: OPTIONS,
    address: '',
    files: '',
    numbers: {},
    survey: 0,
    view: (row) => row,
  })
  const blocks: Buffer[] = []
  const out = new Output(cellFormat(OPTIONS), (block) => blocks.push(Buffer.from(block)))
  const tuples = new Tuples(lines.fields.length)
  const rows = samples.map((sample) => rowOf(lines.fields.map((field) => fieldValue(sample, field))))
  tuples.read(Buffer.concat([COPY_HEADER, ...rows]), (bytes, length) => lines.write(tuples, bytes, length, out))
  out.flush()
  const table: string[][] = []
  for await (const row of csvRows(lines.header + Buffer.concat(blocks).toString())) table.push(row)
  const [header = [], ...cells] = table
  const isShown = (index: number) => index >= META_KEYS.length || SHOWN.has(META_KEYS[index]!)
  return {
    columns: header.filter((_, index) => isShown(index)),
    rows: cells.map((row) => row.filter((_, index) => isShown(index))),
  }
}

/** The beginning of a stream of `COPY … (FORMAT binary)`: the signature, no flags and no extension. */
const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')

/** Returns a row of the stream. */
function rowOf(values: readonly (Buffer | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(values.length)
  return Buffer.concat([
    count,
    ...values.flatMap((value) => {
      const size = Buffer.alloc(4)
      size.writeInt32BE(value?.length ?? -1)
      return value ? [size, value] : [size]
    }),
  ])
}

/** Returns the value of a column of `response` in PostgreSQL's binary format; null for one that no walk has. */
function fieldValue({ answers, completed, language, seconds }: SampleResponse, column: string): Buffer | null {
  switch (column) {
    case 'answers':
      // The version of the binary format of jsonb comes before the text.
      return Buffer.concat([Buffer.from([1]), Buffer.from(jsonbText(answers))])
    case 'completed':
      return integer(completed, 2)
    case 'completion_time':
      return integer(seconds, 4)
    case 'language':
      return Buffer.from(language)
    default:
      return null
  }
}

/** Writes answers as PostgreSQL writes a jsonb value: with a space after each comma and colon. */
function jsonbText(answers: Answers): string {
  const text = (value: Answer) => (isList(value) ? `[${value.join(', ')}]` : JSON.stringify(value))
  return `{${Object.entries(answers)
    .map(([key, value]) => `${JSON.stringify(key)}: ${text(value)}`)
    .join(', ')}}`
}

function integer(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeIntBE(value, 0, bytes)
  return buffer
}
