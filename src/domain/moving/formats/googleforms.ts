import { arrayOf, isRecord, type Json } from '../../structure/walk.ts'
import { Draft, type Listed } from '../draft.ts'
import { inferredSurvey, isTimestamp } from '../infer.ts'
import { Notes } from '../notes.ts'
import { addSimple, type SimpleKind } from '../simple.ts'
import type { Binding, Format, Source, SourceFile, SourceResponse } from '../source.ts'
import { Columns, listed, readTableFile, tableResponses } from '../table.ts'

/**
 * Reads forms of Google: the JSON of a form and of its responses as the Forms API returns them, or the form with the CSV
 * file of its responses, or the CSV file alone. Responses have the titles of questions, or their IDs.
 */
export const googleforms: Format = {
  name: 'googleforms',
  async read(files) {
    const file = files.find(({ json }) => isRecord(json) && isForm(json))
    const others = files.filter((one) => one !== file)
    if (file) return readForm(file.json as Json, others)
    for (const one of files) {
      if (one.json !== undefined) continue
      const table = await readTableFile(one)
      if (table && isTimestamp(table.rows[0]?.cells[0] ?? '', table.rows[1]?.cells[0] ?? ''))
        return inferredSurvey('googleforms', table, 'Google Forms')
    }
    return undefined
  },
}

const isForm = ({ items, info }: Json): boolean =>
  Array.isArray(items) &&
  isRecord(info) &&
  items.every((item) => isRecord(item) && ('itemId' in item || 'questionItem' in item || 'title' in item))

/** Where the answers to questions are: in a list of the API, or in the columns of a table. */
type Answers = (id: string, title: string) => { column: string; read: Binding['read'] }

async function readForm(form: Json, others: readonly SourceFile[]): Promise<Source> {
  const notes = new Notes()
  const draft = new Draft(notes)
  const info = form.info as Json
  const list = others
    .map(({ json }) => (Array.isArray(json) ? json : isRecord(json) ? json.responses : undefined))
    .find(Array.isArray)
  const table = list ? undefined : (await Promise.all(others.map((one) => readTableFile(one)))).find(Boolean)
  const columns = new Columns(table?.rows[0]?.cells ?? [])
  const stamp = columns.names.find((name, index) => index === 0 && isTimestamp(name, table?.rows[1]?.cells[0] ?? ''))
  if (stamp !== undefined) columns.take(stamp)
  const answers: Answers = (id, title) => {
    const index = table ? columns.take(title) : undefined
    const column = table ? (index === undefined ? `${title} –` : columns.names[index]!) : id
    return {
      column: table ? column : title,
      read: (response) => response.values(column).map((value) => ({ column, value })),
    }
  }
  draft.page()
  for (const [index, item] of arrayOf(form.items).filter(isRecord).entries())
    addItem(draft, item, index, answers, table !== undefined)
  for (const { name } of columns.unused()) notes.add('column_ignored', { column: name })
  const title = draft.text(String(info.title ?? info.documentTitle ?? ''), 'title')
  notes.add('language_assumed')
  return {
    format: 'googleforms',
    notes,
    bindings: draft.bindings,
    structure: {
      title: title === '' ? 'Google Forms' : title,
      ...(typeof info.description === 'string' &&
        info.description !== '' && { description: draft.text(info.description, 'description') }),
      form: draft.pages,
    },
    responses: list ? listOf(list.filter(isRecord)) : table ? tableResponses(table, columns, stamp) : [],
  }
}

function addItem(draft: Draft, item: Json, index: number, answers: Answers, isTable: boolean): void {
  const name = String(item.itemId ?? `item${index + 1}`)
  const title = String(item.title ?? '')
  const description = typeof item.description === 'string' && item.description !== '' ? item.description : undefined
  const own =
    isRecord(item.questionItem) && isRecord(item.questionItem.question) ? item.questionItem.question : undefined
  if ('pageBreakItem' in item) draft.page({ ...(title !== '' && { title }), ...(description && { description }) })
  else if ('textItem' in item) addSimple(draft, { name, kind: 'section', title, description })
  else if (isRecord(item.questionGroupItem))
    addGroup(draft, item.questionGroupItem, { name, title, description }, answers, isTable)
  else if (own) addQuestion(draft, own, { name, title, description }, answers, isTable)
  else if (!('imageItem' in item || 'videoItem' in item)) draft.notes.add('type_not_supported', { item: title || name })
  else
    draft.notes.add('type_not_supported', {
      item: title || name,
      value: Object.keys(item).find((key) => key.endsWith('Item')) ?? '',
    })
}

interface Common {
  name: string
  title: string
  description: string | undefined
}

function choicesIn(options: unknown): Listed[] {
  return arrayOf(options)
    .filter(isRecord)
    .map((option) =>
      option.isOther === true
        ? { value: OTHER, label: 'Other', other: true }
        : { value: String(option.value ?? ''), label: String(option.value ?? '') },
    )
}

/** Stands for the choice “Other”, whose answers are the texts themselves. */
const OTHER = '__other_option__'

/** Reads choices: a text that is no choice is the text of “Other”, if the question has it. */
function readsOf(read: Binding['read'], choices: readonly Listed[], isTable: boolean, isMultiple: boolean) {
  const known = new Map(choices.map(({ value }) => [value, true]))
  const hasOther = known.has(OTHER)
  const parts: Binding['read'] = (response) =>
    read(response).flatMap(({ column, value }) =>
      (isTable && isMultiple ? listed(value, known) : [value]).map((one) => ({ column, value: one })),
    )
  const isOther = (value: string) => hasOther && !known.has(value)
  return {
    read: ((response) =>
      parts(response).map((one) => (isOther(one.value) ? { ...one, value: OTHER } : one))) as Binding['read'],
    readOther: hasOther
      ? (((response) => parts(response).filter(({ value }) => isOther(value))) as Binding['read'])
      : undefined,
  }
}

function addQuestion(draft: Draft, question: Json, common: Common, answers: Answers, isTable: boolean): void {
  const { column, read } = answers(String(question.questionId ?? common.name), common.title)
  const base = { ...common, column, read, required: question.required === true }
  const { choiceQuestion, textQuestion, scaleQuestion, dateQuestion, timeQuestion, ratingQuestion } = question
  if (isRecord(question.grading)) draft.notes.add('setting_not_supported', { item: common.title, value: 'grading' })
  if (isRecord(choiceQuestion)) {
    const choices = choicesIn(choiceQuestion.options)
    const kind: SimpleKind =
      choiceQuestion.type === 'CHECKBOX' ? 'multiple' : choiceQuestion.type === 'DROP_DOWN' ? 'dropdown' : 'single'
    if (
      arrayOf(choiceQuestion.options).some(
        (option) => isRecord(option) && ('goToSectionId' in option || 'goToAction' in option),
      )
    )
      draft.notes.add('skip_not_supported', { item: common.title })
    const settings = choiceQuestion.shuffle === true ? { randomize: true } : {}
    addSimple(draft, { ...base, kind, choices, settings, ...readsOf(read, choices, isTable, kind === 'multiple') })
  } else if (isRecord(scaleQuestion) || isRecord(ratingQuestion)) {
    const scale = isRecord(scaleQuestion) ? scaleQuestion : {}
    const [low, high] = isRecord(ratingQuestion)
      ? [1, Number(ratingQuestion.ratingScaleLevel ?? 5)]
      : [Number(scale.low ?? 1), Number(scale.high ?? 5)]
    const labels: Json = {
      ...(typeof scale.lowLabel === 'string' && scale.lowLabel !== '' && { leftLabel: scale.lowLabel }),
      ...(typeof scale.highLabel === 'string' && scale.highLabel !== '' && { rightLabel: scale.highLabel }),
    }
    if (low === 1 && high >= 3 && high <= 10)
      addSimple(draft, { ...base, kind: 'rating', steps: high, settings: { steps: high, ...labels } })
    else if (low === 0 && high === 10) addSimple(draft, { ...base, kind: 'promoters', settings: labels })
    else if (high >= low && high - low <= 100) {
      const choices = Array.from({ length: high - low + 1 }, (_, at) => ({
        value: String(low + at),
        label: String(low + at),
        score: low + at,
      }))
      addSimple(draft, { ...base, kind: 'single', choices })
    } else draft.notes.add('type_not_supported', { item: common.title, value: 'scaleQuestion' })
  } else if (isRecord(dateQuestion))
    addSimple(draft, {
      ...base,
      kind: dateQuestion.includeYear === false ? 'text' : dateQuestion.includeTime === true ? 'datetime' : 'date',
    })
  else if (isRecord(timeQuestion)) addSimple(draft, { ...base, kind: timeQuestion.duration === true ? 'text' : 'time' })
  else if (isRecord(textQuestion))
    addSimple(draft, { ...base, kind: textQuestion.paragraph === true ? 'long' : 'text' })
  else if (isRecord(question.fileUploadQuestion)) {
    draft.notes.add('file_not_imported', { item: common.title })
    addSimple(draft, { ...base, kind: 'file' })
  } else draft.notes.add('type_not_supported', { item: common.title })
}

function addGroup(draft: Draft, group: Json, common: Common, answers: Answers, isTable: boolean): void {
  const grid = isRecord(group.grid) && isRecord(group.grid.columns) ? group.grid.columns : {}
  const choices = choicesIn(grid.options)
  const isMultiple = grid.type === 'CHECKBOX'
  const questions = arrayOf(group.questions).filter(isRecord)
  const rows = questions.map((question) => {
    const label = isRecord(question.rowQuestion) ? String(question.rowQuestion.title ?? '') : ''
    const { column, read } = answers(String(question.questionId ?? label), `${common.title} [${label}]`)
    return { value: label, label, column, read: readsOf(read, choices, isTable, isMultiple).read }
  })
  if (rows.length === 0 || choices.length === 0)
    draft.notes.add('type_not_supported', { item: common.title, value: 'questionGroupItem' })
  else
    addSimple(draft, {
      ...common,
      kind: isMultiple ? 'multigrid' : 'grid',
      choices,
      rows,
      required: questions.some(({ required }) => required === true),
    })
}

/** Returns the responses of the API: answers by the ID of the question. */
function* listOf(list: readonly Json[]): Iterable<SourceResponse> {
  for (const [index, response] of list.entries()) {
    const answers = isRecord(response.answers) ? response.answers : {}
    yield {
      row: index + 1,
      completed: 1,
      createdAt: typeof response.createTime === 'string' ? response.createTime : undefined,
      names: () => Object.keys(answers),
      values: (id) => {
        const answer = answers[id]
        if (!isRecord(answer)) return []
        const own = isRecord(answer.textAnswers) ? arrayOf(answer.textAnswers.answers) : []
        return own.filter(isRecord).flatMap(({ value }) => (value === undefined || value === '' ? [] : [String(value)]))
      },
    }
  }
}
