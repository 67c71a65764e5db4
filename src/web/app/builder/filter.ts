import { attributeValues, FILTERED_KINDS } from '../../../domain/structure/choice-attributes.ts'
import { findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import type { Operation } from '../../../domain/structure/edit/operation.ts'
import { kindOf } from '../../../domain/structure/kinds.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { uidOf } from '../../../domain/structure/uid.ts'
import type { Json } from '../../../domain/structure/walk.ts'
import { editDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert } from '../../forms/field.ts'
import { type FormFields, formValue, formValues } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { serializeText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pathWith } from '../../layout/pager.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { rejectionOf } from './change.ts'
import {
  cellName,
  enteredColumns,
  type FilterColumn,
  filteringSubjects,
  isTicked,
  parseFilters,
  shownText,
  shownValues,
  storedColumns,
} from './filter-columns.ts'
import { editMenu } from './menu.ts'
import { anyText, cardTitle, choicesOf, defaultCode, withLabels } from './texts.ts'
import { cardAddress } from './window.ts'

/** Returns the address of the form for the filters of the choices of a question. */
export const filterPath = (root: string, id: string, by?: string): string => pathWith(`${root}edit/filter/`, { id, by })

/** Shows which choices of a question depend on earlier answers. */
export async function showFilter(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { question } = findQuestion(structure, query.get('id') ?? '')
  if (!FILTERED_KINDS.has(kindOf(question.idname))) return { redirect: `${request.root}edit/` }
  const columns = storedColumns(question, structure, defaultCode(structure), query.get('by') ?? undefined)
  return filterPage(request, structure, question, columns)
}

/** @param form the form that was rejected and is shown again */
function filterPage(
  request: SurveyRequest,
  structure: Structure,
  question: StructureQuestion,
  columns: readonly FilterColumn[],
  rejection: Part = null,
  form?: FormFields,
): PageResult {
  const { root, csrf } = request
  const code = defaultCode(structure)
  const back = cardAddress(root, structure, question.id)
  const questions = structure.form.flatMap(({ children }) => children)
  const subjects = filteringSubjects(questions.slice(0, questions.indexOf(question)), columns, code)
  const options = subjects.map(({ name, label }) => ({ value: name, label: withLabels(label, structure, code) }))
  const add = html`<div class="add-rule">${select({ name: 'add', label: t('Show only choices that match the answer to'), options: [{ value: '', label: t('Choose a question') }, ...options] })}<button class="small" name="do" value="add">Add question</button></div>`
  return request.render(
    {
      title: t('Choices of {name} that depend on an answer', {
        name: t('“{title}”', { title: cardTitle(question, structure, code) }),
      }),
      action: editMenu(request, 'questions', true),
      beforeHeading: backLink(back, t('All questions')),
      content: html`<form method="post" action="${filterPath(root, question.id)}" class="card question-form" id="question-form">${csrfField(csrf)}<input type="hidden" name="seen" value="${revisionOf(question)}">
<button class="hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>${rejection}
${
  columns.length === 0
    ? html`<p class="first">${t('All choices are shown. Choose an earlier question, for example the country, to show only the choices that belong to its answer, such as the regions of this country.')}</p>`
    : filterTable(question, columns, code, form)
}
${options.length > 0 ? add : columns.length === 0 && html`<p class="soft">${t('There is no earlier question whose answer could decide which choices are shown.')}</p>`}
<div class="actions">${columns.length > 0 && html`<button class="primary" name="do" value="save">Save</button>`}<a class="button plain" href="${back}">${columns.length > 0 ? t('Cancel') : t('Back')}</a></div></form>`,
    },
    rejection ? 422 : 200,
  )
}

function filterTable(
  question: StructureQuestion,
  columns: readonly FilterColumn[],
  code: string,
  form: FormFields | undefined,
): Html {
  const choices = choicesOf(question)
  const hints = [
    columns.some((column) => isTicked(column, choices.length)) && t('Tick the answers for which a choice is shown.'),
    columns.some((column) => !isTicked(column, choices.length)) &&
      t('Type the answer for which a choice is shown. Separate several answers with semicolons.'),
    t('A choice without an answer is always shown.'),
    columns.length > 1 && t('A choice must match all questions.'),
  ].filter((hint) => hint !== false)
  return html`<p class="first">${hints.join(' ')}</p>${columns.map(
    ({ question: name, attribute }, index) =>
      html`<input type="hidden" name="filter.${index}.question" value="${name}"><input type="hidden" name="filter.${index}.attribute" value="${attribute}">`,
  )}
<div class="scroll" role="region" aria-label="${t('Choices')}" tabindex="0"><table class="filter-table"><thead><tr><th scope="col">Choice</th>${columns.map(
    ({ title }, index) =>
      html`<th scope="col">${title} <button class="quiet small" name="do" value="remove.${index}">Remove<span class="hidden"> ${title}</span></button></th>`,
  )}</tr></thead><tbody>${choices.map((choice, index) => {
    const label = anyText(choice.label, code) || t('Choice {index}', { index: index + 1 })
    return html`<tr><th scope="row">${label}</th>${columns.map((column, position) => html`<td>${cell(choice, index, label, column, position, choices.length, form)}</td>`)}</tr>`
  })}</tbody></table></div>${columns.map(
    (column, index) =>
      column.answers &&
      !isTicked(column, choices.length) &&
      html`<datalist id="answers-${index}">${column.answers.map(({ label }) => html`<option value="${label}"></option>`)}</datalist>`,
  )}`
}

function cell(
  choice: Json,
  index: number,
  label: string,
  column: FilterColumn,
  position: number,
  count: number,
  form: FormFields | undefined,
): Part {
  const name = cellName(uidOf(choice, index), position)
  const stored = shownValues(attributeValues(choice, column.attribute) ?? [])
  if (!isTicked(column, count))
    return html`<input class="box" name="${name}" value="${form ? (formValue(form, name) ?? '') : shownText(column, stored)}" autocomplete="off"${column.answers && html` list="answers-${position}"`} aria-label="${`${label}: ${column.title}`}">`
  const ticked = form ? formValues(form, name) : stored
  const answers = column.answers ?? []
  const others = stored.filter((value) => !answers.some((answer) => answer.value === value))
  return [...answers, ...others.map((value) => ({ value, label: value }))].map(
    (answer) =>
      html`<label class="inline"><input type="checkbox" name="${name}" value="${answer.value}"${ticked.includes(answer.value) && html` checked`}> ${answer.label}<span class="hidden"> (${label})</span></label> `,
  )
}

/** Saves the filters of the choices of a question. The button that adds a question saves the filters before. */
export async function saveFilter(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, form, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { question } = findQuestion(structure, query.get('id') ?? '')
  const { id } = question
  const code = defaultCode(structure)
  const action = formValue(form, 'do') ?? 'save'
  const columns = enteredColumns(form, structure, code)
  const { filters, unknown } = parseFilters(form, question, columns, code)
  const reject = (messages: readonly string[]) =>
    filterPage(
      request,
      structure,
      question,
      columns,
      alert(t('Nothing was saved. {messages}', { messages: messages.join(' ') })),
      action.startsWith('remove') ? undefined : form,
    )
  if (unknown.length > 0)
    return reject(
      unknown
        .slice(0, 10)
        .map(({ choice, text }) => t('{choice}: “{text}” is not an answer to the question.', { choice, text })),
    )
  const empty = filters.findIndex(({ values }) => values.size === 0)
  if (empty !== -1 && action === 'save')
    return reject([
      t('{title}: give at least one choice an answer, or remove the question.', { title: columns[empty]!.title }),
    ])
  const operation: Operation = { op: 'filter_choices', id, filters: filters.filter(({ values }) => values.size > 0) }
  const seen = formValue(form, 'seen')
  const title = anyText(question.title, code).trim().slice(0, 80) || storedText('Untitled question')
  try {
    await request.write((writing) =>
      editDraft(writing, survey.id, operation, serializeText(storedText('Choices of “{title}” filtered', { title })), {
        isCurrent: (now) => seen === undefined || revisionOf(findQuestion(now, id).question) === seen,
      }),
    )
  } catch (error) {
    return reject(await rejectionOf(request, error, operation))
  }
  if (action === 'add') return { redirect: filterPath(root, id, formValue(form, 'add') || undefined) }
  if (action !== 'save') return { redirect: filterPath(root, id) }
  request.flash(t('{value} saved to the draft.', { value: t('Choices') }))
  return { redirect: cardAddress(root, structure, id) }
}
