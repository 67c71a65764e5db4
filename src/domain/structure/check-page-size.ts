import { kindOf, textSettings, typeOf } from '../../questions/index.ts'
import { detail } from '../error-details.ts'
import { filtersOf } from './choice-attributes.ts'
import { MAX_PAGE_PLACEHOLDERS } from './cost.ts'
import { countCells, MAX_PAGE_CELLS, outline, type QuestionOutline } from './outline.ts'
import { authoredSetting } from './setting.ts'
import { arrayOf, type FieldErrors, isPresent, isRecord, type Json, membersOf, type PageNode } from './walk.ts'

/**
 * Maximum number of characters of the HTML of a page without answers. The limit leaves room for answers, so that a page
 * with answers stays below 5 MB.
 */
const MAX_PAGE_CHARACTERS = 4_000_000

/**
 * Number of characters of the markup around a question, a row, an input (which repeats the response key) and an
 * `<option>`.
 */
const QUESTION_CHARACTERS = 600
const ROW_CHARACTERS = 260
const INPUT_CHARACTERS = 172
const OPTION_CHARACTERS = 34
/** Number of characters of the markup around a language and around an entry of the list of pages. */
const ENTRY_CHARACTERS = 150

/**
 * Checks the size of each page. Anyone can request a page, so a page without a size limit could overload the server.
 * The size of a ranking with dropdowns grows with the square of the number of choices, and that of a grid with the
 * product of rows and choices. The number of placeholders is limited too, because each is replaced whenever the page is
 * shown. The error is reported at the question with which the page exceeds the limit.
 */
export function checkPageSizes(errors: FieldErrors, structure: Json, pages: readonly PageNode[]): void {
  const commonCharacters = commonLength(structure)
  for (const page of pages) {
    let cells = 0
    let placeholders = placeholdersIn([
      structure.title,
      structure.description,
      page.page?.title,
      page.page?.description,
    ])
    let characters = commonCharacters + escapedLength(page.page?.title) + escapedLength(page.page?.description)
    if (characters > MAX_PAGE_CHARACTERS) errors.add(page.pointer, 'page_too_large')
    for (const question of outline([page])) {
      const before = { cells, characters, placeholders }
      const size = sizeOf(question.source)
      cells += size.cells
      characters += size.characters
      placeholders += size.placeholders
      if (before.cells <= MAX_PAGE_CELLS && cells > MAX_PAGE_CELLS)
        errors.add(
          question.pointer,
          'page_too_large',
          { max: MAX_PAGE_CELLS },
          detail('page_cells', { max: MAX_PAGE_CELLS }),
        )
      else if (before.characters <= MAX_PAGE_CHARACTERS && characters > MAX_PAGE_CHARACTERS)
        errors.add(question.pointer, 'page_too_large', {}, detail('page_characters'))
      else if (before.placeholders <= MAX_PAGE_PLACEHOLDERS && placeholders > MAX_PAGE_PLACEHOLDERS)
        errors.add(
          question.pointer,
          'too_complex',
          { max: MAX_PAGE_PLACEHOLDERS },
          detail('page_placeholders', { max: MAX_PAGE_PLACEHOLDERS }),
        )
    }
  }
}

/** Returns the part of the limits of a page that an authored question uses. */
export function sizeOf(source: Json): { cells: number; characters: number; placeholders: number } {
  const question = { source, kind: kindOf(source.idname) } as QuestionOutline
  return { cells: cellsOf(question), characters: charactersOf(question), placeholders: placeholdersIn([source]) }
}

/** Returns the length of the parts that all pages have: title, description, languages and the list of pages. */
function commonLength({ title, description, languages, jumping, form }: Json): number {
  const languageEntries = arrayOf(languages).filter(isRecord)
  const pageEntries = jumping === true ? arrayOf(form).filter(isRecord) : []
  return (
    2 * escapedLength(title) +
    escapedLength(description) +
    languageEntries.reduce((sum, { name }) => sum + ENTRY_CHARACTERS + escapedLength(name), 0) +
    pageEntries.reduce((sum, page) => sum + ENTRY_CHARACTERS + 2 * escapedLength(page.title), 0)
  )
}

const choicesOf = ({ source, kind }: QuestionOutline): readonly unknown[] =>
  arrayOf(typeOf(kind)?.grid ? source.choices : authoredSetting(source, 'choices'))

const rowsOf = ({ source, kind }: QuestionOutline): readonly unknown[] =>
  typeOf(kind)?.grid ? arrayOf(source.children) : []

/** A page on which an earlier answer filters the choices of a question contains all of them a second time. */
const copiesOf = ({ source }: QuestionOutline): number => (filtersOf(source).length > 0 ? 2 : 1)

const cellsOf = (question: QuestionOutline): number =>
  countCells(question.kind, choicesOf(question).length, rowsOf(question).length) * copiesOf(question)

function charactersOf(question: QuestionOutline): number {
  const { source, kind } = question
  const [choices, rows] = [choicesOf(question), rowsOf(question)]
  const key = escapedLength(source.id) + 10
  const type = typeOf(kind)
  const isInput = !type?.hasOptions?.(choices.length)
  const cell = isInput ? INPUT_CHARACTERS + key : OPTION_CHARACTERS
  const lines = type?.fieldType === 'ranking' ? choices.length : rows.length
  const labels = labelsLength(choices) * (typeOf(kind)?.grid ? rows.length + 1 : 2) * copiesOf(question)
  const names = new Set(['leftLabel', 'rightLabel', ...textSettings(kind)])
  const ends = [...names].reduce((sum, name) => sum + escapedLength(authoredSetting(source, name)), 0)
  const { message } = (authoredSetting(source, 'validation') ?? {}) as Json
  const messages = 2 * Math.max(1, rows.length) * escapedLength(message)
  const texts = 2 * escapedLength(source.title) + escapedLength(source.description) + 2 * labelsLength(rows) + 2 * ends
  return (
    QUESTION_CHARACTERS +
    3 * key +
    texts +
    messages +
    labels +
    cellsOf(question) * cell +
    lines * (ROW_CHARACTERS + key)
  )
}

/** Returns the number of placeholders in all texts of values, in all languages. */
function placeholdersIn(values: readonly unknown[]): number {
  let count = 0
  for (const value of values) {
    if (typeof value === 'string') count += value.includes('{{') ? value.split('{{').length - 1 : 0
    else if (typeof value === 'object' && value !== null) count += placeholdersIn(Object.values(value))
  }
  return count
}

const labelsLength = (owners: readonly unknown[]): number =>
  owners.reduce<number>(
    (sum, owner) => sum + escapedLength(membersOf(owner).label) + imageLength(membersOf(owner).image),
    0,
  )

/** Number of characters of the markup of an image without its texts. */
const IMAGE_CHARACTERS = 120

function imageLength(image: unknown): number {
  const { url, alt } = membersOf(image)
  return isPresent(image) ? IMAGE_CHARACTERS + escapedLength(url) + escapedLength(alt) : 0
}

/** Returns the length of an escaped text in its longest translation. */
function escapedLength(text: unknown): number {
  if (typeof text === 'string') return text.length + 5 * (text.match(/["&'<>]/g)?.length ?? 0)
  return isRecord(text) ? Math.max(0, ...Object.values(text).slice(0, 1000).map(escapedLength)) : 0
}
