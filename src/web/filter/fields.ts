import { codedTarget, rankTarget } from '../../domain/response/filter/filter.ts'
import { hasAnonymousResponses } from '../../domain/response/filter/identity.ts'
import { answerFields } from '../../domain/structure/answered.ts'
import { codedChoices } from '../../domain/structure/choices.ts'
import {
  type MetaField,
  type MetaKey,
  metaFieldByKey,
  metaLabel,
  STATE_NAMES,
} from '../../domain/structure/meta-fields.ts'
import type { Field, LanguageText, Question, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { targetOf } from '../../domain/structure/target.ts'
import { renderPlaceholders, textIn } from '../../domain/structure/text.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { t } from '../i18n/t.ts'

/** A question, a row of a grid or a meta field that a condition can compare. */
export interface FilterField {
  name: string
  label: string
  of: 'question' | 'response'
  /** All possible values, if there is a fixed list of them. */
  values?: readonly { value: string; label: string; code?: string }[]
  input: 'text' | 'number' | 'date' | 'time' | 'datetime-local'
  /** Whether a condition can compare the value with `<` and `>`. */
  ordered: boolean
  /** Whether a condition can search for a part of the text. */
  searchable?: boolean
  /**
   * Whether a response can have several values. A condition is then met if one of these values equals the value of the
   * condition.
   */
  multiple?: boolean
  /** Whether a response can have no value. */
  optional: boolean
}

type Shape = Pick<FilterField, 'input' | 'ordered' | 'optional'>

const TEXT: Shape = { input: 'text', ordered: false, optional: true }
const ID: Shape = { input: 'number', ordered: false, optional: false }
const TIME: Shape = { input: 'date', ordered: true, optional: false }
const count = (optional: boolean): Shape => ({ input: 'number', ordered: true, optional })

/**
 * The meta fields in the list of fields of the filter form, in the order of the list. Status and collector are not
 * among them, because the form has separate inputs for them.
 */
const OFFERED: readonly MetaKey[] = [
  '_created_at',
  '_updated_at',
  '_response_number',
  '_key',
  '_language',
  '_completion_time',
  '_weighted_score',
  '_saves',
  '_pagepath',
  '_invite_name',
  '_invite_email',
  '_invite_code',
  '_username',
  '_ip_address',
  '_referrer',
  '_get_variables',
]

/** Returns every field that the filter form offers: the questions, then the meta fields. */
export function filterFields(snapshot: SurveySnapshot, context: TextContext): FilterField[] {
  const anonymous = hasAnonymousResponses(snapshot)
  return [
    ...snapshot.questionnaire.questions.flatMap((question) => [
      ...(question.rows.length > 0 ? wholeGrid(question, context) : []),
      ...question.fields.flatMap((field) => [questionField(field, context), ...rankFields(field, context)]),
    ]),
    ...OFFERED.map((key) => metaFieldByKey.get(key)!)
      .filter(({ personal }) => !(anonymous && personal))
      .map((field) => metaField(snapshot, field)),
  ]
}

/** Returns the field with a name. The name can also be the identifier of a question. */
export function findFilterField(snapshot: SurveySnapshot, name: string, context: TextContext): FilterField | undefined {
  const meta = metaFieldByKey.get(name)
  if (meta) return metaField(snapshot, meta)
  const { field, question, choice } = targetOf(snapshot.questionnaire, name) ?? {}
  if (field && choice === undefined) return questionField(field, context)
  const coded = codedTarget(snapshot.questionnaire, name)
  const [first] = coded?.field ? [coded.field] : coded?.question ? answerFields(coded.question) : []
  if (coded && first) return codedField(name, first, coded.question, context)
  const ranked = rankTarget(snapshot.questionnaire, name)
  if (ranked) return rankFields(ranked.field, context)[ranked.choice]
  const [grid] = question ? wholeGrid(question, context) : []
  return grid && { ...grid, name }
}

function metaField({ collectors }: SurveySnapshot, field: MetaField): FilterField {
  const { key, type, personal = false, optional = personal } = field
  const identity = { name: key, label: t(metaLabel(key)), of: 'response' as const }
  switch (type) {
    case 'state':
      return {
        ...identity,
        ...ID,
        values: STATE_NAMES.map((state, value) => ({ value: String(value), label: t(state) })),
      }
    case 'collector':
      return {
        ...identity,
        ...ID,
        values: [...collectors.values()].map(({ id, name }) => ({ value: String(id), label: name })),
      }
    case 'time':
      return { ...identity, ...TIME }
    case 'text':
    case 'key':
      return { ...identity, ...TEXT, optional }
    default:
      return { ...identity, ...count(optional) }
  }
}

/**
 * Returns the label of a part of an answer. Without a part, returns the label of the text that respondents type for an
 * “other” choice.
 */
function partText(part: Field['part']): string {
  switch (part) {
    case 'text':
      return t('agreed text')
    case 'version':
      return t('version of the text')
    case 'image':
      return t('image')
    default:
      return t('other')
  }
}

function questionField(field: Field, context: TextContext): FilterField {
  const title = titleOf(field.question, context)
  const row = field.row && (plainText(field.row.label, context) || String(field.row.index + 1))
  const label =
    field.part || field.type === 'other' ? `${title}, ${partText(field.part)}` : row ? `${title} ${row}` : title
  const values = field.choices.map((choice) => ({
    value: field.type === 'boolean' ? String(choice.index === 0) : String(choice.index),
    label: plainText(choice.label, context) || String(choice.index),
    ...(choice.code !== undefined && { code: choice.code.trim() }),
  }))
  const identity = { name: field.key, label, of: 'question' as const }
  switch (field.type) {
    case 'single':
    case 'boolean':
      return { ...identity, ...TEXT, values }
    case 'multi':
    case 'ranking':
      return { ...identity, ...TEXT, values, multiple: true }
    case 'number':
    case 'decimal':
      return { ...identity, ...count(true) }
    case 'datetime':
      return { ...identity, input: dateInput(field), ordered: true, optional: true }
    default:
      return { ...identity, ...TEXT, ordered: true, searchable: true }
  }
}

/** Returns the field that compares all rows of a grid: a condition is met if it is met by one of them. */
function wholeGrid(question: Question, context: TextContext): FilterField[] {
  const [row] = answerFields(question)
  if (!row) return []
  const label = t('{title}: any row', { title: titleOf(question, context) })
  return [{ ...questionField(row, context), name: question.id, label, multiple: row.choices.length > 0 }]
}

/** Returns the field that compares the rank of each choice of a ranking. */
const rankFields = ({ type, key, choices, question }: Field, context: TextContext): FilterField[] =>
  type !== 'ranking'
    ? []
    : choices.map((choice) => ({
        name: `${key}\\${choice.index}`,
        label: t('{title}: rank of {choice}', {
          title: titleOf(question, context),
          choice: plainText(choice.label, context) || String(choice.index + 1),
        }),
        of: 'question',
        ...count(true),
      }))

/** Returns the field of a name such as `q1\code`, whose values are the codes of choices. */
function codedField(name: string, field: Field, grid: Question | undefined, context: TextContext): FilterField {
  const { label, multiple = false } = questionField(field, context)
  const values = codedChoices(field).map((choice) => ({
    value: choice.code.trim(),
    label: plainText(choice.label, context) || choice.code,
  }))
  return {
    name,
    label: grid ? t('{title}: any row', { title: titleOf(grid, context) }) : label,
    of: 'question',
    ...TEXT,
    values,
    multiple,
  }
}

const dateInput = ({ question: { format } }: Field): FilterField['input'] =>
  format === 'date' || format === 'time' ? format : 'datetime-local'

/** The survey and the language in which its titles, labels and answers are shown. */
export interface TextContext {
  q: Questionnaire
  language: string
}

/** @param requested a language code; if it is absent or unknown, the survey's default language is used */
export const textContextOf = (q: Questionnaire, requested: string | undefined): TextContext => ({
  q,
  language: q.languages.find(({ code }) => code === requested)?.code ?? q.defaultLanguage,
})

/** Returns a text of the survey. Each placeholder is replaced with the title of its question in angle quotes. */
export const plainText = (text: LanguageText, context: TextContext): string =>
  renderPlaceholders(textIn(text, context.language, context.q), context).trim()

/** Returns the title of a question, or its ID if it has no title. */
export const titleOf = (question: Question, context: TextContext): string =>
  plainText(question.title, context) || question.id
