import { listFiles } from '../../../domain/file/queries.ts'
import type { UploadedFile } from '../../../domain/file/store.ts'
import { showsIdentity } from '../../../domain/response/filter/identity.ts'
import type { StoredResponse } from '../../../domain/response/filter/where.ts'
import { adjacentResponses } from '../../../domain/response/list/browse.ts'
import { listHistory, type Revision, type ValueChange } from '../../../domain/response/list/history.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { answerFields, answerTo } from '../../../domain/structure/answered.ts'
import { fileFields, fileKeysOf } from '../../../domain/structure/file-answer.ts'
import { metaLabel, STATE_NAMES } from '../../../domain/structure/meta-fields.ts'
import type { Answer, Answers, Question } from '../../../domain/structure/questionnaire.ts'
import { pipe, textIn } from '../../../domain/structure/text.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { filePagePath, surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { isAutomatic, typeOf } from '../../../questions/index.ts'
import { csrfField } from '../../csrf.ts'
import { type TextContext, titleOf } from '../../filter/fields.ts'
import { option } from '../../filter/form.ts'
import { resolveConditions } from '../../filter/list-query.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { fileSize } from '../../questions/files.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { answeredRows, answerTexts, collectorName, orphanedOtherText } from './columns.ts'
import { editableFields } from './edit.ts'
import { listSearch, type ResponsesRequest, readResponsesRequest, statusTag } from './frame.ts'

/** Shows a response, with links to the previous and the next response that match the filter in the URL. */
export async function showResponse(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { context, survey, snapshot, textContext, params, listPath } = page
  const { row } = await findResponse(context, survey.id, parseId(params.response))
  const files = await filesOf(page, row)
  const { filters = [] } = await resolveConditions(context, snapshot, page.listQuery)
  const neighbours = await adjacentResponses(context, snapshot, filters, row.id)
  const { revisions } = await listHistory(context, survey.id, row.id)
  const search = listSearch(page)
  const editLink = (id: string) =>
    `${listPath}${row.id}/answer/${search}${search ? '&' : '?'}${new URLSearchParams({ question: id })}`
  return request.render({
    title: t('Response {number}', { number: row.number }),
    beforeHeading: backLink(`${listPath}${listSearch(page)}`, t('All responses')),
    content: html`
      ${neighboursView(page, neighbours)}
      <section class="card" aria-labelledby="answers">
        <h2 id="answers">Answers ${statusTag(row.completed)}</h2>
        ${answersView(row, textContext, files, page.may('Correct') ? editLink : undefined)}
      </section>
      <section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>${metadataView(snapshot, row)}</section>
      ${historyView(page, revisions)}
      ${(page.may('Correct') || page.may('Delete')) && actionsView(page, row)}`,
  })
}

/** Finds the files of a response. Runs no query if the survey has no questions that accept files. */
async function filesOf(
  { context, survey, snapshot }: ResponsesRequest,
  { id }: StoredResponse,
): Promise<ResponseFiles> {
  const asksForFiles = fileFields(snapshot.questionnaire).length > 0
  const { files } = asksForFiles ? await listFiles(context, survey.id, id) : { files: [] }
  return { byKey: new Map(files.map((file) => [file.key, file])), path: filePagePath(survey.id) }
}

function neighboursView(
  page: ResponsesRequest,
  { newer, older }: { newer: number | undefined; older: number | undefined },
): Part {
  const link = (id: number | undefined, label: string, rel: string) =>
    id !== undefined && html`<a href="${page.listPath}${id}/${listSearch(page)}" rel="${rel}">${label}</a>`
  if (newer === undefined && older === undefined) return null
  const { oldestFirst } = page.listQuery
  const olderLink = link(older, t('Older'), oldestFirst ? 'prev' : 'next')
  const newerLink = link(newer, t('Newer'), oldestFirst ? 'next' : 'prev')
  return html`<nav aria-label="Previous and next response" class="pager top">
    ${oldestFirst ? [olderLink, newerLink] : [newerLink, olderLink]}
  </nav>`
}

/**
 * Renders the form that changes the status, and the link to the page that deletes the response. For an incomplete
 * response, also renders the link with which the respondent opens the response.
 */
function actionsView(page: ResponsesRequest, row: StoredResponse): Html {
  const { context, snapshot, csrf, listPath } = page
  const { baseUrl } = context.services
  const survey = surveyUrl(baseUrl, { username: snapshot.ownerUsername, slug: snapshot.slug })
  const link = `${survey}${row.key.toString('hex')}/`
  const search = listSearch(page)
  return html`<section class="card" aria-labelledby="change">
    <h2 id="change">Actions</h2>
    ${
      row.completed === 0
        ? html`<p>
          The respondent’s link, which continues the response: <a class="address" href="${link}">${link}</a>
        </p>`
        : html`<p class="soft">
          To let the respondent change the answers, set the status to Incomplete. This page then shows the link that
          continues the response.
        </p>`
    }
    ${
      page.may('Correct') &&
      html`<form method="post" action="${listPath}${row.id}/status/${search}" class="form-row below">
        ${csrfField(csrf)}
        <div>
          <label for="status">Status</label>
          <select class="box" id="status" name="completed">
            ${STATE_NAMES.map((label, value) => option(String(value), t(label), value === row.completed))}
          </select>
        </div>
        <button>Update status</button>
      </form>`
    }
    ${
      page.may('Delete') &&
      html`<p class="below">
        <a class="button danger small" href="${listPath}${row.id}/delete/${search}">Delete response…</a>
      </p>`
    }
  </section>`
}

/** Renders every answerable question with its answer, in the order of the survey. */
function answersView(
  { answers: stored }: StoredResponse,
  context: TextContext,
  files: ResponseFiles,
  editLink: ((questionId: string) => string) | undefined,
): Part {
  const answers = stored as Answers
  const { q, language } = context
  const { pages } = q
  const shown = pages.flatMap(({ number, title, questions }) => {
    const answerable = questions.filter(({ fields }) => fields.length > 0)
    if (answerable.length === 0) return []
    const heading = pipe(textIn(title, language, q), { ...context, answers }) || t('Page {number}', { number })
    return html`
      ${pages.length > 1 && html`<h3>${heading}</h3>`}
      <dl class="answers" lang="${language}">
        ${answerable.map((question) => questionView(question, answers, context, files, editLink))}
      </dl>`
  })
  return shown.length > 0 ? shown : html`<p class="soft">This survey has no questions.</p>`
}

function questionView(
  question: Question,
  answers: Answers,
  context: TextContext,
  files: ResponseFiles,
  editLink: ((questionId: string) => string) | undefined,
): Html {
  const title = pipe(textIn(question.title, context.language, context.q), { ...context, answers }).trim() || question.id
  const edit =
    editLink &&
    editableFields(question).length > 0 &&
    html`<p class="edit">
      <a lang="${pageLanguage()}" href="${editLink(question.id)}"
          aria-label="${t('Edit the answer to “{question}”', { question: title })}">Edit</a>
    </p>`
  const hidden =
    isAutomatic(question.kind) &&
    html` <span class="tag" lang="${pageLanguage()}">
      ${AUTOMATIC()[typeOf(question.kind)!.answeredBy!]}
    </span>`
  return html`<div><dt>${title}${hidden}</dt><dd>${answerView(question, answers, context, files)}${edit}</dd></div>`
}

function answerView(question: Question, answers: Answers, context: TextContext, files: ResponseFiles): Part {
  const [field] = answerFields(question)
  if (question.rows.length > 0) return gridView(question, answers, context)
  const texts = field ? answerTexts(field, answers, context) : []
  const other = orphanedOtherText(question, answers)
  const all = other === undefined ? texts : [...texts, other]
  if (typeOf(question.kind)?.parts?.includes('image')) return signatureView(question, all, answers, files)
  if (all.length === 0) return NO_ANSWER()
  const keys = field?.type === 'file' ? fileKeysOf(answerTo(answers, field.key)) : []
  if (keys.length > 0) return filesView(keys, files)
  if (typeOf(question.kind)?.onlyYes) return consentView(question, answers)
  if (field?.type === 'ranking') return html`<ol>${all.map((text) => html`<li>${text}</li>`)}</ol>`
  if (all.length > 1) return html`<ul>${all.map((text) => html`<li>${text}</li>`)}</ul>`
  const unit = question.unit && textIn(question.unit, context.language, context.q)
  return html`<p class="answer-text">${all[0]}${unit && ` ${unit}`}</p>`
}

/** Renders the typed name of a signature and a link to its image. */
function signatureView({ id }: Question, names: readonly string[], answers: Answers, files: ResponseFiles): Part {
  const keys = fileKeysOf(answerTo(answers, `${id}\\image`))
  if (names.length + keys.length === 0) return NO_ANSWER()
  return html`
    ${names.length > 0 && html`<p class="answer-text">${names}</p>`}
    ${keys.length > 0 && filesView(keys, files)}`
}

/** Renders what users did with a response, the newest first. */
function historyView({ snapshot, textContext }: ResponsesRequest, revisions: readonly Revision[]): Part {
  if (revisions.length === 0) return null
  const { questionnaire: q } = snapshot
  const valueText = (key: string, value: Answer | null): string => {
    const field = q.byKey.get(key)
    if (value === null) return t('No answer')
    if (key === '_completed') return t(STATE_NAMES[Number(value)]!)
    if (key === '_collector') return collectorName(snapshot, Number(value))
    return field ? answerTexts(field, { [key]: value }, textContext).join(', ') : String(value)
  }
  const nameOf = (key: string): string => {
    const field = q.byKey.get(key)
    return field ? titleOf(field.question, textContext) : metaLabelOf(key)
  }
  const KINDS = { edited: t('Edited'), deleted: t('Deleted'), restored: t('Restored') }
  const changeView = ({ key, before, after }: ValueChange) =>
    html`<li>${nameOf(key)}: <del>${valueText(key, before)}</del> → ${valueText(key, after)}</li>`
  const authorOf = ({ by, byRespondent }: Pick<Revision, 'by' | 'byRespondent'>) =>
    byRespondent ? t('by the respondent') : by?.username
  const items = revisions.map(
    ({ kind, at, reason, changes, ...revision }) => html`<li>
      <p>
        ${[KINDS[kind], timeTag(at), authorOf(revision)].filter(Boolean).map((part, n) => [n > 0 && ', ', part])}${
          reason && html`: ${reason}`
        }
      </p>
      ${changes.length > 0 && html`<ul>${changes.map(changeView)}</ul>`}
    </li>`,
  )
  return html`<section class="card" aria-labelledby="history"><h2 id="history">History</h2><ul>${items}</ul></section>`
}

const metaLabelOf = (key: string): string => (key === '_completed' || key === '_collector' ? t(metaLabel(key)) : key)

/** The files of a response by key. The address of a file is `path` followed by the key of the file. */
interface ResponseFiles {
  byKey: ReadonlyMap<string, UploadedFile>
  path: string
}

/** Renders links with which users download files. */
const filesView = (keys: readonly string[], { byKey, path }: ResponseFiles): Html =>
  html`<ul class="files">
    ${keys.map((key) => {
      const file = byKey.get(key)
      return html`<li>
        ${
          file
            ? html`
              <a href="${path}${key}/" download><bdi>${file.name}</bdi></a> <span class="soft">
                ${fileSize(file.bytes, pageLanguage())}
              </span>`
            : html`<span class="soft" lang="${pageLanguage()}">This file has been deleted.</span>`
        }
      </li>`
    })}
  </ul>`

/** Renders a consent with its version and the texts to which the respondent agreed. */
function consentView({ id }: Question, answers: Answers): Html {
  const version = answerTo(answers, `${id}\\version`)
  return html`
    <p lang="${pageLanguage()}">Agreed${version !== undefined && html`, version ${String(version)}`}</p>
    <blockquote class="answer-text">${String(answerTo(answers, `${id}\\text`) ?? '')}</blockquote>`
}

/** What the tag of a question that respondents do not answer says. */
const AUTOMATIC = perLanguage(() => ({
  link: t('Hidden'),
  calculation: t('Calculated'),
  assignment: t('Assigned at random'),
}))

const NO_ANSWER = perLanguage(() => html`<p class="soft" lang="${pageLanguage()}">No answer</p>`)

function gridView(question: Question, answers: Answers, context: TextContext): Html {
  const rows = answeredRows(question, answers, context)
  if (rows.length === 0) return NO_ANSWER()
  return html`<table class="small-grid">
    <tbody>${rows.map(([label, text]) => html`<tr><th scope="row">${label}</th><td>${text}</td></tr>`)}</tbody>
  </table>`
}

/**
 * Renders the metadata of a response. Includes personal data only if {@link showsIdentity} returns true for the
 * collector.
 */
function metadataView(snapshot: SurveySnapshot, row: StoredResponse): Html {
  const isIdentified = showsIdentity(snapshot, row.collector_id)
  const personal: [string, Part][] = [
    [t(metaLabel('_username')), row.username],
    [t(metaLabel('_ip_address')), row.ip_address],
    [t(metaLabel('_referrer')), row.referrer],
    [t(metaLabel('_get_variables')), row.get_variables],
    [t(metaLabel('_invite_name')), row.invite_name],
    [t(metaLabel('_invite_email')), row.invite_email],
    [t(metaLabel('_invite_code')), row.invite_code],
  ]
  const metadata: [string, Part][] = [
    [t(metaLabel('_created_at')), timeTag(new Date(row.created_at))],
    [t(metaLabel('_updated_at')), timeTag(new Date(row.updated_at))],
    [t('Duration'), row.completion_time !== null && durationText(row.completion_time)],
    [t(metaLabel('_saves')), row.saves],
    [t(metaLabel('_weighted_score')), row.weighted_score],
    [t(metaLabel('_language')), row.language],
    [t(metaLabel('_pagepath')), row.pagepath],
    [t(metaLabel('_collector')), collectorName(snapshot, row.collector_id)],
    ...(isIdentified ? personal : []),
    [t(metaLabel('_key')), html`<code>${row.key.toString('hex')}</code>`],
  ]
  const shown = metadata.filter(([, value]) => value !== null && value !== '' && value !== false)
  return html`
    <dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    ${
      !isIdentified &&
      html`<p class="soft below">This response is anonymous. Canvass stores no data that identifies the respondent.</p>`
    }`
}

/** Returns a duration as text: `1 h 2 min 5 s`. */
export function durationText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ] as const
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, unit]) => `${count} ${unit}`)
      .join(' ') || '0 s'
  )
}
