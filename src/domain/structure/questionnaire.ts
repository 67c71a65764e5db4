import type { Expression } from './expression.ts'

/**
 * The compiled, deep-frozen model of one version of a survey. `compile` builds it once per version, and all requests
 * share it.
 */

/** A text in several languages: language code to text. */
export type LanguageText = Readonly<Record<string, string>>

export type FieldType =
  | 'string'
  | 'single'
  | 'multi'
  | 'boolean'
  | 'datetime'
  | 'hidden'
  | 'ranking'
  /** A choice that is a number, such as a rating. Its index is its value. */
  | 'number'
  /** Any number. */
  | 'decimal'
  /** Keys of uploaded files, separated by spaces. */
  | 'file'
  | 'other'

/** A group of file types that a question can accept. */
export type FileGroup = 'image' | 'pdf' | 'document' | 'spreadsheet' | 'text' | 'audio' | 'video' | 'archive'

/** A choice. Answers refer to its `index`: its position from 0, or its value for net-promoter and rating questions. */
export interface Choice {
  index: number
  /** The stable number used in stored answers (stored.ts). */
  uid: number
  /** The name that the author gave the choice. */
  code?: string
  label: LanguageText
  score: number
  other: boolean
  exclusive: boolean
  image?: ChoiceImage
  /** The share of a group; it then has no score. */
  weight?: number
}

/** A picture of a choice. */
export interface ChoiceImage {
  /** An https URL. */
  url: string
  /** Describes the picture for people who cannot see it. */
  alt: LanguageText
}

/** A row of a grid. Row n has the response key `<question id>_<n>`, n from 0. */
export interface Row {
  index: number
  /** The stable number used in stored answers. */
  uid: number
  /** The name that the author gave the row. */
  code?: string
  label: LanguageText
  required: boolean
}

/** A choice that is no longer offered, with its last label. */
export interface RemovedChoice {
  uid: number
  code?: string
  label: LanguageText
}

/** A text that is stored with a consent: the version or the text of the statement. */
export type ConsentPart = 'version' | 'text'

/** A part of an answer that has a separate key: a part of a consent, or the image of a signature. */
export type AnswerPart = ConsentPart | 'image'

/** A response key and the rules for its answers. */
export interface Field {
  key: string
  /** The key in stored answers. The stored key of a grid row contains the stable number of the row. */
  storedKey: string
  question: Question
  row?: Row
  /** The part of an answer in this field. Parts of a consent have the type `other` and are set by the service. */
  part?: AnswerPart
  /** The field says whether the answer in another field is in a category: 1 or 0. Only exports have such fields. */
  category?: { id: number; of: Field; name: LanguageText }
  type: FieldType
  required: boolean
  choices: readonly Choice[]
  removed: readonly RemovedChoice[]
  /** Whether the indices of choices can differ from their stable numbers: choices were moved or removed (stored.ts). */
  renumbered: boolean
}

export type ValidationKind = 'email' | 'integer' | 'number' | 'url' | 'phone' | 'letters'

/** The rule for a text answer. `min` and `max` are the limits of a number; the lengths are numbers of characters. */
export interface Validation {
  kind?: ValidationKind
  min?: number
  max?: number
  minLength?: number
  maxLength?: number
  message?: LanguageText
}

export type RuleOperator = 'eq' | 'ne' | 'lt' | 'gt' | 'contains' | 'not_contains' | 'answered' | 'unanswered'

/** A rule of a condition. `question` is a question id, an identifier or a response key such as `grid_0`. */
export type Rule = {
  question: string
  op: RuleOperator
  value?: unknown
  /** The code of a choice, in place of the value. */
  code?: unknown
  /** The name of another question, in place of the value: its answer is compared. */
  answer?: string
}

export type Condition = { all: readonly (Condition | Rule)[] } | { any: readonly (Condition | Rule)[] }

/** An earlier question whose answer filters the choices of a question. */
export interface ChoiceFilter {
  /** Id, identifier or response key of the earlier question. */
  question: string
  attribute: string
  /** The values of the attribute for each choice, in order; undefined for a choice that every answer matches. */
  values: readonly (readonly string[] | undefined)[]
}

/** A compiled question. */
export interface Question {
  id: string
  identifier?: string
  /** The type of the question (src/questions/); `unknown` for an `idname` of no type. */
  kind: string
  /** The first and the last day that a date question accepts (day-limit.ts). */
  earliest?: string
  latest?: string
  /** As in the structure; differs from `kind` if the kind is unknown. */
  idname: string
  title: LanguageText
  description: LanguageText
  /** Number of the page, counted from 1. */
  page: number
  /** Width in percent on wide screens; absent: full width. */
  width?: number
  /** JSON pointer of the question in the normalised structure. */
  pointer: string
  required: boolean
  randomize: boolean
  choices: readonly Choice[]
  /** Only the choices that all of these filters match are offered. */
  choiceFilter?: readonly ChoiceFilter[]
  rows: readonly Row[]
  validation?: Validation
  /** Number of lines of a text box; absent: 1. */
  lines?: number
  /** Whether respondents can select several images. */
  multiple?: boolean
  minSelected?: number
  maxSelected?: number
  format?: 'datetime' | 'date' | 'time'
  default?: string
  /** Limits of a number. */
  min?: number
  max?: number
  /** Numbers outside of the limits that are accepted as well. */
  also?: readonly number[]
  /** Distance between two values of a slider. */
  step?: number
  /** Maximum number of decimal places of a number. */
  decimals?: number
  /** Whether respondents can distribute less than the total of a constant sum, which is `max`. */
  partial?: boolean
  /** What a calculation computes. */
  expression?: Expression
  unit?: LanguageText
  /** The text of a consent, next to its checkbox. */
  statement?: LanguageText
  /** The version of the statement. */
  version?: string
  /** Maximum number of files, and maximum size of each in megabytes. */
  maxFiles?: number
  maxSize?: number
  /** The groups of file types that are accepted. */
  fileTypes?: readonly FileGroup[]
  /** Whether photos are uploaded as they are, and not made smaller by the browser. */
  keepOriginal?: boolean
  leftLabel?: LanguageText
  rightLabel?: LanguageText
  condition?: Condition
  fields: readonly Field[]
}

/** A skip from a page to a later page (whose number counts from 1) or to the end of the survey. */
export interface Skip {
  when?: Condition
  to: number | 'complete' | 'terminate'
}

export interface Page {
  /** Counted from 1. Repetitions of a page are counted one by one. */
  number: number
  /** The position of the page in the structure, from 0. Repetitions of a page have the same position. */
  at: number
  title: LanguageText
  description: LanguageText
  questions: readonly Question[]
  condition?: Condition
  skips: readonly Skip[]
  randomize: boolean
  /** Respondents see neighbouring pages with the same name in random order. */
  randomBlock?: string
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

/** An answer: a text, the index of a choice, a number, a boolean, or indices of choices (of a ranking: in order). */
export type Answer = string | number | boolean | readonly number[]

/** Answers by response key. */
export type Answers = Readonly<Record<string, Answer>>

/** The display settings of a structure (docs/specification.md 6.1). */
export interface Display {
  /** Pages that show the title and description; absent: the title on every page, the description on the first. */
  headingOn?: 'first page' | 'every page'
  /** How the languages are listed; absent: in a dropdown if there are many languages, otherwise in a list. */
  languages?: 'dropdown' | 'list'
  /** Whether respondents can jump to any page that they have reached. */
  jumping: boolean
}

/** A compiled survey version. */
export interface Questionnaire {
  title: LanguageText
  description: LanguageText
  display: Display
  languages: readonly Language[]
  defaultLanguage: string
  pages: readonly Page[]
  questions: readonly Question[]
  /** In the order of the structure. The key for the text of an “other” choice comes after the key of its question. */
  fields: readonly Field[]
  quotas: readonly Quota[]
  byId: ReadonlyMap<string, Question>
  byIdentifier: ReadonlyMap<string, Question>
  byKey: ReadonlyMap<string, Field>
  byStoredKey: ReadonlyMap<string, Field>
  /** Whether answers differ from stored answers (stored.ts). False if no choice or row was ever moved or removed. */
  renumbered: boolean
}
