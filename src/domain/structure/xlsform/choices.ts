import { MAX_VALUES } from '../../../lib/json-limits.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import { MAX_CHOICES } from '../check-question.ts'
import type { Issues } from './issues.ts'
import type { FormText, Table } from './table.ts'

/** A list of choices. */
export interface ChoiceList {
  choices: { label: FormText; exclusive?: true; other?: true }[]
  /** Positions of the choices by name. */
  positions: Map<string, number>
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

/** Returns a list with the choice that `or_other` adds, which has a text field. */
export function withOther(list: ChoiceList, languages: readonly string[]): ChoiceList {
  const label = Object.fromEntries(languages.map((code) => [code, OTHER[code.slice(0, 2).toLowerCase()] ?? 'Other']))
  return {
    choices: [...list.choices, { label, other: true }],
    positions: new Map(list.positions).set('other', list.choices.length),
    characters: list.characters + CHOICE_CHARACTERS,
    values: list.values + valuesOf(label) + 1,
  }
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

/** Returns the number of JSON values of a choice with this label. */
const valuesOf = (label: FormText): number => 2 + (typeof label === 'string' ? 0 : Object.keys(label).length)

/** Returns the lists of a sheet by name. */
export function choiceLists(
  table: Table | undefined,
  issues: Issues,
  defaultLanguage: string,
): ReadonlyMap<string, ChoiceList> {
  const lists = new Map<string, ChoiceList>()
  for (const row of table?.rows ?? []) {
    const [listName, name] = [row.get('list_name'), row.get('name')]
    const label = row.text('label', defaultLanguage) ?? name
    if (listName === '' || label === '') continue
    const list = lists.get(listName) ?? { choices: [], positions: new Map<string, number>(), characters: 0, values: 0 }
    lists.set(listName, list)
    // If a question filters a list (`choice_filter`), the list can contain the same choice several times: once for each
    // value by which the question filters.
    if (name !== '' && list.positions.has(name)) continue
    if (list.choices.length >= MAX_CHOICES) {
      if (list.choices.length === MAX_CHOICES && !list.positions.has(''))
        issues.add(
          'list_too_long',
          row.at('list_name'),
          `The list “${listName.slice(0, 60)}” has more than ${MAX_CHOICES} choices. This row and the following ones were left out.`,
          listName,
        )
      list.positions.set('', -1)
      continue
    }
    if (name !== '') list.positions.set(name, list.choices.length)
    list.choices.push({ label })
    list.characters += CHOICE_CHARACTERS + JSON.stringify(label).length
    list.values += valuesOf(label)
  }
  for (const list of lists.values()) list.positions.delete('')
  return lists
}
