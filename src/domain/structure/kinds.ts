import type { FieldType, QuestionKind } from './questionnaire.ts'

/** What a kind of question is made of: one line of the catalogue decides how it is checked, compiled and answered. */
export interface KindShape {
  /** `type` of its option objects (of its rows for a grid); null: it has none. */
  option: string | null
  /** How its response keys are stored; null: it takes no answer. */
  field: FieldType | null
  grid: boolean
  /** Authors have to give choices. */
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

/** Other words authors use for a kind; read as the kind and written back as it. */
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

/** Other words for an option's `type`, by the type they stand for. `drill-down` is the old long form of net-promoter. */
const optionSynonyms: Readonly<Record<string, readonly string[]>> = {
  string: ['text'],
  single: ['radio'],
  multiple: ['multi', 'checkbox'],
  dropdown: ['single'],
  datetime: ['date', 'time'],
  'net-promoter': ['drill-down'],
}

/** The kind an `idname` stands for; `unknown` for any other word, which is kept and shown as text. */
export function kindOf(idname: unknown): QuestionKind {
  if (typeof idname !== 'string') return 'unknown'
  const word = idname.trim().toLowerCase().replaceAll('_', '-')
  return Object.hasOwn(kinds, word) ? (word as QuestionKind) : (kindSynonyms.get(word) ?? 'unknown')
}

/** The shape of a kind, or nothing for the unknown one. */
export const shapeOf = (kind: QuestionKind): KindShape | undefined => (kind === 'unknown' ? undefined : kinds[kind])

/** Whether an option of this kind of question may be of this `type`. */
export const isOptionType = (shape: KindShape, type: string): boolean =>
  type === shape.option || (optionSynonyms[shape.option ?? '']?.includes(type) ?? false)
