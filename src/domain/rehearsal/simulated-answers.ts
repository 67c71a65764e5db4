import { typeOf } from '../../questions/index.ts'
import { fieldsOf, subjectOf } from '../structure/answer-cache.ts'
import { holds, namesOf } from '../structure/condition.ts'
import { candidateAnswers } from '../structure/publishing/candidates.ts'
import type {
  Answer,
  Choice,
  Condition,
  Field,
  Question,
  Questionnaire,
  Rule,
  Validation,
} from '../structure/questionnaire.ts'
import { questionNamed } from '../structure/text.ts'

/** Share of optional questions that simulated respondents leave blank. */
const BLANK_SHARE = 0.15
/** Share of answers that are chosen because a rule mentions them. */
const RULE_SHARE = 0.5
/** Share of answers that are chosen because they lead to a part that no one has seen yet. */
const TARGET_SHARE = 0.8
/** Maximum number of candidates and of rules of a field. */
const MAX_CANDIDATES = 200
const MAX_RULES_OF_FIELD = 50

/** The answers to a field that rules of the survey tell apart. */
interface KnownAnswers {
  candidates: readonly Answer[]
  rules: readonly Rule[]
}

/** What simulated respondents know about a survey. It is prepared once for all of them. */
export class AnswerBook {
  readonly q: Questionnaire
  readonly #known = new Map<Field, KnownAnswers>()
  readonly #deciding = new Map<number, ReadonlySet<Question>>()

  constructor(q: Questionnaire) {
    this.q = q
    const rules = new Map<Field, Rule[]>()
    for (const rule of rulesOf(q)) {
      const subject = subjectOf(rule.question, q)
      for (const field of subject ? fieldsOf(subject) : []) {
        const own = rules.get(field) ?? []
        if (own.length < MAX_RULES_OF_FIELD) rules.set(field, [...own, rule])
      }
    }
    for (const [field, own] of rules) {
      const candidates = (candidateAnswers(field, own) ?? []).slice(0, MAX_CANDIDATES)
      this.#known.set(field, { candidates, rules: own })
    }
  }

  /** Returns the questions of a page whose answers decide what the same page shows, or which choices it offers. */
  decidingOn(page: number): ReadonlySet<Question> {
    const known = this.#deciding.get(page)
    if (known) return known
    const { questions = [] } = this.q.pages[page - 1] ?? {}
    const names = questions.flatMap(({ condition, choiceFilter = [] }) => [
      ...rulesIn(condition).flatMap(namesOf),
      ...choiceFilter.map(({ question }) => question),
    ])
    const deciding = new Set(
      names.flatMap((name) => {
        const question = questionNamed(name, this.q)
        return question?.page === page ? [question] : []
      }),
    )
    this.#deciding.set(page, deciding)
    return deciding
  }

  /**
   * Returns an answer to a field as a respondent could choose it; undefined for a blank one.
   * @param offered the choices that the question offers
   * @param targets rules that should hold for this respondent
   * @param attempt number of earlier answers of this respondent that the page rejected
   */
  answerTo(
    field: Field,
    offered: readonly Choice[],
    { random, targets, attempt }: { random: () => number; targets: ReadonlySet<Rule>; attempt: number },
  ): Answer | undefined {
    const known = attempt === 0 ? this.#known.get(field) : undefined
    const wanted = known?.rules.filter((rule) => targets.has(rule)) ?? []
    if (known && wanted.length > 0 && random() < TARGET_SHARE) return this.#best(field, known, wanted, random)
    if (!field.required && attempt === 0 && random() < BLANK_SHARE) return undefined
    if (known && known.candidates.length > 0 && random() < RULE_SHARE)
      return (
        pick(
          known.candidates.filter((one) => isOffered(one, field, offered)),
          random,
        ) ?? undefined
      )
    return anyAnswer(field, offered, random, attempt)
  }

  /** Returns the answer with which most of the wanted rules hold. */
  #best({ key }: Field, { candidates }: KnownAnswers, wanted: readonly Rule[], random: () => number) {
    const scored = [undefined, ...candidates].map((value) => {
      const answers = value === undefined ? {} : { [key]: value }
      return { value, score: wanted.filter((rule) => holds(rule, this.q, answers)).length }
    })
    const highest = Math.max(...scored.map(({ score }) => score))
    return pick(
      scored.filter(({ score }) => score === highest),
      random,
    )?.value
  }
}

function rulesIn(condition: Condition | Rule | undefined): Rule[] {
  if (!condition) return []
  if ('question' in condition) return [condition]
  return ('all' in condition ? condition.all : condition.any).flatMap(rulesIn)
}

function rulesOf(q: Questionnaire): Rule[] {
  return [
    ...q.pages.flatMap(({ condition, skips, questions }) => [
      ...rulesIn(condition),
      ...skips.flatMap(({ when }) => rulesIn(when)),
      ...questions.flatMap((question) => rulesIn(question.condition)),
    ]),
    ...q.quotas.flatMap(({ when }) => rulesIn(when)),
  ]
}

/**
 * Returns the rules that lead to a question: those of its condition and of its page and, in turn, those of the questions
 * that they mention.
 */
export function rulesLeadingTo(q: Questionnaire, target: { page: number; question?: Question | undefined }): Set<Rule> {
  const rules = new Set<Rule>()
  const visited = new Set<Question>()
  const add = (condition: Condition | Rule | undefined): void => {
    if (!condition) return
    if ('all' in condition) for (const part of condition.all) add(part)
    else if ('any' in condition) for (const part of condition.any) add(part)
    else if (rules.size < MAX_TARGET_RULES) {
      rules.add(condition)
      for (const name of namesOf(condition)) {
        const subject = subjectOf(name, q)
        const question = subject && ('fields' in subject ? subject : subject.question)
        if (!question || visited.has(question)) continue
        visited.add(question)
        add(question.condition)
        add(q.pages[question.page - 1]?.condition)
      }
    }
  }
  add(target.question?.condition)
  add(q.pages[target.page - 1]?.condition)
  for (const page of q.pages) for (const { to, when } of page.skips) if (to === target.page) add(when)
  return rules
}

const MAX_TARGET_RULES = 200

const pick = <Item>(items: readonly Item[], random: () => number): Item | undefined =>
  items[Math.floor(random() * items.length)]

const isOffered = (value: Answer, { choices }: Field, offered: readonly Choice[]): boolean =>
  offered.length === choices.length ||
  [value].flat().every((index) => typeof index !== 'number' || offered.some((choice) => choice.index === index))

/** Returns an answer that follows the rules of its question. Every choice is equally likely. */
function anyAnswer(
  field: Field,
  offered: readonly Choice[],
  random: () => number,
  attempt: number,
): Answer | undefined {
  const { question } = field
  switch (field.type) {
    case 'single':
    case 'number':
      return pick(offered, random)?.index
    case 'multi':
      return severalChoices(question, offered, random)
    case 'ranking': {
      const ranked = offered.map(({ index }) => ({ index, order: random() })).sort((a, b) => a.order - b.order)
      return ranked.length > 0 ? ranked.slice(0, question.maxSelected).map(({ index }) => index) : undefined
    }
    case 'boolean':
      return typeOf(question.kind)?.onlyYes || random() < 0.5
    case 'decimal':
      return anyNumber(question, random)
    case 'datetime':
      return anyTime(question, random)
    case 'file':
      return field.part === 'image' ? undefined : SIMULATED_FILE
    case 'other':
      return undefined
    default:
      return anyText(question, random, attempt)
  }
}

/** Stands for the key of a file, which no one uploads. */
const SIMULATED_FILE = '0'.repeat(32)

function severalChoices(
  { minSelected = 1, maxSelected = Number.POSITIVE_INFINITY }: Question,
  offered: readonly Choice[],
  random: () => number,
): Answer | undefined {
  const alone = pick(offered, random)
  if (!alone) return undefined
  if (alone.exclusive) return [alone.index]
  const others = offered.filter(({ exclusive }) => !exclusive).map(({ index }) => ({ index, order: random() }))
  const most = Math.min(others.length, maxSelected)
  const count = Math.min(most, Math.max(minSelected, 1 + Math.floor(random() * most)))
  return others
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ index }) => index)
    .sort((a, b) => a - b)
}

/** Number of decimal places of a number in a question that allows several. */
const SHOWN_DECIMALS = 2
/** Share of respondents who give one of the numbers that a question accepts beside its limits. */
const SHARE_OF_ALSO = 0.05

function anyNumber({ min, max, also, step, decimals = 0 }: Question, random: () => number): number {
  if (also && random() < SHARE_OF_ALSO) return pick(also, random)!
  const distance = step ?? 10 ** -Math.min(decimals, SHOWN_DECIMALS)
  const low = min ?? Math.min(0, max ?? 0)
  const high = max ?? Math.max(100, low + 100)
  const steps = Math.max(0, Math.floor((high - low) / distance))
  return Number((low + Math.floor(random() * (steps + 1)) * distance).toPrecision(12))
}

function anyTime({ format }: Question, random: () => number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `2026-${two(1 + Math.floor(random() * 12))}-${two(1 + Math.floor(random() * 28))}`
  const time = `${two(Math.floor(random() * 24))}:${two(Math.floor(random() * 60))}`
  return format === 'time' ? time : format === 'date' || format === undefined ? date : `${date}T${time}`
}

const WORDS = ['quiet', 'green', 'morning', 'with friends', 'in the garden', 'rarely', 'often', 'warm']
const NAMES = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Noor Khan', 'Li Na']

function anyText(question: Question, random: () => number, attempt: number): string {
  const number = Math.floor(random() * 1e6)
  const { validation } = question
  const { sampleTexts } = typeOf(question.kind) ?? {}
  if (sampleTexts) return pick(sampleTexts, random)!
  switch (validation?.kind) {
    case 'email':
      return `someone${number}@example.org`
    case 'url':
      return fitted(`https://example.org/${number}`, validation)
    case 'phone':
      return fitted(`030${String(number).padStart(6, '0')}`, validation, '0')
    case 'integer':
    case 'number':
      return numberText(validation, random)
    case 'letters':
      return fitted(pick(NAMES, random)!, validation)
    default: {
      if (validation && (validation.min !== undefined || validation.max !== undefined))
        return numberText(validation, random)
      // An author's pattern can ask for digits, for an address or for a word.
      const texts = [pick(WORDS, random)!, String(number), `someone${number}@example.org`]
      return fitted(texts[attempt % texts.length]!, validation)
    }
  }
}

function numberText({ min, max, minLength, maxLength }: Validation, random: () => number): string {
  const low = Math.max(
    min ?? Math.min(0, max ?? 0),
    minLength !== undefined && minLength > 1 ? 10 ** (minLength - 1) : Number.NEGATIVE_INFINITY,
  )
  const high = Math.min(
    max ?? Math.max(100, low + 100),
    maxLength !== undefined && maxLength < 15 ? 10 ** maxLength - 1 : Number.POSITIVE_INFINITY,
  )
  const [first, last] = [Math.ceil(low), Math.floor(high)]
  return String(first > last ? low : first + Math.floor(random() * (last - first + 1)))
}

/** Returns a text with an accepted number of characters. */
function fitted(text: string, validation: Validation | undefined, filler = 'x'): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = validation ?? {}
  return text.padEnd(Math.min(minLength, MAX_FILLED_CHARACTERS), filler).slice(0, maxLength)
}

const MAX_FILLED_CHARACTERS = 20_000
