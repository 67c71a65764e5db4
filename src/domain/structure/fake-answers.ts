import { offeredChoices } from './choice-filter.ts'
import { consentAnswers } from './parse-answers.ts'
import type { Answer, Answers, Choice, Field, Question, Questionnaire } from './questionnaire.ts'
import { answersOnPath } from './validate-answers.ts'

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

const SAMPLE_NAMES = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Noor Khan', 'Li Na']

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
        : pickOne(field.question.kind === 'signature' ? SAMPLE_NAMES : SAMPLE_TEXTS, random)
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
  for (const field of q.fields) {
    if (!field.required && random() < 0.2) continue
    const { choiceFilter } = field.question
    const choices = choiceFilter ? offeredChoices(field.question, q, answers) : field.choices
    const value = field.question.kind === 'consent' && !field.part ? true : fakeAnswer(field, choices, random)
    if (value !== undefined) answers[field.key] = value
    if (value === true && field.question.kind === 'consent') Object.assign(answers, consentAnswers(field.question, q))
  }
  return answersOnPath(q, answers)
}
