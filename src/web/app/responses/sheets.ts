import { randomBytes } from 'node:crypto'
import { createCollector } from '../../../domain/collector/commands.ts'
import { listCollectors } from '../../../domain/collector/queries.ts'
import type { FieldError } from '../../../domain/field-error.ts'
import { Problem, problems } from '../../../domain/problem.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { isReadable, type Sheet, submitSheet } from '../../../domain/response/submit/submit.ts'
import { codedChoices } from '../../../domain/structure/choices.ts'
import type { Field, Question, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { mapPlaceholders, textIn } from '../../../domain/structure/text.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { errorSentence, type FieldErrorTexts, type FieldOptions, field, select, textArea } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
import { errorText } from '../../i18n/error-texts.ts'
import { languageFor } from '../../i18n/i18n.ts'
import { t } from '../../i18n/t.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import { numbersOf } from '../builder/paper.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/** Prefix of the form fields for answers, before the response key. */
const ANSWER = 'answer.'
/** Maximum number of choices that the hint of a field lists. The sheet lists them all. */
const MAX_HINT_CHOICES = 12

/**
 * The button that Enter would press, because it is the first. It is disabled, so that Enter does not store half a sheet
 * before the script runs.
 */
const FIRST_BUTTON = html`<button disabled hidden></button>`

const pathOf = ({ root }: SurveyRequest): string => `${root}responses/sheets/`

/** Finds the published survey, whose paper edition has the numbers that are typed in. */
async function findSurvey({ context, survey, may }: SurveyRequest): Promise<SurveySnapshot> {
  if (!may('Correct')) throw problems.forbidden('type in paper sheets')
  return findSnapshot(context, survey.id, 'Correct')
}

/** Shows an empty sheet to type in, or before the first one the form for the language and the collector. */
export async function showSheet(request: SurveyRequest): Promise<PageResult> {
  const snapshot = await findSurvey(request)
  return request.query.get('collector') === null ? startPage(request, snapshot) : sheetPage(request, snapshot)
}

async function startPage(request: SurveyRequest, { questionnaire: q }: SurveySnapshot): Promise<PageResult> {
  const { context, survey, root, csrf, may } = request
  const { collectors } = await listCollectors(context, survey.id)
  const own = collectors.find(({ name }) => name === t('Paper sheets'))
  return request.render({
    title: t('Type in paper sheets'),
    beforeHeading: backLink(`${root}responses/`, t('All responses')),
    content: html`<section class="card">
      ${
        survey.unpublished || numbersOf(q).size === 0
          ? html`<p>Publish the survey first. Sheets are typed in with the numbers of its published questions.</p>`
          : html`
            <p>
              You type the numbers beside the ticked boxes, and Enter goes to the next field. Each sheet becomes a
              complete response.
            </p>
            <form method="post" action="${pathOf(request)}start/">
              ${csrfField(csrf)}
              ${
                q.languages.length > 1 &&
                select({
                  name: 'language',
                  label: t('Language of the sheets'),
                  value: q.defaultLanguage,
                  options: q.languages.map(({ code, name }) => ({ value: code, label: name })),
                })
              }
              ${select({
                name: 'collector',
                label: t('Collector'),
                hint: t('Filters and exports tell the sheets from other responses by it.'),
                value: own ? String(own.id) : '',
                options: [
                  ...(may('Deploy') && !own ? [{ value: '', label: t('New collector “Paper sheets”') }] : []),
                  ...collectors.map(({ id, name }) => ({ value: id, label: name })),
                ],
              })}
              <button class="primary">Start</button>
            </form>`
      }
    </section>`,
  })
}

/** Opens the first empty sheet. Creates the collector of the sheets if none was chosen. */
export async function startSheets(request: SurveyRequest): Promise<PageResult> {
  const { form, survey } = request
  const { questionnaire: q } = await findSurvey(request)
  const chosen = parseId(formValue(form, 'collector'))
  // The respondents of sheets have no link, so the collector is closed.
  const draft = { survey: survey.id, name: t('Paper sheets'), live: false }
  const collector = chosen || (await request.write((context) => createCollector(context, draft))).id
  return { redirect: pathWith(pathOf(request), { collector, language: languageIn(q, formValue(form, 'language')) }) }
}

const languageIn = (q: Questionnaire, code: string | null | undefined): string =>
  languageFor(q, code ?? undefined, undefined, () => false)

/** What was typed in for a sheet that is not stored. */
interface RejectedSheet {
  errors: FieldErrorTexts
  /** Whether the answers can be stored although they break rules of the survey. */
  isReadable: boolean
}

async function sheetPage(
  request: SurveyRequest,
  snapshot: SurveySnapshot,
  rejected?: RejectedSheet,
): Promise<PageResult> {
  const { root, csrf, query, form } = request
  const { questionnaire: q } = snapshot
  const language = languageIn(q, query.get('language'))
  const collector = snapshot.collectors.get(parseId(query.get('collector') ?? ''))
  if (!collector) throw problems.collectorNotFound()
  const values = rejected ? form : {}
  const errors = rejected?.errors ?? new Map<string, string>()
  const numbers = numbersOf(q)
  const entered = [...numbers].flatMap(([question, number]) =>
    fieldsOf(question).map((one): [Field, number] => [one, number]),
  )
  const focused = Math.max(
    0,
    entered.findIndex(([{ key }]) => errors.has(ANSWER + key)),
  )
  const action = pathWith(pathOf(request), { collector: collector.id, language })
  const left = [...numbers].filter(([question]) => fieldsOf(question).length === 0)
  return request.render({
    title: t('Type in paper sheets'),
    beforeHeading: backLink(`${root}responses/`, t('All responses')),
    scripts: ['sheet.js'],
    content: html`
      ${await storedView(request)}
      <form method="post" class="card paper-entry" action="${action}">
        ${FIRST_BUTTON}
        ${csrfField(csrf)}
        <input type="hidden" name="key" value="${formValue(values, 'key') ?? randomBytes(20).toString('hex')}">
        ${
          rejected &&
          html`<p class="alert" role="alert">
            ${
              rejected.isReadable
                ? t('Not stored yet. Compare the fields below with the sheet.')
                : t('Not stored. Correct the fields below.')
            }
          </p>`
        }
        ${entered.map(([one, number], index) =>
          entryView(one, { q, number, language, values, errors, isFirst: index === focused }),
        )}
        ${
          left.length > 0 &&
          html`<p class="soft">
            ${t('Not typed in, keep the sheets: {questions}', {
              questions: left.map(([question, number]) => titleOf(question, number, q, language)).join(', '),
            })}
          </p>`
        }
        <div class="actions">
          <button class="primary">${rejected ? t('Check again and store') : t('Store')}</button>
          ${
            rejected?.isReadable &&
            html`<button class="plain" name="as" value="filled-in">Store as it was filled in</button>`
          }
        </div>
      </form>`,
  })
}

/** Says under which number the previous sheet was stored. */
async function storedView({ context, survey, query, root }: SurveyRequest): Promise<Part> {
  const stored = parseId(query.get('stored') ?? '')
  if (!stored) return null
  const { row } = await findResponse(context, survey.id, stored)
  return html`<p class="notice" role="status">
    Stored as <a href="${root}responses/${stored}/">response ${row.number}</a>. Write this number on the sheet.
  </p>`
}

/** Returns the fields of a question that are typed in. Files, and the texts of a consent, are not. */
const fieldsOf = ({ fields }: Question): readonly Field[] =>
  fields.filter(({ type, part }) => type !== 'file' && part === undefined)

const titleOf = ({ title, id }: Question, number: number, q: Questionnaire, language: string): string =>
  `${number}. ${mapPlaceholders(textIn(title, language, q), () => '…').trim() || id}`

interface EntryContext {
  q: Questionnaire
  number: number
  language: string
  values: FormFields
  errors: FieldErrorTexts
  /** Whether the field has the focus: the first one, or the first with an error. */
  isFirst: boolean
}

/** Renders a field of the sheet: the first of a question with its number and title. */
function entryView(one: Field, { q, number, language, values, errors, isFirst }: EntryContext): Html {
  const { question, row, key, type } = one
  const name = ANSWER + key
  const title = titleOf(question, number, q, language)
  const label = row
    ? `${title}: ${textIn(row.label, language, q)}`
    : type === 'other'
      ? t('{title}: text of the last box', { title })
      : title
  const value = formValue(values, name) ?? ''
  const attributes = isFirst && html` autofocus`
  const options: FieldOptions = { name, label, value, errors, autocomplete: 'off', attributes }
  if (type === 'ranking')
    return html`<fieldset class="field">
      <legend>${label}</legend>
      ${errors.has(name) && html`<p class="error">${errorSentence(label, errors.get(name)!)}</p>`}
      ${one.choices.map((choice) => {
        const position = `${name}.${choice.index}`
        const value = formValue(values, position) ?? ''
        return field({ name: position, label: textIn(choice.label, language, q), value, short: true })
      })}
    </fieldset>`
  if (type === 'datetime') {
    const { format } = question
    if (format === undefined) return field({ ...options, hint: t('For example 2026-03-14 or 2026-03-14 15:09.') })
    return field({ ...options, type: format === 'datetime' ? 'datetime-local' : format })
  }
  if (type === 'string' && (question.lines ?? 1) > 1)
    return textArea({ ...options, prose: true, rows: 2, hint: t('Shift and Enter begin a new line.') })
  const isCoded = type === 'single' || type === 'multi' || type === 'number' || type === 'boolean'
  return isCoded
    ? field({
        ...options,
        hint: hintOf(one, q, language),
        short: type !== 'multi',
      })
    : field(options)
}

/** Returns the numbers of the boxes with their labels. */
function hintOf(one: Field, q: Questionnaire, language: string): string {
  const choices = codedChoices(one).filter(({ removed }) => !removed)
  const texts = choices.slice(0, MAX_HINT_CHOICES).map(({ code, label }) => {
    const text = textIn(label, language, q).trim()
    return text === '' || text === code ? code : `${code} ${text}`
  })
  const list = `${texts.join(' · ')}${choices.length > texts.length ? ' …' : ''}`
  return one.type === 'multi' ? t('{choices}. Several numbers with spaces.', { choices: list }) : list
}

/** Stores a sheet, and shows the next empty one. A sheet that breaks rules is stored only if the user confirms it. */
export async function saveSheet(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, query } = request
  const snapshot = await findSurvey(request)
  const collector = parseId(query.get('collector') ?? '')
  const language = languageIn(snapshot.questionnaire, query.get('language'))
  const answers = readAnswers(snapshot.questionnaire, form)
  const sheet: Sheet = { answers, collector, language, key: formValue(form, 'key') ?? '' }
  try {
    const { id } = await submitSheet(context, survey.id, sheet, formValue(form, 'as') === 'filled-in')
    return { redirect: pathWith(pathOf(request), { collector, language, stored: id }) }
  } catch (error) {
    const problem = request.toProblem(error)
    if (!(problem instanceof Problem) || problem.code !== 'survey_error') throw error
    const errors = new Map(problem.errors.map((one) => [ANSWER + one.field, sentenceOf(one)]))
    return rejectedPage(await sheetPage(request, snapshot, { errors, isReadable: isReadable(snapshot, sheet) }))
  }
}

const sentenceOf = (error: FieldError): string =>
  error.code === 'not_a_choice' ? t('No box has such a number. The numbers are below the field.') : errorText(error)

/** Returns the answers that were typed in, by response key. */
function readAnswers(q: Questionnaire, form: FormFields): Record<string, unknown> {
  const answers: Record<string, unknown> = Object.create(null)
  for (const [question] of numbersOf(q))
    for (const { key, type, choices, ...rest } of fieldsOf(question)) {
      const value =
        formValue(form, ANSWER + key)
          ?.replaceAll('\r\n', '\n')
          .trim() ?? ''
      if (type === 'ranking') answers[key] = rankedCodes({ key, type, choices, ...rest }, form)
      else if (value !== '') answers[key] = type === 'multi' ? value.split(/[\s,;]+/) : value
    }
  return answers
}

/** Returns the codes of the ranked choices in their order. A number that is written twice is left for the check. */
function rankedCodes(ranking: Field, form: FormFields): unknown {
  const codes = new Map(codedChoices(ranking).map(({ index, code }) => [index, code]))
  const ranked = ranking.choices.flatMap(({ index }) => {
    const rank = formValue(form, `${ANSWER}${ranking.key}.${index}`)?.trim() ?? ''
    return rank === '' ? [] : [{ code: codes.get(index)!, rank }]
  })
  const isOrder = ranked.every(({ rank }) => /^[1-9]\d{0,3}$/.test(rank))
  const isUnique = new Set(ranked.map(({ rank }) => Number(rank))).size === ranked.length
  const ordered = ranked.toSorted((one, other) => Number(one.rank) - Number(other.rank)).map(({ code }) => code)
  if (isOrder && isUnique) return ordered
  // Read as the same choice twice, which is the error of this answer.
  return ordered.length > 0 ? [ordered[0], ordered[0]] : ordered
}
