import { nextTurn } from '../../lib/next-turn.ts'
import { seededRandom } from '../../lib/random.ts'
import { SandboxError } from '../../lib/sandbox.ts'
import type { Context } from '../context.ts'
import { runInSandbox } from '../sandbox.ts'
import { compile } from '../structure/compile.ts'
import type { NumberedStructure } from '../structure/numbering.ts'
import { type DeadPart, deadParts } from '../structure/publishing/paths.ts'
import type { Questionnaire, Rule } from '../structure/questionnaire.ts'
import { forgetEvaluations } from '../structure/visibility.ts'
import { findWorkingCopy, type WorkingCopy } from '../survey/working-copy.ts'
import { type RehearsalReport, reportOf } from './report.ts'
import { AnswerBook, rulesLeadingTo } from './simulated-answers.ts'
import { addTally, addWalk, emptyTally, type Tally, TimeNeeded } from './tally.ts'
import { walkThrough, workDone } from './walk.ts'

export const MAX_WALKS = 10_000
export const MAX_SEED = 2 ** 31 - 1

/** Number of walks of a task of the sandbox. The result depends on it, because later walks look for unseen parts. */
const WALKS_PER_TASK = 500
/** Maximum work of a task, and of all tasks together ({@link workDone}). */
const MAX_TASK_WORK = 3_000_000
const MAX_WORK = 30_000_000

/** The walks that a task simulates. */
export interface RehearsalTask extends NumberedStructure {
  seed: number
  /** The number of the first walk, from 0, and the number of walks. */
  first: number
  walks: number
  /** Numbers of pages and ids of questions that no walk has seen yet, and that some walks look for. */
  unseen: { pages: readonly number[]; questions: readonly string[] }
}

/** The result of a task. */
export interface TaskResult {
  tally: Tally
  work: number
  /** The parts that no respondent can reach; only in the first task. */
  dead: DeadPart[]
}

/**
 * Rehearses the draft of a survey, or the published structure if there is no draft (role Edit or Test): simulated
 * respondents walk through it in each language, with and without scripts. Stores nothing. The walks run in the sandbox;
 * their answers depend only on the structure and the seed.
 * @param onProgress called with the number of finished walks
 * @throws {Problem} `survey_not_found`, `forbidden`, `too_many_requests`, `unavailable`
 */
export async function rehearse(
  context: Context,
  surveyId: number,
  request: { walks: number; seed: number },
  onProgress: (done: number) => void = () => undefined,
): Promise<RehearsalReport> {
  return rehearseCopy(context, await findWorkingCopy(context, surveyId), request, onProgress)
}

/** Rehearses a structure ({@link rehearse}). Checks no permission. */
export async function rehearseCopy(
  context: Context,
  { structure, removed, revision }: WorkingCopy,
  { walks, seed }: { walks: number; seed: number },
  onProgress: (done: number) => void,
): Promise<RehearsalReport> {
  const q = compile(structure, removed)
  const tally = emptyTally()
  let dead: DeadPart[] = []
  let work = 0
  for (let first = 0; first < walks && work < MAX_WORK && q.questions.length > 0; first += WALKS_PER_TASK) {
    const task = { structure, removed, seed, first, walks: Math.min(WALKS_PER_TASK, walks - first) }
    const result = await runTask(context, { ...task, unseen: unseenParts(q, tally, dead) })
    if (!result) break
    addTally(tally, result.tally)
    if (first === 0) dead = result.dead
    work += result.work
    onProgress(tally.walks)
    // A task that could not finish its walks is followed by no other one, so that walks are not left out in between.
    if (result.tally.walks < task.walks) break
    await nextTurn()
  }
  return reportOf(q, { tally, dead, seed, requested: walks, revision })
}

/** Returns the result of a task; undefined if it exceeds the limits of the sandbox. */
async function runTask(context: Context, task: RehearsalTask): Promise<TaskResult | undefined> {
  try {
    return await runInSandbox(context, 'rehearsalTask', task)
  } catch (error) {
    if (error instanceof SandboxError) return undefined
    throw error
  }
}

/** Returns the parts that no walk has seen, without those that no respondent can reach. */
function unseenParts(q: Questionnaire, tally: Tally, dead: readonly DeadPart[]): RehearsalTask['unseen'] {
  if (tally.walks === 0) return { pages: [], questions: [] }
  const unreachable = new Set(dead.map(({ pointer }) => pointer))
  return {
    pages: q.pages
      .filter(({ number }) => !tally.pages[number] && !unreachable.has(`/form/${number - 1}`))
      .map(({ number }) => number),
    questions: q.questions
      .filter(({ id, pointer }) => !tally.questions[id] && !unreachable.has(pointer))
      .map(({ id }) => id),
  }
}

/** Simulates the walks of a task. */
export function rehearsalTask({ structure, removed, seed, first, walks, unseen }: RehearsalTask): TaskResult {
  const q = compile(structure, removed)
  const before = workDone()
  const tally = emptyTally()
  const book = new AnswerBook(q)
  const codes = q.languages.length > 0 ? q.languages.map(({ code }) => code) : [q.defaultLanguage]
  const times = new Map(codes.map((code) => [code, new TimeNeeded(q, code)]))
  const targets = [
    ...unseen.pages.slice(0, MAX_TARGETS).map((page) => rulesLeadingTo(q, { page })),
    ...unseen.questions.slice(0, MAX_TARGETS).flatMap((id) => {
      const question = q.byId.get(id)
      return question ? [rulesLeadingTo(q, { page: question.page, question })] : []
    }),
  ]
  for (let walk = first; walk < first + walks && workDone() - before < MAX_TASK_WORK; walk++) {
    const language = codes[walk % codes.length]!
    const respondent = {
      language,
      scripts: Math.floor(walk / codes.length) % 2 === 0,
      random: seededRandom(Math.imul(seed ^ walk, 0x9e3779b1) ^ walk),
      // Every second walk looks for something that no one has seen.
      targets: (walk % 2 === 1 && targets[Math.floor(walk / 2) % targets.length]) || NO_RULES,
    }
    addWalk(tally, q, walkThrough(q, book, respondent, before + MAX_TASK_WORK), language, times.get(language)!)
    forgetEvaluations(q)
  }
  return { tally, work: workDone() - before, dead: first === 0 ? deadParts(q) : [] }
}

const MAX_TARGETS = 100
const NO_RULES: ReadonlySet<Rule> = new Set()
