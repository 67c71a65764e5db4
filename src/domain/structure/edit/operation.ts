import type { KnownKind } from '../../../questions/index.ts'
import type { Condition, Skip } from '../questionnaire.ts'
import type { StructureLanguage } from '../structure.ts'

/**
 * New translations of a text by language code. An empty text removes a translation. Translations into other languages
 * are kept.
 */
export type TextChange = Readonly<Record<string, string>>

/** A choice or row after a change. Members that are absent here are not changed. */
export interface ItemChange {
  /** The stable number of an existing choice or row; absent for a new one. */
  uid?: number
  label: TextChange
  /** null removes the score. */
  score?: number | null
  /** The share of a group; null removes it. */
  weight?: number | null
  other?: boolean
  exclusive?: boolean
  /** null removes the code. */
  code?: string | null
  /** The image of a choice; null removes it. */
  image?: { url: string; alt: TextChange } | null
}

/** A change of a question. Absent members are not changed. */
export interface QuestionChange {
  title?: TextChange
  description?: TextChange
  /** null removes the identifier. */
  identifier?: string | null
  condition?: Condition | null
  width?: number | null
  /** Settings such as `required`; null removes the setting. */
  settings?: Readonly<Record<string, unknown>>
  /** Members of `validation`; null removes the member. */
  validation?: Readonly<Record<string, unknown>> & { readonly message?: TextChange | null }
  /** All choices after the change, in order. */
  choices?: readonly ItemChange[]
  /** All rows of a grid after the change, in order. */
  rows?: readonly ItemChange[]
}

/** A question that filters the choices of another question. */
export interface FilterChange {
  question: string
  attribute: string
  /** The values of the attribute by the stable number of the choice; a choice without values is always offered. */
  values: ReadonlyMap<number, readonly string[]>
}

/** A change of a page. Absent members are not changed. */
export interface PageChange {
  title?: TextChange
  description?: TextChange
  randomize?: boolean
  /** '' for a fixed page. */
  randomBlock?: string
  /** The ID of the question for each of whose choices the page is repeated; '' for none. */
  loop?: string
  condition?: Condition | null
  skip?: readonly Skip[]
}

/** A change of the survey itself. Absent members are not changed. */
export interface SurveyChange {
  title?: TextChange
  description?: TextChange
  languages?: readonly Pick<StructureLanguage, 'code' | 'name' | 'isDefault'>[]
  /**
   * All quotas after the change. `was` is the previous position of an existing quota. Members that are absent here keep
   * their values.
   */
  quotas?: readonly (Readonly<Record<string, unknown>> & { was?: number })[]
}

/**
 * A small change of a structure. Pages are identified by their position, counted from 0. Questions are identified by
 * their ID.
 */
export type Operation =
  | { op: 'add_page'; at: number }
  | { op: 'edit_page'; page: number; change: PageChange }
  | { op: 'move_page'; page: number; to: number }
  | { op: 'delete_page'; page: number }
  | { op: 'add_question'; id: string; kind: KnownKind; page: number; at?: number; title?: TextChange }
  | { op: 'edit_question'; id: string; change: QuestionChange }
  /** Replaces the questions that filter the choices of a question. */
  | { op: 'filter_choices'; id: string; filters: readonly FilterChange[] }
  | { op: 'move_question'; id: string; page: number; at: number }
  /** Moves a question one position up (-1) or down (1). The question can move to the page before or after its page. */
  | { op: 'shift_question'; id: string; by: -1 | 1 }
  | { op: 'duplicate_question'; id: string; copy: string }
  | { op: 'delete_question'; id: string }
  | { op: 'edit_survey'; change: SurveyChange }
  /** Translates texts. `translations` contains the new texts by the names that `translatableTexts` returns. */
  | { op: 'translate'; code: string; translations: Readonly<Record<string, string>> }
