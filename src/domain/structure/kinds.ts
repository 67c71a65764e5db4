import type { FieldType, QuestionKind } from './questionnaire.ts'

/** The properties of a question kind for checking, compiling and answering. */
export interface KindShape {
  /** `type` of its option objects (of its rows for a grid); null: no option objects. */
  option: string | null
  /** Type of its stored answers; null: it takes no answer. */
  field: FieldType | null
  grid: boolean
  /** Choices are required. */
  choices: boolean
}

const shape = (option: string | null, field: FieldType | null, choices = false, grid = false): KindShape => ({
  option,
  field,
  choices,
  grid,
})

/** The question types by `idname` (docs/specification.md 6.4). */
export const kinds: Readonly<Record<Exclude<QuestionKind, 'unknown'>, KindShape>> = {
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
}

/** Synonyms of kinds. A structure with a synonym is stored with the name of the kind. */
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

/** Synonyms of option types, by type. `drill-down` is the old long form of net-promoter. */
const optionSynonyms: Readonly<Record<string, readonly string[]>> = {
  string: ['text'],
  single: ['radio'],
  multiple: ['multi', 'checkbox'],
  dropdown: ['single'],
  datetime: ['date', 'time'],
  'net-promoter': ['drill-down'],
}

/**
 * Returns the kind of an `idname`; `unknown` for any other value. A question of an unknown kind is kept and shown as
 * text.
 */
export function kindOf(idname: unknown): QuestionKind {
  if (typeof idname !== 'string') return 'unknown'
  const word = idname.trim().toLowerCase().replaceAll('_', '-')
  return Object.hasOwn(kinds, word) ? (word as QuestionKind) : (kindSynonyms.get(word) ?? 'unknown')
}

/** Returns the shape of a kind; undefined for `unknown`. */
export const shapeOf = (kind: QuestionKind): KindShape | undefined => (kind === 'unknown' ? undefined : kinds[kind])

/** Reports whether options of this kind of question may have this `type`. */
export const isOptionType = (shape: KindShape, type: string): boolean =>
  type === shape.option || (optionSynonyms[shape.option ?? '']?.includes(type) ?? false)
