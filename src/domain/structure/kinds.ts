import type { AnswerPart, ConsentPart, FieldType, QuestionKind } from './questionnaire.ts'

/** Properties of a question kind. */
export interface KindShape {
  /** `type` of the option objects, or of the rows for a grid; null: questions of this kind have no option objects. */
  optionType: string | null
  /** Type of the stored answers; null: questions of this kind have no answer. */
  fieldType: FieldType | null
  grid: boolean
  /** Whether a question of this kind must have choices. */
  choices: boolean
}

const shape = (optionType: string | null, fieldType: FieldType | null, choices = false, grid = false): KindShape => ({
  optionType,
  fieldType,
  choices,
  grid,
})

export type KnownKind = Exclude<QuestionKind, 'unknown'>

/** The question types by `idname` (docs/specification.md 6.4). */
export const kinds: Readonly<Record<KnownKind, KindShape>> = {
  'section-separator': shape(null, null),
  'text-response': shape('string', 'string'),
  'single-choice': shape('single', 'single', true),
  'multiple-choice': shape('multiple', 'multi', true),
  'dropdown-choice': shape('dropdown', 'single', true),
  'boolean-choice': shape('boolean', 'boolean'),
  datetime: shape('datetime', 'datetime'),
  'hidden-field': shape('hidden', 'hidden'),
  ranking: shape('ranking', 'ranking', true),
  'single-choice-grid': shape('single', 'single', true, true),
  'text-response-grid': shape('string', 'string', false, true),
  'dropdown-grid': shape('dropdown', 'single', true, true),
  'net-promoter': shape('net-promoter', 'number'),
  number: shape('number', 'decimal'),
  email: shape('email', 'string'),
  rating: shape('rating', 'number'),
  slider: shape('slider', 'decimal'),
  calculation: shape('calculation', 'decimal'),
  consent: shape('consent', 'boolean'),
  'image-choice': shape('image', 'single', true),
  'multiple-choice-grid': shape('multiple', 'multi', true, true),
  'file-upload': shape('file', 'file'),
  signature: shape('signature', 'string'),
}

/**
 * The parts of a consent that are stored, in the order of their columns in exports. Their keys are `<id>\version` and
 * `<id>\text`.
 */
export const consentParts: readonly ConsentPart[] = ['version', 'text']

/**
 * Returns the parts of the answers of a kind that have a separate key, `<id>\<part>`, in the order of their columns in
 * exports.
 */
export const partsOf = (kind: QuestionKind): readonly AnswerPart[] =>
  kind === 'consent' ? consentParts : kind === 'signature' ? ['image'] : []

/** Synonyms of `idname` values. They are replaced when a structure is stored. */
const kindSynonyms = new Map<string, QuestionKind>([
  ['section', 'section-separator'],
  ['separator', 'section-separator'],
  ['text', 'text-response'],
  ['dropdown', 'dropdown-choice'],
  ['boolean', 'boolean-choice'],
  ['date-time', 'datetime'],
  ['hidden', 'hidden-field'],
  ['nps', 'net-promoter'],
])

/** Synonyms of option types, by type. `drill-down` is an old name of the option type `net-promoter`. */
const optionSynonyms: Readonly<Record<string, readonly string[]>> = {
  string: ['text'],
  single: ['radio'],
  multiple: ['multi', 'checkbox'],
  dropdown: ['single'],
  datetime: ['date', 'time'],
  'net-promoter': ['drill-down'],
}

/**
 * Returns the kind of an `idname`; `unknown` if there is no such kind. A question of an unknown kind is kept in the
 * structure, and respondents see only its title and description.
 */
export function kindOf(idname: unknown): QuestionKind {
  if (typeof idname !== 'string') return 'unknown'
  // Stored structures have no synonyms, and the service looks up the kind of a question many times.
  if (Object.hasOwn(kinds, idname)) return idname as QuestionKind
  const name = idname.trim().toLowerCase().replaceAll('_', '-')
  return Object.hasOwn(kinds, name) ? (name as QuestionKind) : (kindSynonyms.get(name) ?? 'unknown')
}

/**
 * Reports whether the service itself sets the answers to questions of a kind. Respondents neither see nor answer such
 * questions.
 */
export const isAutomatic = (kind: QuestionKind): boolean => kind === 'hidden-field' || kind === 'calculation'

/** Returns the shape of a kind; undefined for `unknown`. */
export const shapeOf = (kind: QuestionKind): KindShape | undefined => (kind === 'unknown' ? undefined : kinds[kind])

/**
 * Returns the values of `type` that options (or rows of a grid) of this kind of question may have. The usual value
 * comes first.
 */
export const optionTypes = ({ optionType }: KindShape): readonly string[] =>
  optionType === null ? [] : [optionType, ...(optionSynonyms[optionType] ?? [])]
