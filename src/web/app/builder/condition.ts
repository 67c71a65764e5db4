import { editDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { serializeText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { rejectionOf } from './change.ts'
import { subjectIn } from './condition-subject.ts'
import { editMenu } from './menu.ts'
import { MAX_FORM_RULES, parseRules, rulesOf, subjectsOf, valueErrors } from './rules.ts'
import { rulesView } from './rules-view.ts'
import { defaultCode, withLabels } from './texts.ts'

/** Shows the condition of a question, a page, a skip or a quota. */
export const showCondition = (request: SurveyRequest): Promise<PageResult> => conditionPage(request)

/** @param entered the condition in a rejected form; if it is absent, the form shows the stored condition */
async function conditionPage(request: SurveyRequest, rejection: Part = null, entered?: unknown): Promise<PageResult> {
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
  return request.render(
    {
      title,
      action: editMenu(request, 'questions', true),
      beforeHeading: backLink(back, noun === 'quota' ? t('Quotas') : t('All questions')),
      content: html`<form method="post" action="${path}" class="card question-form">${csrfField(csrf)}<input type="hidden" name="seen" value="${revisionOf(condition)}">
<button class="hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>${rejection}${more}
${
  isLong
    ? html`<p class="first">This condition has ${count.toLocaleString(pageLanguage())} rules. A form shows at most ${MAX_FORM_RULES}. Edit it in the <a href="${root}edit/json/">JSON editor</a>.</p>`
    : isEmpty
      ? html`<p class="first">${always}</p>`
      : rulesView(rules, structure, code, noun)
}
${
  subjects.length > 0
    ? count < MAX_FORM_RULES &&
      html`<div class="add-rule">${select({ name: 'add', label: isEmpty ? t('Depending on the answer to') : t('Add a rule about'), options: [{ value: '', label: t('Choose a question') }, ...options] })}<button class="small" name="do" value="add">Add rule</button></div>`
    : html`<p class="soft">${noun === 'quota' ? t('There is no question to which a rule could refer.') : t('There is no earlier question to which a rule could refer.')}</p>`
}
<div class="actions">${((!isEmpty && !isLong) || more) && html`<button class="primary" name="do" value="save">Save</button>`}<a class="button plain" href="${back}">${(isEmpty || isLong) && !more ? t('Back') : t('Cancel')}</a></div></form>`,
    },
    rejection ? 422 : 200,
  )
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
  const change = operation(entered)
  const seen = formValue(form, 'seen')
  const errors = action === 'save' && !formValue(form, 'add') ? valueErrors(entered, structure) : []
  if (errors.length > 0)
    return conditionPage(request, alert(t('Nothing was saved. {messages}', { messages: errors.join(' ') })), entered)
  try {
    await request.write((writing) =>
      editDraft(
        writing,
        survey.id,
        change,
        serializeText(
          noun === 'quota' ? storedText('Quota edited') : storedText('Condition of {name} edited', { name }),
        ),
        {
          isCurrent: (now) => seen === undefined || revisionOf(subjectIn(request, now).condition) === seen,
        },
      ),
    )
  } catch (error) {
    const messages = (await rejectionOf(request, error, change)).join(' ')
    return conditionPage(request, alert(t('Nothing was saved. {messages}', { messages })), entered)
  }
  if (action !== 'save') return { redirect: path }
  request.flash(t('{value} saved to the draft.', { value: noun === 'quota' ? t('Quota') : t('Condition') }))
  return { redirect: back }
}
