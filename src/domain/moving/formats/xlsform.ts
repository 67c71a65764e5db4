import { isWorkbook } from '../../../lib/xlsx/workbook.ts'
import { Problem } from '../../problem.ts'
import { compile } from '../../structure/compile.ts'
import type { Field } from '../../structure/questionnaire.ts'
import { normaliseStructure } from '../../structure/structure.ts'
import type { Json } from '../../structure/walk.ts'
import { convertXlsform } from '../../structure/xlsform/read.ts'
import { isTextForm } from '../../structure/xlsform/text-form.ts'
import { Notes } from '../notes.ts'
import { timeIn } from '../simple.ts'
import {
  type Binding,
  cell,
  type Format,
  MovingError,
  ranks,
  type Source,
  type SourceChoice,
  type SourceFile,
  type SourceResponse,
  ticks,
} from '../source.ts'
import { Columns, readTableFile, type Table } from '../table.ts'

/** Reads an XLSForm together with the responses that Kobo or ODK exported as CSV or Excel file. */
export const xlsform: Format = {
  name: 'xlsform',
  async read(files) {
    for (const file of files) {
      if (!isWorkbook(file.bytes) && !isTextForm(file.bytes)) continue
      const form = await formIn(file)
      if (!form) continue
      const others = files.filter((one) => one !== file)
      return sourceOf(form, others)
    }
    return undefined
  },
}

type ConvertedForm = Awaited<ReturnType<typeof convertXlsform>>

async function formIn({ bytes, name }: SourceFile): Promise<ConvertedForm | undefined> {
  try {
    return await convertXlsform(bytes)
  } catch (error) {
    const [first] = error instanceof Problem ? error.errors : []
    if (!first) throw error
    if (['not_a_workbook', 'missing_sheet'].includes(first.code)) return undefined
    throw new MovingError('damaged_survey_file', name, { place: `${first.field}: ${first.message}` })
  }
}

async function sourceOf({ structure, issues }: ConvertedForm, others: readonly SourceFile[]): Promise<Source> {
  const notes = new Notes()
  for (const { sheet, row, column, value } of issues)
    notes.add('setting_not_supported', { item: sheet, column, row, value })
  const { fields } = compile(normaliseStructure(structure))
  const names = new Set(fields.map(({ question }) => question.id))
  let table: Table | undefined
  for (const file of others) {
    table ??= await readTableFile(file, (name) => names.has(lastOf(name)))
  }
  // Columns of groups are `group/name` in Kobo, `group-name` in ODK.
  const columns = new Columns(table?.rows[0]?.cells ?? [], (name) => [name, lastOf(name), lastTwoOf(name)])
  const bindings = table ? fields.flatMap((field) => bindingOf(field, columns)) : []
  for (const { name } of columns.unused()) if (!META.test(name)) notes.add('column_ignored', { column: name })
  return {
    format: 'xlsform',
    notes,
    bindings,
    structure: structure as unknown as Json & { form: Json[] },
    responses: table ? listOf(table, columns) : [],
  }
}

const lastOf = (name: string): string =>
  name
    .trim()
    .split(/[/:]|(?<=\w)-(?=[A-Za-z_])/)
    .at(-1)!
const lastTwoOf = (name: string): string => name.trim().split('/').slice(-2).join('/')

/** Columns that the tools add. */
const META =
  /^(?:_.*|__version__|start|end|today|deviceid|subscriberid|simserial|phonenumber|username|audit|formhub\/.*|meta[/-].*|KEY|SubmissionDate|SubmitterID|SubmitterName|AttachmentsPresent|AttachmentsExpected|Status|ReviewState|DeviceID|Edits|FormVersion)$/

const codeOf = ({ code, index }: { code?: string; index: number }) => code ?? String(index)

function bindingOf(field: Field, columns: Columns): Binding[] {
  const { question, row, type, part, choices } = field
  if (part || type === 'file') return []
  const name = row ? (row.code ?? `${question.id}_${row.index}`) : question.id
  const take = (...names: string[]) => {
    const index = columns.take(...names)
    return index === undefined ? undefined : columns.names[index]!
  }
  if (type === 'other') {
    const column = take(`${question.id}_other`, `${question.id}_specify`)
    return column === undefined ? [] : [{ key: field.key, column, kind: 'value', read: cell(column) }]
  }
  const byValue = new Map<string, SourceChoice>()
  for (const choice of choices) {
    const label = Object.values(choice.label)[0] ?? ''
    byValue.set(codeOf(choice), { index: choice.index, label })
  }
  for (const choice of choices)
    for (const label of Object.values(choice.label))
      if (!byValue.has(label)) byValue.set(label, { index: choice.index, label })
  if (type === 'multi' || type === 'ranking') {
    const column = take(name)
    const parts = choices.flatMap((choice) => {
      const own = take(`${name}/${codeOf(choice)}`, `${name}/${Object.values(choice.label)[0] ?? ''}`)
      return own === undefined ? [] : [{ column: own, code: codeOf(choice) }]
    })
    const kind = type === 'multi' ? 'choices' : 'ranking'
    const isTicked = (value: string) =>
      /^(?:1|true|yes)$/i.test(value) ? true : /^(?:0|false|no)$/i.test(value) ? false : undefined
    if (parts.length > 0)
      return [
        {
          key: field.key,
          column: name,
          kind,
          choices: byValue,
          read: type === 'multi' ? ticks(parts, isTicked) : ranks(parts),
        },
      ]
    if (column === undefined) return []
    const read: Binding['read'] = (response) =>
      response.values(column).flatMap((list) =>
        list
          .trim()
          .split(/\s+/)
          .map((value) => ({ column, value })),
      )
    return [{ key: field.key, column, kind, choices: byValue, read }]
  }
  const column = take(name)
  if (column === undefined) return []
  const read = cell(column)
  if (choices.length > 0) return [{ key: field.key, column, kind: 'choice', choices: byValue, read }]
  if (type === 'decimal') return [{ key: field.key, column, kind: 'number', read }]
  if (type !== 'datetime') return [{ key: field.key, column, kind: 'value', read }]
  const format = question.format ?? 'datetime'
  return [{ key: field.key, column, kind: 'value', read, convert: (value) => timeIn(value, format) }]
}

function* listOf(table: Table, columns: Columns): Iterable<SourceResponse> {
  const indices = new Map(columns.names.map((name, index) => [name, index]))
  const time = ['_submission_time', 'SubmissionDate', 'end', 'start', 'today'].find((name) =>
    columns.names.includes(name),
  )
  for (const { number, cells } of table.rows.slice(1)) {
    const value = (name: string) => cells[indices.get(name) ?? -1] ?? ''
    yield {
      row: number,
      completed: 1,
      createdAt: time === undefined ? undefined : value(time),
      values: (name) => (value(name).trim() === '' ? [] : [value(name)]),
    }
  }
}
