import type { Json } from '../../structure/walk.ts'
import { Draft, type SourceText } from '../draft.ts'
import { conditionMember, join, parseLogic } from '../logic.ts'
import { Notes } from '../notes.ts'
import { type Format, MovingError, type Source, type SourceFile, type SourceResponse } from '../source.ts'
import { readXmlRows, type XmlRow } from '../xml.ts'
import type { LimeQuestion, LimeSurvey } from './limesurvey-builder.ts'
import {
  isLimeFile,
  type LimeResponses,
  META,
  REFERENCE,
  responsesIn,
  type Sections,
  textsOf,
} from './limesurvey-files.ts'
import { addLimeQuestion, namesIn } from './limesurvey-questions.ts'

/**
 * Reads surveys of LimeSurvey: a survey archive (.lsa), or a survey structure (.lss), alone or with its responses as
 * CSV, VV or Excel file. Archives of LimeSurvey 1.9 to 7 are read.
 */
export const limesurvey: Format = {
  name: 'limesurvey',
  async read(files) {
    const survey = files.find((file) => isLimeFile(file, 'Survey'))
    if (survey)
      return readSurvey(
        survey,
        files.filter((file) => file !== survey),
      )
    if (files.some((file) => isLimeFile(file, 'Responses')))
      throw new MovingError('survey_file_missing', 'file', { wanted: '.lss' })
    return undefined
  },
}

async function readSurvey(file: SourceFile, others: readonly SourceFile[]): Promise<Source> {
  const { sections, texts } = readXmlRows(file)
  const rows = (name: string) => sections.get(name) ?? []
  const notes = new Notes()
  const draft = new Draft(notes, /\{([A-Za-z]\w*)(?:\.\w+)?\}/g)
  const [general] = rows('surveys')
  const languageRows = rows('surveys_languagesettings')
  const language =
    general?.get('language') || languageRows[0]?.get('surveyls_language') || texts.get('language') || 'en'
  const survey: LimeSurvey = {
    sections,
    language,
    sid: general?.get('sid') ?? rows('groups')[0]?.get('sid') ?? '',
    notes,
    draft,
    responses: { find: () => undefined, unused: () => [], list: [] },
    ...indexesOf(sections),
  }
  const questions = sorted(
    rows('questions').filter((row) => isTop(row)),
    'question_order',
    language,
  )
  survey.responses = await responsesIn(others, namesIn(survey, questions))
  addGroups(survey, questions)
  for (const column of survey.responses.unused()) if (!META.has(column)) notes.add('column_ignored', { column })
  const languages = [
    language,
    ...(general?.get('additional_languages') ?? '').split(/\s+/).filter((code) => code !== '' && code !== language),
  ]
  const title = textsOf(languageRows, 'surveyls_title', 'surveyls_language')
  const description = textsOf(languageRows, 'surveyls_description', 'surveyls_language')
  return {
    format: 'limesurvey',
    notes,
    bindings: draft.bindings,
    structure: {
      title: isBlank(title) ? 'LimeSurvey' : draft.text(title, 'title'),
      ...(!isBlank(description) && { description: draft.text(description, 'description') }),
      languages: [...new Set(languages)].map((code) => ({ code, name: code, isDefault: code === language })),
      form: draft.pages,
      quotas: quotasOf(survey),
    },
    responses: listOf(survey.responses),
  }
}

/** Returns whether a row is a question: subquestions of some versions are in the same section. */
const isTop = (row: XmlRow): boolean => (row.get('parent_qid') ?? '0') === '0'

/** Returns rows in the order of a column; of several translations of a row, the one in the default language. */
function sorted(rows: readonly XmlRow[], column: string, language: string): XmlRow[] {
  const own = rows.filter((row) => (row.get('language') ?? language) === language || !row.has('language'))
  return [...(own.length > 0 ? own : rows)].sort((a, b) => Number(a.get(column)) - Number(b.get(column)))
}

const isBlank = (texts: Readonly<Record<string, string>>): boolean =>
  Object.values(texts).every((text) => text.trim() === '')

/** Returns rows by the values that connect them. */
function indexesOf(sections: Sections): Pick<LimeSurvey, 'attributes' | 'answers' | 'subquestions' | 'l10ns'> {
  const rows = (name: string) => sections.get(name) ?? []
  const by = (list: readonly XmlRow[], column: string) => Map.groupBy(list, (row) => row.get(column) ?? '')
  const subquestions = [...rows('subquestions'), ...rows('questions').filter((row) => !isTop(row))]
  return {
    attributes: by(rows('question_attributes'), 'qid'),
    answers: by(rows('answers'), 'qid'),
    subquestions: by(subquestions, 'parent_qid'),
    l10ns: {
      question: by(rows('question_l10ns'), 'qid'),
      answer: by(rows('answer_l10ns'), 'aid'),
      group: by(rows('group_l10ns'), 'gid'),
    },
  }
}

/** Adds a page for each group. */
function addGroups(survey: LimeSurvey, questions: readonly XmlRow[]): void {
  const { sections, language, draft, notes, l10ns } = survey
  const groups = sorted(sections.get('groups') ?? [], 'group_order', language)
  const asked = new Set((sections.get('conditions') ?? []).map((row) => row.get('qid')))
  for (const group of groups) {
    const gid = group.get('gid') ?? ''
    const all = (sections.get('groups') ?? []).filter((row) => row.get('gid') === gid)
    const texts = l10ns.group.get(gid) ?? all
    const [title, description] = ['group_name', 'description'].map((column) => textsOf(texts, column)) as [
      Record<string, string>,
      Record<string, string>,
    ]
    const name = Object.values(title)[0] ?? gid
    const relevance = group.get('grelevance') ?? ''
    draft.page({
      ...(!isBlank(title) && { title: draft.text(title, name) }),
      ...(!isBlank(description) && { description: draft.text(description, name) }),
      ...conditionIn(survey, name, relevance),
    })
    if ((group.get('randomization_group') ?? '') !== '')
      notes.add('setting_not_supported', { item: name, value: 'randomization_group' })
    for (const row of questions.filter((one) => one.get('gid') === gid)) {
      const qid = row.get('qid') ?? ''
      const code = row.get('title') || `q${qid}`
      const translations =
        l10ns.question.get(qid) ?? (sections.get('questions') ?? []).filter((one) => one.get('qid') === qid)
      const question: LimeQuestion = {
        row,
        qid,
        gid,
        code,
        type: row.get('type') ?? '',
        title: textsOf(translations, 'question'),
        help: textsOf(translations, 'help'),
        condition: conditionIn(survey, code, row.get('relevance') ?? ''),
      }
      const isUnconditional = /^\s*1?\s*$/.test(row.get('relevance') ?? '')
      if (asked.has(qid) && isUnconditional) notes.add('condition_not_supported', { item: code })
      addLimeQuestion(survey, question)
    }
  }
}

/** Converts a relevance equation. `1` and nothing mean always. */
function conditionIn({ draft, notes }: LimeSurvey, item: string, relevance: string): { condition?: Json } {
  if (/^\s*1?\s*$/.test(relevance)) return {}
  const condition = parseLogic(relevance, REFERENCE, (reference) => draft.subjects.get(reference))
  if (!condition) notes.add('condition_not_supported', { item, value: relevance })
  return conditionMember(condition)
}

/** Converts quotas. Members of one question are alternatives. */
function quotasOf({ sections, notes, draft }: LimeSurvey): Json[] {
  const members = Map.groupBy(sections.get('quota_members') ?? [], (row) => row.get('quota_id') ?? '')
  const codes = new Map((sections.get('questions') ?? []).map((row) => [row.get('qid'), row.get('title') ?? '']))
  return (sections.get('quota') ?? []).flatMap((quota): Json[] => {
    const id = quota.get('id') ?? ''
    const name = quota.get('name') || `quota ${id}`
    const limit = Number(quota.get('qlimit'))
    if (quota.get('active') === '0' || !(limit >= 1)) {
      notes.add('quota_not_supported', { item: name })
      return []
    }
    const byQuestion = Map.groupBy(members.get(id) ?? [], (row) => codes.get(row.get('qid')) ?? '')
    const parts = [...byQuestion].map(([question, rows]) =>
      join(
        'any',
        rows.map((row): Json | undefined => {
          const code = row.get('code') ?? ''
          const subject = draft.subjects.get(question) ?? draft.subjects.get(`${question}_${code}`)
          if (subject?.kind === 'choice' && subject.codes?.has(code))
            return { question: subject.question, op: 'eq', code: subject.codes.get(code) }
          const tick = draft.subjects.get(`${question}_${code}`)
          if (tick?.kind === 'tick') return { question: tick.question, op: 'contains', code: tick.code }
          return undefined
        }),
      ),
    )
    const when = parts.length > 0 ? join('all', parts) : undefined
    if (!when) {
      notes.add('quota_not_supported', { item: name })
      return []
    }
    const texts = (sections.get('quota_languagesettings') ?? []).filter((row) => row.get('quotals_quota_id') === id)
    const message = textsOf(texts, 'quotals_message', 'quotals_language')
    return [
      {
        name,
        limit,
        action: 'terminate',
        when: 'question' in when ? { all: [when] } : when,
        ...(!isBlank(message) && { message: draft.text(message as SourceText, name) }),
      },
    ]
  })
}

/** The time that LimeSurvey stores if a survey records no times. */
const NO_TIME = '1980-01-01 00:00:00'

function* listOf(responses: LimeResponses): Iterable<SourceResponse> {
  const column = (...names: string[]) => responses.find(...names)
  const [submitted, started, stamp] = [column('submitdate'), column('startdate'), column('datestamp')]
  const [language, duration] = [column('startlanguage'), column('interviewtime')]
  for (const { number, get } of responses.list) {
    const value = (name: string | undefined) => (name === undefined ? undefined : get(name)?.trim())
    const submitDate = value(submitted)
    const seconds = Number(value(duration))
    const time = [value(started), submitDate, value(stamp)].find((one) => one && one !== NO_TIME)
    yield {
      row: number,
      completed: submitted === undefined || submitDate ? 1 : 0,
      createdAt: time,
      ...(seconds > 0 && seconds < 2_147_483_647 && { completionTime: Math.round(seconds) }),
      language: value(language),
      values: (name) => {
        const own = get(name)
        return own === undefined ? [] : [own]
      },
    }
  }
}
