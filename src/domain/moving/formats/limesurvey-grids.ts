import { joined, type Listed } from '../draft.ts'
import { type Binding, cell, ticks } from '../source.ts'
import { LimeBuilder, type LimePart } from './limesurvey-builder.ts'

/** Adds the questions of LimeSurvey that have subquestions in rows. */
export class LimeGridBuilder extends LimeBuilder {
  /** Adds a grid with one choice for each subquestion. */
  grid(
    options: readonly Listed[],
    suffix: string,
    part: (value: string, id: string) => readonly string[] = (value, id) => this.names(`[${value}]`, value, id),
  ) {
    const { code, type } = this.question
    const rows = this.parts(0)
    if (rows.length === 0 || options.length === 0)
      return this.survey.notes.add('type_not_supported', { item: code, value: type })
    const common = this.common(rows.length, suffix)
    const { members, byValue, codes } = this.choices(options)
    const children = this.survey.draft.choices(rows, code).members
    const bindings = rows.map(({ value, id }, index): Binding => {
      const names = part(value, id)
      this.refer(names, { question: `${common.id}_${index}`, kind: 'choice', codes })
      const column = this.column(...names)
      return { key: `${common.id}_${index}`, column, kind: 'choice', read: cell(column), choices: byValue }
    })
    this.survey.draft.add(
      {
        ...common,
        idname: 'single-choice-grid',
        choices: members,
        children: children.map(({ label, code: rowCode }) => ({
          type: 'single',
          label,
          code: rowCode,
          ...this.option(),
        })),
      },
      ...bindings,
    )
    return undefined
  }

  dualScale() {
    this.survey.notes.add('type_replaced', { item: this.question.code, value: this.question.type })
    for (const scale of [0, 1])
      this.grid(this.options(scale), scale === 0 ? '' : '_scale2', (value, id) => [
        `${this.question.code}[${value}][${scale + 1}]`,
        `${this.question.code}_${value}_${scale}`,
        `${this.survey.sid}X${this.question.gid}X${this.question.qid}${value}#${scale}`,
        `Q${this.question.qid}_S${id}#${scale}`,
      ])
  }

  /** Adds a grid of texts. */
  texts(parts: readonly (LimePart & { names: readonly string[] })[], suffix = '') {
    const { code, type } = this.question
    if (parts.length === 0) return this.survey.notes.add('type_not_supported', { item: code, value: type })
    const common = this.common(parts.length, suffix)
    const { members } = this.survey.draft.choices(parts, code)
    const bindings = parts.map(({ names }, index) => {
      this.refer(names, { question: `${common.id}_${index}`, kind: 'value' })
      return this.value(`${common.id}_${index}`, names)
    })
    this.survey.draft.add(
      {
        ...common,
        idname: 'text-response-grid',
        children: members.map(({ label, code: rowCode }) => ({ type: 'string', label, code: rowCode })),
      },
      ...bindings,
    )
    return undefined
  }

  /** Adds a number for each subquestion. */
  numbers() {
    const { code, title, type } = this.question
    const { draft, notes } = this.survey
    const parts = this.parts(0)
    if (parts.length === 0) return notes.add('type_not_supported', { item: code, value: type })
    notes.add('type_replaced', { item: code, value: type })
    for (const part of parts) {
      const names = this.names(`[${part.value}]`, part.value, part.id)
      const id = draft.id(`${code}_${part.value}`)
      this.refer(names, { question: id, kind: 'value' })
      draft.add(
        {
          id,
          title: joined(draft.text(title, code), draft.text(part.label, code)),
          ...this.question.condition,
          idname: 'number',
          children: [{ ...this.option(), ...this.limits() }],
        },
        this.numeric(id, names),
      )
    }
    return undefined
  }

  /** Adds a grid of ticks, of numbers or of texts, with the subquestions of both scales. */
  matrix() {
    const { code, type } = this.question
    const [rows, columns] = [this.parts(0), this.parts(1)]
    const { notes, draft } = this.survey
    if (rows.length === 0 || columns.length === 0) return notes.add('type_not_supported', { item: code, value: type })
    const names = (row: LimePart, column: LimePart) =>
      this.names(`[${row.value}_${column.value}]`, `${row.value}_${column.value}`)
    if (type === ':' && this.attributes.get('multiflexible_checkbox') === '1') {
      const common = this.common(rows.length)
      const { members, byValue } = this.choices(columns)
      const children = draft.choices(rows, code).members
      const isTicked = (value: string) =>
        /^(?:1|Y|Yes)$/i.test(value.trim()) ? true : value.trim() === '0' ? false : undefined
      draft.add(
        {
          ...common,
          idname: 'multiple-choice-grid',
          choices: members,
          children: children.map(({ label, code: rowCode }) => ({
            type: 'multiple',
            label,
            code: rowCode,
            ...this.option(),
          })),
        },
        ...rows.map((row, index): Binding => {
          const cells = columns.map((column) => ({ column: this.column(...names(row, column)), code: column.value }))
          return {
            key: `${common.id}_${index}`,
            column: `${code}[${row.value}]`,
            kind: 'choices',
            choices: byValue,
            read: ticks(cells, isTicked),
          }
        }),
      )
      return undefined
    }
    notes.add('type_replaced', { item: code, value: type })
    return this.texts(
      rows.flatMap((row) =>
        columns.map((column) => ({
          value: `${row.value}_${column.value}`,
          id: '',
          label: joined(draft.text(row.label, code), draft.text(column.label, code)),
          names: names(row, column),
        })),
      ),
    )
  }
}
