import { countCells, MAX_LISTED_POSITIONS, MAX_PAGE_CELLS } from './cells.ts'
import type { FieldErrors } from './field-errors.ts'
import { shapeOf } from './kinds.ts'
import { type Outlined, outline } from './outline.ts'
import { settingOf } from './setting.ts'
import { arrayOf, isRecord, type Json, type PagePlace } from './walk.ts'

/** Maximum markup of a page in characters. With the answers in it, a page stays below 5 MB. */
const MAX_PAGE_CHARACTERS = 4_000_000

/** Characters of markup around a question, a row, and a cell of a kind (`name`: its cells repeat the response key). */
const QUESTION = 600
const ROW = 260
const CELL = { name: 172, option: 34 }

/**
 * Checks that each page can be rendered quickly: anyone can request a page, and rankings and grids grow with the product
 * of their choices and rows. The error names the first question that exceeds the limit.
 */
export function checkPageSizes(errors: FieldErrors, structure: Json, pages: readonly PagePlace[]): void {
  const around = sharedLength(structure)
  for (const place of pages) {
    let cells = 0
    let characters = around + escapedLength(place.page?.title) + escapedLength(place.page?.description)
    if (characters > MAX_PAGE_CHARACTERS) errors.add(place.pointer, 'page_too_large')
    for (const question of outline([place])) {
      const before = { cells, characters }
      cells += cellsOf(question)
      characters += charactersOf(question)
      if (before.cells <= MAX_PAGE_CELLS && cells > MAX_PAGE_CELLS)
        errors.add(
          question.pointer,
          'page_too_large',
          { max: MAX_PAGE_CELLS },
          `gives the page more than ${MAX_PAGE_CELLS} cells (choices, and rows times choices); use fewer, or move it to another page`,
        )
      else if (before.characters <= MAX_PAGE_CHARACTERS && characters > MAX_PAGE_CHARACTERS)
        errors.add(
          question.pointer,
          'page_too_large',
          {},
          'makes the page too large; shorten texts, or move it to another page',
        )
    }
  }
}

/** Returns the length of the parts common to all pages: title, description, languages and the list of pages. */
function sharedLength({ title, description, languages, jumping, form }: Json): number {
  const codes = arrayOf(languages).filter(isRecord)
  const jumps = jumping === true ? arrayOf(form).filter(isRecord) : []
  return (
    2 * escapedLength(title) +
    escapedLength(description) +
    codes.reduce((sum, { name }) => sum + 150 + escapedLength(name), 0) +
    jumps.reduce((sum, page) => sum + 150 + 2 * escapedLength(page.title), 0)
  )
}

const choicesOf = ({ source, kind }: Outlined): readonly unknown[] =>
  arrayOf(shapeOf(kind)?.grid ? source.choices : settingOf(source, 'choices'))

const rowsOf = ({ source, kind }: Outlined): readonly unknown[] => (shapeOf(kind)?.grid ? arrayOf(source.children) : [])

const cellsOf = (question: Outlined): number =>
  countCells(question.kind, choicesOf(question).length, rowsOf(question).length)

function charactersOf(question: Outlined): number {
  const { source, kind } = question
  const [choices, rows] = [choicesOf(question), rowsOf(question)]
  const key = escapedLength(source.id) + 10
  const names = choices.length > MAX_LISTED_POSITIONS || kind !== 'ranking'
  const cell = names && !kind.startsWith('dropdown') ? CELL.name + key : CELL.option
  const lines = kind === 'ranking' ? choices.length : rows.length
  const labels = labelsLength(choices) * (shapeOf(kind)?.grid ? rows.length + 1 : 2)
  const ends = escapedLength(settingOf(source, 'leftLabel')) + escapedLength(settingOf(source, 'rightLabel'))
  const { message } = (settingOf(source, 'validation') ?? {}) as Json
  const messages = 2 * Math.max(1, rows.length) * escapedLength(message)
  const texts = 2 * escapedLength(source.title) + escapedLength(source.description) + 2 * labelsLength(rows) + 2 * ends
  return QUESTION + 3 * key + texts + messages + labels + cellsOf(question) * cell + lines * (ROW + key)
}

const labelsLength = (owners: readonly unknown[]): number =>
  owners.reduce<number>((sum, owner) => sum + (isRecord(owner) ? escapedLength(owner.label) : 0), 0)

/** Returns the length of an escaped text, in the language in which it is longest. */
function escapedLength(text: unknown): number {
  if (typeof text === 'string') return text.length + 5 * (text.match(/["&'<>]/g)?.length ?? 0)
  return isRecord(text) ? Math.max(0, ...Object.values(text).slice(0, 1000).map(escapedLength)) : 0
}
