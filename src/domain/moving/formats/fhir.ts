import { arrayOf, isRecord, type Json } from '../../structure/walk.ts'
import { Draft, type Listed } from '../draft.ts'
import { jsonOf } from '../json-values.ts'
import { type Comparison, join, ruleOf } from '../logic.ts'
import { Notes } from '../notes.ts'
import { addSimple, type SimpleKind, type SimpleQuestion } from '../simple.ts'
import {
  type Binding,
  type Format,
  LIMITS,
  MovingError,
  type Source,
  type SourceFile,
  type SourceResponse,
} from '../source.ts'

/** Reads FHIR: a Questionnaire, and QuestionnaireResponses alone, in a list, in a Bundle or as lines of JSON. */
export const fhir: Format = {
  name: 'fhir',
  read(files) {
    const resources = files.flatMap(resourcesIn)
    const form = resources.find(({ resourceType }) => resourceType === 'Questionnaire')
    const responses = resources.filter(({ resourceType }) => resourceType === 'QuestionnaireResponse')
    if (!form) {
      if (responses.length > 0) throw new MovingError('survey_file_missing', 'file', { wanted: 'Questionnaire' })
      return undefined
    }
    return readForm(form, responses)
  },
}

function resourcesIn({ json, text }: SourceFile): Json[] {
  const values =
    json !== undefined
      ? Array.isArray(json)
        ? json
        : [json]
      : text?.startsWith('{"resourceType"')
        ? text.split('\n').map(jsonOf)
        : []
  return values
    .filter(isRecord)
    .flatMap((one) =>
      one.resourceType === 'Bundle'
        ? arrayOf(one.entry).map((entry) => (isRecord(entry) ? entry.resource : undefined))
        : [one],
    )
    .filter(isRecord)
}

const KINDS: Readonly<Record<string, SimpleKind>> = {
  boolean: 'yesno',
  decimal: 'number',
  integer: 'number',
  quantity: 'number',
  date: 'date',
  dateTime: 'datetime',
  time: 'time',
  string: 'text',
  text: 'long',
  url: 'url',
  display: 'section',
  attachment: 'file',
}

const OPERATORS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

function readForm(form: Json, responses: readonly Json[]): Source {
  const notes = new Notes()
  const draft = new Draft(notes)
  const language =
    typeof form.language === 'string' && /^[a-z]{2}(?:-[A-Z]{2})?$/.test(form.language) ? form.language : undefined
  if (language === undefined) notes.add('language_assumed')
  draft.page()
  addItems({ draft, form }, arrayOf(form.item), undefined, 0)
  const code = language ?? 'en'
  const title = draft.text(String(form.title ?? form.name ?? ''), 'title')
  return {
    format: 'fhir',
    notes,
    bindings: draft.bindings,
    structure: {
      title: title === '' ? 'FHIR' : title,
      ...(typeof form.description === 'string' && { description: draft.text(form.description, 'description') }),
      languages: [{ code, name: code, isDefault: true }],
      form: draft.pages,
    },
    responses: listOf(responses),
  }
}

interface Reader {
  draft: Draft
  form: Json
}

function addItems(reader: Reader, items: readonly unknown[], around: Json | undefined, depth: number): void {
  if (depth > LIMITS.depth) throw new MovingError('too_deep', 'file', { max: LIMITS.depth })
  const { draft } = reader
  for (const item of items.filter(isRecord)) {
    const name = String(item.linkId ?? '')
    const own = conditionIn(draft, item, name)
    const condition = around && own ? join('all', [around, own]) : (own ?? around)
    if (item.type === 'group') {
      if (item.repeats === true) draft.notes.add('type_replaced', { item: name, value: 'repeats' })
      if (depth === 0)
        draft.page(typeof item.text === 'string' && item.text !== '' ? { title: draft.text(item.text, name) } : {})
      else if (typeof item.text === 'string' && item.text !== '')
        addSimple(draft, { name: `${name}_heading`, kind: 'section', title: item.text, condition })
    } else addItem(reader, item, name, condition)
    addItems(reader, arrayOf(item.item), condition, depth + 1)
    if (item.type === 'group' && depth === 0) draft.page()
  }
}

function addItem({ draft, form }: Reader, item: Json, name: string, condition: Json | undefined): void {
  const { notes } = draft
  const type = String(item.type)
  const read: Binding['read'] = (response) => response.values(name).map((value) => ({ column: name, value }))
  const base: Omit<SimpleQuestion, 'kind'> = {
    name,
    title: String(item.text ?? ''),
    required: item.required === true,
    condition,
    read,
  }
  const options = optionsOf(item, form)
  if (type === 'choice' || type === 'open-choice' || type === 'coding' || options.length > 0) {
    const isOpen = type === 'open-choice' || /^optionsOr/.test(String(item.answerConstraint ?? ''))
    if (options.length === 0) {
      notes.add('type_replaced', { item: name, value: String(item.answerValueSet ?? type) })
      addSimple(draft, { ...base, kind: 'text' })
      return
    }
    const choices = [...options, ...(isOpen ? [{ value: OTHER, label: 'Other', other: true }] : [])]
    const known = new Set(options.map(({ value }) => value))
    const isOther = (value: string) => isOpen && !known.has(value)
    addSimple(draft, {
      ...base,
      kind: item.repeats === true ? 'multiple' : 'single',
      choices,
      read: (response) => read(response).map((one) => (isOther(one.value) ? { ...one, value: OTHER } : one)),
      readOther: isOpen ? (response) => read(response).filter(({ value }) => isOther(value)) : undefined,
    })
    return
  }
  const kind = KINDS[type]
  if (!kind) {
    notes.add('type_not_supported', { item: name, value: type })
    return
  }
  if (item.repeats === true) notes.add('type_replaced', { item: name, value: 'repeats' })
  if (kind === 'file') notes.add('file_not_imported', { item: name })
  if (item.readOnly === true) notes.add('setting_not_supported', { item: name, value: 'readOnly' })
  const maxLength = Number(item.maxLength)
  const settings: Json =
    kind === 'number'
      ? { decimals: type === 'integer' ? 0 : 10 }
      : (kind === 'text' || kind === 'long') && maxLength > 0
        ? { validation: { maxLength }, ...(kind === 'long' && { lines: 5 }) }
        : {}
  addSimple(draft, { ...base, kind, settings })
}

/** Stands for an answer that is no option, where such answers are allowed. */
const OTHER = '__other__'

/** Returns the options of an item: its own, or those of a value set in the form. */
function optionsOf(item: Json, form: Json): Listed[] {
  const own = arrayOf(item.answerOption).filter(isRecord)
  const reference = typeof item.answerValueSet === 'string' ? item.answerValueSet.replace(/^#/, '') : undefined
  const set = arrayOf(form.contained).find(
    (one) => isRecord(one) && one.resourceType === 'ValueSet' && one.id === reference,
  )
  const concepts = isRecord(set)
    ? [
        ...(isRecord(set.expansion) ? arrayOf(set.expansion.contains) : []),
        ...(isRecord(set.compose)
          ? arrayOf(set.compose.include).flatMap((one) => (isRecord(one) ? arrayOf(one.concept) : []))
          : []),
      ]
    : []
  return [
    ...own.flatMap((option) => {
      const value = valueIn(option)
      if (value === undefined) return []
      const coding = option.valueCoding
      return [{ value, label: isRecord(coding) && typeof coding.display === 'string' ? coding.display : value }]
    }),
    ...concepts.filter(isRecord).map(({ code, display }) => ({ value: String(code), label: String(display ?? code) })),
  ]
}

/** Returns the value of an answer or option as text: the code of a coding, the number of a quantity. */
function valueIn(answer: Json): string | undefined {
  const [name] = Object.keys(answer).filter((key) => /^(?:value|answer)[A-Z]/.test(key))
  const value = name === undefined ? undefined : answer[name]
  if (isRecord(value)) {
    const own = value.code ?? value.display ?? value.value ?? value.reference ?? value.url
    return own === undefined || own === '' ? undefined : String(name?.endsWith('Quantity') ? (value.value ?? own) : own)
  }
  return value === undefined || value === null || value === '' ? undefined : String(value)
}

function conditionIn(draft: Draft, item: Json, name: string): Json | undefined {
  const rules = arrayOf(item.enableWhen).filter(isRecord)
  if (rules.length === 0) return undefined
  const converted = rules.map((rule) => {
    const subject = draft.subjects.get(String(rule.question))
    const value = valueIn(rule)
    if (rule.operator === 'exists') return ruleOf(subject, value === 'true' ? 'notempty' : 'empty', '')
    const op = OPERATORS[String(rule.operator ?? '=')]
    if (!op || value === undefined || !subject) return undefined
    if (subject.kind === 'value' && (value === 'true' || value === 'false'))
      return { question: subject.question, op: op === '=' ? 'eq' : 'ne', value: value === 'true' }
    return ruleOf(subject, op, value)
  })
  const condition = join(item.enableBehavior === 'any' ? 'any' : 'all', converted)
  if (!condition) draft.notes.add('condition_not_supported', { item: name, value: JSON.stringify(item.enableWhen) })
  return condition
}

function* listOf(responses: readonly Json[]): Iterable<SourceResponse> {
  for (const [index, response] of responses.entries()) {
    const values = new Map<string, string[]>()
    collect(arrayOf(response.item), values, 0)
    yield {
      row: index + 1,
      completed: response.status === 'completed' || response.status === 'amended' ? 1 : 0,
      createdAt: typeof response.authored === 'string' ? response.authored : undefined,
      values: (name) => values.get(name) ?? [],
      names: () => values.keys(),
    }
  }
}

/** Collects the answers of items at any depth by link ID. */
function collect(items: readonly unknown[], values: Map<string, string[]>, depth: number): void {
  if (depth > LIMITS.depth) throw new MovingError('too_deep', 'file', { max: LIMITS.depth })
  for (const item of items.filter(isRecord)) {
    const name = String(item.linkId ?? '')
    for (const answer of arrayOf(item.answer).filter(isRecord)) {
      const value = valueIn(answer)
      if (value !== undefined) values.set(name, [...(values.get(name) ?? []), value])
      collect(arrayOf(answer.item), values, depth + 1)
    }
    collect(arrayOf(item.item), values, depth + 1)
  }
}
