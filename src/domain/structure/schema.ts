import type { Settings } from '../../questions/index.ts'
import { operators } from './check-condition.ts'
import { type MembersOf, ref, type Schema, schema, schemas, text, type ValueOf } from './json-schema.ts'
import type { LanguageText } from './questionnaire.ts'
import { type commonMembers, questionSchemas } from './schema-parts.ts'
import type { SettingTypes, StructureChoice } from './setting-schemas.ts'
import { MAX_CODE_CHARACTERS } from './walk.ts'

const plainValues = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] as const

const language = schema({
  type: 'object',
  description: 'A language of a survey.',
  required: ['code'],
  properties: {
    code: { type: 'string', description: 'A language code such as en or pt-BR.' },
    name: { type: 'string', description: 'Name of the language in that language.' },
    isDefault: { type: 'boolean', description: 'Exactly one language must be the default.' },
  },
  examples: [{ code: 'fr', name: 'Français', isDefault: false }],
})

const codeText = schema({ type: 'string', maxLength: MAX_CODE_CHARACTERS })

const rule = schema({
  type: 'object',
  description: 'A comparison of an earlier answer with a value.',
  required: ['question', 'op'],
  properties: {
    question: { type: 'string', description: 'ID or identifier of an earlier question.' },
    op: { type: 'string', enum: operators, description: 'How the answer is compared with the value.' },
    value: {
      anyOf: [...plainValues, { type: 'array', items: { anyOf: plainValues } }],
      description:
        'For a choice, its position counted from 0, its code or its label; otherwise a text of at most 200 characters, a number or a boolean.',
    },
    code: {
      anyOf: [codeText, { type: 'array', items: codeText }],
      description:
        'In place of `value`: the code of the choice, as exports with codes contain it. Needed only for a code that is also the position or the label of another choice.',
      examples: ['yes'],
    },
    answer: {
      type: 'string',
      description:
        'In place of `value`: ID or identifier of another earlier question, with whose answer the answer is compared. Both must be numbers, dates, times, texts, or yes and no.',
      examples: ['price'],
    },
  },
  examples: [{ question: '', op: 'eq', value: 0 }],
})

/** Returns the schema of a condition that combines other conditions in the member `all` or `any`. */
const combination = (member: 'all' | 'any', description: string): Schema => ({
  type: 'object',
  description,
  required: [member],
  properties: { [member]: { type: 'array', items: ref('Condition'), description } },
})

const skip = schema({
  type: 'object',
  description: 'Where respondents go after a page.',
  required: ['to'],
  properties: {
    when: ref('Condition', 'The skip applies only if the condition is met.'),
    to: {
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', enum: ['complete', 'terminate'] },
      ],
      description: 'Number of a later page, or how the survey ends.',
    },
  },
  examples: [{ when: { all: [{ question: '', op: 'eq', value: 0 }] }, to: 'complete' }],
})

const MAX_BLOCK_CHARACTERS = 50

const page = schema({
  type: 'object',
  description: 'A page of questions.',
  properties: {
    type: { type: 'string', const: 'page', description: 'Always `page`.' },
    title: text('Title of the page, shown above its questions.'),
    description: text('Description of the page, shown below its title.'),
    children: { type: 'array', items: ref('StructureQuestion'), description: 'The questions of the page.' },
    condition: ref('Condition', 'Shows the page only if the condition is met.'),
    skip: {
      type: 'array',
      items: ref('Skip'),
      description: 'Where respondents go after this page. The first skip whose condition is met applies.',
    },
    randomize: { type: 'boolean', description: 'Shows the questions to each respondent in a different random order.' },
    randomBlock: {
      type: 'string',
      maxLength: MAX_BLOCK_CHARACTERS,
      description:
        'Name of a block of pages. Each respondent sees neighbouring pages with the same name in a different random order; `_pagepath` is the order seen.',
      examples: ['concepts'],
    },
    loop: {
      type: 'string',
      description:
        'ID or identifier of a question with several choices on an earlier page. The page is repeated for each choice that the respondent ticks, except exclusive ones; `{{ loop }}` in its texts is the label of the choice. Neighbouring pages with the same `loop` are repeated together. The answers to the question `rating` in the repetition for the choice with the `uid` 3 have the ID `rating__3`.',
      examples: ['brands'],
    },
  },
  examples: [{ type: 'page', children: [] }],
})

const quota = schema({
  type: 'object',
  description: 'A limit on the number of complete responses that match a condition.',
  required: ['name', 'limit', 'action'],
  properties: {
    name: { type: 'string', description: 'Unique name of the quota.' },
    limit: { type: 'integer', minimum: 1, description: 'Maximum number of complete responses.' },
    action: {
      type: 'string',
      enum: ['complete', 'terminate', 'close'],
      description: 'What happens to further responses once the quota is full.',
    },
    when: ref('Condition', 'Counts only the responses that meet the condition.'),
    message: text('Message shown to respondents once the quota is full.'),
  },
  examples: [{ name: '', limit: 100, action: 'terminate' }],
})

const members = schemas({
  title: text('The title of the survey.'),
  description: text('Description of the survey, shown below its title.'),
  languages: ref('StructureLanguages', 'Languages in which the survey is available.'),
  form: { type: 'array', items: ref('FormEntry'), description: 'The pages, in order.' },
  quotas: { type: 'array', items: ref('Quota'), description: 'Limits on the number of complete responses.' },
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
})

/**
 * The JSON Schema of an authored structure. The OpenAPI documents refer to its named schemas (`$defs`), and editors use
 * it for completions and tooltips. The schema is more lenient than `checkStructure`, with one exception: it rejects
 * members with the value null, which the check treats as absent.
 */
export const structureSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['title'],
  properties: members,
  $defs: {
    FormEntry: {
      description: 'A page, or a question outside a page. Consecutive questions outside a page form one page.',
      anyOf: [ref('StructurePage'), ref('StructureQuestion')],
    },
    StructurePage: page,
    ...questionSchemas,
    Condition: {
      description: 'A rule about an earlier answer, or several conditions combined with all (and) or any (or).',
      anyOf: [ref('Rule'), ref('AllConditions'), ref('AnyCondition')],
    },
    Rule: rule,
    AllConditions: combination('all', 'Conditions that must all be met.'),
    AnyCondition: combination('any', 'Conditions of which at least one must be met.'),
    Skip: skip,
    Quota: quota,
    StructureLanguages: {
      type: 'array',
      description: 'The languages of a survey.',
      items: ref('StructureLanguage'),
    },
    StructureLanguage: language,
  },
}

/** The types of the named schemas, in a structure in full form. */
interface StructureTypes extends SettingTypes {
  Condition: StructureCondition
  Skip: StructureSkip
  Quota: StructureQuota
  StructureLanguages: StructureLanguage[]
  StructureQuestion: StructureQuestion
  FormEntry: StructurePage
}

/** A rule of an author. */
export type StructureRule = ValueOf<typeof rule, StructureTypes>

/** A condition of an author. */
export type StructureCondition = { all: StructureCondition[] } | { any: StructureCondition[] } | StructureRule

/** A skip of a page. */
export type StructureSkip = ValueOf<typeof skip, StructureTypes>

/** A quota of a structure. */
export type StructureQuota = ValueOf<typeof quota, StructureTypes>

/** A language of a structure. */
export type StructureLanguage = Required<ValueOf<typeof language, StructureTypes>>

/** An option object of a question, or a row of a grid. Read settings by `settingOf`, which checks their types. */
export type StructureItem = StructureChoice & Settings & { type?: string }

/** A question in full form; `children` are its option objects, or the rows of a grid. */
export type StructureQuestion = MembersOf<typeof commonMembers, StructureTypes> &
  Settings & {
    type: string
    idname: string
    id: string
    children: StructureItem[]
  }

/** A page in full form. */
export type StructurePage = ValueOf<typeof page, StructureTypes> & { type: 'page'; children: StructureQuestion[] }

/** A structure in full form, as stored and returned: every text is a language object, unknown members are kept. */
export type Structure = MembersOf<typeof members, StructureTypes> & {
  title: LanguageText
  languages: StructureLanguage[]
  form: StructurePage[]
}
