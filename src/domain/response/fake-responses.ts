import { randomKey } from '../../lib/secrets.ts'
import { typeOf } from '../../questions/index.ts'
import type { PublicContext } from '../context.ts'
import { offeredChoices } from '../structure/choice-filter.ts'
import { consentAnswers } from '../structure/parse-answers.ts'
import type { Answer, Answers, Choice, Field, Question, Questionnaire } from '../structure/questionnaire.ts'
import { scoreOf } from '../structure/score.ts'
import { toStored } from '../structure/stored.ts'
import { answersOnPath } from '../structure/validate-answers.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { NewResponse } from './submit/new-response.ts'

/** Number of responses that are submitted at the same time, so that they are stored in full batches. */
const CONCURRENT_SUBMISSIONS = 256
/** Age of the oldest generated response. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000

/** Generates a response. Nine out of ten generated responses are complete. */
function fakeResponse(snapshot: SurveySnapshot, now: Date, ageMs: number, random: () => number): NewResponse {
  const { questionnaire } = snapshot
  const answers = fakeAnswers(questionnaire, random)
  const complete = random() < 0.9
  return {
    surveyId: snapshot.id,
    revision: snapshot.revision,
    collectorId: snapshot.defaultCollector.id,
    key: randomKey(),
    completed: complete ? 1 : 0,
    answers: JSON.stringify(toStored(questionnaire, answers)),
    createdAt: new Date(now.getTime() - ageMs),
    locale: null,
    completionTime: complete ? 20 + Math.floor(random() * 200) : null,
    weightedScore: complete ? scoreOf(questionnaire, answers) : null,
    language: questionnaire.languages[Math.floor(random() * questionnaire.languages.length)]?.code ?? '',
    username: '',
    ipAddress: '',
    getVariables: null,
    referrer: null,
    pagepath: null,
    inviteCode: null,
    inviteEmail: null,
    inviteName: null,
    hasReservedId: snapshot.ownIdsFrom !== null,
  }
}

/**
 * Adds generated responses to a survey, with creation times in the last thirty days. The submission batcher stores
 * them.
 * @param onProgress called with the number of stored responses after each batch
 */
export async function fakeResponses(
  { now, services }: PublicContext,
  snapshot: SurveySnapshot,
  count: number,
  random: () => number,
  onProgress: (stored: number) => void = () => undefined,
): Promise<void> {
  for (let stored = 0; stored < count; ) {
    const size = Math.min(CONCURRENT_SUBMISSIONS, count - stored)
    const batch = Array.from({ length: size }, (_, i) =>
      fakeResponse(snapshot, now, MAX_AGE_MS * (1 - (stored + i) / count), random),
    )
    await Promise.all(batch.map((response) => services.submissionBatcher.submit(response)))
    stored += size
    onProgress(stored)
  }
}

const SAMPLE_TEXTS = [
  'warm',
  'quiet',
  'first thing',
  'with friends',
  'in the garden',
  'a little sweet',
  'never cold',
  'slowly',
]

const pickOne = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!

/** Returns a random index. Some indexes are more likely than others, so that charts of fake answers are not flat. */
const skewedIndex = (count: number, random: () => number): number =>
  Math.floor(((random() + random() * random()) / 2) * count)

/** @param choices the choices that the question offers */
function fakeAnswer(field: Field, choices: readonly Choice[], random: () => number): Answer | undefined {
  switch (field.type) {
    case 'single':
      return choices[skewedIndex(choices.length, random)]?.index
    case 'multi': {
      const indices = choices.filter(() => random() < 0.4).map(({ index }) => index)
      return indices.length ? indices : undefined
    }
    case 'ranking':
      return choices.map(({ index }) => index).sort(() => random() - 0.5)
    case 'boolean':
      return random() < 0.6
    case 'number':
      return choices.at(-1)!.index - skewedIndex(choices.length, random)
    case 'decimal':
      return fakeNumber(field.question, random)
    case 'datetime':
      return fakeDay(field.question, `0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 9)}`)
    case 'string':
      return field.question.validation?.kind === 'email'
        ? `someone${Math.floor(random() * 1e6)}@example.org`
        : pickOne(typeOf(field.question.kind)?.sampleTexts ?? SAMPLE_TEXTS, random)
    case 'hidden':
    case 'file':
    case 'other':
      return undefined
  }
}

/** Returns a day of a month that follows the limits of its question. */
function fakeDay({ earliest, latest }: Question, monthAndDay: string): string {
  const isRelative = (limit?: string) => limit?.startsWith('today') ?? false
  const day = `${isRelative(latest) ? 2010 : isRelative(earliest) ? 2099 : 2026}-${monthAndDay}`
  if (earliest !== undefined && !isRelative(earliest) && day < earliest) return earliest
  return latest !== undefined && !isRelative(latest) && day > latest ? latest : day
}

/** Returns a random number that follows the rules of its question. */
function fakeNumber({ min, max, step = 1 }: Question, random: () => number): number {
  const low = min ?? Math.min(0, max ?? 0)
  const high = max ?? Math.max(100, low + 100)
  // With a step of 1, only integers between the limits are used. If there is no such integer, the lower limit is used.
  const first = step === 1 ? Math.ceil(low) : low
  const count = Math.floor((high - first) / step) + 1
  return count < 1 ? low : Number((first + skewedIndex(count, random) * step).toPrecision(12))
}

/**
 * Returns plausible answers for demonstrations. Some optional questions have no answer. Hidden fields, file uploads and
 * questions hidden by a condition never have one.
 */
export function fakeAnswers(q: Questionnaire, random: () => number): Answers {
  const answers: Record<string, Answer> = {}
  for (const question of q.questions) {
    const sample = typeOf(question.kind)?.sampleAnswers
    if (sample) Object.assign(answers, sample(question, random))
  }
  for (const field of q.fields) {
    if (typeOf(field.question.kind)?.sampleAnswers) continue
    if (!field.required && random() < 0.2) continue
    const { choiceFilter } = field.question
    const choices = choiceFilter ? offeredChoices(field.question, q, answers) : field.choices
    const isConsent = typeOf(field.question.kind)?.onlyYes
    const value = isConsent && !field.part ? true : fakeAnswer(field, choices, random)
    if (value !== undefined) answers[field.key] = value
    if (value === true && isConsent) Object.assign(answers, consentAnswers(field.question, q))
  }
  return answersOnPath(q, answers)
}
