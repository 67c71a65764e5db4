import type { Listed } from '../draft.ts'
import { type Binding, cell, ticks } from '../source.ts'
import type { XmlRow } from '../xml.ts'
import type { LimeQuestion, LimeSurvey } from './limesurvey-builder.ts'
import { LimeGridBuilder } from './limesurvey-grids.ts'

/** Returns the names under which responses can have the questions. */
export function namesIn({ sid, subquestions }: LimeSurvey, questions: readonly XmlRow[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const row of questions) {
    const [qid, code] = [row.get('qid') ?? '', row.get('title') ?? '']
    for (const name of [code, `${sid}X${row.get('gid')}X${qid}`, `Q${qid}`]) names.add(name)
    for (const part of subquestions.get(qid) ?? []) names.add(`${code}[${part.get('title')}]`)
  }
  return names
}

/** Adds a question to the survey. */
export function addLimeQuestion(survey: LimeSurvey, question: LimeQuestion): void {
  new Builder(survey, question).add()
}

const OTHER = '-oth-'

class Builder extends LimeGridBuilder {
  add() {
    const { type, code } = this.question
    const { notes } = this.survey
    for (const name of ['em_validation_q', 'em_validation_sq', 'array_filter', 'array_filter_exclude', 'random_group'])
      if ((this.attributes.get(name) ?? '') !== '')
        notes.add(name.startsWith('em_') ? 'validation_not_supported' : 'setting_not_supported', {
          item: code,
          value: `${name}: ${this.attributes.get(name)}`,
        })
    if ((this.question.row.get('preg') ?? '') !== '')
      notes.add('validation_not_supported', { item: code, value: this.question.row.get('preg')! })
    if (this.attributes.get('hidden') === '1' && !'XI|'.includes(type)) return this.hidden()
    switch (type) {
      case 'S':
      case 'T':
      case 'U':
        return this.text()
      case 'N':
        return this.number()
      case 'D':
        return this.date()
      case 'Y':
        return this.yesNo()
      case '5':
        return this.fivePoints()
      case 'G':
      case 'L':
      case '!':
      case 'O':
        return this.single()
      case 'M':
      case 'P':
        return this.multiple()
      case 'R':
        return this.ranking()
      case 'A':
      case 'B':
      case 'C':
      case 'E':
      case 'F':
      case 'H':
        return this.grid(this.options(0), '')
      case '1':
        return this.dualScale()
      case 'K':
        return this.numbers()
      case 'Q':
        return this.texts(
          this.parts(0).map((part) => ({ ...part, names: this.names(`[${part.value}]`, part.value, part.id) })),
        )
      case ';':
      case ':':
        return this.matrix()
      case 'X':
        return this.survey.draft.add({ ...this.common(), idname: 'section-separator' })
      case '*':
        notes.add('type_replaced', { item: code, value: type })
        return this.hidden()
      case '|':
        notes.add('file_not_imported', { item: code })
        this.column(...this.names('', ''))
        this.column(...this.names('[filecount]', '_filecount'))
        return this.survey.draft.add({ ...this.common(), idname: 'file-upload', children: [this.option()] })
      default:
        return notes.add('type_not_supported', { item: code, value: type })
    }
  }

  text() {
    const { type } = this.question
    const names = this.names('', '')
    const common = this.common()
    this.refer(names, { question: common.id, kind: 'value' })
    const isNumber = this.attributes.get('numbers_only') === '1'
    const max = Number(this.attributes.get('maximum_chars'))
    const validation = { ...(isNumber && { kind: 'number' }), ...(max > 0 && { maxLength: max }) }
    const lines = type === 'S' ? undefined : type === 'T' ? 5 : 15
    this.survey.draft.add(
      {
        ...common,
        idname: 'text-response',
        children: [
          { ...this.option(), ...(lines && { lines }), ...(Object.keys(validation).length > 0 && { validation }) },
        ],
      },
      this.value(common.id, names),
    )
  }

  hidden() {
    const names = this.names('', '')
    const common = this.common()
    if (this.question.type !== '*')
      this.survey.notes.add('type_replaced', { item: this.question.code, value: 'hidden' })
    this.refer(names, { question: common.id, kind: 'value' })
    this.survey.draft.add({ ...common, idname: 'hidden-field', children: [{}] }, this.value(common.id, names))
  }

  number() {
    const names = this.names('', '')
    const common = this.common()
    this.refer(names, { question: common.id, kind: 'value' })
    this.survey.draft.add(
      { ...common, idname: 'number', children: [{ ...this.option(), ...this.limits() }] },
      this.numeric(common.id, names),
    )
  }

  date() {
    const names = this.names('', '')
    const common = this.common()
    this.refer(names, { question: common.id, kind: 'value' })
    const written = this.attributes.get('date_format') ?? ''
    const hasTime = /[Hh]/.test(written)
    const format = !hasTime ? 'date' : /[dDmYy]/.test(written) ? 'datetime' : 'time'
    this.survey.draft.add(
      { ...common, idname: 'datetime', children: [{ ...this.option(), format }] },
      this.value(common.id, names, (value) => {
        const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2})?[ T]?(\d{2}:\d{2}(?::\d{2})?)?/.exec(value.trim()) ?? []
        if (format === 'date') return day || undefined
        if (format === 'time') return time || undefined
        return day ? `${day}T${time || '00:00'}` : undefined
      }),
    )
  }

  yesNo() {
    const names = this.names('', '')
    const common = this.common()
    const codes = new Map([
      ['Y', 'Y'],
      ['N', 'N'],
    ])
    this.refer(names, { question: common.id, kind: 'choice', codes })
    const column = this.column(...names)
    const choices = new Map([
      ['Y', { index: 0, label: 'Yes' }],
      ['N', { index: 1, label: 'No' }],
      ['Yes', { index: 0, label: 'Yes' }],
      ['No', { index: 1, label: 'No' }],
    ])
    const labels = [
      { label: 'Yes', code: 'Y' },
      { label: 'No', code: 'N' },
    ]
    this.survey.draft.add(
      { ...common, idname: 'boolean-choice', children: [{ ...this.option(), choices: labels }] },
      { key: common.id, column, kind: 'choice', read: cell(column), choices },
    )
  }

  fivePoints() {
    const names = this.names('', '')
    const common = this.common()
    this.refer(names, { question: common.id, kind: 'value' })
    const column = this.column(...names)
    const choices = new Map([1, 2, 3, 4, 5].map((index) => [String(index), { index, label: String(index) }]))
    this.survey.draft.add(
      { ...common, idname: 'rating', children: [{ ...this.option(), steps: 5 }] },
      { key: common.id, column, kind: 'choice', read: cell(column), choices },
    )
  }

  hasOther(): boolean {
    return this.question.row.get('other') === 'Y'
  }

  other(): Listed {
    return { value: OTHER, label: this.attributes.get('other_replace_text') || 'Other', other: true }
  }

  single() {
    const { type, code } = this.question
    const listed: Listed[] = [...this.options(0), ...(this.hasOther() ? [this.other()] : [])]
    if (listed.length === 0) return this.survey.notes.add('type_not_supported', { item: code, value: type })
    const names = this.names('', '')
    const common = this.common()
    const { members, byValue, codes } = this.choices(listed)
    this.refer(names, { question: common.id, kind: 'choice', codes })
    const column = this.column(...names)
    const bindings: Binding[] = [{ key: common.id, column, kind: 'choice', read: cell(column), choices: byValue }]
    if (this.hasOther()) bindings.push(this.value(`${common.id}\\other`, this.names('[other]', 'other')))
    const isRandom = this.attributes.get('random_order') === '1' || this.attributes.get('answer_order') === 'random'
    this.survey.draft.add(
      {
        ...common,
        idname: type === '!' ? 'dropdown-choice' : 'single-choice',
        children: [{ ...this.option(), choices: members, ...(isRandom && { randomize: true }) }],
      },
      ...bindings,
    )
    if (type === 'O') this.comment(this.names('[comment]', 'comment'))
    return undefined
  }

  /** Adds a question for a comment that LimeSurvey has beside choices. */
  comment(names: readonly string[], label?: string) {
    const { draft } = this.survey
    const id = draft.id(`${this.question.code}_comment`)
    this.survey.notes.add('type_replaced', { item: this.question.code, value: names[0]! })
    draft.add(
      {
        id,
        idname: 'text-response',
        title: label ?? 'Comment',
        ...this.question.condition,
        children: [{ lines: 3 }],
      },
      this.value(id, names),
    )
  }

  multiple() {
    const { code, type } = this.question
    const parts = this.parts(0)
    const exclusive = new Set((this.attributes.get('exclude_all_others') ?? '').split(/[;,]/))
    const listed: Listed[] = [
      ...parts.map((part) => ({ ...part, exclusive: exclusive.has(part.value) })),
      ...(this.hasOther() ? [this.other()] : []),
    ]
    if (listed.length === 0) return this.survey.notes.add('type_not_supported', { item: code, value: type })
    const common = this.common()
    const { members, byValue, codes } = this.choices(listed)
    const columns = parts.map(({ value, id }) => {
      const names = this.names(`[${value}]`, value, id)
      this.refer(names, { question: common.id, kind: 'tick', code: codes.get(value)!, ticked: 'Y' })
      return { column: this.column(...names), code: value }
    })
    this.refer([code], { question: common.id, kind: 'choices', codes })
    const isTicked = (value: string) =>
      /^(?:Y|Yes|1)$/i.test(value.trim()) ? true : /^(?:N|No|0)$/i.test(value.trim()) ? false : undefined
    const otherColumn = this.hasOther() ? this.column(...this.names('[other]', 'other')) : undefined
    const readTicks = ticks(columns, isTicked)
    const bindings: Binding[] = [
      {
        key: common.id,
        column: code,
        kind: 'choices',
        choices: byValue,
        read: (response) => [
          ...readTicks(response),
          ...(otherColumn !== undefined && response.values(otherColumn).length > 0
            ? [{ column: otherColumn, value: OTHER }]
            : []),
        ],
      },
    ]
    if (otherColumn !== undefined)
      bindings.push({ key: `${common.id}\\other`, column: otherColumn, kind: 'value', read: cell(otherColumn) })
    const bound = (name: string) => {
      const value = Number(this.attributes.get(name))
      return value > 0 && value <= members.length ? value : undefined
    }
    const [minSelected, maxSelected] = [bound('min_answers'), bound('max_answers')]
    this.survey.draft.add(
      {
        ...common,
        idname: 'multiple-choice',
        children: [
          {
            ...this.option(),
            choices: members,
            ...(minSelected && { minSelected }),
            ...(maxSelected && { maxSelected }),
          },
        ],
      },
      ...bindings,
    )
    if (type === 'P')
      this.texts(
        [...parts, ...(this.hasOther() ? [{ ...this.other(), value: 'other', id: 'other' }] : [])].map((part) => ({
          ...part,
          names: this.names(`[${part.value}comment]`, `${part.value}comment`),
        })),
        '_comment',
      )
    return undefined
  }

  ranking() {
    const { code, type } = this.question
    const listed = this.options(0)
    if (listed.length === 0) return this.survey.notes.add('type_not_supported', { item: code, value: type })
    const common = this.common()
    const { members, byValue } = this.choices(listed)
    const places = listed.map((_, index) => this.column(...this.names(`[${index + 1}]`, String(index + 1))))
    this.survey.draft.add(
      { ...common, idname: 'ranking', children: [{ ...this.option(), choices: members }] },
      {
        key: common.id,
        column: code,
        kind: 'ranking',
        choices: byValue,
        read: (response) => places.flatMap((column) => cell(column)(response)),
      },
    )
    return undefined
  }
}
