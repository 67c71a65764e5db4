/**
 * The compiled, deep-frozen model of one version of a survey: what taking, checking, exporting and reporting read.
 * Built once per version by `compile`; nothing here is worked out again per request.
 */

/** Language code -> text. */
export type LanguageText = Readonly<Record<string, string>>

export type QuestionKind =
  | 'section-separator'
  | 'text-response'
  | 'single-choice'
  | 'multiple-choice'
  | 'dropdown-choice'
  | 'boolean-choice'
  | 'datetime'
  | 'hidden-field'
  | 'ranking'
  | 'single-choice-grid'
  | 'text-response-grid'
  | 'dropdown-grid'
  | 'net-promoter'
  | 'unknown'

export type FieldType =
  | 'string'
  | 'single'
  | 'multi'
  | 'boolean'
  | 'datetime'
  | 'hidden'
  | 'ranking'
  | 'number'
  | 'other'

/** `index` is what an answer names the choice by: its position from 0 (net-promoter: the value 0 to 10). */
export interface Choice {
  index: number
  /** The stable number that answers are stored by (stored.ts). */
  uid: number
  label: LanguageText
  score: number
  other: boolean
  exclusive: boolean
}

/** One row of a grid; row n is answered under `<question id>_<n>`, n from 0. */
export interface Row {
  index: number
  /** The stable number that answers are stored by. */
  uid: number
  label: LanguageText
  required: boolean
}

/** A choice that is no longer offered, with its last label. */
export interface RemovedChoice {
  uid: number
  label: LanguageText
}

/** One response key: what an answer is given under. */
export interface Field {
  key: string
  /** What it is stored under: the row of a grid by its stable number. */
  storedKey: string
  question: Question
  row?: Row
  type: FieldType
  required: boolean
  choices: readonly Choice[]
  removed: readonly RemovedChoice[]
  /** Whether positions and stable numbers of choices differ, or choices were removed: answers are translated (stored.ts). */
  moved: boolean
}

export type ValidationKind = 'email' | 'integer' | 'number' | 'url' | 'phone' | 'letters'

/** What a text has to be; `min` and `max` bound the number written, the lengths count characters. */
export interface Validation {
  kind?: ValidationKind
  min?: number
  max?: number
  minLength?: number
  maxLength?: number
  message?: LanguageText
}

export type RuleOperator = 'eq' | 'ne' | 'lt' | 'gt' | 'contains' | 'answered' | 'unanswered'

/** `question` is a question id, an identifier or a response key such as `grid_0`. */
export type Rule = { question: string; op: RuleOperator; value?: unknown }

export type Condition = { all: readonly (Condition | Rule)[] } | { any: readonly (Condition | Rule)[] }

export interface Question {
  id: string
  identifier?: string
  kind: QuestionKind
  /** As written in the structure; differs from `kind` when the kind is unknown. */
  idname: string
  title: LanguageText
  description: LanguageText
  /** From 1. */
  page: number
  /** Percent of the line that the question takes where there is room; as far as the author says less than all of it. */
  width?: number
  /** JSON pointer of the question in the normalised structure. */
  pointer: string
  required: boolean
  randomize: boolean
  choices: readonly Choice[]
  rows: readonly Row[]
  validation?: Validation
  /** How many lines a text is written in; 1 unless its author says otherwise. */
  lines?: number
  minSelected?: number
  maxSelected?: number
  format?: 'datetime' | 'date' | 'time'
  default?: string
  leftLabel?: LanguageText
  rightLabel?: LanguageText
  condition?: Condition
  fields: readonly Field[]
}

/** Where a page leads to: a page from 1, or the end. */
export interface Skip {
  when?: Condition
  to: number | 'complete' | 'terminate'
}

export interface Page {
  /** From 1. */
  number: number
  title: LanguageText
  description: LanguageText
  questions: readonly Question[]
  condition?: Condition
  skips: readonly Skip[]
  randomize: boolean
}

export interface Quota {
  name: string
  when?: Condition
  limit: number
  action: 'complete' | 'terminate' | 'close'
  message?: LanguageText
}

export interface Language {
  code: string
  name: string
  isDefault: boolean
}

/** One stored value: text, a choice index or number, a boolean, or indices (chosen, or in order of preference). */
export type Answer = string | number | boolean | readonly number[]

/** By response key, as stored. */
export type Answers = Readonly<Record<string, Answer>>

/** The display settings of a structure (docs/specification.md 6.1). */
export interface Display {
  /** Title and description on the first page alone, or on every page; not said: the title on all, the description on the first. */
  head?: 'first page' | 'every page'
  /** Languages folded away, or side by side; not said: folded where they are many. */
  languages?: 'dropdown' | 'list'
  /** Respondents may go to any page that they have reached. */
  jumping: boolean
}

export interface Questionnaire {
  title: LanguageText
  description: LanguageText
  display: Display
  languages: readonly Language[]
  defaultLanguage: string
  pages: readonly Page[]
  questions: readonly Question[]
  /** In structure order; the key of an 'other' text comes right after its question's key. */
  fields: readonly Field[]
  quotas: readonly Quota[]
  byId: ReadonlyMap<string, Question>
  byIdentifier: ReadonlyMap<string, Question>
  byKey: ReadonlyMap<string, Field>
  byStoredKey: ReadonlyMap<string, Field>
  /** Whether stored answers differ from answers at all: false where no choice and no row was ever moved or removed. */
  moved: boolean
}
