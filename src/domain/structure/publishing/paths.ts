import { typeOf } from '../../../questions/index.ts'
import type { Condition, Page, Question, Questionnaire } from '../questionnaire.ts'
import { EVERYONE, NO_ONE, PossibleAnswers, type Respondents } from './possible-answers.ts'

/** A part of a survey that no respondent can reach. */
export interface DeadPart {
  /** JSON pointer of the page, question, skip or quota. */
  pointer: string
  /** `rules`: no answers fulfil the rules of this part. `path`: no path with such answers leads here. */
  reason: 'rules' | 'path'
  part: 'page' | 'question' | 'skip' | 'quota'
}

/**
 * Returns the pages, questions, skips and quotas that no respondent can reach, because rules contradict each other or
 * the pages before. Reports only what is certain.
 */
export function deadParts(q: Questionnaire): DeadPart[] {
  const repetitions = new Map<string, number>()
  for (const { at } of q.pages) repetitions.set(`${at}`, (repetitions.get(`${at}`) ?? 0) + 1)
  const found = new Map<string, DeadPart[]>()
  for (const part of new PathFinder(q).find()) found.set(part.pointer, [...(found.get(part.pointer) ?? []), part])
  // A repeated page or question is dead if all its repetitions are.
  return [...found.values()].flatMap((parts) => {
    const [, at] = /^\/form\/(\d+)/.exec(parts[0]!.pointer) ?? []
    const count = at === undefined ? 1 : (repetitions.get(at) ?? 1)
    return count === 1 ? parts : parts.length < count ? [] : parts.slice(0, 1)
  })
}

class PathFinder {
  readonly #q: Questionnaire
  readonly #possible: PossibleAnswers
  readonly #dead: DeadPart[] = []
  /** The respondents who reach each page, by its number; the last place is the end of the survey. */
  readonly #reaching: Respondents[]
  readonly #seeing = new Map<Question, Respondents>()
  /** The required questions of the pages that everyone who comes later has seen. */
  readonly #answered: Set<Question> = new Set()
  /** The last page to which a skip leads. */
  #skippedTo = 0

  constructor(q: Questionnaire) {
    this.#q = q
    this.#possible = new PossibleAnswers(q)
    this.#reaching = Array.from({ length: q.pages.length + 2 }, () => NO_ONE)
    this.#reaching[1] = EVERYONE
  }

  find(): DeadPart[] {
    for (const page of this.#q.pages) this.#visit(page)
    for (const [index, { when }] of this.#q.quotas.entries())
      if (when && this.#where(when, true, new Set()).length === 0)
        this.#dead.push({ pointer: `/quotas/${index}`, reason: 'rules', part: 'quota' })
    return this.#dead
  }

  #visit(page: Page): void {
    const reaching = this.#reaching[page.number]!
    const visiting = this.#narrow(reaching, page.condition, `/form/${page.at}`, 'page')
    const passing = page.condition ? this.#both(reaching, this.#where(page.condition, false)) : NO_ONE
    // The questions of a page that no one visits are not reported one by one.
    for (const question of page.questions) {
      const seeing =
        visiting.length > 0 ? this.#narrow(visiting, question.condition, question.pointer, 'question') : NO_ONE
      this.#seeing.set(question, typeOf(question.kind)?.answeredBy === 'link' ? EVERYONE : seeing)
    }
    // Without a visible question, the page is passed over with its skips.
    const required = page.questions.filter(({ condition, choiceFilter }) => !condition && !choiceFilter)
    const isCertainlyShown = required.length > 0
    const leaving = this.#leave(page, visiting, new Set([...this.#answered, ...required]))
    this.#add(page.number + 1, leaving, passing, isCertainlyShown ? NO_ONE : visiting)
    if (!page.condition && this.#skippedTo <= page.number) for (const question of required) this.#answered.add(question)
    for (const { to } of page.skips) if (typeof to === 'number') this.#skippedTo = Math.max(this.#skippedTo, to)
  }

  /** Follows the skips of a page, and returns the respondents who go to the next page. */
  #leave(page: Page, visiting: Respondents, answered: ReadonlySet<Question>): Respondents {
    let remaining = visiting
    for (const [index, { when, to }] of page.skips.entries()) {
      if (typeof to === 'number' && to <= page.number) continue
      const pointer = `/form/${page.at}/skip/${index}`
      const own = when ? this.#where(when, true, answered) : EVERYONE
      const skipping = this.#both(remaining, own, answered)
      if (skipping.length === 0 && visiting.length > 0)
        this.#dead.push({ pointer, reason: own.length === 0 ? 'rules' : 'path', part: 'skip' })
      if (typeof to === 'number') this.#add(to, skipping)
      remaining = when ? this.#both(remaining, this.#where(when, false, answered), answered) : NO_ONE
    }
    return remaining
  }

  /** Returns those respondents for whom a condition holds, and reports the part if there is no one. */
  #narrow(
    respondents: Respondents,
    condition: Condition | undefined,
    pointer: string,
    part: 'page' | 'question',
  ): Respondents {
    const own = condition ? this.#where(condition, true) : EVERYONE
    const narrowed = this.#both(respondents, own)
    if (narrowed.length === 0) this.#dead.push({ pointer, reason: own.length === 0 ? 'rules' : 'path', part })
    return narrowed
  }

  #where(condition: Condition, isTrue: boolean, answered: ReadonlySet<Question> = this.#answered): Respondents {
    return this.#possible.where(condition, isTrue, answered, (question) => this.#seeing.get(question) ?? EVERYONE)
  }

  #both(a: Respondents, b: Respondents, answered: ReadonlySet<Question> = this.#answered): Respondents {
    return this.#possible.both(a, b, answered)
  }

  #add(page: number, ...respondents: Respondents[]): void {
    this.#reaching[page] = this.#possible.either(this.#reaching[page]!, ...respondents)
  }
}
