import type { LanguageText, Page, Question, Questionnaire } from '../structure/questionnaire.ts'
import { textIn } from '../structure/text.ts'

/** Characters that an adult reads in a second: of letters, and of scripts that write a syllable or word as one. */
const LETTERS_PER_SECOND = 20
const SYMBOLS_PER_SECOND = 6
const SYMBOL = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
/** Seconds to load a page and to look at it. */
const SECONDS_PER_PAGE = 2
/** Maximum number of characters of a text that are counted. */
const MAX_CHARACTERS = 20_000

/** Seconds to answer a question of each type, and for each of its choices or rows, after reading it. */
const SECONDS: Readonly<Record<Question['kind'], readonly [question: number, item: number]>> = {
  'section-separator': [0, 0],
  'hidden-field': [0, 0],
  calculation: [0, 0],
  unknown: [0, 0],
  'single-choice': [2, 0],
  'multiple-choice': [3, 0.3],
  'dropdown-choice': [4, 0],
  'boolean-choice': [2, 0],
  'image-choice': [3, 0.5],
  'net-promoter': [3, 0],
  rating: [2, 0],
  slider: [4, 0],
  ranking: [3, 3],
  'single-choice-grid': [0, 3],
  'multiple-choice-grid': [0, 5],
  'dropdown-grid': [0, 4],
  'text-response-grid': [0, 10],
  'text-response': [12, 0],
  number: [5, 0],
  email: [8, 0],
  datetime: [7, 0],
  consent: [2, 0],
  signature: [15, 0],
  'file-upload': [30, 0],
}
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
    const [base, each] = SECONDS[kind]
    const items = rows.length > 0 ? rows.length : choices.length
    const isSilent = kind === 'hidden-field' || kind === 'calculation'
    const texts = [title, description, statement, ...[...choices, ...rows].map(({ label }) => label)]
    const seconds = isSilent ? 0 : base + each * items + (lines - 1) * SECONDS_PER_LINE + this.#reading(texts)
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
