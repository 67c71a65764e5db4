import { arrayOf, isRecord, type Json } from '../../structure/walk.ts'
import { Draft, type Listed } from '../draft.ts'
import { Notes } from '../notes.ts'
import { addSimple, type SimpleKind, type SimpleQuestion } from '../simple.ts'
import { type Binding, type Format, LIMITS, MovingError, type Source, type SourceResponse } from '../source.ts'

/** Reads forms of Typeform: the JSON of a form as the Create API returns it, and of its responses. */
export const typeform: Format = {
  name: 'typeform',
  read(files) {
    const file = files.find(({ json }) => isRecord(json) && isForm(json))
    if (!file) return undefined
    const lists = files.map(({ json }) => (Array.isArray(json) ? json : isRecord(json) ? json.items : undefined))
    const responses = lists.filter(Array.isArray).flat().filter(isRecord)
    return readForm(file.json as Json, responses)
  },
}

const isForm = ({ fields, title }: Json): boolean =>
  Array.isArray(fields) &&
  typeof title === 'string' &&
  fields.every((field) => isRecord(field) && typeof field.type === 'string')

const KINDS: Readonly<Record<string, SimpleKind>> = {
  short_text: 'text',
  long_text: 'long',
  email: 'email',
  website: 'url',
  phone_number: 'phone',
  number: 'number',
  date: 'date',
  yes_no: 'yesno',
  legal: 'yesno',
  statement: 'section',
  dropdown: 'dropdown',
  ranking: 'ranking',
}

function readForm(form: Json, responses: readonly Json[]): Source {
  const notes = new Notes()
  const draft = new Draft(notes, /\{\{field:([\w-]+)\}\}/g)
  const settings = isRecord(form.settings) ? form.settings : {}
  const language =
    typeof settings.language === 'string' && /^[a-z]{2}/i.test(settings.language) ? settings.language : undefined
  if (language === undefined) notes.add('language_assumed')
  draft.page()
  for (const name of arrayOf(form.hidden).map(String)) {
    const read: Binding['read'] = (response) =>
      response.values(`hidden:${name}`).map((value) => ({ column: name, value }))
    addSimple(draft, { name, kind: 'hidden', title: name, read })
  }
  addFields(draft, arrayOf(form.fields), 0)
  for (const logic of arrayOf(form.logic).filter(isRecord))
    notes.add('skip_not_supported', { item: String(logic.ref ?? logic.type ?? '') })
  const title = draft.text(String(form.title), 'title')
  const code = language ?? 'en'
  return {
    format: 'typeform',
    notes,
    bindings: draft.bindings,
    structure: {
      title: title === '' ? 'Typeform' : title,
      languages: [{ code, name: code, isDefault: true }],
      form: draft.pages,
    },
    responses: listOf(responses),
  }
}

function addFields(draft: Draft, fields: readonly unknown[], depth: number): void {
  if (depth > LIMITS.depth) throw new MovingError('too_deep', 'file', { max: LIMITS.depth })
  for (const field of fields.filter(isRecord)) {
    const properties = isRecord(field.properties) ? field.properties : {}
    const nested = arrayOf(properties.fields)
    if (nested.length > 0 && field.type !== 'matrix') {
      if (typeof field.title === 'string' && field.title !== '')
        addSimple(draft, { name: `${field.ref ?? field.id}_heading`, kind: 'section', title: field.title })
      addFields(draft, nested, depth + 1)
    } else addField(draft, field, properties, nested.filter(isRecord))
  }
}

const readOf =
  (id: string, column: string): Binding['read'] =>
  (response) =>
    response.values(id).map((value) => ({ column, value }))

const choicesOf = ({ choices }: Json): Listed[] =>
  arrayOf(choices)
    .filter(isRecord)
    .map(({ label }) => ({ value: String(label ?? ''), label: String(label ?? '') }))

/** Stands for the choice “Other” in the values of a response. */
const OTHER = '\0other'

function addField(draft: Draft, field: Json, properties: Json, rows: readonly Json[]): void {
  const type = String(field.type)
  const id = String(field.id ?? field.ref)
  const name = String(field.ref ?? field.id)
  const column = String(field.title ?? name)
  const validations = isRecord(field.validations) ? field.validations : {}
  const base: Omit<SimpleQuestion, 'kind'> = {
    name,
    title: String(field.title ?? ''),
    description: typeof properties.description === 'string' ? properties.description : undefined,
    required: validations.required === true,
    column,
    read: readOf(id, column),
    references: [name, id],
  }
  const steps = Number(properties.steps ?? (type === 'rating' ? 5 : 11))
  const from = properties.start_at_one === true || type === 'rating' ? 1 : 0
  const limit = (value: unknown) => (typeof value === 'number' ? value : undefined)
  switch (type) {
    case 'multiple_choice':
    case 'picture_choice':
    case 'dropdown':
    case 'ranking': {
      if (type === 'picture_choice') draft.notes.add('type_replaced', { item: name, value: type })
      const hasOther = properties.allow_other_choice === true
      const choices = [...choicesOf(properties), ...(hasOther ? [{ value: 'other', label: 'Other', other: true }] : [])]
      const isMultiple = properties.allow_multiple_selection === true && type !== 'dropdown'
      const kind = KINDS[type] ?? (isMultiple ? 'multiple' : 'single')
      const settings = properties.randomize === true ? { randomize: true } : {}
      const read: Binding['read'] = (response) =>
        response.values(id).map((value) => ({ column, value: value.startsWith(OTHER) ? 'other' : value }))
      const readOther: Binding['read'] = (response) =>
        response
          .values(id)
          .flatMap((value) => (value.startsWith(OTHER) ? [{ column, value: value.slice(OTHER.length) }] : []))
      addSimple(draft, { ...base, kind, choices, settings, read, readOther: hasOther ? readOther : undefined })
      return
    }
    case 'matrix': {
      const choices = choicesOf(isRecord(rows[0]?.properties) ? rows[0].properties : {})
      const isMultiple = isRecord(rows[0]?.properties) && rows[0].properties.allow_multiple_selection === true
      const listed = rows.map((row) => {
        const label = String(row.title ?? '')
        return {
          value: String(row.ref ?? row.id),
          label,
          column: `${column} [${label}]`,
          read: readOf(String(row.id ?? row.ref), label),
        }
      })
      if (choices.length === 0) draft.notes.add('type_not_supported', { item: name, value: type })
      else addSimple(draft, { ...base, kind: isMultiple ? 'multigrid' : 'grid', choices, rows: listed })
      return
    }
    case 'nps':
    case 'opinion_scale':
    case 'rating': {
      const labels = isRecord(properties.labels) ? properties.labels : {}
      const settings: Json = {
        ...(typeof labels.left === 'string' && labels.left !== '' && { leftLabel: labels.left }),
        ...(typeof labels.right === 'string' && labels.right !== '' && { rightLabel: labels.right }),
      }
      if (from === 0 && steps === 11) addSimple(draft, { ...base, kind: 'promoters', settings })
      else if (from === 1 && steps >= 3 && steps <= 10)
        addSimple(draft, { ...base, kind: 'rating', steps, settings: { ...settings, steps } })
      else {
        const choices = Array.from({ length: Math.min(steps, 100) }, (_, at) => ({
          value: String(from + at),
          label: String(from + at),
          score: from + at,
        }))
        addSimple(draft, { ...base, kind: 'single', choices })
      }
      return
    }
    case 'file_upload':
      draft.notes.add('file_not_imported', { item: name })
      addSimple(draft, { ...base, kind: 'file' })
      return
    default: {
      const kind = KINDS[type]
      if (!kind) {
        draft.notes.add('type_not_supported', { item: name, value: type })
        return
      }
      const [min, max, maxLength] = [validations.min_value, validations.max_value, validations.max_length].map(limit)
      const settings: Json =
        kind === 'number'
          ? { decimals: 10, ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
          : maxLength !== undefined && (kind === 'text' || kind === 'long')
            ? { validation: { maxLength }, ...(kind === 'long' && { lines: 5 }) }
            : {}
      addSimple(draft, { ...base, kind, settings })
    }
  }
}

function* listOf(responses: readonly Json[]): Iterable<SourceResponse> {
  for (const [index, response] of responses.entries()) {
    const values = new Map<string, readonly string[]>()
    for (const answer of arrayOf(response.answers).filter(isRecord)) {
      const field = isRecord(answer.field) ? answer.field : {}
      const own = valuesOf(answer)
      const name = field.id ?? field.ref
      if (typeof name === 'string') values.set(name, own)
    }
    if (isRecord(response.hidden))
      for (const [name, value] of Object.entries(response.hidden))
        if (value) values.set(`hidden:${name}`, [String(value)])
    const submitted = typeof response.submitted_at === 'string' && !response.submitted_at.startsWith('0001')
    const [start, end] = [response.landed_at, response.submitted_at].map((time) => Date.parse(String(time)))
    const seconds = Math.round((end! - start!) / 1000)
    yield {
      row: index + 1,
      completed: submitted ? 1 : 0,
      createdAt:
        typeof response.landed_at === 'string'
          ? response.landed_at
          : submitted
            ? String(response.submitted_at)
            : undefined,
      ...(submitted && seconds > 0 && seconds < 2_147_483_647 && { completionTime: seconds }),
      values: (id) => values.get(id) ?? [],
      names: () => values.keys(),
    }
  }
}

function valuesOf(answer: Json): readonly string[] {
  const { choice, choices } = answer
  const other = (one: Json) => (typeof one.other === 'string' && one.other !== '' ? [`${OTHER}${one.other}`] : [])
  if (isRecord(choice)) return [...(typeof choice.label === 'string' ? [choice.label] : []), ...other(choice)]
  if (isRecord(choices)) return [...arrayOf(choices.labels).map(String), ...other(choices)]
  const value = answer[String(answer.type)]
  return value === undefined || value === null || value === ''
    ? []
    : [typeof value === 'object' ? JSON.stringify(value) : String(value)]
}
