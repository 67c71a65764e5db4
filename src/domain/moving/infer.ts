import { Draft } from './draft.ts'
import { Notes } from './notes.ts'
import { addSimple, type SimpleKind, timeIn } from './simple.ts'
import type { FormatName, Source, SourceResponse } from './source.ts'
import { Columns, type Table, tableResponses } from './table.ts'

/** Maximum number of different values of a column whose values become choices. */
const MAX_CHOICES = 20
/** Maximum number of choices if it is known that there are choices. */
const MAX_LISTED = 500
/** Minimum number of answers from which choices are inferred. */
const MIN_ANSWERS = 5

/** Returns whether the first column of a table is the time of the response, as Google Forms has it. */
export const isTimestamp = (name: string, value: string): boolean =>
  /^(?:timestamp|zeitstempel|horodateur|marca temporal|carimbo de data|informazioni cronologiche|tijdstempel)/i.test(
    name.replace(/^\ufeff/, '').trim(),
  ) && /\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(value)

/**
 * Makes a survey from a table of responses alone, whose headings are the titles of questions. Columns with few different
 * values become choices, numbers become numbers, and the rest become texts.
 */
export function inferredSurvey(format: FormatName, table: Table, title: string): Source {
  const notes = new Notes()
  const draft = new Draft(notes)
  const [header, ...rows] = table.rows
  const columns = new Columns(header?.cells ?? [])
  const [stamp] = columns.names
  draft.page()
  notes.add('language_assumed')
  for (const [index, name] of columns.names.entries()) {
    if (index === 0 || name === '') continue
    const values = rows.flatMap(({ cells }) => ((cells[index] ?? '').trim() === '' ? [] : [cells[index]!]))
    const { kind, choices } = inferredKind(values)
    notes.add(choices ? 'choices_inferred' : 'type_inferred', { item: name, column: name, value: kind })
    const read = (response: SourceResponse) => response.values(name).map((value) => ({ column: name, value }))
    addSimple(draft, {
      name: `q${index}`,
      kind,
      title: name,
      column: name,
      read,
      ...(choices && { choices: choices.map((value) => ({ value, label: value })) }),
    })
  }
  return {
    format,
    notes,
    bindings: draft.bindings,
    structure: { title, form: draft.pages },
    responses: tableResponses(table, columns, stamp),
  }
}

/**
 * Infers what kind of question has some answers.
 * @param isChoice whether it is known to have choices
 */
export function inferredKind(values: readonly string[], isChoice = false): { kind: SimpleKind; choices?: string[] } {
  const different = new Set(values)
  const all = (test: (value: string) => boolean) => values.length > 0 && values.every(test)
  if (!isChoice && all((value) => /^-?\d{1,15}(?:\.\d+)?$/.test(value.trim()))) return { kind: 'number' }
  if (all((value) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/.test(value.trim()) && timeIn(value, 'date') !== undefined))
    return { kind: 'date' }
  const isRepeated = values.length >= MIN_ANSWERS && different.size <= Math.min(MAX_CHOICES, values.length / 2)
  if ((isRepeated || isChoice) && all((value) => value.length <= 200) && different.size <= MAX_LISTED)
    return { kind: 'single', choices: [...different].sort() }
  return { kind: values.some((value) => value.length > 100) ? 'long' : 'text' }
}
