import { looksLikeHtml, textOfHtml } from '../../lib/clean-html.ts'
import { SERVICE_PARAMETERS } from '../structure/reserved-ids.ts'
import { type Json, MAX_CODE_CHARACTERS } from '../structure/walk.ts'
import type { Subject } from './logic.ts'
import type { Notes } from './notes.ts'
import type { Binding, SourceChoice } from './source.ts'

/** A text of the other tool: in the default language, or by language. */
export type SourceText = string | Readonly<Record<string, string>>

/** Joins two texts, in each language. */
export function joined(one: SourceText, two: SourceText): SourceText {
  if (typeof one === 'string' && typeof two === 'string') return [one, two].filter((text) => text !== '').join(' – ')
  const codes = [one, two].flatMap((text) => (typeof text === 'string' ? [] : Object.keys(text)))
  const inLanguage = (text: SourceText, code: string) => (typeof text === 'string' ? text : (text[code] ?? ''))
  return Object.fromEntries(
    [...new Set(codes)].map((code) => [
      code,
      [inLanguage(one, code), inLanguage(two, code)].filter((text) => text !== '').join(' – '),
    ]),
  )
}

/** A choice, row or column of the other tool. */
export interface Listed {
  /** The value that the other tool exports and compares. */
  value: string
  label: SourceText
  other?: boolean
  exclusive?: boolean
  score?: number
}

const MAX_ID_CHARACTERS = 60

/** Builds the structure of a survey of another tool: pages, questions with unique IDs, choices with unique codes. */
export class Draft {
  readonly notes: Notes
  readonly pages: Json[] = []
  readonly bindings: Binding[] = []
  /** The questions so far, by the name with which conditions of the other tool refer to them. */
  readonly subjects = new Map<string, Subject>()
  readonly #names = new Set<string>(SERVICE_PARAMETERS)
  /** Matches a reference to an earlier answer in a text; the name is the first group. */
  readonly #reference: RegExp | undefined

  constructor(notes: Notes, reference?: RegExp) {
    this.notes = notes
    this.#reference = reference
  }

  /** Begins a page. Questions are added to the last page. */
  page(members: Json = {}): Json {
    const page = { type: 'page', ...members, children: [] as Json[] }
    this.pages.push(page)
    return page
  }

  /** Adds a question to the last page. */
  add(question: Json, ...bindings: Binding[]): void {
    const page = this.pages.at(-1) ?? this.page()
    ;(page.children as Json[]).push(question)
    this.bindings.push(...bindings)
  }

  /**
   * Returns an ID that no other question has: the name without the characters that an ID cannot have.
   * @param rows the number of rows of a grid, whose keys are the ID with a number
   */
  id(name: string, rows = 0): string {
    const base =
      name
        .replace(/[^\p{L}\p{N}_-]+/gu, '_')
        .replace(/^_+|_+$/g, '')
        .slice(0, MAX_ID_CHARACTERS) || 'q'
    let id = base
    for (let number = 2; this.#isTaken(id, rows); number++) id = `${base}${base.match(/\d$/) ? 'x' : ''}${number}`
    if (id !== name) this.notes.add('name_changed', { item: name, value: id })
    this.#names.add(id)
    for (let row = 0; row < rows; row++) this.#names.add(`${id}_${row}`)
    return id
  }

  #isTaken(id: string, rows: number): boolean {
    if (this.#names.has(id)) return true
    for (let row = 0; row < rows; row++) if (this.#names.has(`${id}_${row}`)) return true
    return false
  }

  /** Returns a text without HTML. */
  text(text: SourceText | undefined, item: string): SourceText {
    if (typeof text === 'object')
      return Object.fromEntries(Object.entries(text).map(([code, one]) => [code, this.#plain(one, item)]))
    return this.#plain(text ?? '', item)
  }

  /** Returns the title of a question: its text, or its name. */
  title(text: SourceText | undefined, name: string): SourceText {
    const title = this.text(text, name)
    if (typeof title === 'string' ? title !== '' : Object.values(title).some((one) => one !== '')) return title
    this.notes.add('label_missing', { item: name })
    return name
  }

  #plain(text: string, item: string): string {
    const plain = this.#withoutHtml(text, item)
    return this.#reference === undefined
      ? plain
      : plain.replace(this.#reference, (written, name: string) => {
          const subject = this.subjects.get(name)
          if (subject && subject.kind !== 'tick') return `{{ ${subject.question} }}`
          this.notes.add('placeholder_removed', { item, value: written })
          return written
        })
  }

  #withoutHtml(text: string, item: string): string {
    if (!looksLikeHtml(text) && !/&(?:#\d+|[a-z]+);/i.test(text)) return text.trim()
    if (/<(?!\/?(?:p|br|div|span)\b)[a-z]/i.test(text)) this.notes.add('formatting_removed', { item, value: text })
    const withoutScripts = text.replace(/<(script|style)\b[^>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    return textOfHtml(withoutScripts).trim()
  }

  /**
   * Returns choices, rows or columns as members of the structure, with the position and the code of each value. Values
   * become codes, so that exports have the values of the other tool.
   */
  choices(
    listed: readonly Listed[],
    item: string,
  ): { members: Json[]; byValue: Map<string, SourceChoice>; codes: Map<string, string> } {
    const taken = new Set<string>()
    const byValue = new Map<string, SourceChoice>()
    const codes = new Map<string, string>()
    const members = listed.map(({ value, label, other, exclusive, score }, index) => {
      const own = value.trim()
      let code = own.slice(0, MAX_CODE_CHARACTERS) || `choice_${index + 1}`
      for (let number = 2; taken.has(code); number++)
        code = `${own.slice(0, MAX_CODE_CHARACTERS - 6) || 'choice'}_${number}`
      if (code !== own) this.notes.add('code_changed', { item, value: `${value} → ${code}` })
      taken.add(code)
      const text = this.text(label, item)
      const shown = typeof text === 'string' ? text : (Object.values(text).find((one) => one !== '') ?? '')
      if (!byValue.has(value)) {
        byValue.set(value, { index, label: shown })
        codes.set(value, code)
      }
      return {
        label: shown === '' ? code : text,
        code,
        ...(other && { other: true }),
        ...(exclusive && { exclusive: true }),
        ...(score !== undefined && { score }),
      }
    })
    return { members, byValue, codes }
  }
}
