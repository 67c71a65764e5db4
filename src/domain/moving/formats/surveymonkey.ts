import { Draft } from '../draft.ts'
import { inferredKind } from '../infer.ts'
import { Notes } from '../notes.ts'
import { addSimple } from '../simple.ts'
import { cell, type Format, type Source, type SourceResponse, ticks } from '../source.ts'
import { Columns, headingsOf, readTableFile, type Table } from '../table.ts'

/**
 * Reads exports of SurveyMonkey (CSV or Excel, all responses): two header rows, with the questions in the first and the
 * choices or rows in the second. The export has no structure, so the questions are inferred.
 */
export const surveymonkey: Format = {
  name: 'surveymonkey',
  async read(files) {
    for (const file of files) {
      if (file.json !== undefined) continue
      const table = await readTableFile(file)
      const names = headingsOf(table).map((name) => name.toLowerCase())
      if (table && /^respondent[ _]?id$/.test(names[0] ?? '') && names.some((name) => /^collector[ _]?id$/.test(name)))
        return readExport(table)
    }
    return undefined
  },
}

/** Columns that are not answers. */
const META =
  /^(?:respondent[ _]?id|collector[ _]?id|(?:start|end|date)[ _]?(?:date|created|modified)|date_(?:created|modified)|ip[ _]?address|email[ _]?address|first[ _]?name|last[ _]?name|custom[ _]?data ?\d*|custom_\d+)$/i

const OTHER = /^(?:other\b.*|sonstiges?\b.*|autre\b.*|otro\b.*)/i
/** What the second row has above single answers. */
const SINGLE = /^(?:response|open-ended response|antwort|réponse|respuesta|)$/i

interface Group {
  title: string
  columns: { name: string; label: string; values: string[] }[]
}

function readExport(table: Table): Source {
  const notes = new Notes()
  const draft = new Draft(notes)
  const [first, second] = table.rows
  const hasLabels = !/^\d{6,}$/.test((second?.cells[0] ?? '').trim())
  const header = first!.cells
  const columns = new Columns(header.map((name, index) => name || `column ${index + 1}`))
  const rows = table.rows.slice(hasLabels ? 2 : 1)
  const groups: Group[] = []
  let isMeta = true
  for (const [index, written] of header.entries()) {
    const title = written.replace(/^\ufeff/, '').trim()
    if (title !== '') isMeta = META.test(title)
    if (isMeta) continue
    if (title !== '') groups.push({ title, columns: [] })
    const label = hasLabels ? (second?.cells[index] ?? '').trim() : ''
    const values = rows.flatMap(({ cells }) => ((cells[index] ?? '').trim() === '' ? [] : [cells[index]!.trim()]))
    groups.at(-1)?.columns.push({ name: columns.names[index]!, label, values })
  }
  draft.page()
  notes.add('language_assumed')
  for (const [index, group] of groups.entries()) addGroup(draft, group, `q${index + 1}`)
  return {
    format: 'surveymonkey',
    notes,
    bindings: draft.bindings,
    structure: { title: 'SurveyMonkey', form: draft.pages },
    responses: listOf(columns, rows),
  }
}

function addGroup(draft: Draft, { title, columns }: Group, name: string): void {
  const others = columns.length > 1 ? columns.filter(({ label }) => OTHER.test(label) && !SINGLE.test(label)) : []
  const own = columns.filter((column) => !others.includes(column))
  // The texts of “Other” are in a column of their own. A tick of it would be its label.
  const texts = others.filter(({ label, values }) => values.some((value) => value !== label))
  const [text] = texts
  const readOther = text && cell(text.name)
  const other = others.length > 0 ? [{ value: others[0]!.label, label: others[0]!.label, other: true }] : []
  const [only] = own
  if (own.length === 1 && only && SINGLE.test(only.label)) {
    const inferred = inferredKind(only.values, other.length > 0)
    const { notes } = draft
    notes.add(inferred.choices ? 'choices_inferred' : 'type_inferred', {
      item: title,
      column: only.name,
      value: inferred.kind,
    })
    const choices = inferred.choices?.map((value) => ({ value, label: value }))
    const read: typeof readOther = (response) => [
      ...cell(only.name)(response),
      ...(readOther && response.values(only.name).length === 0
        ? readOther(response).map(({ column }) => ({ column, value: other[0]!.value }))
        : []),
    ]
    addSimple(draft, {
      name,
      title,
      column: only.name,
      ...(choices
        ? { kind: inferred.kind, choices: [...choices, ...other], read, readOther }
        : { kind: inferred.kind, read: cell(only.name) }),
    })
    return
  }
  const isTicks = own.every(({ label, values }) => values.every((value) => value === label))
  if (isTicks) {
    const parts = own.map((column) => ({ column: column.name, code: column.label }))
    const labels = new Set(own.map(({ label }) => label))
    const readParts = ticks(parts, (value) => (labels.has(value.trim()) ? true : undefined))
    addSimple(draft, {
      name,
      title,
      kind: 'multiple',
      column: title,
      choices: [...own.map(({ label }) => ({ value: label, label })), ...other],
      read: (response) => [
        ...readParts(response),
        ...others.flatMap((column) =>
          response.values(column.name).length > 0 ? [{ column: column.name, value: other[0]!.value }] : [],
        ),
      ],
      readOther,
    })
    return
  }
  // Rows of a matrix, of texts or of numbers.
  const values = own.flatMap((column) => column.values)
  const different = [...new Set(values)]
  const isMatrix =
    different.length <= 20 && values.length >= different.length * 2 && different.every((value) => value.length <= 100)
  draft.notes.add(isMatrix ? 'choices_inferred' : 'type_inferred', {
    item: title,
    value: isMatrix ? 'grid' : 'textgrid',
  })
  addSimple(draft, {
    name,
    title,
    kind: isMatrix ? 'grid' : 'textgrid',
    choices: isMatrix ? different.sort().map((value) => ({ value, label: value })) : [],
    rows: [...own, ...others].map((column) => ({
      value: column.label || column.name,
      label: column.label || column.name,
      column: column.name,
      read: cell(column.name),
    })),
  })
}

function* listOf(columns: Columns, rows: Table['rows']): Iterable<SourceResponse> {
  const lower = columns.names.map((name) => name.toLowerCase().replaceAll('_', ' '))
  const index = (...names: string[]) => lower.findIndex((name) => names.includes(name))
  const [start, end] = [index('start date', 'date created'), index('end date', 'date modified')]
  const indices = new Map(columns.names.map((name, at) => [name, at]))
  for (const { number, cells } of rows) {
    const [from, to] = [cells[start] ?? '', cells[end] ?? '']
    const seconds = Math.round((Date.parse(`${to} UTC`) - Date.parse(`${from} UTC`)) / 1000)
    yield {
      row: number,
      completed: 1,
      createdAt: from || to || undefined,
      ...(seconds > 0 && seconds < 86_400 && { completionTime: seconds }),
      values: (name) => {
        const value = (cells[indices.get(name) ?? -1] ?? '').trim()
        return value === '' ? [] : [value]
      },
    }
  }
}
