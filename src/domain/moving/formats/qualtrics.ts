import { arrayOf, isRecord, type Json } from '../../structure/walk.ts'
import { Draft } from '../draft.ts'
import { conditionMember, join } from '../logic.ts'
import { Notes } from '../notes.ts'
import {
  type Binding,
  cell,
  type Format,
  MovingError,
  type Source,
  type SourceFile,
  type SourceResponse,
} from '../source.ts'
import { Columns, readTableFile, type Table } from '../table.ts'
import { conditionOf, languageCode } from './qualtrics-logic.ts'
import { addQualtricsQuestion, type QualtricsSurvey } from './qualtrics-questions.ts'

/**
 * Reads surveys of Qualtrics: the survey file (.qsf), and the responses as CSV, with two or three header rows, with
 * numbers or with texts of choices.
 */
export const qualtrics: Format = {
  name: 'qualtrics',
  async read(files) {
    const file = files.find(
      ({ json }) => isRecord(json) && isRecord(json.SurveyEntry) && Array.isArray(json.SurveyElements),
    )
    if (file)
      return readSurvey(
        file,
        files.filter((one) => one !== file),
      )
    const tables = await Promise.all(files.filter(({ json }) => json === undefined).map((one) => readTableFile(one)))
    if (tables.some((table) => table && IMPORT_ID.test(table.rows[2]?.cells[0] ?? '')))
      throw new MovingError('survey_file_missing', 'file', { wanted: '.qsf' })
    return undefined
  },
}

/** A cell of the row with IDs. Exports of 2016 have it in the notation of Python, with single quotation marks. */
const IMPORT_ID = /^\s*\{\s*["']+ImportId["']+\s*:/

async function readSurvey({ json }: SourceFile, others: readonly SourceFile[]): Promise<Source> {
  const { SurveyEntry: entry, SurveyElements } = json as { SurveyEntry: Json; SurveyElements: unknown[] }
  const elements = SurveyElements.filter(isRecord)
  const of = (kind: string) => elements.filter(({ Element }) => Element === kind).map(({ Payload }) => Payload)
  const notes = new Notes()
  const draft = new Draft(notes, /\$\{q:\/\/(QID\d+)\/[^}]*\}/g)
  const questions = new Map(
    elements.flatMap(({ Element, Payload, PrimaryAttribute }): [string, Json][] =>
      Element === 'SQ' && isRecord(Payload) ? [[String(Payload.QuestionID ?? PrimaryAttribute), Payload]] : [],
    ),
  )
  const { table, header } = await responsesIn(others, questions)
  const language = languageCode(String(entry.SurveyLanguage ?? 'EN'))
  const survey: QualtricsSurvey = {
    draft,
    notes,
    language,
    languages: new Set([language]),
    questions,
    columns: new Columns(table?.rows[0]?.cells ?? []),
  }
  const blocks = new Map(
    of('BL').flatMap((payload) =>
      (Array.isArray(payload) ? payload : Object.values((payload ?? {}) as Json))
        .filter(isRecord)
        .map((block): [string, Json] => [String(block.ID), block]),
    ),
  )
  const [flow] = of('FL')
  addFlow(survey, isRecord(flow) ? arrayOf(flow.Flow) : [], blocks, undefined, 0)
  // A survey without a flow shows its blocks in order.
  if (draft.pages.length === 0)
    for (const block of blocks.values()) if (block.Type !== 'Trash') addBlock(survey, block, undefined)
  for (const quota of of('QO'))
    if (isRecord(quota)) notes.add('quota_not_supported', { item: String(quota.Name ?? '') })
  const list = listOf(survey, table, header)
  for (const { name } of survey.columns.unused())
    if (!META.has(name) && !/_(?:NPS_GROUP|DO|DO_\d+)$|^(?:Q_|Location|Recipient)/.test(name))
      notes.add('column_ignored', { column: name })
  const title = draft.text(String(entry.SurveyName ?? ''), 'SurveyName')
  return {
    format: 'qualtrics',
    notes,
    bindings: draft.bindings,
    structure: {
      title: title === '' ? 'Qualtrics' : title,
      languages: [...survey.languages].map((code) => ({ code, name: code, isDefault: code === language })),
      form: draft.pages,
    },
    responses: list,
  }
}

/** Finds the table of responses: that whose header has the most tags of questions. */
async function responsesIn(
  files: readonly SourceFile[],
  questions: ReadonlyMap<string, Json>,
): Promise<{ table?: Table; header: number }> {
  const tags = [...questions.values()].map(({ DataExportTag }) => String(DataExportTag))
  const isHeading = (name: string) => META.has(name) || tags.some((tag) => name === tag || name.startsWith(`${tag}_`))
  for (const file of files) {
    const table = await readTableFile(file, isHeading)
    const [names, texts, ids] = table?.rows ?? []
    if (!table || !names?.cells.some(isHeading)) continue
    // The oldest exports number the columns of metadata, and name them in the second row.
    const own = names.cells.map((name, index) => (/^\ufeff?V\d+$/.test(name) ? (texts?.cells[index] ?? name) : name))
    table.rows[0] = { ...names, cells: own }
    if (ids?.cells.some((text) => IMPORT_ID.test(text))) return { table, header: 3 }
    return { table, header: texts && !texts.cells.some((text) => /^R_\w{8,}$/.test(text)) ? 2 : 1 }
  }
  return { header: 0 }
}

/** Columns that are not answers. */
const META = new Set([
  ...[
    'ResponseID',
    'ResponseId',
    'ResponseSet',
    'IPAddress',
    'StartDate',
    'EndDate',
    'RecordedDate',
    'Finished',
    'Status',
  ],
  ...[
    'Progress',
    'Duration (in seconds)',
    'DistributionChannel',
    'UserLanguage',
    'ExternalDataReference',
    'ExternalReference',
  ],
  ...[
    'RecipientLastName',
    'RecipientFirstName',
    'RecipientEmail',
    'LocationLatitude',
    'LocationLongitude',
    'LocationAccuracy',
  ],
])

const MAX_DEPTH = 32

/** Adds the pages of a flow. What is in a branch has its condition. */
function addFlow(
  survey: QualtricsSurvey,
  flow: readonly unknown[],
  blocks: ReadonlyMap<string, Json>,
  around: Json | undefined,
  depth: number,
): void {
  if (depth > MAX_DEPTH) throw new MovingError('too_deep', 'file', { max: MAX_DEPTH })
  const { notes, draft } = survey
  for (const element of flow.filter(isRecord)) {
    const type = String(element.Type)
    const block = blocks.get(String(element.ID))
    if (block) addBlock(survey, block, around)
    else if (type === 'EmbeddedData')
      for (const one of arrayOf(element.EmbeddedData).filter(isRecord)) addHidden(survey, String(one.Field ?? ''))
    else if (Array.isArray(element.Flow)) {
      let condition = around
      if (type === 'Branch') {
        const own = conditionOf(element.BranchLogic, (id) => draft.subjects.get(id))
        if (own) condition = around ? join('all', [around, own]) : own
        else notes.add('condition_not_supported', { item: String(element.Description ?? element.FlowID ?? type) })
      } else if (type !== 'Group' && type !== 'Root')
        notes.add('setting_not_supported', { item: type, value: String(element.FlowID ?? '') })
      addFlow(survey, element.Flow, blocks, condition, depth + 1)
    } else if (type === 'EndSurvey') notes.add('skip_not_supported', { item: type })
    else if (!['Root', 'Standard', 'Block'].includes(type)) notes.add('setting_not_supported', { item: type })
  }
}

/** Adds a hidden field for embedded data. */
function addHidden({ draft, columns }: QualtricsSurvey, name: string): void {
  if (name === '' || draft.subjects.has(`e:${name}`)) return
  const id = draft.id(name)
  draft.subjects.set(`e:${name}`, { question: id, kind: 'value' })
  const index = columns.find(name)
  const binding: Binding = { key: id, column: name, kind: 'value', read: cell(name) }
  draft.add({ id, idname: 'hidden-field', title: name, children: [{}] }, ...(index === undefined ? [] : [binding]))
}

function addBlock(survey: QualtricsSurvey, block: Json, condition: Json | undefined): void {
  const { draft, questions, notes } = survey
  const options = isRecord(block.Options) ? block.Options : {}
  if (options.RandomizeQuestions && options.RandomizeQuestions !== 'false')
    notes.add('setting_not_supported', { item: String(block.Description ?? ''), value: 'RandomizeQuestions' })
  draft.page(conditionMember(condition))
  for (const element of arrayOf(block.BlockElements).filter(isRecord)) {
    if (element.Type === 'Page Break') draft.page(conditionMember(condition))
    const question = questions.get(String(element.QuestionID))
    if (!question) continue
    if (arrayOf(element.SkipLogic).length > 0)
      notes.add('skip_not_supported', { item: String(question.DataExportTag ?? element.QuestionID) })
    addQualtricsQuestion(survey, String(element.QuestionID), question)
  }
}

function* listOf(survey: QualtricsSurvey, table: Table | undefined, header: number): Iterable<SourceResponse> {
  if (!table) return
  const { columns } = survey
  const [finished, start, recorded, end, duration, language] = [
    ['Finished'],
    ['StartDate'],
    ['RecordedDate'],
    ['EndDate'],
    ['Duration (in seconds)'],
    ['UserLanguage'],
  ].map((names) => columns.find(...names))
  const indices = new Map(columns.names.map((name, index) => [name, index]))
  for (const { number, cells } of table.rows.slice(header)) {
    const at = (index: number | undefined) => (index === undefined ? '' : (cells[index] ?? '').trim())
    const seconds = Number(at(duration) || Number.NaN)
    const code = at(language)
    yield {
      row: number,
      completed: finished === undefined || /^(?:1|true|wahr)$/i.test(at(finished)) ? 1 : 0,
      createdAt: at(start) || at(recorded) || at(end) || undefined,
      ...(seconds > 0 && seconds < 2_147_483_647 && { completionTime: Math.round(seconds) }),
      ...(code !== '' && { language: languageCode(code) }),
      values: (name) => {
        const text = cells[indices.get(name) ?? -1] ?? ''
        return text.trim() === '' || text.trim() === UNANSWERED ? [] : [text]
      },
    }
  }
}

/** Stands for questions that were seen and not answered, if the export asks for it. */
const UNANSWERED = '-99'
