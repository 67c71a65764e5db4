import { isRecord, type Json } from '../../structure/walk.ts'
import { type Draft, joined, type Listed, type SourceText } from '../draft.ts'
import { conditionMember, type Subject } from '../logic.ts'
import type { Notes } from '../notes.ts'
import { type Binding, cell, ranks, type SourceChoice, ticks } from '../source.ts'
import { type Columns, listed } from '../table.ts'
import { conditionOf, languageCode } from './qualtrics-logic.ts'
import { textQuestion } from './qualtrics-text.ts'

/** A survey of Qualtrics that is being converted. */
export interface QualtricsSurvey {
  draft: Draft
  notes: Notes
  language: string
  languages: Set<string>
  /** The payload of each question by its ID. */
  questions: ReadonlyMap<string, Json>
  columns: Columns
}

/** A choice, row or column of Qualtrics. */
interface Part extends Listed {
  /** The number of the choice in the survey, which columns of exports end with. */
  id: string
  hasText: boolean
}

/** Adds a question to the survey. */
export function addQualtricsQuestion(survey: QualtricsSurvey, id: string, payload: Json): void {
  new Builder(survey, id, payload).add()
}

class Builder {
  readonly #survey: QualtricsSurvey
  readonly #id: string
  readonly #payload: Json
  readonly #tag: string
  readonly #condition: { condition?: Json }

  constructor(survey: QualtricsSurvey, id: string, payload: Json) {
    this.#survey = survey
    this.#id = id
    this.#payload = payload
    this.#tag = String(payload.DataExportTag ?? id)
    const { DisplayLogic, InPageDisplayLogic } = payload
    const logic = isRecord(DisplayLogic) ? DisplayLogic : InPageDisplayLogic
    const condition = isRecord(logic) ? conditionOf(logic, (name) => survey.draft.subjects.get(name)) : undefined
    if (isRecord(logic) && !condition) survey.notes.add('condition_not_supported', { item: this.#tag })
    this.#condition = conditionMember(condition)
  }

  add() {
    const { QuestionType, Selector, SubSelector } = this.#payload
    const type = String(QuestionType)
    const selector = String(Selector)
    for (const member of ['Randomization', 'DynamicChoices', 'QuestionJS'])
      if (isRecord(this.#payload[member]) || (member === 'QuestionJS' && typeof this.#payload[member] === 'string'))
        this.#survey.notes.add('setting_not_supported', { item: this.#tag, value: member })
    switch (type) {
      case 'DB':
        return this.#survey.draft.add({ ...this.#common(), idname: 'section-separator' })
      case 'TE':
        return selector === 'FORM' ? this.#textGrid(this.#parts('Choices')) : this.#text(selector)
      case 'MC':
        if (selector === 'NPS') return this.#promoters()
        return /^M/.test(selector) ? this.#multiple() : this.#single(selector)
      case 'RO':
        return this.#ranking()
      case 'Slider':
        return this.#numbers('CSSlider')
      case 'CS':
        return this.#constantSum()
      case 'Matrix':
        return this.#matrix(selector, String(SubSelector ?? ''), this.#payload, this.#tag, '')
      case 'SBS':
        return this.#sideBySide()
      default:
        if (type === 'FileUpload' || type === 'Draw') {
          this.#survey.notes.add('file_not_imported', { item: this.#tag })
          for (const end of ['_Id', '_Name', '_Size', '_Type']) this.#survey.columns.find(`${this.#tag}${end}`)
          return this.#survey.draft.add({ ...this.#common(), idname: 'file-upload', children: [{}] })
        }
        return this.#unsupported()
    }
  }

  #unsupported() {
    const value = `${this.#payload.QuestionType} ${this.#payload.Selector}`
    this.#survey.notes.add('type_not_supported', { item: this.#tag, value })
  }

  #common(rows = 0, suffix = ''): Json & { id: string } {
    const { draft } = this.#survey
    return {
      id: draft.id(`${this.#tag}${suffix}`, rows),
      title: draft.title(this.#localized('QuestionText'), this.#tag),
      ...this.#condition,
    }
  }

  #option(): Json {
    return { ...(this.#settings().ForceResponse === 'ON' && { required: true }) }
  }

  #settings(): Json {
    const { Validation } = this.#payload
    return isRecord(Validation) && isRecord(Validation.Settings) ? Validation.Settings : {}
  }

  /** Returns a text in all languages. */
  #localized(member: string, path: readonly string[] = [], source: Json = this.#payload): SourceText {
    const at = (payload: unknown) => {
      let value: unknown = isRecord(payload) ? payload[member] : undefined
      for (const step of path) value = isRecord(value) ? value[step] : undefined
      return typeof value === 'string' ? value : undefined
    }
    const { language, languages } = this.#survey
    const texts: Record<string, string> = { [language]: at(source) ?? '' }
    const others = source === this.#payload && isRecord(this.#payload.Language) ? this.#payload.Language : {}
    for (const [code, payload] of Object.entries(others)) {
      const text = at(payload)
      const own = languageCode(code)
      if (text === undefined || text === '' || own === language) continue
      texts[own] = text
      languages.add(own)
    }
    return Object.keys(texts).length === 1 ? texts[language]! : texts
  }

  /** Returns the choices or answers of a question in their order. */
  #parts(member: 'Choices' | 'Answers', source: Json = this.#payload): Part[] {
    const own = source[member]
    const entries: [string, unknown][] = Array.isArray(own)
      ? own.map((value, index) => [String(index), value])
      : Object.entries(isRecord(own) ? own : {})
    const order = source[member === 'Choices' ? 'ChoiceOrder' : 'AnswerOrder']
    const ordered = Array.isArray(order) ? order.map(String) : []
    const position = (id: string) => (ordered.includes(id) ? ordered.indexOf(id) : ordered.length + Number(id))
    const recoded = isRecord(source.RecodeValues) ? source.RecodeValues : {}
    // The values of a matrix are those of its columns.
    const isRecoded = member === 'Answers' || !isRecord(source.Answers)
    return entries
      .filter((entry): entry is [string, Json] => isRecord(entry[1]))
      .sort(([a], [b]) => position(a) - position(b))
      .map(([id, part]) => ({
        id,
        value: isRecoded && typeof recoded[id] === 'string' && recoded[id] !== '' ? recoded[id] : id,
        label: this.#localized(member, [id, 'Display'], source),
        hasText: part.TextEntry === 'true' || part.TextEntry === true || part.TextEntry === 'on',
        other: part.TextEntry === 'true' || part.TextEntry === true || part.TextEntry === 'on',
        exclusive: part.ExclusiveAnswer === true,
      }))
  }

  #column(...names: string[]): string {
    const index = this.#survey.columns.take(...names)
    return index === undefined ? absent(names[0]!) : this.#survey.columns.names[index]!
  }

  #has(name: string): boolean {
    return this.#survey.columns.names.includes(name)
  }

  #refer(name: string, subject: Subject): void {
    if (!this.#survey.draft.subjects.has(name)) this.#survey.draft.subjects.set(name, subject)
  }

  /** Returns choices that exports write as numbers or as labels. */
  #choices(parts: readonly Part[]) {
    const made = this.#survey.draft.choices(parts, this.#tag)
    const byValue = new Map<string, SourceChoice>(made.byValue)
    const labels = Map.groupBy(made.byValue.values(), ({ label }) => label)
    for (const [label, [choice, another]] of labels)
      if (label !== '' && another === undefined && !byValue.has(label)) byValue.set(label, choice!)
    const codes = new Map(parts.map(({ id, value }) => [`id:${id}`, made.codes.get(value) ?? value]))
    return { ...made, byValue, codes }
  }

  #value(key: string, column: string, convert?: Binding['convert']): Binding {
    return { key, column, kind: 'value', read: cell(column), ...(convert && { convert }) }
  }

  #number(key: string, column: string): Binding {
    return { key, column, kind: 'number', read: cell(column) }
  }

  #text(selector: string) {
    const common = this.#common()
    this.#refer(this.#id, { question: common.id, kind: 'value' })
    const column = this.#column(this.#tag, `${this.#tag}_TEXT`, `${this.#tag}_1_TEXT`)
    const { idname, settings } = textQuestion(this.#settings(), selector, this.#tag, this.#survey.notes)
    return this.#survey.draft.add(
      { ...common, idname, children: [{ ...this.#option(), ...settings }] },
      idname === 'number' ? this.#number(common.id, column) : this.#value(common.id, column),
    )
  }

  #single(selector: string) {
    const parts = this.#parts('Choices')
    if (parts.length === 0) return this.#unsupported()
    const common = this.#common()
    const { members, byValue, codes } = this.#choices(parts)
    this.#refer(this.#id, { question: common.id, kind: 'choice', codes })
    const column = this.#column(this.#tag)
    return this.#survey.draft.add(
      {
        ...common,
        idname: selector === 'DL' ? 'dropdown-choice' : 'single-choice',
        children: [{ ...this.#option(), choices: members }],
      },
      { key: common.id, column, kind: 'choice', read: cell(column), choices: byValue },
      ...this.#others(common.id, parts),
    )
  }

  /** Returns the texts beside choices. They are one text: at most one of them is filled in, or they are joined. */
  #others(id: string, parts: readonly Part[]): Binding[] {
    const columns = parts
      .filter(({ hasText }) => hasText)
      .map((part) =>
        this.#column(`${this.#tag}_${part.id}_TEXT`, `${this.#tag}_${part.value}_TEXT`, `${this.#tag}_TEXT`),
      )
    const [column] = columns
    if (column === undefined) return []
    return [
      { key: `${id}\\other`, column, kind: 'value', read: (response) => columns.flatMap((one) => cell(one)(response)) },
    ]
  }

  #multiple() {
    const parts = this.#parts('Choices')
    if (parts.length === 0) return this.#unsupported()
    const common = this.#common()
    const { members, byValue, codes } = this.#choices(parts)
    this.#refer(this.#id, { question: common.id, kind: 'choices', codes })
    return this.#survey.draft.add(
      { ...common, idname: 'multiple-choice', children: [{ ...this.#option(), choices: members }] },
      {
        key: common.id,
        column: this.#tag,
        kind: 'choices',
        choices: byValue,
        read: this.#readTicks(this.#tag, parts, byValue),
      },
      ...this.#others(common.id, parts),
    )
  }

  /** Reads choices that have a column each, or one column with values between commas. */
  #readTicks(tag: string, parts: readonly Part[], byValue: ReadonlyMap<string, SourceChoice>): Binding['read'] {
    const only = this.#survey.columns.take(tag)
    if (only !== undefined) {
      const column = this.#survey.columns.names[only]!
      return (response) =>
        response.values(column).flatMap((list) => listed(list, byValue).map((value) => ({ column, value })))
    }
    const columns = parts.map(({ id, value }) => ({
      column: this.#column(`${tag}_${id}`, `${tag}_${value}`),
      code: value,
    }))
    const labels = new Map(
      parts.map((part) => [
        part.value,
        new Set(byValue.keys().filter((key) => byValue.get(key) === byValue.get(part.value))),
      ]),
    )
    return (response) =>
      columns.flatMap(({ column, code }) =>
        ticks([{ column, code }], (value) =>
          value === '0' ? false : value === '1' || labels.get(code)!.has(value.trim()) || undefined,
        )(response),
      )
  }

  #promoters() {
    const common = this.#common()
    this.#refer(this.#id, { question: common.id, kind: 'value' })
    this.#survey.columns.find(`${this.#tag}_NPS_GROUP`)
    const column = this.#column(this.#tag, `${this.#tag}_1`)
    const choices = new Map(Array.from({ length: 11 }, (_, index) => [String(index), { index, label: String(index) }]))
    return this.#survey.draft.add(
      { ...common, idname: 'net-promoter', children: [this.#option()] },
      { key: common.id, column, kind: 'choice', read: cell(column), choices },
    )
  }

  #ranking() {
    const parts = this.#parts('Choices')
    if (parts.length === 0) return this.#unsupported()
    const common = this.#common()
    const { members, byValue } = this.#choices(parts)
    const columns = parts.map(({ id, value }) => ({ column: this.#column(`${this.#tag}_${id}`), code: value }))
    return this.#survey.draft.add(
      { ...common, idname: 'ranking', children: [{ ...this.#option(), choices: members }] },
      { key: common.id, column: this.#tag, kind: 'ranking', choices: byValue, read: ranks(columns) },
    )
  }

  /** Adds a number for each slider. */
  #numbers(prefix: string) {
    const parts = this.#parts('Choices')
    const { draft, notes } = this.#survey
    const configuration = isRecord(this.#payload.Configuration) ? this.#payload.Configuration : {}
    const [min, max] = [Number(configuration[`${prefix}Min`]), Number(configuration[`${prefix}Max`])]
    const decimals = Math.min(10, Math.max(0, Number(configuration.NumDecimals) || 0))
    if (parts.length === 0) return this.#unsupported()
    notes.add('type_replaced', { item: this.#tag, value: 'Slider' })
    for (const part of parts) {
      const column = this.#column(`${this.#tag}_${part.id}`)
      const id = draft.id(`${this.#tag}_${part.id}`)
      this.#refer(`${this.#id}/${part.id}`, { question: id, kind: 'value' })
      draft.add(
        {
          id,
          title: joined(draft.title(this.#localized('QuestionText'), this.#tag), draft.text(part.label, this.#tag)),
          ...this.#condition,
          idname: 'number',
          children: [{ ...this.#option(), decimals, ...(max > min && { min, max }) }],
        },
        this.#number(id, column),
      )
    }
    return undefined
  }

  #constantSum() {
    const parts = this.#parts('Choices')
    const total = Number(this.#settings().ChoiceTotal)
    if (parts.length === 0 || !(total > 0)) return this.#numbers('CSSlider')
    const common = this.#common(parts.length)
    const { members } = this.#survey.draft.choices(parts, this.#tag)
    return this.#survey.draft.add(
      {
        ...common,
        idname: 'constant-sum',
        total,
        children: members.map(({ label, code }) => ({ type: 'number', label, code, ...this.#option() })),
      },
      ...parts.map(({ id }, index) => this.#number(`${common.id}_${index}`, this.#column(`${this.#tag}_${id}`))),
    )
  }

  /** Adds a grid of texts. */
  #textGrid(parts: readonly Part[]) {
    if (parts.length === 0) return this.#unsupported()
    const common = this.#common(parts.length)
    const { members } = this.#survey.draft.choices(parts, this.#tag)
    return this.#survey.draft.add(
      {
        ...common,
        idname: 'text-response-grid',
        children: members.map(({ label, code }) => ({ type: 'string', label, code })),
      },
      ...parts.map(({ id }, index) =>
        this.#value(`${common.id}_${index}`, this.#column(`${this.#tag}_${id}`, `${this.#tag}_${id}_TEXT`)),
      ),
    )
  }

  /** Adds a grid: a matrix, or a part of a side-by-side question. */
  #matrix(selector: string, subSelector: string, source: Json, tag: string, suffix: string) {
    const { draft } = this.#survey
    const rows = this.#parts('Choices')
    const columns = this.#parts('Answers', source)
    if (rows.length === 0 || columns.length === 0) return this.#unsupported()
    const tags = isRecord(this.#payload.ChoiceDataExportTags) ? this.#payload.ChoiceDataExportTags : {}
    const rowNames = ({ id }: Part) => [
      `${tag}_${id}`,
      ...(typeof tags[id] === 'string' ? [tags[id], `${tag}_${tags[id]}`] : []),
    ]
    if (selector === 'TE') {
      const cells = rows.flatMap((row) => columns.map((column) => ({ row, column })))
      const common = this.#common(cells.length, suffix)
      const parts = cells.map(({ row, column }) => ({
        value: `${row.id}_${column.id}`,
        label: joined(draft.text(row.label, tag), draft.text(column.label, tag)),
      }))
      const { members } = draft.choices(parts, this.#tag)
      return draft.add(
        {
          ...common,
          idname: 'text-response-grid',
          children: members.map(({ label, code }) => ({ type: 'string', label, code })),
        },
        ...parts.map(({ value }, index) =>
          this.#value(`${common.id}_${index}`, this.#column(`${tag}_${value}`, `${tag}_${value}_TEXT`)),
        ),
      )
    }
    const isMultiple = subSelector === 'MultipleAnswer'
    if (!['Likert', 'DL', 'SBS', 'Profile', 'Bipolar', 'MaxDiff'].includes(selector) || selector === 'MaxDiff')
      return this.#unsupported()
    const common = this.#common(rows.length, suffix)
    const { members, byValue, codes } = this.#choices(columns)
    const children = draft.choices(
      rows.map((row) => ({ ...row, value: row.id })),
      this.#tag,
    ).members
    const bindings = rows.map((row, index): Binding => {
      const key = `${common.id}_${index}`
      this.#refer(`${this.#id}${suffix}/${row.id}`, { question: key, kind: isMultiple ? 'choices' : 'choice', codes })
      const [first = '', ...others] = rowNames(row)
      const named =
        [first, ...others].find((name) =>
          columns.some(({ id, value }) => this.#has(`${name}_${id}`) || this.#has(`${name}_${value}`)),
        ) ?? first
      if (isMultiple) {
        const read = this.#readTicks(named, columns, byValue)
        return { key, column: named, kind: 'choices', choices: byValue, read }
      }
      const column = this.#column(first, ...others)
      return { key, column, kind: 'choice', choices: byValue, read: cell(column) }
    })
    return draft.add(
      {
        ...common,
        idname: isMultiple ? 'multiple-choice-grid' : subSelector === 'DL' ? 'dropdown-grid' : 'single-choice-grid',
        choices: members.map(({ other: _, ...member }) => member),
        children: children.map(({ label, code }) => ({
          type: isMultiple ? 'multiple' : subSelector === 'DL' ? 'dropdown' : 'single',
          label,
          code,
          ...this.#option(),
        })),
      },
      ...bindings,
    )
  }

  #sideBySide() {
    const parts = isRecord(this.#payload.AdditionalQuestions) ? Object.entries(this.#payload.AdditionalQuestions) : []
    this.#survey.notes.add('type_replaced', { item: this.#tag, value: 'SBS' })
    for (const [number, part] of parts) {
      if (!isRecord(part)) continue
      const selector = String(part.Selector ?? 'Likert')
      this.#matrix(
        selector === 'TE' ? 'TE' : 'SBS',
        String(part.SubSelector ?? ''),
        part,
        `${this.#tag}#${number}`,
        `_part${number}`,
      )
    }
  }
}

/** Returns a name for a column that the table lacks, or that another question with the same tag has. */
const absent = (name: string): string => `${name} –`
