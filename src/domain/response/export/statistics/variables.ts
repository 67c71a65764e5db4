import { plainNumber } from '../../../../lib/strings.ts'
import { stripTags } from '../../../../lib/tags.ts'
import { typeOf as questionTypeOf } from '../../../../questions/index.ts'
import { type CodedChoice, codedChoices, hasNumericCodes } from '../../../structure/choices.ts'
import { isRandomId } from '../../../structure/edit/edit-question.ts'
import { partWord } from '../../../structure/language-text.ts'
import {
  type MetaType,
  metaFields,
  metaLabel,
  STATE_LABELS,
  type VariableMeta,
  WEIGHT_FIELD,
} from '../../../structure/meta-fields.ts'
import { isNumericText } from '../../../structure/number.ts'
import type { QuestionNumbers } from '../../../structure/numbering.ts'
import type { Field, LanguageText, Question, Questionnaire } from '../../../structure/questionnaire.ts'
import { renderPlaceholders, textIn } from '../../../structure/text.ts'
import type { ExportOptions } from '../columns.ts'
import { selectedFields } from '../columns.ts'

/** What the cells of a variable contain. A time has the notation of ISO 8601. */
export type VariableType = 'number' | 'text' | 'date' | 'time' | 'datetime'
/** The level of measurement, as SPSS names it. */
type Measure = 'nominal' | 'ordinal' | 'scale'

/** The label of a value. */
export interface ValueLabel {
  value: string
  label: string
}

/** A column of a file for statistics programs. */
export interface Variable {
  name: string
  label: string
  type: VariableType
  measure: Measure
  values: readonly ValueLabel[]
  /** What an empty cell means. */
  missing: 'not asked' | 'no answer'
  /** The label of the question whose choice this variable is, if respondents can tick several. */
  set?: string
  source: { meta: VariableMeta } | { field: Field; choice?: CodedChoice }
}

/** The options of an export that decide which variables it has, and their labels. */
export type VariableOptions = Pick<
  ExportOptions,
  'include' | 'language' | 'withKey' | 'withNumber' | 'withWeight' | 'withCategories' | 'timeZone' | 'words'
>

/** Whether the cells of a variable are 1 for what the respondent ticked, and 0 for what was asked and not ticked. */
export const isTick = ({ type, question }: Field): boolean =>
  type === 'multi' || questionTypeOf(question.kind)?.onlyYes === true

/** Whether a variable has the values 0 and 1: a tick, or whether an answer is in a category. */
export const isBinary = ({ missing, source }: Variable): boolean =>
  missing === 'not asked' || ('field' in source && source.field.category !== undefined)

/** The metadata of a file for statistics programs: that of every export, and the pages that the respondent has seen. */
const variableMeta = ({ withKey, withNumber, withWeight }: VariableOptions): VariableMeta[] => [
  ...metaFields.filter(
    ({ key, exported }) =>
      exported || key === '_pagepath' || (withKey && key === '_key') || (withNumber && key === '_response_number'),
  ),
  ...(withWeight ? [WEIGHT_FIELD] : []),
]

const META_TYPES: Readonly<Record<MetaType, [VariableType, Measure]>> = {
  state: ['number', 'nominal'],
  integer: ['number', 'scale'],
  float: ['number', 'scale'],
  collector: ['number', 'nominal'],
  time: ['datetime', 'scale'],
  text: ['text', 'nominal'],
  key: ['text', 'nominal'],
}

/**
 * Returns the variables of a survey: the metadata, then the questions in the order of the structure.
 * @throws {Problem} as `selectedFields`
 */
export function variablesOf(q: Questionnaire, numbers: QuestionNumbers, options: VariableOptions): Variable[] {
  const names = variableNames(q, numbers, options.withWeight)
  const { fields, language } = selectedFields(q, options)
  const ticks: readonly ValueLabel[] = [
    { value: '0', label: partWord('no', language) },
    { value: '1', label: partWord('yes', language) },
  ]
  const say = (text: LanguageText) => plainLabel(renderPlaceholders(textIn(text, language, q), { q, language }))
  const meta = variableMeta(options).map((field): Variable => {
    const [type, measure] = META_TYPES[field.type]
    const own = field.key === '_weight' ? field.label : metaLabel(field.key)
    const name = options.words?.label(own) ?? own
    const label = field.type === 'time' ? `${name} (${options.timeZone ?? 'UTC'})` : name
    const states = field.type === 'state' ? (options.words?.states ?? STATE_LABELS) : []
    const values = states.map((text, state) => ({ value: String(state), label: text }))
    return { name: names.meta(field.key), label, type, measure, values, missing: 'no answer', source: { meta: field } }
  })
  return [...meta, ...fields.flatMap(fieldVariables)]

  function fieldVariables(field: Field): Variable[] {
    const label = joined(say(field.question.title), partLabel(field.category?.of ?? field))
    if (field.category) {
      const { name } = field.category
      const content = { type: 'number', measure: 'nominal', values: ticks, missing: 'no answer', set: label } as const
      return [{ name: names.answer(field), label: joined(label, say(name)), ...content, source: { field } }]
    }
    if (field.type !== 'multi' && field.type !== 'ranking')
      return [{ name: names.answer(field), label, ...contentOf(field), source: { field } }]
    const isRanking = field.type === 'ranking'
    return codedChoices(field).map((choice) => ({
      name: names.answer(field, choice.uid),
      label: joined(label, choiceLabel(choice)),
      type: 'number',
      measure: isRanking ? 'ordinal' : 'nominal',
      values: isRanking ? [] : ticks,
      missing: isRanking ? 'no answer' : 'not asked',
      ...(!isRanking && { set: label }),
      source: { field, choice },
    }))
  }

  function partLabel({ row, part, type, question }: Field): string {
    if (row) return say(row.label)
    if (part) return partWord(part, language)
    const other = type === 'other' ? question.choices.find((choice) => choice.other) : undefined
    return type === 'other'
      ? `${(other && say(other.label)) || partWord('other', language)} (${partWord('text', language)})`
      : ''
  }

  function contentOf(field: Field): Pick<Variable, 'type' | 'measure' | 'values' | 'missing'> {
    if (isTick(field) && !field.part) return { type: 'number', measure: 'nominal', values: ticks, missing: 'not asked' }
    if (field.choices.length > 0) {
      const values = codedChoices(field).map((choice) => ({ value: choice.code, label: choiceLabel(choice) }))
      const isNumber = field.type === 'number'
      return {
        type: hasNumericCodes(field) ? 'number' : 'text',
        measure: isNumber ? 'scale' : 'nominal',
        // A number needs no label that only repeats it.
        values: values.filter(({ value, label }) => !isNumber || label !== value),
        missing: 'no answer',
      }
    }
    const type = typeOf(field)
    const values = besideLimits(field.question)
    return { type, measure: type === 'text' ? 'nominal' : 'scale', values, missing: 'no answer' }
  }

  function choiceLabel({ label, code, removed }: { label: LanguageText; code: string; removed: boolean }): string {
    const text = say(label) || code
    return removed && !/^\d+$/.test(text) ? `${text} (${partWord('removed', language)})` : text
  }
}

/** Returns the numbers that a question accepts outside of its limits, with the limit that they exceed as their label. */
const besideLimits = ({ min, max, also = [] }: Question): ValueLabel[] =>
  also.flatMap((number) => {
    const label = max !== undefined && number > max ? `> ${max}` : min !== undefined && number < min ? `< ${min}` : ''
    return label === '' ? [] : [{ value: plainNumber(number), label }]
  })

function typeOf(field: Field): VariableType {
  const { type, question } = field
  if (type === 'decimal' || isNumericText(field)) return 'number'
  return type === 'datetime' ? (question.format ?? 'datetime') : 'text'
}

/** Returns a text without HTML tags and line breaks. */
export const plainLabel = (text: string): string => stripTags(text).replace(/\s+/g, ' ').trim()

const joined = (text: string, part: string): string => [text, part].filter(Boolean).join(' - ')

/** Returns the ID of the question of a variable, and the name of its column in other exports. */
export function sourceOf({ source }: Variable): { question: string; column: string } {
  if ('meta' in source) return { question: '', column: source.meta.key }
  const { field, choice } = source
  const { id } = field.question
  if (!choice) return { question: id, column: field.key }
  return { question: id, column: `${field.key}\\${choice.removed ? 'removed' : choice.index}` }
}

/** The names of variables: legal in SPSS, Stata and R, and different if upper and lower case are equal. */
interface VariableNames {
  meta(key: VariableMeta['key']): string
  /** @param uid the stable number of the choice of the column; absent: the column contains the whole answer */
  answer(field: Field, uid?: number): string
}

/** Stata has the shortest names; SPSS allows 64 bytes, R 10,000. */
const MAX_NAME_CHARACTERS = 32

/** Words that are no names: of SPSS, of Stata and of R, in lower case. */
const RESERVED = new Set(
  [
    'all and by eq ge gt le lt ne not or to with',
    'byte double float if in int long str strl using aggregate array boolean break char class colvector complex const',
    'continue default delegate delete do else enum end export external for friend function global goto inline local',
    'matrix mata namespace new null numeric operator orgtypedef pointer polymorphic pragma private protected public',
    'quad real return rowvector scalar short signed static string struct super switch template this throw transmorphic',
    'try typedef typename union unsigned vector version virtual void volatile while',
    'repeat next true false inf nan na',
  ].flatMap((words) => words.split(' ')),
)

/** Reports whether a text is a legal name of a variable. Stata reserves `str1`, `str2` and so on. */
const isLegal = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(name) &&
  !name.endsWith('_') &&
  name.length <= MAX_NAME_CHARACTERS &&
  !RESERVED.has(name.toLowerCase()) &&
  !/^str\d+$/i.test(name)

/**
 * Names all variables of a survey. The name of a question is its identifier; without one, the ID that its author chose;
 * otherwise, or if that is no legal name, `q` and the number of the question, which never changes (question-numbers.ts).
 * A part of an answer adds its name to the name of the question: the stable number of a choice or row from 1 (`q1_3`),
 * `other`, or the part of a consent or signature. So no name changes if questions, rows or choices move or are removed.
 */
export function variableNames(q: Questionnaire, numbers: QuestionNumbers, withWeight = false): VariableNames {
  const taken = new Set([...metaFields, ...(withWeight ? [WEIGHT_FIELD] : [])].map(({ key }) => metaName(key)))
  /** Takes the first name that is free. */
  const take = (candidates: Iterable<string>): string => {
    for (const name of candidates) {
      if (taken.has(name.toLowerCase())) continue
      taken.add(name.toLowerCase())
      return name
    }
    throw new Error('there is no end to the names')
  }
  const bases = new Map<Question, string>()
  const named = [...q.questions].filter(({ fields }) => fields.length > 0)
  named.sort((a, b) => (numbers[a.id] ?? 0) - (numbers[b.id] ?? 0))
  for (const question of named) {
    const name = chosenName(question)
    if (name !== undefined && !taken.has(name.toLowerCase())) bases.set(question, take([name]))
  }
  for (const question of named)
    if (!bases.has(question)) bases.set(question, take(numberedNames(numbers[question.id] ?? 0)))

  const names = new Map<Field, Map<number | undefined, string>>()
  for (const question of named)
    for (const field of question.fields) {
      const base = bases.get(question)!
      const uids = field.type === 'multi' || field.type === 'ranking' ? uidsOf(field) : [undefined]
      names.set(field, new Map(uids.map((uid) => [uid, nameOf(base, suffixes(field, uid))])))
    }

  function nameOf(base: string, parts: readonly string[]): string {
    return parts.length === 0 ? base : take(joinedNames(base, parts.join('_')))
  }
  for (const field of q.fields)
    if (field.category) {
      const parts = [...suffixes(field.category.of, undefined), 'cat', String(field.category.id)]
      names.set(field, new Map([[undefined, nameOf(bases.get(field.question)!, parts)]]))
    }
  return {
    meta: metaName,
    answer: (field, uid) => names.get(field)!.get(uid)!,
  }
}

/** Returns the name of a metadata column: `response_id` for `_id`. */
const metaName = (key: VariableMeta['key']): string => `response${key.replace(/^_response/, '')}`

function chosenName({ id, identifier }: Question): string | undefined {
  if (identifier !== undefined && isLegal(identifier)) return identifier
  return isLegal(id) && !isRandomId(id) ? id : undefined
}

function* numberedNames(number: number): Generator<string> {
  yield `q${number}`
  yield `question${number}`
  for (let count = 2; ; count += 1) yield `question${number}_${count}`
}

const uidsOf = ({ choices, removed }: Field): number[] => [...choices, ...removed].map(({ uid }) => uid)

const suffixes = ({ row, part, type }: Field, uid: number | undefined): string[] => [
  ...(row ? [String(row.uid + 1)] : []),
  ...(part ? [part] : type === 'other' ? ['other'] : []),
  ...(uid === undefined ? [] : [String(uid + 1)]),
]

function* joinedNames(base: string, suffix: string): Generator<string> {
  const join = (end: string) => `${base.slice(0, MAX_NAME_CHARACTERS - end.length)}${end}`
  yield join(`_${suffix}`)
  for (let count = 1; ; count += 1) yield join(`_c${count === 1 ? '' : count}_${suffix}`)
}
