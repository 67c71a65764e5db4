import type { Answer } from '../structure/questionnaire.ts'
import type { Binding, Reading } from './source.ts'

/** What was counted for one response key. */
export interface KeyTotals {
  /** The number of responses with an answer. */
  answered: number
  /** The sum of the numbers; null for answers that are not numbers. */
  sum: number | null
}

/** The old totals of one response key, counted in the files of the other tool. */
export interface OldTotals extends KeyTotals {
  key: string
  column: string
  /** Each value that the files list as a choice or that occurs, with the position of its choice in the new survey. */
  values: { value: string; label: string; index: number | null; count: number }[]
}

/** The new totals of one response key, counted in the database. */
export interface NewTotals extends KeyTotals {
  /** How often each choice is selected, by its position. */
  choices: Map<number, number>
}

/** Maximum number of values that are listed and no choices. */
const MAX_OTHER_VALUES = 50

/** Counts the answers in the files of the other tool, before they are converted. */
export class OldCounter {
  readonly binding: Binding
  readonly #counts = new Map<string, number>()
  #answered = 0
  #sum = 0

  constructor(binding: Binding) {
    this.binding = binding
  }

  add(readings: readonly Reading[]): void {
    if (readings.length === 0) return
    this.#answered += 1
    const { choices, kind } = this.binding
    if (kind === 'number') this.#sum += Number(readings[0]!.value) || 0
    if (choices) for (const { value } of readings) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1)
  }

  totals(): OldTotals {
    const { key, column, kind, choices = new Map() } = this.binding
    const seen = new Set<number>()
    const known = [...choices].flatMap(([value, { index, label }]) => {
      const count = this.#counts.get(value) ?? 0
      // Further values of a choice, such as its label, are listed only if they occur.
      if (seen.has(index) && count === 0) return []
      seen.add(index)
      return [{ value, label, index, count }]
    })
    const others = [...this.#counts].filter(([value]) => !choices.has(value))
    const listed = others.slice(0, MAX_OTHER_VALUES)
    return {
      key,
      column,
      answered: this.#answered,
      sum: kind === 'number' ? round(this.#sum) : null,
      values: [
        ...known,
        ...listed.map(([value, count]) => ({
          value: value.slice(0, 200).toWellFormed(),
          label: '',
          index: null,
          count,
        })),
      ],
    }
  }
}

/** Adds a stored answer to the new totals. */
export function addAnswer(totals: NewTotals, answer: Answer): void {
  totals.answered += 1
  if (typeof answer === 'boolean') count(totals, answer ? 0 : 1)
  else if (typeof answer === 'number') {
    if (totals.sum !== null) totals.sum += answer
    else count(totals, answer)
  } else if (typeof answer !== 'string') for (const index of answer) count(totals, index)
}

const count = ({ choices }: NewTotals, index: number) => choices.set(index, (choices.get(index) ?? 0) + 1)

/** Returns a sum in the precision of sums of scores. */
const round = (value: number): number => Number(value.toPrecision(12))

/** A line of the proof: a value in the files, and the choice that it became. */
export interface ProofLine {
  value: string
  label: string
  /** The label of the choice in the new survey; null for a value that is no choice. */
  choice: string | null
  old: number
  new: number
}

/** The proof of one response key: old totals beside new totals. */
export interface Proof {
  key: string
  title: string
  column: string
  old: KeyTotals
  new: KeyTotals
  lines: ProofLine[]
  /** Whether all totals agree. */
  equal: boolean
}

/**
 * Compares the totals of a response key.
 * @param title of the question in the new survey
 * @param labels of its choices by position
 */
export function proofOf(
  { key, column, answered, sum, values }: OldTotals,
  stored: NewTotals,
  title: string,
  labels: ReadonlyMap<number, string>,
): Proof {
  const byIndex = new Map<number, ProofLine>()
  const lines: ProofLine[] = []
  for (const { value, label, index, count } of values) {
    const known = index === null ? undefined : byIndex.get(index)
    if (known) {
      known.value += `, ${value}`
      known.old += count
      continue
    }
    const choice = index === null ? null : (labels.get(index) ?? '')
    const line = { value, label, choice, old: count, new: index === null ? 0 : (stored.choices.get(index) ?? 0) }
    lines.push(line)
    if (index !== null) byIndex.set(index, line)
  }
  for (const [index, count] of stored.choices)
    if (!byIndex.has(index)) lines.push({ value: '', label: '', choice: labels.get(index) ?? '', old: 0, new: count })
  const newSum = stored.sum === null ? null : round(stored.sum)
  return {
    key,
    title,
    column,
    old: { answered, sum },
    new: { answered: stored.answered, sum: newSum },
    lines,
    equal: answered === stored.answered && sum === newSum && lines.every((line) => line.old === line.new),
  }
}
