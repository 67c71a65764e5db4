import { attributeValues, filtersOf, filterValueOf, isFiltering } from '../../../domain/structure/choice-attributes.ts'
import { codeOf } from '../../../domain/structure/code.ts'
import type { FilterChange } from '../../../domain/structure/edit/operation.ts'
import { kindOf, shapeOf } from '../../../domain/structure/kinds.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { uidOf } from '../../../domain/structure/uid.ts'
import type { Json } from '../../../domain/structure/walk.ts'
import { type FormFields, formValue, formValues } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { nameInRule } from './condition-summary.ts'
import { questionNamed } from './question-index.ts'
import { subjectsOf } from './rules.ts'
import { anyText, choicesOf } from './texts.ts'

/** An answer to a question that filters choices. */
interface FilterAnswer {
  /** The text with which attributes name the answer. */
  value: string
  label: string
}

/** A column of the form: a question that filters the choices. */
export interface FilterColumn {
  question: string
  attribute: string
  title: string
  /** The answers among which the author chooses; undefined for a question that is not answered with a choice. */
  answers: readonly FilterAnswer[] | undefined
}

/** Maximum number of checkboxes of the form. If there would be more, authors type the answers. */
const MAX_BOXES = 500

/** Separates the answers in a text field. */
const SEPARATOR = ';'

/** Returns the earlier questions that can filter the choices of a question, without those that already do. */
export const filteringSubjects = (
  earlier: readonly StructureQuestion[],
  filters: readonly FilterColumn[],
  code: string,
) =>
  subjectsOf(
    earlier.filter(({ idname }) => isFiltering(kindOf(idname))),
    code,
  ).filter(({ name }) => !filters.some(({ question }) => question === name))

function columnOf(filter: { question: string; attribute: string }, structure: Structure, code: string): FilterColumn {
  const named = questionNamed(filter.question, structure)
  const title = nameInRule({ question: filter.question }, structure, code)
  return { ...filter, title, answers: named && answersOf(named.question, code) }
}

function answersOf(question: StructureQuestion, code: string): FilterAnswer[] | undefined {
  const kind = kindOf(question.idname)
  const choices = choicesOf(question)
  if (kind === 'boolean-choice')
    return [t('Yes'), t('No')].map((label, index) => answerOf(choices[index] ?? {}, index, label, code))
  if (!shapeOf(kind)?.choices) return undefined
  return choices.map((choice, index) => answerOf(choice, index, t('Choice {index}', { index: index + 1 }), code))
}

function answerOf(choice: Json, index: number, fallback: string, code: string): FilterAnswer {
  const own = codeOf(choice)
  const value = filterValueOf({ index, ...(own !== undefined && { code: own }) })
  return { value, label: anyText(choice.label, code).trim() || fallback }
}

/** Returns the questions that filter the choices of a question, and the question that the author adds. */
export function storedColumns(
  question: StructureQuestion,
  structure: Structure,
  code: string,
  added?: string,
): FilterColumn[] {
  const filters = filtersOf(question)
  const found = added && !filters.some((filter) => filter.question === added) && questionNamed(added, structure)
  const attribute = found && found.row === undefined ? found.question.identifier || found.question.id : added
  const more = found ? [{ question: added, attribute: String(attribute).slice(0, 200) }] : []
  return [...filters, ...more].map((filter) => columnOf(filter, structure, code))
}

/** Returns the questions of a submitted form. */
export function enteredColumns(form: FormFields, structure: Structure, code: string): FilterColumn[] {
  const columns: FilterColumn[] = []
  for (let index = 0; formValue(form, `filter.${index}.question`) !== undefined; index += 1) {
    const question = formValue(form, `filter.${index}.question`)!
    const attribute = formValue(form, `filter.${index}.attribute`) ?? question
    if (formValue(form, 'do') !== `remove.${index}`) columns.push(columnOf({ question, attribute }, structure, code))
  }
  return columns
}

/** Whether the author ticks the answers of a column, and does not type them. */
export const isTicked = ({ answers }: FilterColumn, choices: number): boolean =>
  answers !== undefined && answers.length * choices <= MAX_BOXES

/** Returns the values of an attribute as the text field shows them. */
export const shownText = ({ answers = [] }: FilterColumn, values: readonly string[]): string =>
  values
    .map((value) => {
      const label = answers.find((answer) => answer.value === value)?.label ?? value
      const isUnique = answers.filter((answer) => answer.label === label).length < 2
      return isUnique && !label.includes(SEPARATOR) ? label : value
    })
    .join(`${SEPARATOR} `)

/** A text in the form that names no answer. */
export interface UnknownAnswer {
  choice: string
  text: string
}

/** The name of the form fields of a cell. */
export const cellName = (uid: number, column: number): string => `cell.${column}.${uid}`

/** Returns the questions that a form requests, and the texts that name no answer. */
export function parseFilters(
  form: FormFields,
  question: StructureQuestion,
  columns: readonly FilterColumn[],
  code: string,
): { filters: FilterChange[]; unknown: UnknownAnswer[] } {
  const unknown: UnknownAnswer[] = []
  const choices = choicesOf(question)
  const removed = /^remove\.(\d+)$/.exec(formValue(form, 'do') ?? '')?.[1]
  const filters = columns.map((column, position): FilterChange => {
    const at = removed !== undefined && position >= Number(removed) ? position + 1 : position
    const values = new Map<number, string[]>()
    for (const [index, choice] of choices.entries()) {
      const uid = uidOf(choice, index)
      const stored = attributeValues(choice, column.attribute)
      const name = cellName(uid, at)
      const entered = isTicked(column, choices.length)
        ? [...formValues(form, name)]
        : typedValues(formValue(form, name) ?? '', column, (text) =>
            unknown.push({ choice: anyText(choice.label, code), text }),
          )
      // An attribute that names no answer is not shown, and is kept if the author changes nothing.
      const isKept = stored !== undefined && isSame(entered, shownValues(stored))
      const after = isKept ? stored : entered
      if (isKept || after.length > 0) values.set(uid, after)
    }
    return { question: column.question, attribute: column.attribute, values }
  })
  return { filters, unknown }
}

/** Returns the values that the form shows. An empty value matches no answer, and is not shown. */
export const shownValues = (values: readonly string[]): string[] => values.filter((value) => value !== '')

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value) => b.includes(value))

function typedValues(text: string, { answers }: FilterColumn, addUnknown: (text: string) => void): string[] {
  const parts = text
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const values = parts.map((part) => {
    if (!answers) return part
    const labelled = answers.filter(({ label }) => label.toLowerCase() === part.toLowerCase())
    const named = answers.find(({ value }) => value === part) ?? (labelled.length === 1 ? labelled[0] : undefined)
    if (!named) addUnknown(part)
    return named?.value ?? part
  })
  return [...new Set(values)]
}
