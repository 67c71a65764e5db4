import { isAutomatic } from '../structure/kinds.ts'
import type { DeadPart } from '../structure/publishing/paths.ts'
import type { Question, Questionnaire } from '../structure/questionnaire.ts'
import { type SampleTable, sampleTable } from './sample.ts'
import type { ObstacleTally, Tally } from './tally.ts'
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
      .map(({ number }) => ({ page: number, isCertain: unreachable.has(`/form/${number - 1}`) })),
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
