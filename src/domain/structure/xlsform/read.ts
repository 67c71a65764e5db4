import { exceededJsonLimit, MAX_VALUES } from '../../../lib/json.ts'
import { SandboxError } from '../../../lib/sandbox.ts'
import { readWorkbook } from '../../../lib/xlsx/workbook.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import type { Context } from '../../context.ts'
import { type FieldError, fieldError } from '../../field-error.ts'
import { Problem, problems } from '../../problem.ts'
import { runInSandbox, workbookFieldError } from '../../sandbox.ts'
import { checkStructure } from '../check.ts'
import { numberStructure } from '../numbering.ts'
import { normaliseStructure, type Structure } from '../structure.ts'
import { convertForm, SHEETS } from './convert.ts'
import type { Issue, Issues } from './issues.ts'
import type { TableRow } from './table.ts'
import { isTextForm, readTextForm } from './text-form.ts'

/** A converted form. */
export interface ConvertedForm {
  structure: Structure
  /** What was left out or changed. */
  issues: Issue[]
}

/**
 * Converts an XLSForm to a structure, in a separate process. Stores nothing.
 * @param file an Excel workbook (.xlsx), or the form as CSV or Markdown in the notation of pyxform
 * @throws {Problem} `invalid_xlsform`, `too_many_requests`, `unavailable`
 */
export async function readXlsform(context: Context, file: Buffer): Promise<ConvertedForm> {
  try {
    const result = await runInSandbox(context, 'xlsformTask', file)
    if ('structure' in result) return result
    throw problems.invalidXlsform(result.errors)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw problems.invalidXlsform([fieldError('file', 'workbook_too_complex')])
  }
}

/** Runs {@link convertXlsform} in a sandbox. */
export async function xlsformTask(file: Uint8Array): Promise<ConvertedForm | { errors: readonly FieldError[] }> {
  try {
    return await convertXlsform(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { errors: error.errors }
  }
}

/**
 * Converts an XLSForm to a structure that the API accepts for a survey.
 * @throws {Problem} `invalid_xlsform`
 */
export async function convertXlsform(file: Buffer): Promise<ConvertedForm> {
  const converted = await convert(file)
  if (!converted) throw problems.invalidXlsform([fieldError('survey', 'missing_sheet')])
  const error = repairForm(converted)
  if (error) throw problems.invalidXlsform([{ ...error, field: 'survey' }])
  const { structure } = numberStructure(normaliseStructure(converted.structure))
  const json = JSON.stringify(structure)
  if (Buffer.byteLength(json) > MAX_JSON_BYTES)
    throw tooLarge({ max: MAX_JSON_BYTES / 1_000_000, unit: 'MB in the survey' })
  if (exceededJsonLimit(json, OTHER_MEMBERS)) throw tooLarge({ max: MAX_VALUES, unit: 'values in the survey' })
  return { structure, issues: converted.issues.list }
}

const MAX_JSON_BYTES = 9_000_000
/** Stands for the other members of the request that creates a survey with a structure. */
const OTHER_MEMBERS = '[]'.padEnd(1000, ',')

async function convert(file: Buffer): Promise<UncheckedForm | undefined> {
  try {
    return convertForm(isTextForm(file) ? await readTextForm(file) : await readWorkbook(file, SHEETS))
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error
    throw problemOf(error)
  }
}

const problemOf = (error: WorkbookError): Problem => problems.invalidXlsform([workbookFieldError(error, 'file')])
const tooLarge = (params: WorkbookError['params']): Problem => problemOf(new WorkbookError('too_large', params))

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
