import { storeMovedSurvey, uploadForImport } from '../../../domain/moving/import.ts'
import type { Note } from '../../../domain/moving/notes.ts'
import { readMovedSurvey } from '../../../domain/moving/read.ts'
import { findImport, findUpload, type ImportRecord } from '../../../domain/moving/record.ts'
import { formatNames } from '../../../domain/moving/source.ts'
import type { Proof, ProofLine } from '../../../domain/moving/totals.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { noteText } from '../../i18n/error-texts.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { type SurveyRequest, surveyRoot } from '../surveys/survey-page.ts'

const IMPORT_PATH = '/account/surveys/new/import/'

/** Keeps the files of another tool. @returns the ID of the upload */
export const keepForImport = (request: SignedInRequest, upload: Buffer): Promise<number> =>
  uploadForImport(request.context, upload, (act) => request.write(act))

/** Shows what the import of an upload would do. */
export const showUpload = (request: SignedInRequest): Promise<PageResult> => uploadPage(request)

async function uploadPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { id, format, record } = await findUpload(request.context, parseId(request.params.upload))
  const { title, responses, notes, proofs } = record
  return request.render({
    title: t('Check the import'),
    beforeHeading: backLink(IMPORT_PATH, t('Import a file')),
    scripts: ['busy.js'],
    content: html`
      <section class="card start" aria-labelledby="result">
        <h2 id="result">${title}</h2>
        ${alert(rejected?.general)}
        <p>
          ${t('From {tool}: {answers} and {responses}.', {
            tool: formatNames[format],
            answers: pluralize(proofs.length, 'column of answers', 'columns of answers'),
            responses: pluralize(responses, 'response'),
          })} ${
            notes.length === 0
              ? t('Everything can be converted.')
              : t('Some parts will be left out or changed: see below.')
          }
        </p>
        <form method="post" action="${IMPORT_PATH}${id}/" data-busy="Importing…">
          ${csrfField(request.csrf)}
          ${field({
            name: 'name',
            label: t('Name'),
            value: formValue(request.form, 'name') ?? title,
            errors: rejected?.errors,
          })}
          <div class="actions">
            <button class="primary">Import</button>
            <a class="button plain" href="${IMPORT_PATH}">Cancel</a>
          </div>
        </form>
      </section>
      ${notesView(notes)}
      ${proofsView(record, false)}`,
  })
}

/** Imports an upload, and opens the proof of the new survey. */
export async function submitUpload(request: SignedInRequest): Promise<PageResult> {
  const { id, file } = await findUpload(request.context, parseId(request.params.upload))
  const moved = await readMovedSurvey(request.context, file)
  const name = (formValue(request.form, 'name') ?? '').trim() || undefined
  return formPage(request, {
    fields: ['name'],
    act: (context) => storeMovedSurvey(context, moved, { name, uploadId: id }),
    view: (rejected) => uploadPage(request, rejected),
    done: ({ survey }) => {
      request.flash(t('“{name}” created. Respondents can take it after you publish it.', { name: survey.name }))
      return { redirect: `${surveyRoot(survey.id)}import/` }
    },
  })
}

/** Shows how a survey was imported: the old totals beside the new ones, and what was left out or changed. */
export async function showImportProof(request: SurveyRequest): Promise<PageResult> {
  const { format, record, createdAt } = await findImport(request.context, request.survey.id)
  const { proofs, responses, stored, notes } = record
  const equal = proofs.filter((proof) => proof.equal).length
  const isWhole = equal === proofs.length && responses === stored
  return request.render({
    title: t('Proof of the import'),
    content: html`
      <section class="card" aria-labelledby="summary">
        <h2 id="summary">
          ${isWhole ? t('All totals agree') : t('Some totals differ')}
        </h2>
        <dl class="facts">
          <dt>Imported</dt>
          <dd>${timeTag(createdAt)} · ${formatNames[format]}</dd>
          <dt>Responses in the files</dt>
          <dd>${number(responses)}</dd>
          <dt>Responses in the survey</dt>
          <dd>${number(stored)}</dd>
          <dt>Columns whose totals agree</dt>
          <dd>${t('{count} of {total}', { count: equal, total: proofs.length })}</dd>
        </dl>
        <p class="soft below">
          The old totals were counted in the files, before anything was converted. The new totals were counted in the
          database, directly after the import.
        </p>
      </section>
      ${proofsView(record, true)}
      ${notesView(notes)}`,
  })
}

const number = (value: number): string => value.toLocaleString(pageLanguage())

function notesView(notes: readonly Note[]): Part {
  if (notes.length === 0) return null
  const rows = notes.map(
    (note) =>
      html`<tr>
        <td data-title="${t('Question')}">${note.item}</td>
        <td data-title="${t('Column')}">${note.column}</td>
        <td data-title="${t('Row')}">${note.row}</td>
        <td data-title="${t('Content')}">${note.value !== null && html`<code>${note.value}</code>`}</td>
        <td data-title="${t('How often')}">${number(note.count)}</td>
        <td data-title="${t('What happened')}"><span>${noteText(note)}</span></td>
      </tr>`,
  )
  return html`
    <h2 class="below" id="issues">Left out or changed</h2>
    <div class="scroll" role="region" aria-labelledby="issues" tabindex="0">
      <table class="sheet issues">
        <thead>
          <tr>
            <th scope="col">Question</th>
            <th scope="col">Column</th>
            <th scope="col">Row</th>
            <th scope="col">Content</th>
            <th scope="col">How often</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>`
}

/** Renders the totals of each column; before the import, only the old ones. */
function proofsView({ proofs }: ImportRecord, isStored: boolean): Part {
  if (proofs.length === 0) return null
  return html`
    <h2 class="below" id="totals">${isStored ? t('Old and new totals') : t('Totals in the files')}</h2>
    ${proofs.map((proof) => proofView(proof, isStored))}`
}

function proofView({ title, column, old, new: stored, lines, equal }: Proof, isStored: boolean): Html {
  const row = (name: Part, before: number | null, after: number | null) => {
    const differs = isStored && before !== after
    return html`<tr>
      <th scope="row">${name}</th>
      <td data-title="${t('In the files')}">${before === null ? '' : number(before)}</td>
      ${isStored && html`<td data-title="${t('In the survey')}">${after === null ? '' : number(after)}</td>`}
      ${isStored && html`<td data-title="">${differs && html`<span class="tag open">differs</span>`}</td>`}
    </tr>`
  }
  return html`<details class="card"${isStored && !equal && html` open`}>
    <summary>
      ${title} <span class="soft">${column}</span> ${
        isStored && (equal ? html`<span class="tag good">agrees</span>` : html`<span class="tag open">differs</span>`)
      }
    </summary>
    <table class="sheet">
      <thead>
        <tr>
          <th scope="col">Value</th>
          <th scope="col">In the files</th>
          ${isStored && html`<th scope="col">In the survey</th><th scope="col"><span class="hidden">Result</span></th>`}
        </tr>
      </thead>
      <tbody>
        ${lines.map((line) => row(lineName(line), line.old, line.new))}
        ${old.sum !== null && row(t('Sum'), old.sum, stored.sum)}
        ${row(t('Responses with an answer'), old.answered, stored.answered)}
      </tbody>
    </table>
  </details>`
}

/** Returns the value and the label in the files, and the label of the choice if it is another one. */
function lineName({ value, label, choice }: ProofLine): Part {
  const old = label === '' || label === value ? value : `${value} · ${label}`
  const isNamed = choice === null || choice === label || choice === value
  return html`${old}${!isNamed && html` → ${choice}`}${choice === null && html` <em>${t('(no choice)')}</em>`}`
}
