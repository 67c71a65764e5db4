import { attributeValues, filtersOf, filterValueOf } from '../../../domain/structure/choice-attributes.ts'
import { findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import type { FilterChange } from '../../../domain/structure/edit/operation.ts'
import type { Structure, StructureItem, StructureQuestion } from '../../../domain/structure/structure.ts'
import { codeOf, uidOf } from '../../../domain/structure/walk.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { filteredKinds, isFiltering, kindOf, typeOf } from '../../../questions/index.ts'
import { csrfField } from '../../csrf.ts'
import { select } from '../../forms/field.ts'
import { type FormFields, formValue, formValues } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
import { storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { nameInRule } from './condition-summary.ts'
import { editorPage, hasSeen, notSaved } from './editor-page.ts'
import { editMenu } from './menu.ts'
import { subjectsOf } from './rules.ts'
import { anyText, cardTitle, choicesOf, defaultCode, questionNamed, withLabels } from './texts.ts'
import { cardAddress, filterPath } from './window.ts'

/** Shows which choices of a question depend on earlier answers. */
export async function showFilter(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { question } = findQuestion(structure, query.get('id') ?? '')
  if (!filteredKinds.has(kindOf(question.idname))) return { redirect: `${request.root}edit/` }
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
  const add = html`<div class="add-rule">
    ${select({
      name: 'add',
      label: t('Show only choices that match the answer to'),
      options: [{ value: '', label: t('Choose a question') }, ...options],
    })}
    <button class="small" name="do" value="add">Add question</button>
  </div>`
  return request.render({
    title: t('Choices of {name} that depend on an answer', {
      name: t('“{title}”', { title: cardTitle(question, structure, code) }),
    }),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(back, t('All questions')),
    content: html`<form method="post" action="${filterPath(root, question.id)}" class="card question-form"
        id="question-form">
      ${csrfField(csrf)}
      <input type="hidden" name="seen" value="${revisionOf(question)}">
      <button class="hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>
      ${rejection}
      ${
        columns.length === 0
          ? html`<p class="first">
            ${t(
              'All choices are shown. Choose an earlier question, for example the country, to show only the choices that belong to its answer, such as the regions of this country.',
            )}
          </p>`
          : filterTable(question, columns, code, form)
      }
      ${
        options.length > 0
          ? add
          : columns.length === 0 &&
            html`<p class="soft">
              ${t('There is no earlier question whose answer could decide which choices are shown.')}
            </p>`
      }
      <div class="actions">
        ${columns.length > 0 && html`<button class="primary" name="do" value="save">Save</button>`}
        <a class="button plain" href="${back}">${columns.length > 0 ? t('Cancel') : t('Back')}</a>
      </div>
    </form>`,
  })
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
  return html`
    <p class="first">${hints.join(' ')}</p>
    ${columns.map(
      ({ question: name, attribute }, index) =>
        html`
          <input type="hidden" name="filter.${index}.question" value="${name}">
          <input type="hidden" name="filter.${index}.attribute" value="${attribute}">`,
    )}
    <div class="scroll" role="region" aria-label="${t('Choices')}" tabindex="0">
      <table class="filter-table">
        <thead>
          <tr>
            <th scope="col">Choice</th>
            ${columns.map(
              ({ title }, index) =>
                html`<th scope="col">
                  ${title} <button class="quiet small" name="do" value="remove.${index}">
                    Remove<span class="hidden"> ${title}</span>
                  </button>
                </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${choices.map((choice, index) => {
            const label = anyText(choice.label, code) || t('Choice {index}', { index: index + 1 })
            return html`<tr>
              <th scope="row">${label}</th>
              ${columns.map(
                (column, position) =>
                  html`<td>${cell(choice, index, label, column, position, choices.length, form)}</td>`,
              )}
            </tr>`
          })}
        </tbody>
      </table>
    </div>
    ${columns.map(
      (column, index) =>
        column.answers &&
        !isTicked(column, choices.length) &&
        html`<datalist id="answers-${index}">
          ${column.answers.map(({ label }) => html`<option value="${label}"></option>`)}
        </datalist>`,
    )}`
}

function cell(
  choice: StructureItem,
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
    return html`
      <input class="box" name="${name}" value="${form ? (formValue(form, name) ?? '') : shownText(column, stored)}"
          autocomplete="off"${column.answers && html` list="answers-${position}"`}
          aria-label="${`${label}: ${column.title}`}">`
  const ticked = form ? formValues(form, name) : stored
  const answers = column.answers ?? []
  const others = stored.filter((value) => !answers.some((answer) => answer.value === value))
  return [...answers, ...others.map((value) => ({ value, label: value }))].map(
    (answer) =>
      html`
        <label class="inline">
          <input type="checkbox" name="${name}"
              value="${answer.value}"${ticked.includes(answer.value) && html` checked`}> ${answer.label}
          <span class="hidden"> (${label})</span>
        </label> `,
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
  const view = (messages: readonly string[]) => {
    const entered = action.startsWith('remove') ? undefined : form
    return filterPage(request, structure, question, columns, notSaved(messages), entered)
  }
  if (unknown.length > 0)
    return rejectedPage(
      view(
        unknown
          .slice(0, 10)
          .map(({ choice, text }) => t('{choice}: “{text}” is not an answer to the question.', { choice, text })),
      ),
    )
  const empty = filters.findIndex(({ values }) => values.size === 0)
  if (empty !== -1 && action === 'save')
    return rejectedPage(
      view([
        t('{title}: give at least one choice an answer, or remove the question.', { title: columns[empty]!.title }),
      ]),
    )
  const title = anyText(question.title, code).trim().slice(0, 80) || storedText('Untitled question')
  const added = action === 'add' ? formValue(form, 'add') || undefined : undefined
  return editorPage(request, {
    operation: { op: 'filter_choices', id, filters: filters.filter(({ values }) => values.size > 0) },
    label: storedText('Choices of “{title}” filtered', { title }),
    isCurrent: (now) => hasSeen(request, revisionOf(findQuestion(now, id).question)),
    view,
    ...(action === 'save'
      ? {
          redirect: cardAddress(root, structure, id),
          flash: t('{value} saved to the draft.', { value: t('Choices') }),
        }
      : { redirect: filterPath(root, id, added) }),
  })
}

/** An answer to a question that filters choices. */
interface FilterAnswer {
  /** The text with which attributes name the answer. */
  value: string
  label: string
}

/** A column of the form: a question that filters the choices. */
interface FilterColumn {
  question: string
  attribute: string
  title: string
  /** The answers among which the author chooses; undefined for a question that is not answered with a choice. */
  answers: readonly FilterAnswer[] | undefined
}

/** Maximum number of checkboxes of the form. If there would be more, authors type the answers. */
const MAX_BOXES = 500

/** Separates the answers in a text field. */
const SEPARATOR = ';'

/** Returns the earlier questions that can filter the choices of a question, without those that already do. */
const filteringSubjects = (earlier: readonly StructureQuestion[], filters: readonly FilterColumn[], code: string) =>
  subjectsOf(
    earlier.filter(({ idname }) => isFiltering(kindOf(idname))),
    code,
  ).filter(({ name }) => !filters.some(({ question }) => question === name))

function columnOf(filter: { question: string; attribute: string }, structure: Structure, code: string): FilterColumn {
  const named = questionNamed(filter.question, structure)
  const title = nameInRule({ question: filter.question }, structure, code)
  return { ...filter, title, answers: named && answersOf(named.question, code) }
}

function answersOf(question: StructureQuestion, code: string): FilterAnswer[] | undefined {
  const kind = kindOf(question.idname)
  const choices = choicesOf(question)
  if (typeOf(kind)?.yesNo)
    return [t('Yes'), t('No')].map((label, index) => answerOf(choices[index] ?? {}, index, label, code))
  if (!typeOf(kind)?.choices) return undefined
  return choices.map((choice, index) => answerOf(choice, index, t('Choice {index}', { index: index + 1 }), code))
}

function answerOf(choice: StructureItem, index: number, fallback: string, code: string): FilterAnswer {
  const own = codeOf(choice)
  const value = filterValueOf({ index, ...(own !== undefined && { code: own }) })
  return { value, label: anyText(choice.label, code).trim() || fallback }
}

/** Returns the questions that filter the choices of a question, and the question that the author adds. */
function storedColumns(
  question: StructureQuestion,
  structure: Structure,
  code: string,
  added?: string,
): FilterColumn[] {
  const filters = filtersOf(question)
  const found = added && !filters.some((filter) => filter.question === added) && questionNamed(added, structure)
  const attribute = found && found.row === undefined ? found.question.identifier || found.question.id : added
  const more = found ? [{ question: added, attribute: String(attribute).slice(0, 200) }] : []
  return [...filters, ...more].map((filter) => columnOf(filter, structure, code))
}

/** Returns the questions of a submitted form. */
function enteredColumns(form: FormFields, structure: Structure, code: string): FilterColumn[] {
  const columns: FilterColumn[] = []
  for (let index = 0; formValue(form, `filter.${index}.question`) !== undefined; index += 1) {
    const question = formValue(form, `filter.${index}.question`)!
    const attribute = formValue(form, `filter.${index}.attribute`) ?? question
    if (formValue(form, 'do') !== `remove.${index}`) columns.push(columnOf({ question, attribute }, structure, code))
  }
  return columns
}

/** Whether the author ticks the answers of a column, and does not type them. */
const isTicked = ({ answers }: FilterColumn, choices: number): boolean =>
  answers !== undefined && answers.length * choices <= MAX_BOXES

/** Returns the values of an attribute as the text field shows them. */
const shownText = ({ answers = [] }: FilterColumn, values: readonly string[]): string =>
  values
    .map((value) => {
      const label = answers.find((answer) => answer.value === value)?.label ?? value
      const isUnique = answers.filter((answer) => answer.label === label).length < 2
      return isUnique && !label.includes(SEPARATOR) ? label : value
    })
    .join(`${SEPARATOR} `)

/** A text in the form that names no answer. */
interface UnknownAnswer {
  choice: string
  text: string
}

/** The name of the form fields of a cell. */
const cellName = (uid: number, column: number): string => `cell.${column}.${uid}`

/** Returns the questions that a form requests, and the texts that name no answer. */
function parseFilters(
  form: FormFields,
  question: StructureQuestion,
  columns: readonly FilterColumn[],
  code: string,
): { filters: FilterChange[]; unknown: UnknownAnswer[] } {
  const unknown: UnknownAnswer[] = []
  const choices = choicesOf(question)
  const removed = /^remove\.(\d+)$/.exec(formValue(form, 'do') ?? '')?.[1]
  const filters = columns.map((column, position): FilterChange => {
    const at = removed !== undefined && position >= Number(removed) ? position + 1 : position
    const values = new Map<number, string[]>()
    for (const [index, choice] of choices.entries()) {
      const uid = uidOf(choice, index)
      const stored = attributeValues(choice, column.attribute)
      const name = cellName(uid, at)
      const entered = isTicked(column, choices.length)
        ? [...formValues(form, name)]
        : typedValues(formValue(form, name) ?? '', column, (text) =>
            unknown.push({ choice: anyText(choice.label, code), text }),
          )
      // An attribute that names no answer is not shown, and is kept if the author changes nothing.
      const isKept = stored !== undefined && isSame(entered, shownValues(stored))
      const after = isKept ? stored : entered
      if (isKept || after.length > 0) values.set(uid, after)
    }
    return { question: column.question, attribute: column.attribute, values }
  })
  return { filters, unknown }
}

/** Returns the values that the form shows. An empty value matches no answer, and is not shown. */
const shownValues = (values: readonly string[]): string[] => values.filter((value) => value !== '')

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value) => b.includes(value))

function typedValues(text: string, { answers }: FilterColumn, addUnknown: (text: string) => void): string[] {
  const parts = text
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const values = parts.map((part) => {
    if (!answers) return part
    const labelled = answers.filter(({ label }) => label.toLowerCase() === part.toLowerCase())
    const named = answers.find(({ value }) => value === part) ?? (labelled.length === 1 ? labelled[0] : undefined)
    if (!named) addUnknown(part)
    return named?.value ?? part
  })
  return [...new Set(values)]
}
