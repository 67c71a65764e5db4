import { countCells, MAX_LISTED_POSITIONS, MAX_PAGE_CELLS } from './cells.ts'
import type { FieldErrors } from './field-errors.ts'
import { shapeOf } from './kinds.ts'
import { type Outlined, outline } from './outline.ts'
import { settingOf } from './setting.ts'
import { arrayOf, isRecord, type Json, type PagePlace } from './walk.ts'

/** The most characters of markup that one page may take. With what is typed into it, a page stays below 5 MB. */
const MAX_PAGE_CHARACTERS = 4_000_000

/** Characters of markup around a question, a row, and a cell of a kind (`name`: its cells repeat the response key). */
const QUESTION = 600
const ROW = 260
const CELL = { name: 172, option: 34 }

/**
 * Checks that each page can be drawn quickly: a page is drawn for anyone who asks for it, and rankings and grids grow
 * with the product of what they hold. The question that is too much is named.
 */
export function checkPageSizes(errors: FieldErrors, structure: Json, pages: readonly PagePlace[]): void {
  const around = aroundPages(structure)
  for (const place of pages) {
    let cells = 0
    let characters = around + drawnLength(place.page?.title) + drawnLength(place.page?.description)
    if (characters > MAX_PAGE_CHARACTERS) errors.add(place.pointer, 'has more text than a page may have')
    for (const question of outline([place])) {
      const before = { cells, characters }
      cells += cellsOf(question)
      characters += charactersOf(question)
      if (before.cells <= MAX_PAGE_CELLS && cells > MAX_PAGE_CELLS)
        errors.add(
          question.pointer,
          `makes a page of more than ${MAX_PAGE_CELLS} cells (choices, and rows times choices): use fewer, or move it to another page`,
        )
      else if (before.characters <= MAX_PAGE_CHARACTERS && characters > MAX_PAGE_CHARACTERS)
        errors.add(
          question.pointer,
          'makes a page that is too large to be shown: shorten texts, or move it to another page',
        )
    }
  }
}

/** What stands on every page: title and description of the survey, its languages, and the list of pages to go to. */
function aroundPages({ title, description, languages, jumping, form }: Json): number {
  const codes = arrayOf(languages).filter(isRecord)
  const jumps = jumping === true ? arrayOf(form).filter(isRecord) : []
  return (
    2 * drawnLength(title) +
    drawnLength(description) +
    codes.reduce((sum, { name }) => sum + 150 + drawnLength(name), 0) +
    jumps.reduce((sum, page) => sum + 150 + 2 * drawnLength(page.title), 0)
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
  const key = drawnLength(source.id) + 10
  const names = choices.length > MAX_LISTED_POSITIONS || kind !== 'ranking'
  const cell = names && !kind.startsWith('dropdown') ? CELL.name + key : CELL.option
  const lines = kind === 'ranking' ? choices.length : rows.length
  const labels = labelsLength(choices) * (shapeOf(kind)?.grid ? rows.length + 1 : 2)
  const ends = drawnLength(settingOf(source, 'leftLabel')) + drawnLength(settingOf(source, 'rightLabel'))
  const { message } = (settingOf(source, 'validation') ?? {}) as Json
  const told = 2 * Math.max(1, rows.length) * drawnLength(message)
  const texts = 2 * drawnLength(source.title) + drawnLength(source.description) + 2 * labelsLength(rows) + 2 * ends
  return QUESTION + 3 * key + texts + told + labels + cellsOf(question) * cell + lines * (ROW + key)
}

const labelsLength = (owners: readonly unknown[]): number =>
  owners.reduce<number>((sum, owner) => sum + (isRecord(owner) ? drawnLength(owner.label) : 0), 0)

/** The characters that a text takes when it is escaped, in the language in which it is longest. */
function drawnLength(text: unknown): number {
  if (typeof text === 'string') return text.length + 5 * (text.match(/["&'<>]/g)?.length ?? 0)
  return isRecord(text) ? Math.max(0, ...Object.values(text).slice(0, 1000).map(drawnLength)) : 0
}
