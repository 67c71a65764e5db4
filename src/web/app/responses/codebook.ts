import { Readable } from 'node:stream'
import type { MetaWords } from '../../../domain/response/export/options.ts'
import { codebookFormats, findVariables, writeCodebook } from '../../../domain/response/export/statistics/describe.ts'
import type { ValueLabel, Variable } from '../../../domain/response/export/statistics/variables.ts'
import { STATE_NAMES } from '../../../domain/structure/meta-fields.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { readResponsesRequest } from './frame.ts'

/** Maximum number of variables in the table, and of values of a variable. The files contain all. */
const MAX_ROWS = 1_000
const MAX_VALUES = 30

const FILES = perLanguage(
  () =>
    ({
      csv: t('Codebook as a table (CSV)'),
      spss: t('Syntax file for SPSS and PSPP (.sps)'),
      stata: t('Do-file for Stata (.do)'),
      r: t('Script for R (.R)'),
    }) as const,
)

/** The names of the types of variables. */
export const typeNames = perLanguage(
  () =>
    ({
      number: t('number'),
      text: t('text'),
      date: t('date'),
      time: t('time'),
      datetime: t('date and time'),
    }) as const,
)

/** Returns the words for metadata in the language of the page. In English, the files of a page are those of the API. */
export const metaWords = (): MetaWords | undefined =>
  pageLanguage() === 'en' ? undefined : { label: (text) => t(text), states: STATE_NAMES.map((name) => t(name)) }

/** Shows the variables of the file for statistics programs, or sends them as a file. */
export async function showCodebook(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query } = request
  const language = query.get('language') || undefined
  const options = { include: undefined, language, withKey: false, withNumber: false, words: metaWords() }
  const format = codebookFormats.find((one) => one === query.get('format'))
  if (format) {
    const { filename, text } = await writeCodebook(context, survey.id, format, options)
    const type = `text/${format === 'csv' ? 'csv' : 'plain'}; charset=utf-8`
    return { file: Readable.from([Buffer.from(text)]), type, name: filename }
  }
  const { listPath, textContext } = await readResponsesRequest(request)
  const variables = await findVariables(context, survey.id, options)
  const fileLink = (name: (typeof codebookFormats)[number]) =>
    html`<li><a href="${listPath}codebook/?format=${name}${language && `&language=${encodeURIComponent(language)}`}">${FILES()[name]}</a></li>`
  return request.render({
    title: t('Codebook'),
    beforeHeading: backLink(`${listPath}download/`, t('Download responses')),
    content: html`<div class="card"><p>${t('These are the columns of the download “CSV for statistics programs”. Their names never change. Save a file for your program in the folder of the download, and start it there: it reads the download with names, types, labels and missing values.')}</p>
<ul>${codebookFormats.map(fileLink)}</ul></div>
${variables.length > MAX_ROWS && html`<p class="soft">${t('The table shows the first {count} columns. The files contain all.', { count: String(MAX_ROWS) })}</p>`}
<div class="scroll" role="region" aria-label="${t('Codebook')}" tabindex="0"><table class="sheet"><thead><tr><th scope="col">${t('Column')}</th><th scope="col">${t('Label')}</th><th scope="col">${t('Type')}</th><th scope="col">${t('Values')}</th></tr></thead>
<tbody>${variables.slice(0, MAX_ROWS).map((variable) => rowOf(variable, textContext.language))}</tbody></table></div>`,
  })
}

const rowOf = ({ name, label, type, values, missing, source }: Variable, language: string): Html => {
  const said = 'meta' in source ? null : html` lang="${language}"`
  const blank =
    missing === 'not asked' && html`${values.length > 0 && '; '}<span class="soft">${t('blank: not asked')}</span>`
  return html`<tr><th scope="row"><code>${name}</code></th><td data-title="${t('Label')}"><span${said}>${label}</span></td><td data-title="${t('Type')}">${typeNames()[type]}</td><td data-title="${t('Values')}"${values.length === 0 && !blank && html` class="none"`}><span${said}>${valuesView(values)}${blank}</span></td></tr>`
}

const valuesView = (values: readonly ValueLabel[]): Html =>
  html`${values.slice(0, MAX_VALUES).map(({ value, label }, index) => html`${index > 0 && ', '}<code>${value}</code> ${label}`)}${values.length > MAX_VALUES && ' …'}`
