import type { Json } from '../structure/walk.ts'
import type { Draft, Listed, SourceText } from './draft.ts'
import { conditionMember, type Subject } from './logic.ts'
import type { Binding, SourceChoice } from './source.ts'

/** The kinds of questions that most tools have. */
export type SimpleKind =
  | 'text'
  | 'long'
  | 'email'
  | 'url'
  | 'phone'
  | 'number'
  | 'date'
  | 'datetime'
  | 'time'
  | 'single'
  | 'dropdown'
  | 'multiple'
  | 'ranking'
  | 'yesno'
  | 'rating'
  | 'promoters'
  | 'grid'
  | 'multigrid'
  | 'textgrid'
  | 'hidden'
  | 'file'
  | 'section'

/** A question of another tool. */
export interface SimpleQuestion {
  name: string
  kind: SimpleKind
  title: SourceText
  description?: SourceText | undefined
  required?: boolean
  condition?: Json | undefined
  choices?: readonly Listed[]
  /** The rows of a grid, each with where its answers are. */
  rows?: readonly (Listed & { column: string; read: Binding['read'] })[]
  /** Where the answers are, with the column as the proof shows it. */
  column?: string
  read?: Binding['read']
  /** Where the text of an “other” choice is. */
  readOther?: Binding['read'] | undefined
  /** Further settings, such as limits. */
  settings?: Json
  /** The values of yes and no. */
  yesNo?: readonly [yes: readonly string[], no: readonly string[]]
  /** The number of stars of a rating. */
  steps?: number
  /** The names under which conditions refer to the question. */
  references?: readonly string[]
}

const IDNAMES: Readonly<Record<SimpleKind, string>> = {
  text: 'text-response',
  long: 'text-response',
  email: 'email',
  url: 'text-response',
  phone: 'text-response',
  number: 'number',
  date: 'datetime',
  datetime: 'datetime',
  time: 'datetime',
  single: 'single-choice',
  dropdown: 'dropdown-choice',
  multiple: 'multiple-choice',
  ranking: 'ranking',
  yesno: 'boolean-choice',
  rating: 'rating',
  promoters: 'net-promoter',
  grid: 'single-choice-grid',
  multigrid: 'multiple-choice-grid',
  textgrid: 'text-response-grid',
  hidden: 'hidden-field',
  file: 'file-upload',
  section: 'section-separator',
}

const SETTINGS: Partial<Record<SimpleKind, Json>> = {
  long: { lines: 5 },
  url: { validation: { kind: 'url' } },
  phone: { validation: { kind: 'phone' } },
  number: { decimals: 10 },
  date: { format: 'date' },
  datetime: { format: 'datetime' },
  time: { format: 'time' },
}

/** Adds a question with the bindings of its answers. @returns its ID */
export function addSimple(draft: Draft, question: SimpleQuestion): string {
  const { name, kind, rows = [], choices = [], column = name, read, references = [name] } = question
  const isGrid = kind === 'grid' || kind === 'multigrid' || kind === 'textgrid'
  const id = draft.id(name, isGrid ? rows.length : 0)
  const common = {
    id,
    idname: IDNAMES[kind],
    title: draft.title(question.title, name),
    ...(question.description && { description: draft.text(question.description, name) }),
    ...conditionMember(question.condition),
  }
  const required = question.required ? { required: true } : {}
  const settings = { ...SETTINGS[kind], ...question.settings, ...required }
  const refer = (subject: Subject) => {
    for (const reference of references) if (!draft.subjects.has(reference)) draft.subjects.set(reference, subject)
  }
  if (isGrid) {
    const made = draft.choices(choices, name)
    const children = draft.choices(rows, name).members
    const type = kind === 'grid' ? 'single' : kind === 'multigrid' ? 'multiple' : 'string'
    draft.add(
      {
        ...common,
        ...(kind !== 'textgrid' && { choices: made.members.map(({ other: _, ...member }) => member) }),
        children: children.map(({ label, code }) => ({ type, label, code, ...required })),
      },
      ...rows.map((row, index): Binding => {
        const subjectKind = kind === 'grid' ? 'choice' : kind === 'multigrid' ? 'choices' : 'value'
        const subject: Subject = { question: `${id}_${index}`, kind: subjectKind }
        draft.subjects.set(`${name}\0${row.value}`, kind === 'textgrid' ? subject : { ...subject, codes: made.codes })
        const base = { key: `${id}_${index}`, column: row.column, read: row.read }
        if (kind === 'textgrid') return { ...base, kind: 'value' }
        return { ...base, kind: kind === 'grid' ? 'choice' : 'choices', choices: withLabels(made.byValue) }
      }),
    )
    return id
  }
  const isList = kind === 'single' || kind === 'dropdown' || kind === 'multiple' || kind === 'ranking'
  if (isList) {
    const made = draft.choices(choices, name)
    refer({
      question: id,
      kind: kind === 'multiple' ? 'choices' : kind === 'ranking' ? 'value' : 'choice',
      ...(kind !== 'ranking' && { codes: made.codes }),
    })
    const bound = kind === 'multiple' ? 'choices' : kind === 'ranking' ? 'ranking' : 'choice'
    draft.add(
      { ...common, children: [{ ...settings, choices: made.members }] },
      ...(read ? [{ key: id, column, kind: bound, read, choices: withLabels(made.byValue) } as Binding] : []),
      ...(question.readOther
        ? [{ key: `${id}\\other`, column, kind: 'value' as const, read: question.readOther }]
        : []),
    )
    return id
  }
  refer({ question: id, kind: 'value' })
  const binding = read && bindingOf(question, id, column, read)
  if (kind === 'section') draft.add(common)
  else draft.add({ ...common, children: [settings] }, ...(binding ? [binding] : []))
  return id
}

function bindingOf(
  {
    kind,
    steps = 5,
    yesNo = [
      ['true', 'yes', '1'],
      ['false', 'no', '0'],
    ],
  }: SimpleQuestion,
  key: string,
  column: string,
  read: Binding['read'],
): Binding | undefined {
  const numbers = (from: number, to: number) =>
    new Map(
      Array.from({ length: to - from + 1 }, (_, at) => [
        String(from + at),
        { index: from + at, label: String(from + at) },
      ]),
    )
  switch (kind) {
    case 'yesno': {
      const choices = new Map<string, SourceChoice>()
      for (const [index, values] of yesNo.entries())
        for (const value of values) choices.set(value, { index, label: value })
      return { key, column, kind: 'choice', read, choices }
    }
    case 'rating':
      return { key, column, kind: 'choice', read, choices: numbers(1, steps) }
    case 'promoters':
      return { key, column, kind: 'choice', read, choices: numbers(0, 10) }
    case 'number':
      return { key, column, kind: 'number', read }
    case 'date':
    case 'datetime':
    case 'time':
      return { key, column, kind: 'value', read, convert: (value) => timeIn(value, kind) }
    case 'file':
      return undefined
    default:
      return { key, column, kind: 'value', read }
  }
}

/** Returns choices that responses name by value or by label. */
function withLabels(byValue: ReadonlyMap<string, SourceChoice>): Map<string, SourceChoice> {
  const all = new Map(byValue)
  for (const [label, [choice, another]] of Map.groupBy(byValue.values(), (one) => one.label))
    if (label !== '' && another === undefined && !all.has(label)) all.set(label, choice!)
  return all
}

/**
 * Returns a date or time in ISO 8601. `3/4/2026` can be two days, so it is not read; `31/12/2026` and `12/31/2026` are
 * clear.
 */
export function timeIn(text: string, kind: 'date' | 'datetime' | 'time'): string | undefined {
  const [, clock] = /(?:^|[T\s])(\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s*[AP]M)?)/i.exec(text) ?? []
  const time = clock === undefined ? undefined : clockIn(clock)
  if (kind === 'time') return time
  const day = dayIn(text.trim())
  if (day === undefined || kind === 'date') return day
  return `${day}T${time ?? '00:00'}`
}

function clockIn(text: string): string | undefined {
  const [, hours = '', rest = '', half] = /^(\d{1,2})(:\d{2}(?::\d{2})?)(?:\.\d+)?\s*([AP]M)?$/i.exec(text) ?? []
  const hour = half ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hours)
  return hour > 23 ? undefined : `${String(hour).padStart(2, '0')}${rest}`
}

function dayIn(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:\D|$)/.exec(text) ?? []
  if (year !== undefined) return iso(year, month!, day!)
  const [, first, second, last] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?:\D|$)/.exec(text) ?? []
  if (last === undefined) return undefined
  if (Number(first) > 12) return iso(last, second!, first!)
  return Number(second) > 12 || first === second ? iso(last, first!, second!) : undefined
}

const iso = (year: string, month: string, day: string): string =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
