import { exceededJsonLimit, MAX_VALUES } from '../../../lib/json.ts'
import { SandboxError } from '../../../lib/sandbox.ts'
import { readWorkbook } from '../../../lib/xlsx/workbook.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import type { Context } from '../../context.ts'
import { type FieldError, fieldError } from '../../field-error.ts'
import { Problem, problems } from '../../problem.ts'
import { runInSandbox, workbookFieldError } from '../../sandbox.ts'
import { numberStructure } from '../numbering.ts'
import { type ConvertedStructure, repairStructure } from '../repair.ts'
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

/** A converted form that may contain what the API refuses. */
export interface UncheckedForm {
  structure: ConvertedStructure
  issues: Issues
  /** The row of each question by ID. */
  rows: ReadonlyMap<unknown, TableRow>
}

/** Settings that a question can do without, by the column from which they come. */
const OPTIONAL: ReadonlyMap<string, string> = new Map([
  ['validation', 'constraint'],
  ['min', 'constraint'],
  ['max', 'constraint'],
  ['minSelected', 'constraint'],
  ['maxSelected', 'constraint'],
  ['earliest', 'constraint'],
  ['latest', 'constraint'],
  ['choiceFilter', 'choice_filter'],
  ['default', 'default'],
  ['lines', 'parameters'],
])

/**
 * Leaves out the parts of a converted form that the API refuses, and reports them.
 * @returns an error that cannot be repaired, such as a survey with too many pages
 */
export function repairForm({ structure, issues, rows }: UncheckedForm): FieldError | undefined {
  return repairStructure(structure, new Set(OPTIONAL.keys()), (part) => {
    const row = 'question' in part ? rows.get(part.question.id) : undefined
    const cell = (column?: string) => row?.at(column) ?? { sheet: 'survey' }
    const { message } = part.error
    if (part.kind === 'setting') {
      const column = OPTIONAL.get(part.member)!
      issues.add(
        'expression_not_supported',
        cell(column),
        `A part of the cell was left out: “${part.member}” ${message}.`,
        row?.get(column),
      )
    } else if (part.kind === 'condition')
      issues.add(
        'expression_not_supported',
        cell('relevant'),
        `The condition was left out: it ${message}. The question is always shown${part.wasRequired ? ' and is optional' : ''}.`,
        row?.get('relevant'),
      )
    else if (part.kind === 'question')
      issues.add(
        'type_not_supported',
        cell('type'),
        `The row was left out: “${part.error.field.split('/').at(-1)}” ${message}.`,
        row?.get('type'),
      )
    else if (part.kind === 'page condition')
      issues.add(
        'expression_not_supported',
        { sheet: 'survey' },
        `The condition of page ${part.page} was left out: it ${message}.`,
      )
  })
}
