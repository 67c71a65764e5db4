import type { Json } from '../../structure/walk.ts'
import { Draft, type Listed } from '../draft.ts'
import { parseLogic } from '../logic.ts'
import { Notes } from '../notes.ts'
import { addSimple, type SimpleKind, type SimpleQuestion } from '../simple.ts'
import { type Binding, cell, type Format, type Source, type SourceFile, type SourceResponse, ticks } from '../source.ts'
import { Columns, headingsOf, readTableFile, type Table } from '../table.ts'

/** Reads projects of REDCap: the data dictionary (CSV), and the data as CSV, raw or with labels. */
export const redcap: Format = {
  name: 'redcap',
  async read(files) {
    for (const file of files) {
      if (file.json !== undefined) continue
      const table = await readTableFile(file)
      const header = headingsOf(table).map((name) => name.toLowerCase())
      if (
        table &&
        (header[0] === 'variable / field name' || header[0] === 'field_name') &&
        header.some((name) => name.replace('_', ' ') === 'field type')
      )
        return readDictionary(
          table,
          files.filter((one) => one !== file),
        )
    }
    return undefined
  },
}

/** The columns of a dictionary by the names of the page and of the API. */
const COLUMNS = {
  name: ['variable / field name', 'field_name'],
  form: ['form name', 'form_name'],
  section: ['section header', 'section_header'],
  type: ['field type', 'field_type'],
  label: ['field label', 'field_label'],
  choices: ['choices, calculations, or slider labels', 'select_choices_or_calculations', 'choices or calculations'],
  note: ['field note', 'field_note'],
  validation: [
    'text validation type or show slider number',
    'text_validation_type_or_show_slider_number',
    'text validation type',
  ],
  min: ['text validation min', 'text_validation_min'],
  max: ['text validation max', 'text_validation_max'],
  branching: ['branching logic (show field only if...)', 'branching_logic', 'branching logic'],
  required: ['required field?', 'required_field'],
  matrix: ['matrix group name', 'matrix_group_name'],
  annotation: ['field annotation', 'field_annotation'],
} as const
type Member = keyof typeof COLUMNS
type Variable = Record<Member, string>

const REFERENCE = /\[([a-z0-9_]+(?:\([^)\]]*\))?)\]/i

async function readDictionary(dictionary: Table, others: readonly SourceFile[]): Promise<Source> {
  const notes = new Notes()
  const draft = new Draft(notes, /\[([a-z][a-z0-9_]*)\]/gi)
  const header = new Columns(dictionary.rows[0]!.cells.map((name) => name.trim().toLowerCase()))
  const at = Object.fromEntries(
    Object.entries(COLUMNS).map(([member, names]) => [member, header.find(...names)]),
  ) as Record<Member, number | undefined>
  const variables = dictionary.rows
    .slice(1)
    .map(
      ({ cells }) =>
        Object.fromEntries(
          Object.entries(at).map(([member, index]) => [
            member,
            (index === undefined ? '' : (cells[index] ?? '')).trim(),
          ]),
        ) as Variable,
    )
  const table = await dataIn(others, variables)
  const columns = new Columns(table?.rows[0]?.cells ?? [])
  notes.add('language_assumed')
  let form: string | undefined
  for (const [index, variable] of variables.entries()) {
    if (variable.form !== form) draft.page({ title: variable.form.replaceAll('_', ' ') || 'Form' })
    form = variable.form
    if (variable.section !== '')
      addSimple(draft, { name: `${variable.name}_section`, kind: 'section', title: variable.section })
    const isGrid = variable.matrix !== '' && (variable.type === 'radio' || variable.type === 'checkbox')
    const previous = variables[index - 1]
    if (isGrid && previous?.matrix === variable.matrix && previous.form === variable.form) continue
    const rows = isGrid ? following(variables, index) : [variable]
    addVariable(draft, columns, variable, isGrid ? rows : undefined)
  }
  const complete = columns.names.filter((name) => name.endsWith('_complete'))
  for (const name of complete) columns.find(name)
  for (const { name } of columns.unused()) if (!/_timestamp$/.test(name)) notes.add('column_ignored', { column: name })
  return {
    format: 'redcap',
    notes,
    bindings: draft.bindings,
    structure: { title: variables[0]?.form.replaceAll('_', ' ') || 'REDCap', form: draft.pages },
    responses: table ? listOf(table, columns, complete) : [],
  }
}

/** Returns the rows of a matrix from its first one. */
function following(variables: readonly Variable[], from: number): Variable[] {
  const { matrix, form } = variables[from]!
  const end = variables.findIndex((one, index) => index > from && (one.matrix !== matrix || one.form !== form))
  return variables.slice(from, end === -1 ? undefined : end)
}

async function dataIn(files: readonly SourceFile[], variables: readonly Variable[]): Promise<Table | undefined> {
  const names = new Set(variables.map(({ name }) => name))
  for (const file of files) {
    const table = await readTableFile(file, (name) => names.has(name))
    if (headingsOf(table).some((name) => names.has(name))) return table
  }
  return undefined
}

const KINDS: Readonly<Record<string, SimpleKind>> = {
  notes: 'long',
  radio: 'single',
  dropdown: 'dropdown',
  checkbox: 'multiple',
  yesno: 'yesno',
  truefalse: 'yesno',
  slider: 'number',
  calc: 'hidden',
  descriptive: 'section',
  file: 'file',
  sql: 'text',
}

function kindOf({ type, validation }: Variable): SimpleKind | undefined {
  if (type !== 'text') return KINDS[type]
  if (/^datetime/.test(validation)) return 'datetime'
  if (/^date/.test(validation)) return 'date'
  if (/^time/.test(validation)) return 'time'
  if (/^(?:integer|number)/.test(validation)) return 'number'
  return validation === 'email' ? 'email' : validation === 'phone' ? 'phone' : 'text'
}

/** Returns the choices of `1, Yes | 2, No`. */
const choicesIn = (text: string): Listed[] =>
  text
    .split('|')
    .map((part) => /^\s*([^,]*?)\s*,\s*([\s\S]*?)\s*$/.exec(part))
    .flatMap((match) => (match ? [{ value: match[1]!, label: match[2]! }] : []))

function addVariable(draft: Draft, columns: Columns, variable: Variable, rows: readonly Variable[] | undefined): void {
  const { notes } = draft
  const { name, type, validation } = variable
  const kind = kindOf(variable)
  if (!kind) {
    notes.add('type_not_supported', { item: name, value: type })
    return
  }
  if (type === 'calc' || type === 'sql') notes.add('type_replaced', { item: name, value: type })
  if (type === 'file') notes.add('file_not_imported', { item: name })
  if (/@(?!NONEOFTHEABOVE)\w/.test(variable.annotation))
    notes.add('setting_not_supported', { item: name, value: variable.annotation })
  if (type === 'text' && kind === 'text' && validation !== '')
    notes.add('validation_not_supported', { item: name, value: validation })
  const condition =
    variable.branching === ''
      ? undefined
      : parseLogic(variable.branching, REFERENCE, (reference) => draft.subjects.get(reference))
  if (variable.branching !== '' && !condition)
    notes.add('condition_not_supported', { item: name, value: variable.branching })
  const base: Omit<SimpleQuestion, 'kind' | 'name'> = {
    title: variable.label,
    description: variable.note === '' ? undefined : variable.note,
    required: variable.required.toLowerCase() === 'y',
    condition,
  }
  const listed = choicesIn(variable.choices)
  const exclusive = /@NONEOFTHEABOVE\s*=\s*'?"?([\w,]+)/.exec(variable.annotation)?.[1]?.split(',') ?? []
  const choices = listed.map((one) => ({ ...one, exclusive: exclusive.includes(one.value) }))
  if (rows) {
    const id = addSimple(draft, {
      ...base,
      name: variable.matrix,
      title: variable.section || variable.matrix.replaceAll('_', ' '),
      description: undefined,
      kind: type === 'checkbox' ? 'multigrid' : 'grid',
      choices: listed,
      rows: rows.map((row) => {
        const read = type === 'checkbox' ? readTicks(columns, row.name, listed) : cell(take(columns, row.name))
        return { value: row.name, label: row.label || row.name, column: row.name, read }
      }),
    })
    const codes = new Map(listed.map(({ value }) => [value, value]))
    for (const [index, row] of rows.entries())
      draft.subjects.set(row.name, {
        question: `${id}_${index}`,
        kind: type === 'checkbox' ? 'choices' : 'choice',
        codes,
      })
    return
  }
  if (kind === 'multiple') {
    const id = addSimple(draft, { ...base, name, kind, choices, read: readTicks(columns, name, listed) })
    for (const { value } of listed)
      draft.subjects.set(`${name}(${value})`, { question: id, kind: 'tick', code: value, ticked: '1' })
    return
  }
  const limit = (text: string) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined)
  const [min, max] =
    type === 'slider'
      ? [limit(variable.min) ?? 0, limit(variable.max) ?? 100]
      : [limit(variable.min), limit(variable.max)]
  const settings: Json =
    kind === 'number'
      ? {
          decimals: validation === 'integer' ? 0 : 10,
          ...(min !== undefined && { min }),
          ...(max !== undefined && { max }),
        }
      : {}
  addSimple(draft, {
    ...base,
    name,
    kind,
    choices,
    settings,
    column: name,
    read: cell(take(columns, name)),
    yesNo: [
      ['1', 'Yes', 'True'],
      ['0', 'No', 'False'],
    ],
  })
}

const take = (columns: Columns, name: string): string => {
  const index = columns.take(name)
  return index === undefined ? name : columns.names[index]!
}

/** Reads the columns of a checkbox: `name___code`. A minus in a code is an underscore in the name of the column. */
function readTicks(columns: Columns, name: string, choices: readonly Listed[]): Binding['read'] {
  const parts = choices.map(({ value, label }) => ({
    column: take(columns, `${name}___${value.toLowerCase().replace(/^-/, '_')}`),
    code: value,
    label: String(label),
  }))
  return (response) =>
    parts.flatMap(({ column, code, label }) =>
      ticks([{ column, code }], (value) =>
        /^(?:1|checked)$/i.test(value) || value === label ? true : /^(?:0|unchecked)$/i.test(value) ? false : undefined,
      )(response),
    )
}

function* listOf(table: Table, columns: Columns, complete: readonly string[]): Iterable<SourceResponse> {
  const indices = new Map(columns.names.map((name, index) => [name, index]))
  const stamp = columns.names.find((name) => name.endsWith('_timestamp'))
  for (const { number, cells } of table.rows.slice(1)) {
    const value = (name: string) => (cells[indices.get(name) ?? -1] ?? '').trim()
    const states = complete.map(value).filter((state) => state !== '')
    const time = stamp === undefined ? '' : value(stamp)
    yield {
      row: number,
      completed: states.every((state) => state === '2' || /^complete$/i.test(state)) ? 1 : 0,
      createdAt: /^\d{4}-/.test(time) ? time : undefined,
      values: (name) => (value(name) === '' ? [] : [cells[indices.get(name)!]!]),
    }
  }
}
