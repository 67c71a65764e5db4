import { problems } from '../../../domain/problem.ts'
import { findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import type { Operation } from '../../../domain/structure/edit/operation.ts'
import type { Condition, Skip } from '../../../domain/structure/questionnaire.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { arrayOf } from '../../../domain/structure/walk.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { type StoredText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import type { AnyCondition } from './condition-summary.ts'
import { editorPage, hasSeen, notSaved } from './editor-page.ts'
import { editMenu } from './menu.ts'
import { quotaChange, quotaFields, quotasOf } from './quota-form.ts'
import { MAX_FORM_RULES, parseRules, rulesOf, rulesView, subjectsOf, valueErrors } from './rules.ts'
import { parseTarget, targetSelect } from './skip-target.ts'
import { cardTitle, defaultCode, nameOfPage, storedNameOfPage, withLabels } from './texts.ts'
import { cardAddress, pageAddress } from './window.ts'

/** Shows the condition of a question, a page, a skip or a quota. */
export const showCondition = (request: SurveyRequest): Promise<PageResult> => conditionPage(request)

/** @param entered the condition in a rejected form; if it is absent, the form shows the stored condition */
async function conditionPage(
  request: SurveyRequest,
  rejection: Part = null,
  entered?: AnyCondition | null,
): Promise<PageResult> {
  const { context, survey, csrf, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { title, always, noun, condition, earlier, path, back, more } = subjectIn(request, structure)
  const code = defaultCode(structure)
  const rules = rulesOf(entered ?? condition)
  const subjects = subjectsOf(earlier, code)
  const options = subjects.map(({ name, label }) => ({ value: name, label: withLabels(label, structure, code) }))
  const { length: count } = rules.parts
  const isEmpty = count === 0
  const isLong = count > MAX_FORM_RULES
  return request.render({
    title,
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(back, noun === 'quota' ? t('Quotas') : t('All questions')),
    content: html`<form method="post" action="${path}" class="card question-form">
      ${csrfField(csrf)}
      <input type="hidden" name="seen" value="${revisionOf(condition)}">
      <button class="hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>
      ${rejection}
      ${more}
      ${
        isLong
          ? html`<p class="first">
            This condition has ${count.toLocaleString(pageLanguage())} rules. A form shows at most ${MAX_FORM_RULES}.
            Edit it in the <a href="${root}edit/json/">JSON editor</a>.
          </p>`
          : isEmpty
            ? html`<p class="first">${always}</p>`
            : rulesView(rules, structure, code, noun)
      }
      ${
        subjects.length > 0
          ? count < MAX_FORM_RULES &&
            html`<div class="add-rule">
              ${select({
                name: 'add',
                label: isEmpty ? t('Depending on the answer to') : t('Add a rule about'),
                options: [{ value: '', label: t('Choose a question') }, ...options],
              })}
              <button class="small" name="do" value="add">Add rule</button>
            </div>`
          : html`<p class="soft">
            ${
              noun === 'quota'
                ? t('There is no question to which a rule could refer.')
                : t('There is no earlier question to which a rule could refer.')
            }
          </p>`
      }
      <div class="actions">
        ${((!isEmpty && !isLong) || more) && html`<button class="primary" name="do" value="save">Save</button>`}
        <a class="button plain" href="${back}">${(isEmpty || isLong) && !more ? t('Back') : t('Cancel')}</a>
      </div>
    </form>`,
  })
}

/**
 * Saves a condition to the draft. The buttons that add and remove rules also save the condition, and then show the form
 * again.
 */
export async function saveCondition(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { name, noun, condition, operation, path, back } = subjectIn(request, structure)
  const action = formValue(form, 'do') ?? 'save'
  const entered = parseRules(form, condition, structure)
  const errors = action === 'save' && !formValue(form, 'add') ? valueErrors(entered, structure) : []
  const view = (messages: readonly string[]) => conditionPage(request, notSaved(messages), entered)
  if (errors.length > 0) return rejectedPage(await view(errors))
  return editorPage(request, {
    operation: operation(entered),
    label: noun === 'quota' ? storedText('Quota edited') : storedText('Condition of {name} edited', { name }),
    isCurrent: (now) => hasSeen(request, revisionOf(subjectIn(request, now).condition)),
    view,
    ...(action === 'save'
      ? {
          redirect: back,
          flash: t('{value} saved to the draft.', { value: noun === 'quota' ? t('Quota') : t('Condition') }),
        }
      : { redirect: path }),
  })
}

/**
 * The object that a condition controls:
 * - a question or page is shown if the condition is met
 * - a skip is applied if the condition is met
 * - a quota counts the responses for which the condition is met
 */
interface Subject {
  /**
   * The name of the object, worded for the middle of a sentence. The description of a change to the draft contains this
   * name.
   */
  name: string | StoredText
  noun: 'question' | 'page' | 'skip' | 'quota'
  condition: AnyCondition | undefined
  /** The questions to which the condition can refer. */
  earlier: readonly StructureQuestion[]
  path: string
  back: string
  operation(condition: Condition | null): Operation
  title: string
  /** The text that the form shows if the condition has no rules. */
  always: string
  /** The form controls for the other properties of a skip or quota, such as the target of the skip. */
  more?: Part
}

/**
 * Returns the question, page, skip or quota that the URL names.
 * @throws {Problem} `question_not_found`, `structure_changed`
 */
function subjectIn(request: SurveyRequest, structure: Structure): Subject {
  const { query, root } = request
  if (query.has('skip')) return skipIn(request, structure)
  if (query.has('quota')) return quotaIn(request, structure)
  const code = defaultCode(structure)
  const id = query.get('id')
  if (id === null) {
    const page = Number(query.get('page') ?? 'NaN')
    const frame = structure.form[page]
    if (!frame) throw problems.draftChanged()
    const name = nameOfPage(frame, page, code)
    return {
      name: storedNameOfPage(frame, page, code),
      title: t('Show {name} if …', { name }),
      always: t('This page is always shown. Add a rule to show it only to some respondents.'),
      noun: 'page',
      condition: frame.condition,
      earlier: questionsBefore(structure, page, page),
      path: pathWith(`${root}edit/condition/`, { page: String(page) }),
      back: pageAddress(root, structure, page),
      operation: (condition) => ({ op: 'edit_page', page, change: { condition } }),
    }
  }
  const { question, page, at } = findQuestion(structure, id)
  const text = cardTitle(question, structure, code)
  const name = t('“{title}”', { title: text })
  return {
    name: storedText('“{title}”', { title: text.slice(0, 80) }),
    title: t('Show {name} if …', { name }),
    always: t('This question is always shown. Add a rule to show it only to some respondents.'),
    noun: 'question',
    condition: question.condition,
    earlier: [...questionsBefore(structure, page, page), ...structure.form[page]!.children.slice(0, at)],
    path: pathWith(`${root}edit/condition/`, { id }),
    back: cardAddress(root, structure, id),
    operation: (condition) => ({ op: 'edit_question', id, change: { condition } }),
  }
}

/**
 * Returns the questions of the pages before a position to which a condition can refer: repeated questions only on the
 * pages that are repeated with them.
 * @param from the page with the condition, from 0; absent: a skip or a quota
 */
function questionsBefore({ form }: Structure, end: number, from?: number): StructureQuestion[] {
  const isRepeatedWith = (index: number) =>
    from !== undefined && form.slice(index, from + 1).every(({ loop }) => loop === form[index]!.loop)
  return form.slice(0, end).flatMap(({ loop, children }, index) => (!loop || isRepeatedWith(index) ? children : []))
}

/**
 * Returns the skip that the URL names.
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
    name: storedText('a skip of {page}', { page: storedNameOfPage(frame, page, defaultCode(structure)) }),
    title: t('Skip after {name} if …', { name }),
    always: t('This skip always applies. Add a rule to apply it only to some respondents.'),
    noun: 'skip',
    condition: when,
    earlier: questionsBefore(structure, page + 1),
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

/**
 * Returns the quota that the URL names.
 * @throws {Problem} `structure_changed`
 */
function quotaIn({ query, root, form }: SurveyRequest, structure: Structure): Subject {
  const index = Number(query.get('quota') ?? 'NaN')
  const quotas = quotasOf(structure)
  const quota = quotas[index]
  if (!quota) throw problems.draftChanged()
  const code = defaultCode(structure)
  return {
    name: quota.name,
    title: t('Quota'),
    always: t('This quota counts every complete response. Add a rule to count only some of them.'),
    noun: 'quota',
    condition: quota.when,
    earlier: questionsBefore(structure, structure.form.length),
    path: pathWith(`${root}edit/condition/`, { quota: String(index) }),
    back: `${root}edit/quotas/`,
    operation: (when) => ({
      op: 'edit_survey',
      change: {
        quotas: quotas.map((_, was) => (was === index ? { ...quotaChange(form, quota, code), when, was } : { was })),
      },
    }),
    more: quotaFields(quota, code, form),
  }
}
