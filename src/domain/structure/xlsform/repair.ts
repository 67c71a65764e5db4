import type { FieldError } from '../../field-error.ts'
import { checkStructure } from '../check.ts'
import type { Issues } from './issues.ts'
import type { TableRow } from './table.ts'

type Members = Record<string, unknown>

/** A converted form that may contain what the API refuses. */
export interface UncheckedForm {
  structure: Members & { form: Members[] }
  issues: Issues
  /** The row of each question by ID. */
  rows: ReadonlyMap<unknown, TableRow>
}

/** Each round finds up to a hundred errors, and what is left out can cause further ones. */
const MAX_ROUNDS = 20

/** Settings that a question can do without, by the column from which they come. */
const OPTIONAL: Readonly<Record<string, string>> = {
  validation: 'constraint',
  min: 'constraint',
  max: 'constraint',
  minSelected: 'constraint',
  maxSelected: 'constraint',
  earliest: 'constraint',
  latest: 'constraint',
  choiceFilter: 'choice_filter',
  default: 'default',
  lines: 'parameters',
}

/**
 * Leaves out the parts of a converted form that the API refuses, and reports them. The conversion avoids such parts where
 * it knows the rule; a single part that it does not know must not reject the whole form.
 * @returns an error that cannot be repaired, such as a survey with too many pages
 */
export function repairForm({ structure, issues, rows }: UncheckedForm): FieldError | undefined {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const errors = checkStructure(structure)
    if (errors.length === 0) return undefined
    const removed = new Set<unknown>()
    for (const error of errors) {
      const [, page, question, path = ''] = /^\/form\/(\d+)(?:\/children\/(\d+))?(\/.*)?$/.exec(error.field) ?? []
      const owner = structure.form[Number(page)]
      if (page === undefined || !owner) return error
      if (question !== undefined) repairQuestion(owner, Number(question), path, error, removed)
      else if (path.startsWith('/condition')) {
        delete owner.condition
        issues.add(
          'expression_not_supported',
          { sheet: 'survey' },
          `The condition of page ${Number(page) + 1} was left out: it ${error.message}.`,
        )
      } else return error
    }
    if (removed.size > 0)
      for (const page of structure.form) page.children = childrenOf(page).filter((child) => !removed.has(child))
    structure.form = structure.form.filter((page) => childrenOf(page).length > 0)
  }
  return checkStructure(structure)[0]

  function repairQuestion(page: Members, at: number, path: string, error: FieldError, removed: Set<unknown>): void {
    const question = childrenOf(page)[at]
    if (!question || removed.has(question)) return
    const row = rows.get(question.id)
    const cell = (column?: string) => row?.at(column) ?? { sheet: 'survey' }
    const [option = {}] = childrenOf(question)
    const member = Object.keys(OPTIONAL).find((name) => path.startsWith(`/children/0/${name}`) && name in option)
    if (member) {
      delete option[member]
      issues.add(
        'expression_not_supported',
        cell(OPTIONAL[member]),
        `A part of the cell was left out: “${member}” ${error.message}.`,
        row?.get(OPTIONAL[member]!),
      )
    } else if (path.startsWith('/condition')) {
      delete question.condition
      const wasRequired = option.required === true
      delete option.required
      issues.add(
        'expression_not_supported',
        cell('relevant'),
        `The condition was left out: it ${error.message}. The question is always shown${wasRequired ? ' and is optional' : ''}.`,
        row?.get('relevant'),
      )
    } else {
      removed.add(question)
      issues.add(
        'type_not_supported',
        cell('type'),
        `The row was left out: “${error.field.split('/').at(-1)}” ${error.message}.`,
        row?.get('type'),
      )
    }
  }
}

const childrenOf = (owner: Members): Members[] => owner.children as Members[]
