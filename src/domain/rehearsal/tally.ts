import { isAutomatic, typeOf } from '../../questions/index.ts'
import { subjectOf } from '../structure/answer-cache.ts'
import type { Answers, LanguageText, Page, Question, Questionnaire } from '../structure/questionnaire.ts'
import { matchingQuotas } from '../structure/quota.ts'
import { toStored } from '../structure/stored.ts'
import { textIn } from '../structure/text.ts'
import { answersOnPath } from '../structure/visibility.ts'
import type { Walk, WalkEnd } from './walk.ts'

/** A sequence of pages that simulated respondents have walked. */
interface PathTally {
  pages: readonly number[]
  end: WalkEnd
  walks: number
  seconds: number
}

/** A place where simulated respondents could not go on. */
export interface ObstacleTally {
  page: number
  /** The id of the question; undefined if the page has no error. */
  question: string | undefined
  code: string
  message: string
  params: Readonly<Record<string, unknown>>
  walks: number
}

/** A response as a sample for the export. */
export interface SampleResponse {
  /** Identifies the path of the walk. Samples have different paths. */
  path: string
  answers: Answers
  completed: 1 | 2
  language: string
  seconds: number
}

/** What happened in a number of walks. It consists of plain values, so that processes can send and add it up. */
export interface Tally {
  walks: number
  ends: Record<WalkEnd, number>
  seconds: { shortest: number; longest: number; sum: number }
  /** Walks and seconds by language. */
  languages: Record<string, { walks: number; seconds: number }>
  /** Walks by their pages and end. Paths after {@link MAX_PATHS} are only counted. */
  paths: Record<string, PathTally>
  otherPaths: number
  /** Walks that saw each page, and each question by id. */
  pages: Record<number, number>
  questions: Record<string, number>
  /** Complete walks that count towards each quota, by its position. */
  quotas: Record<number, number>
  obstacles: Record<string, ObstacleTally>
  samples: SampleResponse[]
}

const MAX_PATHS = 500
const MAX_OBSTACLES = 100
const MAX_SAMPLES = 5

/** Ids of questions can be `constructor`. */
const newCounts = <Value>(): Record<string, Value> => Object.create(null)

export const emptyTally = (): Tally => ({
  walks: 0,
  ends: { complete: 0, terminate: 0, stuck: 0, abandoned: 0 },
  seconds: { shortest: Number.POSITIVE_INFINITY, longest: 0, sum: 0 },
  languages: newCounts(),
  paths: newCounts(),
  otherPaths: 0,
  pages: newCounts(),
  questions: newCounts(),
  quotas: newCounts(),
  obstacles: newCounts(),
  samples: [],
})

/** Adds a walk to a tally. */
export function addWalk(tally: Tally, q: Questionnaire, walk: Walk, language: string, time: TimeNeeded): void {
  const { visits, end, obstacle } = walk
  let seconds = 0
  for (const { page, seen } of visits) {
    seconds += time.secondsFor(q.pages[page - 1]!, seen)
    increase(tally.pages, page)
    for (const { id } of seen) increase(tally.questions, id)
  }
  tally.walks++
  tally.ends[end]++
  const pages = visits.map(({ page }) => page)
  addPath(tally, { pages, end, walks: 1, seconds })
  if (obstacle) addObstacle(tally, q, obstacle)
  if (end !== 'complete' && end !== 'terminate') return
  tally.seconds.shortest = Math.min(tally.seconds.shortest, seconds)
  tally.seconds.longest = Math.max(tally.seconds.longest, seconds)
  tally.seconds.sum += seconds
  addTime(tally, language, 1, seconds)
  const answers = answersOnPath(q, walk.answers)
  if (end === 'complete')
    for (const quota of matchingQuotas(q, answers)) increase(tally.quotas, q.quotas.indexOf(quota))
  const path = pathKey(pages, end)
  if (tally.paths[path]?.walks === 1)
    addSample(tally, {
      path,
      answers: { ...toStored(q, answers) },
      completed: end === 'complete' ? 1 : 2,
      language,
      seconds: Math.round(seconds),
    })
}

function addTime({ languages }: Tally, code: string, walks: number, seconds: number): void {
  const own = languages[code] ?? { walks: 0, seconds: 0 }
  languages[code] = { walks: own.walks + walks, seconds: own.seconds + seconds }
}

function addSample({ samples }: Tally, sample: SampleResponse): void {
  if (samples.length < MAX_SAMPLES && !samples.some(({ path }) => path === sample.path)) samples.push(sample)
}

const increase = (counts: Record<string | number, number>, name: string | number, by = 1): void => {
  counts[name] = (counts[name] ?? 0) + by
}

const pathKey = (pages: readonly number[], end: WalkEnd): string => `${pages.join()} ${end}`

function addPath(tally: Tally, path: PathTally): void {
  const key = pathKey(path.pages, path.end)
  const known = tally.paths[key]
  if (known) {
    known.walks += path.walks
    known.seconds += path.seconds
  } else if (Object.keys(tally.paths).length < MAX_PATHS) tally.paths[key] = { ...path }
  else tally.otherPaths += path.walks
}

function addObstacle(tally: Tally, q: Questionnaire, { page, errors }: NonNullable<Walk['obstacle']>): void {
  const [error] = errors
  const subject = error && subjectOf(error.field, q)
  const question = subject && ('fields' in subject ? subject : subject.question)
  const { code = 'invalid_answer', message = '', params = {} } = error ?? {}
  mergeObstacle(tally, { page, question: question?.id, code, message, params: { ...params }, walks: 1 })
}

function mergeObstacle(tally: Tally, obstacle: ObstacleTally): void {
  const key = `${obstacle.page} ${obstacle.question} ${obstacle.code}`
  const known = tally.obstacles[key]
  if (known) known.walks += obstacle.walks
  else if (Object.keys(tally.obstacles).length < MAX_OBSTACLES) tally.obstacles[key] = { ...obstacle }
}

/** Adds a tally to another one. */
export function addTally(to: Tally, from: Tally): void {
  to.walks += from.walks
  for (const end of Object.keys(from.ends) as WalkEnd[]) to.ends[end] += from.ends[end]
  to.seconds.shortest = Math.min(to.seconds.shortest, from.seconds.shortest)
  to.seconds.longest = Math.max(to.seconds.longest, from.seconds.longest)
  to.seconds.sum += from.seconds.sum
  for (const [code, { walks, seconds }] of Object.entries(from.languages)) addTime(to, code, walks, seconds)
  for (const path of Object.values(from.paths)) addPath(to, path)
  to.otherPaths += from.otherPaths
  for (const name of ['pages', 'questions', 'quotas'] as const)
    for (const [key, count] of Object.entries(from[name])) increase(to[name] as Record<string, number>, key, count)
  for (const obstacle of Object.values(from.obstacles)) mergeObstacle(to, obstacle)
  for (const sample of from.samples) addSample(to, sample)
}

/** Characters that an adult reads in a second: of letters, and of scripts that write a syllable or word as one. */
const LETTERS_PER_SECOND = 20
const SYMBOLS_PER_SECOND = 6
const SYMBOL = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
/** Seconds to load a page and to look at it. */
const SECONDS_PER_PAGE = 2
/** Maximum number of characters of a text that are counted. */
const MAX_CHARACTERS = 20_000

/** Additional seconds for each line of a text box. */
const SECONDS_PER_LINE = 8

/** Estimates how long people need for the parts of a survey in one language. */
export class TimeNeeded {
  readonly #q: Questionnaire
  readonly #language: string
  readonly #questions = new Map<Question, number>()

  constructor(q: Questionnaire, language: string) {
    this.#q = q
    this.#language = language
  }

  /** Returns the seconds for a page with the questions that it shows. */
  secondsFor(page: Page, shown: Iterable<Question>): number {
    let seconds = SECONDS_PER_PAGE + this.#reading([page.title, page.description])
    for (const question of shown) seconds += this.#secondsForQuestion(question)
    return seconds
  }

  #secondsForQuestion(question: Question): number {
    const cached = this.#questions.get(question)
    if (cached !== undefined) return cached
    const { kind, title, description, choices, rows, statement, lines = 1 } = question
    const [base, each] = typeOf(kind)?.seconds ?? [0, 0]
    const items = rows.length > 0 ? rows.length : choices.length
    const texts = [title, description, statement, ...[...choices, ...rows].map(({ label }) => label)]
    const seconds = isAutomatic(kind) ? 0 : base + each * items + (lines - 1) * SECONDS_PER_LINE + this.#reading(texts)
    this.#questions.set(question, seconds)
    return seconds
  }

  #reading(texts: readonly (LanguageText | undefined)[]): number {
    return texts.reduce((sum, text) => {
      if (!text) return sum
      const shown = textIn(text, this.#language, this.#q).slice(0, MAX_CHARACTERS)
      const symbols = shown.match(SYMBOL)?.length ?? 0
      return sum + symbols / SYMBOLS_PER_SECOND + (shown.length - symbols) / LETTERS_PER_SECOND
    }, 0)
  }
}
