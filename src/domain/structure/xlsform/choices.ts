import { MAX_VALUES } from '../../../lib/json.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import { MAX_CHOICES } from '../../../questions/settings.ts'
import { MAX_CODE_CHARACTERS } from '../walk.ts'
import type { Issues } from './issues.ts'
import type { FormText, Table, TableRow } from './table.ts'

/** A choice of a list. */
export interface ListedChoice {
  label: FormText
  code?: string
  score?: number
  attributes?: Record<string, string | string[]>
  exclusive?: true
  other?: true
}

/** Positions of choices by name. In a list that a question filters, several choices can have the same name. */
export type Positions = ReadonlyMap<string, readonly number[]>

/** A list of choices. */
export interface ChoiceList {
  choices: ListedChoice[]
  positions: Map<string, number[]>
  /** The rows of each choice: a filtered list can contain a choice once for each value by which it is filtered. */
  rows: TableRow[][]
  /** Number of characters of the list, as the limit {@link MAX_CHOICE_CHARACTERS} counts them. */
  characters: number
  /** Number of JSON values of the list, as {@link MAX_VALUES} counts them. */
  values: number
}

/** Number of characters that the limit counts for each choice in addition to the characters of its label. */
const CHOICE_CHARACTERS = 20
/** Maximum number of characters of the choices of all questions. */
const MAX_CHOICE_CHARACTERS = 10_000_000

/** The label of the choice that `or_other` adds to a list, by language. */
const OTHER: Readonly<Record<string, string>> = {
  en: 'Other',
  de: 'Andere',
  es: 'Otro',
  fr: 'Autre',
  it: 'Altro',
  nl: 'Anders',
  pt: 'Outro',
}

/**
 * Returns a list with the choice that `or_other` adds, which has a text field. If the list already has a choice `other`,
 * this choice gets the text field.
 */
export function withOther(list: ChoiceList, languages: readonly string[]): ChoiceList {
  const own = list.positions.get('other')
  if (own) {
    const choices = list.choices.map((choice, index) =>
      own.includes(index) ? { ...choice, other: true as const } : choice,
    )
    return { ...list, choices, values: list.values + own.length }
  }
  const label = Object.fromEntries(languages.map((code) => [code, OTHER[code.slice(0, 2).toLowerCase()] ?? 'Other']))
  return {
    choices: [...list.choices, { label, code: 'other', other: true }],
    positions: new Map(list.positions).set('other', [list.choices.length]),
    rows: [...list.rows, []],
    characters: list.characters + CHOICE_CHARACTERS,
    values: list.values + valuesOf(label) + 2,
  }
}

/**
 * Returns a list whose choices score the numbers that are their names, so that calculations have the same results;
 * undefined if a name is not a number.
 */
export function withNumericScores(list: ChoiceList): ChoiceList | undefined {
  const scores = new Map<number, number>()
  for (const [name, positions] of list.positions) {
    if (!/^-?\d{1,9}(?:\.\d{1,6})?$/.test(name)) return undefined
    for (const position of positions) scores.set(position, Number(name))
  }
  if (scores.size !== list.choices.length) return undefined
  const choices = list.choices.map((choice, index) => ({ ...choice, score: scores.get(index)! }))
  return { ...list, choices, values: list.values + choices.length }
}

/**
 * Returns a function that is called with the list of each question. The function throws an error when the lists of all
 * questions together are too long.
 */
export function listCounter(): (list: ChoiceList) => void {
  let remaining = MAX_CHOICE_CHARACTERS
  let remainingValues = MAX_VALUES
  return ({ characters, values }) => {
    remaining -= characters
    remainingValues -= values
    if (remainingValues < 0) throw new WorkbookError('too_large', { max: MAX_VALUES, unit: 'values in the survey' })
    if (remaining < 0)
      throw new WorkbookError('too_large', {
        max: MAX_CHOICE_CHARACTERS,
        unit: 'characters in the choices of all questions',
      })
  }
}

/** Returns the number of JSON values of a choice with this label and a code. */
const valuesOf = (label: FormText): number => 3 + (typeof label === 'string' ? 0 : Object.keys(label).length)

/** A list while its rows are read. */
interface OpenList extends ChoiceList {
  name: string
  /** Positions by name and label, as JSON. */
  known: Map<string, number>
  codes: Set<string>
  /** The number of the next choice with a name. */
  counts: Map<string, number>
  isFull: boolean
  hasUnlabelled: boolean
}

const emptyList = (name: string): OpenList => ({
  name,
  choices: [],
  positions: new Map(),
  rows: [],
  characters: 0,
  values: 0,
  known: new Map(),
  codes: new Set(),
  counts: new Map(),
  isFull: false,
  hasUnlabelled: false,
})

/**
 * Returns the lists of a sheet by name. Two rows with the same name and the same label are one choice. With different
 * labels, both are kept, and the second one gets another code.
 */
export function choiceLists(table: Table, issues: Issues, defaultLanguage: string): ReadonlyMap<string, ChoiceList> {
  const lists = new Map<string, OpenList>()
  for (const row of table.rows) {
    const [listName, name] = [row.get('list_name'), row.get('name')]
    const own = row.text('label', defaultLanguage)
    const label = own ?? name
    if (listName === '' && label !== '')
      issues.add('row_ignored', row.at('list_name'), 'The row names no list of choices. It was left out.', name)
    if (listName === '' || label === '') continue
    const list = lists.get(listName) ?? emptyList(listName)
    lists.set(listName, list)
    if (own === undefined && !list.hasUnlabelled) {
      list.hasUnlabelled = true
      issues.add(
        'label_missing',
        row.at('label'),
        `The choice “${name.slice(0, 60)}” of the list “${listName.slice(0, 60)}” has no label, and possibly others neither. Their names are shown.`,
        name,
      )
    }
    addChoice(list, row, name, label, issues)
  }
  return lists
}

function addChoice(list: OpenList, row: TableRow, name: string, label: FormText, issues: Issues): void {
  const key = JSON.stringify([name, label])
  const known = list.known.get(key)
  if (known !== undefined) {
    list.rows[known]!.push(row)
    return
  }
  if (list.choices.length >= MAX_CHOICES) {
    if (!list.isFull)
      issues.add(
        'list_too_long',
        row.at('list_name'),
        `The list “${list.name.slice(0, 60)}” has more than ${MAX_CHOICES} choices. This row and the following ones were left out.`,
        list.name,
      )
    list.isFull = true
    return
  }
  const position = list.choices.length
  list.known.set(key, position)
  const code = name === '' ? undefined : codeOf(list, name)
  const named = list.positions.get(name)
  if (named) named.push(position)
  else if (name !== '') list.positions.set(name, [position])
  if (code !== undefined && code !== name)
    issues.add(
      'code_changed',
      row.at('name'),
      `The name “${name.slice(0, 60)}” ${name.length > MAX_CODE_CHARACTERS ? 'is too long' : 'belongs to another choice of the list as well'}. The code of the choice is “${code}”.`,
      name,
    )
  list.choices.push({ label, ...(code !== undefined && { code }) })
  list.rows.push([row])
  list.characters += CHOICE_CHARACTERS + JSON.stringify(label).length + (code?.length ?? 0)
  list.values += valuesOf(label)
}

/** Returns the code of a new choice: its name or, if another choice has this code, the name with a number. */
function codeOf(list: OpenList, name: string): string {
  const base = name.slice(0, MAX_CODE_CHARACTERS).toWellFormed().trim()
  let code = base
  for (let count = list.counts.get(base) ?? 2; list.codes.has(code); count++) {
    const suffix = `_${count}`
    code = base.slice(0, MAX_CODE_CHARACTERS - suffix.length).toWellFormed() + suffix
    list.counts.set(base, count + 1)
  }
  list.codes.add(code)
  return code
}
