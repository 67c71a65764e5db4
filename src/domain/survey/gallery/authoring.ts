/** An English text, of which german.json has the translation, or a text in all languages of the template. */
export type Text = string | Readonly<Record<string, string>>
type Members = Readonly<Record<string, unknown>>

/** Members that every question can have. */
interface Common {
  required?: boolean
  description?: Text
  condition?: Members
}

/**
 * Returns a text in seven languages. Templates that authors usually publish without changes have these languages; the
 * other templates are in English and German.
 */
export const t = (en: string, de: string, es: string, fr: string, it: string, nl: string, pt: string): Text => ({
  en,
  de,
  es,
  fr,
  it,
  nl,
  pt,
})

const question = (idname: string, id: string, title: Text, { description, condition }: Common, option?: Members) => ({
  idname,
  id,
  title,
  ...(description !== undefined && { description }),
  ...(condition && { condition }),
  children: option ? [option] : [],
})

const requiredOf = ({ required }: Common) => ({ ...(required && { required }) })
const choicesOf = (labels: readonly (Text | Members)[]) =>
  labels.map((label) => (typeof label === 'object' && 'label' in label ? label : { label }))

/** A choice that cannot be combined with others. */
export const exclusive = (label: Text) => ({ label, exclusive: true })
/** A choice with a text field. */
export const other = (label: Text = 'Other') => ({ label, other: true })

export const page = (title: Text | undefined, children: readonly unknown[], members: Members = {}) => ({
  type: 'page',
  ...(title !== undefined && { title }),
  ...members,
  children,
})

export const single = (id: string, title: Text, choices: readonly (Text | Members)[], common: Common = {}) =>
  question('single-choice', id, title, common, { choices: choicesOf(choices), ...requiredOf(common) })

export const dropdown = (id: string, title: Text, choices: readonly (Text | Members)[], common: Common = {}) =>
  question('dropdown-choice', id, title, common, { choices: choicesOf(choices), ...requiredOf(common) })

export const multiple = (
  id: string,
  title: Text,
  choices: readonly (Text | Members)[],
  common: Common & { maxSelected?: number; randomize?: boolean } = {},
) => {
  const { maxSelected, randomize } = common
  const settings = { ...(maxSelected && { maxSelected }), ...(randomize && { randomize }) }
  return question('multiple-choice', id, title, common, {
    choices: choicesOf(choices),
    ...settings,
    ...requiredOf(common),
  })
}

export const ranking = (id: string, title: Text, choices: readonly Text[], common: Common = {}) =>
  question('ranking', id, title, common, { choices: choicesOf(choices), ...requiredOf(common) })

/** A text field of one line. */
export const line = (id: string, title: Text, common: Common & { kind?: string } = {}) => {
  const validation = common.kind === undefined ? {} : { validation: { kind: common.kind } }
  return question('text-response', id, title, common, { ...validation, ...requiredOf(common) })
}

export const email = (id: string, title: Text, common: Common = {}) =>
  question('email', id, title, common, requiredOf(common))

/** A number question. Without `decimals`, only whole numbers are accepted. */
export const number = (
  id: string,
  title: Text,
  { min, max, decimals = 0, ...common }: Common & { min: number; max?: number; decimals?: number },
) =>
  question('number', id, title, common, {
    min,
    ...(max !== undefined && { max }),
    ...(decimals > 0 && { decimals }),
    ...requiredOf(common),
  })

/** A text field of several lines. */
export const paragraph = (id: string, title: Text, common: Common = {}) =>
  question('text-response', id, title, common, { lines: 4, validation: { maxLength: 2000 }, ...requiredOf(common) })

export const yesNo = (id: string, title: Text, common: Common = {}) =>
  question('boolean-choice', id, title, common, requiredOf(common))

export const date = (id: string, title: Text, common: Common = {}) =>
  question('datetime', id, title, common, { format: 'date', ...requiredOf(common) })

export const likelihood = (id: string, title: Text, common: Common = {}) =>
  question('net-promoter', id, title, common, {
    leftLabel: t(
      'Not at all likely',
      'Überhaupt nicht wahrscheinlich',
      'Nada probable',
      'Pas du tout probable',
      'Per niente probabile',
      'Zeer onwaarschijnlijk',
      'Nada provável',
    ),
    rightLabel: t(
      'Extremely likely',
      'Äußerst wahrscheinlich',
      'Muy probable',
      'Très probable',
      'Molto probabile',
      'Zeer waarschijnlijk',
      'Muito provável',
    ),
    ...requiredOf(common),
  })

/** A grid with one answer in each row. */
export const grid = (
  id: string,
  title: Text,
  columns: readonly Text[],
  rows: readonly Text[],
  common: Common = {},
) => ({
  ...question('single-choice-grid', id, title, common),
  choices: choicesOf(columns),
  children: rows.map((label) => ({ type: 'single', label, ...requiredOf(common) })),
})

/** A title and a text between questions. */
export const section = (id: string, title: Text, description?: Text) =>
  question('section-separator', id, title, description === undefined ? {} : { description })

/**
 * The condition that the answer to a question equals the given value. For a question with choices, the value is the
 * position of a choice, counted from 0.
 */
export const is = (id: string, value: number | boolean) => ({ all: [{ question: id, op: 'eq', value }] })
/** The condition that the answer is one of several choices, given by their positions. */
export const isOneOf = (id: string, values: readonly number[]) => ({
  any: values.map((value) => ({ question: id, op: 'eq', value })),
})
export const isBelow = (id: string, value: number) => ({ all: [{ question: id, op: 'lt', value }] })
