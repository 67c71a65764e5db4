import type { Json } from '../../structure/walk.ts'
import type { Draft, Listed } from '../draft.ts'
import type { Subject } from '../logic.ts'
import type { Notes } from '../notes.ts'
import { type Binding, cell, type SourceChoice } from '../source.ts'
import type { XmlRow } from '../xml.ts'
import { addSubject, type LimeResponses, type Sections, textsOf } from './limesurvey-files.ts'

/** A survey of LimeSurvey that is being converted. */
export interface LimeSurvey {
  sections: Sections
  language: string
  sid: string
  notes: Notes
  draft: Draft
  responses: LimeResponses
  attributes: ReadonlyMap<string, readonly XmlRow[]>
  answers: ReadonlyMap<string, readonly XmlRow[]>
  subquestions: ReadonlyMap<string, readonly XmlRow[]>
  l10ns: Readonly<Record<'question' | 'answer' | 'group', ReadonlyMap<string, readonly XmlRow[]>>>
}

/** A question of LimeSurvey. */
export interface LimeQuestion {
  row: XmlRow
  qid: string
  gid: string
  code: string
  type: string
  title: Readonly<Record<string, string>>
  help: Readonly<Record<string, string>>
  condition: { condition?: Json }
}

/** A subquestion or an answer option. */
export interface LimePart extends Listed {
  id: string
}

/** Options with the values that LimeSurvey fixes for a type. */
const FIXED: Readonly<Record<string, readonly (readonly [value: string, label: string])[]>> = {
  G: [
    ['F', 'Female'],
    ['M', 'Male'],
  ],
  C: [
    ['Y', 'Yes'],
    ['N', 'No'],
    ['U', 'Uncertain'],
  ],
  E: [
    ['I', 'Increase'],
    ['S', 'Same'],
    ['D', 'Decrease'],
  ],
  A: Array.from({ length: 5 }, (_, index) => [String(index + 1), String(index + 1)] as const),
  B: Array.from({ length: 10 }, (_, index) => [String(index + 1), String(index + 1)] as const),
}

/** Reads the parts of a question of LimeSurvey, and makes the parts of a question of this service. */
export class LimeBuilder {
  readonly survey: LimeSurvey
  readonly question: LimeQuestion
  readonly attributes: ReadonlyMap<string, string>

  constructor(survey: LimeSurvey, question: LimeQuestion) {
    this.survey = survey
    this.question = question
    const rows = survey.attributes.get(question.qid) ?? []
    const own = rows.filter((row) => !row.get('language') || row.get('language') === survey.language)
    this.attributes = new Map(own.map((row) => [row.get('attribute') ?? '', row.get('value') ?? '']))
  }

  /** Returns the members that all questions have. Call it once. */
  common(rows = 0, suffix = ''): Json & { id: string } {
    const { code, title, help, condition } = this.question
    const { draft } = this.survey
    const description = Object.values(help).some((text) => text.trim() !== '') && draft.text(help, code)
    return {
      id: draft.id(`${code}${suffix}`, rows),
      title: draft.title(title, code),
      ...(description && { description }),
      ...condition,
    }
  }

  option(): Json {
    return { ...(this.question.row.get('mandatory') === 'Y' && { required: true }) }
  }

  /**
   * Returns the names of a column: in exports with the code of the question, in VV files, and in archives.
   * @param inBrackets what follows the code of the question, `part` what follows its number in archives
   */
  names(inBrackets: string, part: string, id?: string): string[] {
    const { code, qid, gid } = this.question
    const vv = part === '' ? code : `${code}_${part.replace(/^_/, '')}`
    const modern = id === undefined ? `Q${qid}${part === '' ? '' : `_C${part}`}` : `Q${qid}_S${id}`
    return [`${code}${inBrackets}`, vv, `${this.survey.sid}X${gid}X${qid}${part}`, modern]
  }

  /** Returns the name of the column in the responses, or its first name. */
  column(...names: string[]): string {
    return this.survey.responses.find(...names) ?? names[0]!
  }

  refer(names: readonly string[], subject: Subject): void {
    addSubject(this.survey.draft.subjects, names, subject)
  }

  /** Returns the subquestions of a scale. */
  parts(scale: number): LimePart[] {
    const { subquestions, l10ns, language } = this.survey
    const rows = (subquestions.get(this.question.qid) ?? []).filter((row) => Number(row.get('scale_id') ?? 0) === scale)
    const seen = Map.groupBy(rows, (row) => row.get('title') ?? '')
    return [...seen]
      .map(([value, same]) => {
        const [first = same[0]!] = same.filter((row) => (row.get('language') ?? language) === language)
        const qid = first.get('qid') ?? ''
        return {
          value,
          id: qid,
          order: Number(first.get('question_order')),
          label: textsOf(l10ns.question.get(qid) ?? same, 'question'),
        }
      })
      .sort((a, b) => a.order - b.order)
  }

  /** Returns the answer options of a scale. */
  options(scale: number): LimePart[] {
    const fixed = FIXED[this.question.type]
    if (fixed) return fixed.map(([value, label]) => ({ value, label, id: value }))
    const { answers, l10ns, language } = this.survey
    const rows = (answers.get(this.question.qid) ?? []).filter((row) => Number(row.get('scale_id') ?? 0) === scale)
    return [...Map.groupBy(rows, (row) => row.get('code') ?? '')]
      .map(([value, same]) => {
        const [first = same[0]!] = same.filter((row) => (row.get('language') ?? language) === language)
        const aid = first.get('aid')
        const score = Number(first.get('assessment_value') ?? 0)
        return {
          value,
          id: value,
          order: Number(first.get('sortorder')),
          label: textsOf((aid !== undefined && l10ns.answer.get(aid)) || same, 'answer'),
          ...(score !== 0 && { score }),
        }
      })
      .sort((a, b) => a.order - b.order)
  }

  /** Returns choices that exports can also write as labels. */
  choices(listed: readonly Listed[]) {
    const made = this.survey.draft.choices(listed, this.question.code)
    const byValue = new Map<string, SourceChoice>(made.byValue)
    for (const { label } of listed)
      for (const [value, choice] of made.byValue)
        if (typeof label === 'object' && choice.label !== '' && !byValue.has(choice.label))
          byValue.set(choice.label, made.byValue.get(value)!)
    return { ...made, byValue: withoutAmbiguous(byValue, made.byValue) }
  }

  value(key: string, names: readonly string[], convert?: Binding['convert']): Binding {
    const column = this.column(...names)
    return { key, column, kind: 'value', read: cell(column), ...(convert && { convert }) }
  }

  limits(): Json {
    const limit = (name: string) => {
      const text = this.attributes.get(name)?.trim() ?? ''
      if (text === '') return undefined
      if (Number.isFinite(Number(text))) return Number(text)
      this.survey.notes.add('validation_not_supported', { item: this.question.code, value: `${name}: ${text}` })
      return undefined
    }
    const [min, max] = [limit('min_num_value_n'), limit('max_num_value_n')]
    const unit = this.attributes.get('suffix') ?? ''
    return {
      decimals: this.attributes.get('num_value_int_only') === '1' ? 0 : 10,
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(unit !== '' && { unit: this.survey.draft.text(unit, this.question.code) }),
    }
  }

  numeric(key: string, names: readonly string[]): Binding {
    const column = this.column(...names)
    const read = cell(column)
    const number = (text: string) => (/^-?\d+,\d+$/.test(text.trim()) ? text.replace(',', '.') : text)
    return {
      key,
      column,
      kind: 'number',
      read: (response) => read(response).map((one) => ({ ...one, value: number(one.value) })),
      convert: (value) => (Number.isFinite(Number(value)) ? String(Number(value)) : value),
    }
  }
}

/** Returns labels that name one choice. */
function withoutAmbiguous(
  labels: Map<string, SourceChoice>,
  values: ReadonlyMap<string, SourceChoice>,
): Map<string, SourceChoice> {
  const seen = new Map<string, number>()
  for (const { label } of values.values()) seen.set(label, (seen.get(label) ?? 0) + 1)
  for (const [label, count] of seen) if (count > 1 && !values.has(label)) labels.delete(label)
  return labels
}
