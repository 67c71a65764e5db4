import { MAX_RULE_VALUE_CHARACTERS, MAX_RULE_VALUES, operators } from './check-condition.ts'
import { kinds } from './kinds.ts'
import { languageText, settingsFor, text } from './schema-parts.ts'

/** The subset of JSON Schema 2020-12 used to describe a structure. */
export interface Schema {
  description?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  if?: Schema
  then?: Schema
  $ref?: string
  $defs?: Readonly<Record<string, Schema>>
  examples?: readonly unknown[]
  additionalProperties?: Schema
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  [keyword: `$${string}`]: unknown
}

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` })

const language: Schema = {
  type: 'object',
  required: ['code'],
  properties: {
    code: { type: 'string', description: 'A language code such as en or pt-BR.' },
    name: { type: 'string', description: 'What the language calls itself.' },
    isDefault: { type: 'boolean', description: 'Exactly one language is the default one.' },
  },
  examples: [{ code: 'fr', name: 'Français', isDefault: false }],
}

const rule: Schema = {
  type: 'object',
  required: ['question', 'op'],
  properties: {
    question: { type: 'string', description: 'Id or identifier of an earlier question.' },
    op: { type: 'string', enum: operators, description: 'How its answer is compared with the value.' },
    value: {
      description: 'For a choice its position from 0; a text of at most 200 characters.',
      maxLength: MAX_RULE_VALUE_CHARACTERS,
      maxItems: MAX_RULE_VALUES,
      items: { maxLength: MAX_RULE_VALUE_CHARACTERS },
    },
  },
  examples: [{ question: '', op: 'eq', value: 0 }],
}

const condition: Schema = {
  type: 'object',
  description: 'Rules about earlier answers: all of them, or any of them, have to hold.',
  properties: {
    all: { type: 'array', items: { anyOf: [ref('rule'), ref('condition')] }, description: 'All of these.' },
    any: { type: 'array', items: { anyOf: [ref('rule'), ref('condition')] }, description: 'At least one of these.' },
    // A single rule can replace a condition.
    ...rule.properties,
  },
}

const skip: Schema = {
  type: 'object',
  required: ['to'],
  properties: {
    when: ref('condition'),
    to: {
      anyOf: [{ type: 'integer', minimum: 1 }, { enum: ['complete', 'terminate'] }],
      description: 'The number of a later page, or how the survey ends.',
    },
  },
  examples: [{ when: { all: [{ question: '', op: 'eq', value: 0 }] }, to: 'complete' }],
}

const page: Schema = {
  type: 'object',
  properties: {
    type: { const: 'page' },
    title: text('Stands above the questions of the page.'),
    description: text('Stands below the title of the page.'),
    children: { type: 'array', items: ref('question'), description: 'The questions.' },
    condition: ref('condition'),
    skip: {
      type: 'array',
      items: ref('skip'),
      description: 'Where the page leads to; the first one that holds counts.',
    },
    randomize: { type: 'boolean', description: 'Shows the questions in an order of its own to each respondent.' },
  },
  examples: [{ type: 'page', children: [] }],
}

const quota: Schema = {
  type: 'object',
  required: ['name', 'limit', 'action'],
  properties: {
    name: { type: 'string', description: 'No two quotas have the same.' },
    limit: { type: 'integer', minimum: 1, description: 'How many complete responses have a place in it.' },
    action: { enum: ['complete', 'terminate', 'close'], description: 'What becomes of the next one.' },
    when: ref('condition'),
    message: text('What whoever comes too late is told.'),
  },
  examples: [{ name: '', limit: 100, action: 'terminate' }],
}

const idnames = Object.keys(kinds) as (keyof typeof kinds)[]

const question: Schema = {
  type: 'object',
  required: ['idname'],
  properties: {
    type: { const: 'question' },
    idname: { type: 'string', examples: idnames, description: 'Of what type the question is.' },
    id: { type: 'string', description: 'Answers are stored by it: it stays as it is. Left out, it is made.' },
    identifier: {
      type: 'string',
      description: 'A name for conditions, texts and columns: a letter, then letters, digits and _.',
    },
    title: text(
      'What is asked. {{ id }} repeats an earlier answer, {{ id | default: "text" }} with a text where there is none.',
    ),
    description: text('Explains the question.'),
    condition: ref('condition'),
    width: {
      type: 'number',
      description: 'Percent of the line it takes where there is room: two of 50 stand beside each other.',
    },
  },
  allOf: idnames.map((idname) => ({
    if: { properties: { idname: { const: idname } }, required: ['idname'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: settingsFor(idname, kinds[idname]),
  })),
  examples: idnames.map((idname) => exampleOf(idname)),
}

/** Returns an example question of a type with empty texts. */
function exampleOf(idname: keyof typeof kinds): Record<string, unknown> {
  const { option, choices, grid } = kinds[idname]
  const offered = choices ? { choices: [{ label: '' }, { label: '' }] } : {}
  if (grid) return { idname, title: '', ...offered, children: [{ type: option, label: '' }] }
  return { idname, title: '', ...(option && { children: [{ type: option, ...offered }] }) }
}

/**
 * The JSON Schema of an authored structure, for completions and explanations in editors. It is looser than
 * `checkStructure`: every structure that the check accepts is valid.
 */
export const structureSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['title'],
  properties: {
    title: text('The title of the survey.'),
    description: text('Stands below the title on the first page.'),
    languages: { type: 'array', items: language, description: 'The languages in which the survey can be taken.' },
    form: {
      type: 'array',
      items: { anyOf: [ref('page'), ref('question')] },
      description: 'The pages, in their order.',
    },
    quotas: { type: 'array', items: quota, description: 'How many complete responses of some kind are wanted.' },
    firstPageTitleDescription: {
      type: 'boolean',
      description: 'true: title and description stand on the first page alone; false: on every page.',
    },
    languageDisplayStyle: {
      type: 'string',
      examples: ['dropdown', 'list'],
      description: 'Whether the languages are folded away or stand side by side.',
    },
    jumping: { type: 'boolean', description: 'Respondents may go to any page that they have reached.' },
  },
  $defs: { languageText, page, question, condition, rule, skip },
}
