import { arrayOf, isRecord, type Json } from '../../structure/walk.ts'
import { Draft, type Listed, type SourceText } from '../draft.ts'
import { cellAt, jsonOf, pathOf, valuesAt } from '../json-values.ts'
import { conditionMember, parseLogic, type Subject } from '../logic.ts'
import { Notes } from '../notes.ts'
import { type Binding, cell, type Format, LIMITS, MovingError, type Source, type SourceResponse } from '../source.ts'
import { elementsOf, isForm, resultsIn } from './surveyjs-files.ts'

/** Reads surveys of SurveyJS: the JSON of a form, and a JSON list of results. */
export const surveyjs: Format = {
  name: 'surveyjs',
  read(files) {
    const form = files.find(({ json }) => isRecord(json) && isForm(json))
    if (!form) return undefined
    const results = files.find((file) => file !== form && resultsIn(file.json) !== undefined)
    return new Reader(form.json as Json).read(results ? resultsIn(results.json)! : [])
  },
}

const REFERENCE = /\{([^{}]+)\}/
const OTHER = 'other'
const NONE = 'none'

class Reader {
  readonly #form: Json
  readonly #notes = new Notes()
  readonly #draft = new Draft(this.#notes)
  readonly #language: string
  readonly #languages = new Set<string>()
  /** The names of questions with rows, whose answers are objects. */
  readonly #grids = new Set<string>()

  constructor(form: Json) {
    this.#form = form
    this.#language = typeof form.locale === 'string' && form.locale !== '' ? form.locale : 'en'
  }

  read(results: readonly Json[]): Source {
    const form = this.#form
    const pages = arrayOf(form.pages).filter(isRecord)
    for (const page of pages.length > 0 ? pages : [form]) {
      const title = this.#text(page === form ? undefined : page.title, String(page.name ?? 'page'))
      this.#draft.page({
        ...(title !== '' && { title }),
        ...this.#condition(page, String(page.name ?? '')),
      })
      this.#elements(page, 0, undefined)
    }
    for (const [member, item] of [
      ['triggers', 'triggers'],
      ['calculatedValues', 'calculatedValues'],
      ['completedHtmlOnCondition', 'completedHtmlOnCondition'],
    ] as const)
      if (arrayOf(form[member]).length > 0) this.#notes.add('setting_not_supported', { item })
    const languages = [this.#language, ...[...this.#languages].filter((code) => code !== this.#language)]
    const title = this.#text(form.title, 'title')
    return {
      format: 'surveyjs',
      notes: this.#notes,
      bindings: this.#draft.bindings,
      structure: {
        title: title === '' ? 'SurveyJS' : title,
        languages: languages.map((code) => ({ code, name: code, isDefault: code === this.#language })),
        form: this.#draft.pages,
      },
      responses: this.#responses(results),
    }
  }

  *#responses(results: readonly Json[]): Iterable<SourceResponse> {
    for (const [index, result] of results.entries()) {
      const data = [result.data, result.Json, result.json].map((one) => (typeof one === 'string' ? jsonOf(one) : one))
      const values = data.find(isRecord) ?? result
      const created = [result.createdAt, result.created_at, result.HappendAt, values.createdAt].find(
        (one) => typeof one === 'string',
      )
      yield {
        row: index + 1,
        completed: 1,
        createdAt: created as string | undefined,
        values: (path) => valuesAt(values, path),
        names: () => Object.keys(values).flatMap((name) => (META.has(name) ? [] : this.#partsOf(name, values[name]))),
      }
    }
  }

  /** Returns the names of the values of an answer: one for each row of a question with rows. */
  #partsOf(name: string, value: unknown): string[] {
    return this.#grids.has(name) && isRecord(value) ? Object.keys(value).map((row) => pathOf([name, row])) : [name]
  }

  #elements(owner: Json, depth: number, around: Json | undefined): void {
    if (depth > LIMITS.depth) throw new MovingError('too_deep', 'file', { max: LIMITS.depth })
    for (const element of elementsOf(owner)) {
      const name = String(element.name ?? '')
      const own = this.#condition(element, name).condition
      const condition = around && own ? { all: [around, own] } : (own ?? around)
      if (element.type === 'panel') {
        const title = this.#text(element.title, name)
        if (title !== '')
          this.#draft.add({ idname: 'section-separator', id: this.#draft.id(`${name || 'panel'}_heading`), title })
        this.#elements(element, depth + 1, condition)
      } else this.#question(element, name, condition)
    }
  }

  #question(element: Json, name: string, condition: Json | undefined) {
    const type = String(element.type)
    if (type === 'html' || type === 'image') {
      const title = this.#text(element.html ?? element.title, name)
      if (title !== '')
        this.#draft.add({ idname: 'section-separator', id: this.#draft.id(name), title, ...conditionMember(condition) })
      return
    }
    const rows = arrayOf(element.rows).map((row) => this.#listed(row))
    const rowCount =
      type === 'matrix' || type === 'multipletext' ? Math.max(rows.length, arrayOf(element.items).length) : 0
    const id = this.#draft.id(name, rowCount)
    if (rowCount > 0) this.#grids.add(name)
    const common = {
      id,
      title: this.#draft.title(this.#text(element.title, name), name),
      ...this.#member('description', element.description, name),
      ...conditionMember(condition),
    }
    const option = { ...(element.isRequired === true && { required: true }) }
    const refer = (subject: Omit<Subject, 'question'>) => this.#draft.subjects.set(name, { question: id, ...subject })
    switch (type) {
      case 'text':
      case 'comment':
        return this.#textQuestion(element, name, common, option, refer)
      case 'radiogroup':
      case 'dropdown':
      case 'checkbox':
      case 'tagbox':
      case 'ranking':
      case 'imagepicker':
        return this.#choiceQuestion(element, type, name, common, option, refer)
      case 'boolean': {
        refer({ kind: 'value' })
        const labels = [element.labelTrue, element.labelFalse].map((one) => this.#text(one, name))
        const choices = labels.every((one) => one !== '') ? labels.map((label) => ({ label })) : undefined
        const [yes, no] = [String(element.valueTrue ?? 'true'), String(element.valueFalse ?? 'false')]
        return this.#draft.add(
          { ...common, idname: 'boolean-choice', children: [{ ...option, ...(choices && { choices }) }] },
          {
            key: id,
            column: name,
            kind: 'choice',
            read: cell(name),
            choices: new Map([
              [yes, { index: 0, label: yes }],
              [no, { index: 1, label: no }],
            ]),
          },
        )
      }
      case 'rating':
        return this.#rating(element, name, common, option, refer)
      case 'matrix': {
        const { members, byValue } = this.#draft.choices(
          arrayOf(element.columns).map((one) => this.#listed(one)),
          name,
        )
        const rowMembers = this.#draft.choices(rows, name).members
        const bindings = rows.map(({ value }, index): Binding => {
          const column = `${name}.${value}`
          return {
            key: `${id}_${index}`,
            column,
            kind: 'choice',
            read: cellAt(column, [name, value]),
            choices: byValue,
          }
        })
        if (members.length === 0 || rows.length === 0) return this.#unsupported(name, type)
        return this.#draft.add(
          {
            ...common,
            idname: 'single-choice-grid',
            choices: members,
            children: rowMembers.map(({ label, code }) => ({ type: 'single', label, code, ...option })),
          },
          ...bindings,
        )
      }
      case 'multipletext': {
        const items = arrayOf(element.items).filter(isRecord)
        const listed = items.map((item) => ({
          value: String(item.name ?? ''),
          label: this.#text(item.title ?? item.name, name),
        }))
        if (items.length === 0) return this.#unsupported(name, type)
        return this.#draft.add(
          {
            ...common,
            idname: 'text-response-grid',
            children: this.#draft
              .choices(listed, name)
              .members.map(({ label, code }) => ({ type: 'string', label, code, ...option })),
          },
          ...listed.map(({ value }, index): Binding => {
            const column = `${name}.${value}`
            return { key: `${id}_${index}`, column, kind: 'value', read: cellAt(column, [name, value]) }
          }),
        )
      }
      case 'expression':
        this.#notes.add('type_replaced', { item: name, value: type })
        return this.#draft.add(
          { ...common, idname: 'hidden-field', children: [{}] },
          { key: id, column: name, kind: 'value', read: cell(name) },
        )
      default:
        return this.#unsupported(name, type)
    }
  }

  #unsupported(name: string, type: string) {
    this.#notes.add('type_not_supported', { item: name, value: type })
  }

  #textQuestion(
    element: Json,
    name: string,
    common: Json,
    option: Json,
    refer: (subject: Omit<Subject, 'question'>) => void,
  ) {
    const id = String(common.id)
    refer({ kind: 'value' })
    const inputType = String(element.inputType ?? 'text')
    const validators = arrayOf(element.validators).filter(isRecord)
    if (inputType === 'number' || inputType === 'range') {
      const numeric = validators.find(({ type }) => type === 'numeric')
      const limit = (own: unknown, other: unknown) => [own, other].map(Number).find((one) => Number.isFinite(one))
      const [min, max] = [limit(element.min, numeric?.minValue), limit(element.max, numeric?.maxValue)]
      return this.#draft.add(
        {
          ...common,
          idname: 'number',
          children: [{ ...option, decimals: 10, ...(min !== undefined && { min }), ...(max !== undefined && { max }) }],
        },
        { key: id, column: name, kind: 'number', read: cell(name) },
      )
    }
    const format = DATES[inputType]
    if (format)
      return this.#draft.add(
        { ...common, idname: 'datetime', children: [{ ...option, format }] },
        { key: id, column: name, kind: 'value', read: cell(name) },
      )
    for (const { type } of validators) {
      const isKept = type === 'email' || type === 'text'
      if (!isKept) this.#notes.add('validation_not_supported', { item: name, value: String(type) })
    }
    const isEmail = inputType === 'email' || validators.some(({ type }) => type === 'email')
    const kind = isEmail ? 'email' : inputType === 'url' ? 'url' : inputType === 'tel' ? 'phone' : undefined
    const length = validators.find(({ type }) => type === 'text')
    const validation = {
      ...(kind && { kind }),
      ...(Number(element.maxLength) > 0 && { maxLength: Number(element.maxLength) }),
      ...(Number(length?.minLength) > 0 && { minLength: Number(length!.minLength) }),
      ...(Number(length?.maxLength) > 0 && { maxLength: Number(length!.maxLength) }),
    }
    const lines = element.type === 'comment' ? Math.min(Math.max(Number(element.rows) || 4, 2), 50) : undefined
    this.#draft.add(
      {
        ...common,
        idname: 'text-response',
        children: [{ ...option, ...(lines && { lines }), ...(Object.keys(validation).length > 0 && { validation }) }],
      },
      { key: id, column: name, kind: 'value', read: cell(name) },
    )
  }

  #choiceQuestion(
    element: Json,
    type: string,
    name: string,
    common: Json,
    option: Json,
    refer: (subject: Omit<Subject, 'question'>) => void,
  ) {
    const id = String(common.id)
    const isOther = element.hasOther === true || element.showOtherItem === true
    const isNone = element.hasNone === true || element.showNoneItem === true
    const listed: Listed[] = arrayOf(element.choices).map((choice) => this.#listed(choice))
    if (isRecord(element.choicesByUrl) && Object.keys(element.choicesByUrl).length > 0)
      this.#notes.add('setting_not_supported', { item: name, value: 'choicesByUrl' })
    if (isNone) listed.push({ value: NONE, label: this.#text(element.noneText, name) || 'None', exclusive: true })
    if (isOther) listed.push({ value: OTHER, label: this.#text(element.otherText, name) || 'Other', other: true })
    if (listed.length === 0) {
      this.#notes.add('type_replaced', { item: name, value: type })
      refer({ kind: 'value' })
      return this.#draft.add(
        { ...common, idname: 'text-response', children: [option] },
        { key: id, column: name, kind: 'value', read: cell(name) },
      )
    }
    const { members, byValue, codes } = this.#draft.choices(listed, name)
    const isMultiple =
      type === 'checkbox' || type === 'tagbox' || (type === 'imagepicker' && element.multiSelect === true)
    if (type === 'imagepicker') this.#notes.add('type_replaced', { item: name, value: type })
    const idname =
      type === 'ranking'
        ? 'ranking'
        : isMultiple
          ? 'multiple-choice'
          : type === 'dropdown'
            ? 'dropdown-choice'
            : 'single-choice'
    refer({
      kind: isMultiple ? 'choices' : type === 'ranking' ? 'value' : 'choice',
      ...(type !== 'ranking' && { codes }),
    })
    const limits = isMultiple && {
      ...(Number(element.minSelectedChoices) > 0 && { minSelected: Number(element.minSelectedChoices) }),
      ...(Number(element.maxSelectedChoices) > 0 && { maxSelected: Number(element.maxSelectedChoices) }),
    }
    const kind = type === 'ranking' ? 'ranking' : isMultiple ? 'choices' : 'choice'
    this.#draft.add(
      {
        ...common,
        idname,
        children: [
          { ...option, choices: members, ...limits, ...(element.choicesOrder === 'random' && { randomize: true }) },
        ],
      },
      { key: id, column: name, kind, read: cell(name), choices: byValue },
      ...(isOther
        ? [{ key: `${id}\\other`, column: `${name}-Comment`, kind: 'value' as const, read: cell(`${name}-Comment`) }]
        : []),
    )
  }

  #rating(
    element: Json,
    name: string,
    common: Json,
    option: Json,
    refer: (subject: Omit<Subject, 'question'>) => void,
  ) {
    const id = String(common.id)
    const values = arrayOf(element.rateValues).map((one) => this.#listed(one))
    const min = Number(element.rateMin ?? 1)
    const max = Number(element.rateMax ?? element.rateCount ?? 5)
    const isStars = values.length === 0 && min === 1 && max >= 3 && max <= 10
    if (!isStars && !(values.length > 0 || (max > min && max - min <= 100))) return this.#unsupported(name, 'rating')
    if (isStars) {
      refer({ kind: 'value' })
      const choices = new Map(
        Array.from({ length: max }, (_, index) => [String(index + 1), { index: index + 1, label: String(index + 1) }]),
      )
      return this.#draft.add(
        {
          ...common,
          idname: 'rating',
          children: [
            {
              ...option,
              steps: max,
              ...this.#member('leftLabel', element.minRateDescription, name),
              ...this.#member('rightLabel', element.maxRateDescription, name),
            },
          ],
        },
        { key: id, column: name, kind: 'choice', read: cell(name), choices },
      )
    }
    const listed: Listed[] =
      values.length > 0
        ? values
        : Array.from({ length: max - min + 1 }, (_, at) => ({
            value: String(min + at),
            label: String(min + at),
            score: min + at,
          }))
    const { members, byValue, codes } = this.#draft.choices(listed, name)
    refer({ kind: 'choice', codes })
    this.#draft.add(
      { ...common, idname: 'single-choice', children: [{ ...option, choices: members }] },
      { key: id, column: name, kind: 'choice', read: cell(name), choices: byValue },
    )
  }

  /** Returns a choice, row or column: a text or number, or an object with a value and a text. */
  #listed(one: unknown): Listed {
    if (!isRecord(one)) return { value: String(one), label: String(one) }
    const value = String(one.value ?? one.name ?? '')
    const label = this.#text(one.text ?? one.title, value)
    return { value, label: label === '' ? value : label }
  }

  /** Returns a text by language; `default` is the default language. */
  #text(text: unknown, item: string): SourceText {
    if (!isRecord(text))
      return typeof text === 'string' || typeof text === 'number' ? this.#draft.text(String(text), item) : ''
    const entries = Object.entries(text)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .map(([code, one]): [string, string] => [code === 'default' ? this.#language : code, one])
    for (const [code] of entries) this.#languages.add(code)
    return this.#draft.text(Object.fromEntries(entries), item)
  }

  #member(member: string, text: unknown, item: string): Json {
    const own = this.#text(text, item)
    return own === '' ? {} : { [member]: own }
  }

  #condition(owner: Json, name: string): { condition?: Json } {
    for (const member of ['enableIf', 'requiredIf', 'choicesVisibleIf', 'defaultValueExpression'])
      if (typeof owner[member] === 'string' && owner[member] !== '')
        this.#notes.add('setting_not_supported', { item: name, value: `${member}: ${owner[member]}` })
    const text = owner.visibleIf
    if (owner.visible === false) this.#notes.add('setting_not_supported', { item: name, value: 'visible: false' })
    if (typeof text !== 'string' || text.trim() === '') return {}
    const condition = parseLogic(text, REFERENCE, (reference) => this.#draft.subjects.get(reference.trim()))
    if (!condition) this.#notes.add('condition_not_supported', { item: name, value: text })
    return conditionMember(condition)
  }
}

const DATES: Readonly<Record<string, string>> = {
  date: 'date',
  'datetime-local': 'datetime',
  datetime: 'datetime',
  time: 'time',
}

/** Members of results that are not variables of questions. */
const META = new Set([
  'id',
  'Id',
  'createdAt',
  'created_at',
  'HappendAt',
  'pageNo',
  'timeSpent',
  'locale',
  'data',
  'json',
  'Json',
])
