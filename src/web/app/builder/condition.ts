import { problems } from '../../../domain/problem.ts'
import { findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import type { Operation } from '../../../domain/structure/edit/operation.ts'
import type { Condition, Skip } from '../../../domain/structure/questionnaire.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { arrayOf } from '../../../domain/structure/walk.ts'
import { editDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { backLink } from '../../layout/back-link.ts'
import { pathWith } from '../../layout/pager.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { rejectionOf } from './change.ts'
import { editMenu } from './menu.ts'
import { parseRules, rulesOf, subjectsOf } from './rules.ts'
import { rulesView } from './rules-view.ts'
import { parseTarget, targetSelect } from './skip-target.ts'
import { cardId, defaultCode, nameOfPage, titleOfQuestion } from './texts.ts'

/** What a condition controls: a question or page that it shows, or a skip that it applies. */
interface Subject {
  /** The name as it reads in the middle of a sentence. */
  name: string
  noun: 'question' | 'page' | 'skip'
  condition: unknown
  /** The questions to which the condition can refer. */
  earlier: readonly StructureQuestion[]
  path: string
  back: string
  operation(condition: Condition | null): Operation
  title: string
  /** Shown in place of rules when there are none. */
  always: string
  /** The control that selects the target of a skip. */
  more?: Part
}

/**
 * Returns the question, page or skip that the URL names.
 * @throws {Problem} `question_not_found`, `structure_changed`
 */
function subjectIn(request: SurveyRequest, structure: Structure): Subject {
  const { query, root } = request
  if (query.has('skip')) return skipIn(request, structure)
  const code = defaultCode(structure)
  const id = query.get('id')
  if (id === null) {
    const page = Number(query.get('page') ?? 'NaN')
    const frame = structure.form[page]
    if (!frame) throw problems.draftChanged()
    const name = nameOfPage(frame, page, code)
    return {
      name,
      title: `Show ${name} if …`,
      always: 'This page is always shown. Add a rule to show it only to some respondents.',
      noun: 'page',
      condition: frame.condition,
      earlier: structure.form.slice(0, page).flatMap(({ children }) => children),
      path: pathWith(`${root}edit/condition/`, { page: String(page) }),
      back: `${root}edit/#page-${page + 1}`,
      operation: (condition) => ({ op: 'edit_page', page, change: { condition } }),
    }
  }
  const { question, page, at } = findQuestion(structure, id)
  const name = `“${titleOfQuestion(question, code)}”`
  return {
    name,
    title: `Show ${name} if …`,
    always: 'This question is always shown. Add a rule to show it only to some respondents.',
    noun: 'question',
    condition: question.condition,
    earlier: [
      ...structure.form.slice(0, page).flatMap(({ children }) => children),
      ...structure.form[page]!.children.slice(0, at),
    ],
    path: pathWith(`${root}edit/condition/`, { id }),
    back: `${root}edit/#${cardId(id)}`,
    operation: (condition) => ({ op: 'edit_question', id, change: { condition } }),
  }
}

/**
 * Returns the skip that the address names.
 * @throws {Problem} `structure_changed`
 */
function skipIn({ query, root, form }: SurveyRequest, structure: Structure): Subject {
  const [page, index] = [Number(query.get('page') ?? 'NaN'), Number(query.get('skip') ?? 'NaN')]
  const frame = structure.form[page]
  const skips = arrayOf(frame?.skip) as readonly Skip[]
  const skip = skips[index]
  if (!frame || !skip) throw problems.draftChanged()
  const name = nameOfPage(frame, page, defaultCode(structure))
  const { when, ...rest } = skip
  return {
    name: `a skip of ${name}`,
    title: `Skip after ${name} if …`,
    always: 'This skip always applies. Add a rule to apply it only to some respondents.',
    noun: 'skip',
    condition: when,
    earlier: structure.form.slice(0, page + 1).flatMap(({ children }) => children),
    path: pathWith(`${root}edit/condition/`, { page: String(page), skip: String(index) }),
    back: pathWith(`${root}edit/skips/`, { page: String(page) }),
    operation: (condition) => {
      const to = parseTarget(formValue(form, 'to')) ?? skip.to
      const after: Skip = { ...rest, to, ...(condition && { when: condition }) }
      return { op: 'edit_page', page, change: { skip: skips.with(index, after) } }
    },
    more: targetSelect(structure, page, skip.to),
  }
}

/** Shows the condition of a question, of a page or of a skip. */
export const showCondition = (request: SurveyRequest): Promise<PageResult> => conditionPage(request)

async function conditionPage(request: SurveyRequest, rejection: Part = null): Promise<PageResult> {
  const { context, survey, csrf } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { title, always, noun, condition, earlier, path, back, more } = subjectIn(request, structure)
  const code = defaultCode(structure)
  const rules = rulesOf(condition)
  const subjects = subjectsOf(earlier, code)
  const options = subjects.map((subject) => ({ value: subject.name, label: subject.label }))
  const isEmpty = rules.parts.length === 0
  return request.render(
    {
      title,
      action: editMenu(request, 'questions', true),
      beforeHeading: backLink(back, 'All questions'),
      content: html`<form method="post" action="${path}" class="card question-form">${csrfField(csrf)}<input type="hidden" name="seen" value="${revisionOf(condition)}">
<button class="hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>${rejection}${more}
${isEmpty ? html`<p class="first">${always}</p>` : rulesView(rules, structure, code, noun)}
${
  subjects.length > 0
    ? html`<div class="add-rule">${select({ name: 'add', label: isEmpty ? 'Depending on the answer to' : 'Add a rule about', options: [{ value: '', label: 'Choose a question' }, ...options] })}<button class="small" name="do" value="add">Add rule</button></div>`
    : html`<p class="soft">There is no earlier question to which a rule could refer.</p>`
}
<div class="actions">${(!isEmpty || more) && html`<button class="primary" name="do" value="save">Save</button>`}<a class="button plain" href="${back}">${isEmpty && !more ? 'Back' : 'Cancel'}</a></div></form>`,
    },
    rejection ? 422 : 200,
  )
}

/** Saves a condition to the draft. The buttons that add and remove rules also save it, and then show the form again. */
export async function saveCondition(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { name, condition, operation, path, back } = subjectIn(request, structure)
  const action = formValue(form, 'do') ?? 'save'
  const change = operation(parseRules(form, condition, structure))
  const seen = formValue(form, 'seen')
  try {
    await request.write((writing) =>
      editDraft(writing, survey.id, change, `Condition of ${name.slice(0, 90)} edited`, {
        isCurrent: (now) => seen === undefined || revisionOf(subjectIn(request, now).condition) === seen,
      }),
    )
  } catch (error) {
    return conditionPage(request, alert(`Nothing was saved. ${(await rejectionOf(request, error, change)).join(' ')}`))
  }
  if (action !== 'save') return { redirect: path }
  request.flash('Condition saved to the draft.')
  return { redirect: back }
}
