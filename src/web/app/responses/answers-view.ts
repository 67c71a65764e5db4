import type { UploadedFile } from '../../../domain/file/store.ts'
import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { answerFields, answerTo } from '../../../domain/structure/answered.ts'
import { fileKeysOf } from '../../../domain/structure/file-answer.ts'
import { isAutomatic } from '../../../domain/structure/kinds.ts'
import type { Answers, Question } from '../../../domain/structure/questionnaire.ts'
import { pipe, textIn } from '../../../domain/structure/text.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { TextContext } from '../../filter/text-context.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { fileSize } from '../../respondent/question/file.ts'
import { answeredRows, answerTexts, orphanedOtherText } from './answer-text.ts'

/** Renders every answerable question with its answer, in the order of the survey. */
export function answersView({ answers: stored }: StoredResponse, context: TextContext, files: ResponseFiles): Part {
  const answers = stored as Answers
  const { q, language } = context
  const { pages } = q
  const shown = pages.flatMap(({ number, title, questions }) => {
    const answerable = questions.filter(({ fields }) => fields.length > 0)
    if (answerable.length === 0) return []
    const heading = pipe(textIn(title, language, q), { ...context, answers }) || t('Page {number}', { number })
    return html`${pages.length > 1 && html`<h3>${heading}</h3>`}<dl class="answers" lang="${language}">${answerable.map((question) => questionView(question, answers, context, files))}</dl>`
  })
  return shown.length > 0 ? shown : html`<p class="soft">This survey has no questions.</p>`
}

function questionView(question: Question, answers: Answers, context: TextContext, files: ResponseFiles): Html {
  const title = pipe(textIn(question.title, context.language, context.q), { ...context, answers }).trim()
  const hidden =
    isAutomatic(question.kind) &&
    html` <span class="tag" lang="${pageLanguage()}">${question.kind === 'calculation' ? t('Calculated') : t('Hidden')}</span>`
  return html`<div><dt>${title || question.id}${hidden}</dt><dd>${answerView(question, answers, context, files)}</dd></div>`
}

function answerView(question: Question, answers: Answers, context: TextContext, files: ResponseFiles): Part {
  const [field] = answerFields(question)
  if (question.rows.length > 0) return gridView(question, answers, context)
  const texts = field ? answerTexts(field, answers, context) : []
  const other = orphanedOtherText(question, answers)
  const all = other === undefined ? texts : [...texts, other]
  if (question.kind === 'signature') return signatureView(question, all, answers, files)
  if (all.length === 0) return NO_ANSWER()
  const keys = field?.type === 'file' ? fileKeysOf(answerTo(answers, field.key)) : []
  if (keys.length > 0) return filesView(keys, files)
  if (question.kind === 'consent') return consentView(question, answers)
  if (field?.type === 'ranking') return html`<ol>${all.map((text) => html`<li>${text}</li>`)}</ol>`
  if (all.length > 1) return html`<ul>${all.map((text) => html`<li>${text}</li>`)}</ul>`
  const unit = question.unit && textIn(question.unit, context.language, context.q)
  return html`<p class="answer-text">${all[0]}${unit && ` ${unit}`}</p>`
}

/** Renders the typed name of a signature and a link to its image. */
function signatureView({ id }: Question, names: readonly string[], answers: Answers, files: ResponseFiles): Part {
  const keys = fileKeysOf(answerTo(answers, `${id}\\image`))
  if (names.length + keys.length === 0) return NO_ANSWER()
  return html`${names.length > 0 && html`<p class="answer-text">${names}</p>`}${keys.length > 0 && filesView(keys, files)}`
}

/** The files of a response by key. The address of a file is `path` followed by the key of the file. */
export interface ResponseFiles {
  byKey: ReadonlyMap<string, UploadedFile>
  path: string
}

/** Renders links with which users download files. */
const filesView = (keys: readonly string[], { byKey, path }: ResponseFiles): Html =>
  html`<ul class="files">${keys.map((key) => {
    const file = byKey.get(key)
    return html`<li>${
      file
        ? html`<a href="${path}${key}/" download><bdi>${file.name}</bdi></a> <span class="soft">${fileSize(file.bytes, pageLanguage())}</span>`
        : html`<span class="soft" lang="${pageLanguage()}">This file has been deleted.</span>`
    }</li>`
  })}</ul>`

/** Renders a consent with its version and the texts to which the respondent agreed. */
function consentView({ id }: Question, answers: Answers): Html {
  const version = answerTo(answers, `${id}\\version`)
  return html`<p lang="${pageLanguage()}">Agreed${version !== undefined && html`, version ${String(version)}`}</p><blockquote class="answer-text">${String(answerTo(answers, `${id}\\text`) ?? '')}</blockquote>`
}

const NO_ANSWER = perLanguage(() => html`<p class="soft" lang="${pageLanguage()}">No answer</p>`)

function gridView(question: Question, answers: Answers, context: TextContext): Html {
  const rows = answeredRows(question, answers, context)
  if (rows.length === 0) return NO_ANSWER()
  return html`<table class="small-grid"><tbody>${rows.map(([label, text]) => html`<tr><th scope="row">${label}</th><td>${text}</td></tr>`)}</tbody></table>`
}
