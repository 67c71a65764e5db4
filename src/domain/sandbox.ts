import { createSandbox, type Sandbox, SandboxError, type SandboxOptions } from '../lib/sandbox.ts'
import type { WorkbookError, WorkbookErrorReason, WorkbookUnit } from '../lib/xlsx/workbook-error.ts'
import type { Context } from './context.ts'
import { detail, type ErrorDetailName } from './error-details.ts'
import { type FieldError, type FieldErrorCode, fieldError } from './field-error.ts'
import { problems } from './problem.ts'
import type * as tasks from './sandbox-tasks/tasks.ts'

type Tasks = typeof tasks

/** The largest accepted file takes some seconds. Such files are rare, so two processes are enough. */
const DEFAULTS: SandboxOptions = {
  tasks: new URL('./sandbox-tasks/tasks.ts', import.meta.url),
  args: [],
  processes: 2,
  maxWaiting: 20,
  timeoutMs: 10_000,
  maxHeapMegabytes: 256,
}

/** Creates the sandbox for tasks whose duration a stranger or a small account can influence. */
export const createTaskSandbox = (options: Partial<SandboxOptions> = {}): Sandbox =>
  createSandbox({ ...DEFAULTS, ...options })

/**
 * Runs a task of `sandbox-tasks/tasks.ts` in a separate process, with limits of time and memory. The tasks of an account
 * run one after the other.
 * @param input is copied, as is the result
 * @throws {Problem} `too_many_requests` if the account has several waiting tasks, `unavailable` if all accounts have too
 * many
 * @throws {SandboxError} `timeout` or `memory`; the caller knows which member of the request is too large
 */
export async function runInSandbox<Name extends keyof Tasks>(
  { services, actor }: Context,
  name: Name,
  input: Parameters<Tasks[Name]>[0],
): Promise<Awaited<ReturnType<Tasks[Name]>>> {
  try {
    return (await services.sandbox.run(name, input, String(actor.id))) as Awaited<ReturnType<Tasks[Name]>>
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    if (error.reason === 'caller_busy')
      throw problems.tooManyRequests('Several files of your account are being read.', 5)
    throw error.reason === 'queue_full' ? problems.overloaded() : error
  }
}

const CODES: Readonly<Record<WorkbookErrorReason, FieldErrorCode>> = {
  not_a_workbook: 'not_a_workbook',
  old_format: 'old_workbook',
  password_protected: 'password_protected',
  too_large: 'workbook_too_large',
  damaged: 'damaged_workbook',
}

const UNITS: Readonly<Record<WorkbookUnit, ErrorDetailName>> = {
  cells: 'workbook_cells',
  files: 'workbook_files',
  MB: 'workbook_size',
  characters: 'workbook_characters',
  'characters in a cell': 'workbook_cell',
  'characters in the choices of all questions': 'workbook_choices',
  'rows in the sheet survey': 'workbook_rows',
  'characters in comments': 'workbook_comments',
  'columns in a sheet': 'workbook_columns',
  'attributes of an element': 'workbook_attributes',
  rules: 'workbook_rules',
  'MB in the survey': 'workbook_survey_size',
  'values in the survey': 'workbook_values',
}

/** Describes why a workbook cannot be read, with the part that is too large. */
export const workbookFieldError = ({ reason, params }: WorkbookError, field: string): FieldError =>
  fieldError(field, CODES[reason], params, params && detail(UNITS[params.unit], { max: params.max }))
