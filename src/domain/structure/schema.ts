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
    name: { type: 'string', description: 'Name of the language in that language.' },
    isDefault: { type: 'boolean', description: 'Exactly one language must be the default.' },
  },
  examples: [{ code: 'fr', name: 'Français', isDefault: false }],
}

const rule: Schema = {
  type: 'object',
  required: ['question', 'op'],
  properties: {
    question: { type: 'string', description: 'ID or identifier of an earlier question.' },
    op: { type: 'string', enum: operators, description: 'How the answer is compared with the value.' },
    value: {
      description:
        'For a choice, its position counted from 0; otherwise a text of at most 200 characters, a number or a boolean.',
      maxLength: MAX_RULE_VALUE_CHARACTERS,
      maxItems: MAX_RULE_VALUES,
      items: { maxLength: MAX_RULE_VALUE_CHARACTERS },
    },
  },
  examples: [{ question: '', op: 'eq', value: 0 }],
}

const condition: Schema = {
  type: 'object',
  description: 'Rules about earlier answers, combined with all (and) or any (or).',
  properties: {
    all: { type: 'array', items: { anyOf: [ref('rule'), ref('condition')] }, description: 'Every rule must match.' },
    any: {
      type: 'array',
      items: { anyOf: [ref('rule'), ref('condition')] },
      description: 'At least one rule must match.',
    },
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
      description: 'Number of a later page, or how the survey ends.',
    },
  },
  examples: [{ when: { all: [{ question: '', op: 'eq', value: 0 }] }, to: 'complete' }],
}

const page: Schema = {
  type: 'object',
  properties: {
    type: { const: 'page' },
    title: text('Title of the page, shown above its questions.'),
    description: text('Description of the page, shown below its title.'),
    children: { type: 'array', items: ref('question'), description: 'The questions of the page.' },
    condition: ref('condition'),
    skip: {
      type: 'array',
      items: ref('skip'),
      description: 'Where respondents go after this page. The first skip whose condition is met applies.',
    },
    randomize: { type: 'boolean', description: 'Shows the questions to each respondent in a different random order.' },
  },
  examples: [{ type: 'page', children: [] }],
}

const quota: Schema = {
  type: 'object',
  required: ['name', 'limit', 'action'],
  properties: {
    name: { type: 'string', description: 'Unique name of the quota.' },
    limit: { type: 'integer', minimum: 1, description: 'Maximum number of complete responses.' },
    action: {
      enum: ['complete', 'terminate', 'close'],
      description: 'What happens to further responses once the quota is full.',
    },
    when: ref('condition'),
    message: text('Message shown to respondents once the quota is full.'),
  },
  examples: [{ name: '', limit: 100, action: 'terminate' }],
}

const idnames = Object.keys(kinds) as (keyof typeof kinds)[]

const question: Schema = {
  type: 'object',
  required: ['idname'],
  properties: {
    type: { const: 'question' },
    idname: { type: 'string', examples: idnames, description: 'Type of the question.' },
    id: { type: 'string', description: 'ID under which answers are stored. Do not change it. Generated if omitted.' },
    identifier: {
      type: 'string',
      description:
        'Name used in conditions, placeholders and export columns: a letter, then letters, digits and underscores.',
    },
    title: text(
      'Text of the question. {{ id }} inserts an earlier answer; {{ id | default: "text" }} inserts a text if there is none.',
    ),
    description: text('Description of the question, shown below its title.'),
    condition: ref('condition'),
    width: {
      type: 'number',
      description: 'Width in percent on wide screens. Two questions of 50 share a row.',
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
  const { optionType, choices, grid } = kinds[idname]
  const withChoices = choices ? { choices: [{ label: '' }, { label: '' }] } : {}
  if (grid) return { idname, title: '', ...withChoices, children: [{ type: optionType, label: '' }] }
  return { idname, title: '', ...(optionType && { children: [{ type: optionType, ...withChoices }] }) }
}

/**
 * The JSON Schema of an authored structure. Editors use it for completions and tooltips. It is looser than
 * `checkStructure`: every structure that the check accepts is valid.
 */
export const structureSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['title'],
  properties: {
    title: text('The title of the survey.'),
    description: text('Description of the survey, shown below its title.'),
    languages: { type: 'array', items: language, description: 'Languages in which the survey is available.' },
    form: {
      type: 'array',
      items: { anyOf: [ref('page'), ref('question')] },
      description: 'The pages, in order.',
    },
    quotas: {
      type: 'array',
      items: quota,
      description: 'Limits on the number of complete responses that match a condition.',
    },
    firstPageTitleDescription: {
      type: 'boolean',
      description: 'true: show the title and description only on the first page; false: show them on every page.',
    },
    languageDisplayStyle: {
      type: 'string',
      examples: ['dropdown', 'list'],
      description: 'Whether the languages are shown as a dropdown or a list.',
    },
    jumping: { type: 'boolean', description: 'Respondents can jump to any page that they have already reached.' },
  },
  $defs: { languageText, page, question, condition, rule, skip },
}
