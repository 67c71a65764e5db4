import { countByQuota } from '../../../domain/response/submit/quotas.ts'
import { findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import type { Quota } from '../../../domain/structure/questionnaire.ts'
import type { StructureQuota } from '../../../domain/structure/schema.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import type { Tables } from '../../../domain/tables.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { field, select } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { shownText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { conditionSummary } from './condition-summary.ts'
import { editorPage, hasSeen, notSaved } from './editor-page.ts'
import { editMenu } from './menu.ts'
import { actionSelect, actionText, limitField, parseLimit, quotasOf } from './quota-form.ts'
import { newRule, subjectsOf, valuesOf } from './rules.ts'
import { cardTitle, defaultCode } from './texts.ts'

/** Shows the quotas of a survey. */
export const showQuotas = (request: SurveyRequest): Promise<PageResult> => quotasPage(request)

async function quotasPage(request: SurveyRequest, rejection: Part = null): Promise<PageResult> {
  const { context, survey, root, csrf, form } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const quotas = quotasOf(structure)
  const counts = await countByQuota(context.em.getKysely<Tables>(), survey.id)
  const path = `${root}edit/quotas/`
  const seen = html`${csrfField(csrf)}<input type="hidden" name="seen" value="${revisionOf(quotas)}">`
  const entered = (name: string) => formValue(form, name) ?? ''
  return request.render({
    title: t('Quotas'),
    side: editMenu(request, 'quotas'),
    content: html`
      ${rejection}
      <section class="card">
        <p class="soft">
          A quota sets a limit for complete responses, for example 100 for each age group. You choose what happens to
          further respondents.
        </p>
        ${
          quotas.length > 0 &&
          html`<ol class="rows">
            ${quotas.map((quota, index) =>
              quotaRow(quota, index, structure, { root, path, seen, count: counts.get(quota.name) ?? 0 }),
            )}
          </ol>`
        }
      </section>
      <section class="card" aria-labelledby="add-quota">
        <h2 id="add-quota">Add a quota</h2>
        <form method="post" action="${path}">
          ${seen}
          ${countSelect(structure, entered('of'))}
          ${field({
            name: 'name',
            label: t('Name'),
            value: entered('name'),
            hint: t(
              'Respondents do not see the name. If you add a quota for each choice, each quota is named after its choice.',
            ),
          })}
          ${limitField(entered('limit'))}
          ${actionSelect(entered('action') || 'terminate')}
          <button class="primary" name="do" value="add">Add quota</button>
        </form>
      </section>`,
  })
}

function quotaRow(
  quota: StructureQuota,
  index: number,
  structure: Structure,
  { root, path, seen, count }: { root: string; path: string; seen: Html; count: number },
): Html {
  const of = html`<span class="hidden"> ${t('“{title}”', { title: quota.name })}</span>`
  const when = quota.when ? conditionSummary(quota.when, structure, defaultCode(structure)) : ''
  const then = actionText(quota.action)
  const summary = when
    ? html`Counts up to ${quota.limit} complete responses if ${when}. When the quota is full: ${then}.`
    : html`Counts up to ${quota.limit} complete responses. When the quota is full: ${then}.`
  return html`<li>
    <span>
      <strong>${quota.name}</strong>
      <br>
      <span class="soft">${summary}</span>
      <br>
      <span>Responses so far: ${count} of ${quota.limit}</span>
    </span>
    <form method="post" action="${path}" class="card-actions">
      ${seen}
      <input type="hidden" name="quota" value="${index}">
      <a class="button plain small" href="${pathWith(`${root}edit/condition/`, { quota: String(index) })}">Edit${of}</a>
      <button class="quiet small" name="do" value="remove">Remove${of}</button>
    </form>
  </li>`
}

/**
 * Returns one rule for each choice of a question. A rule is met if its choice is selected. Returns an empty list for a
 * question without choices, for a ranking question, and for a grid with several rows.
 */
function rulesByChoice(question: Structure['form'][number]['children'][number], code: string) {
  const [subject, ...rows] = subjectsOf([question], code)
  if (!subject || rows.length > 0 || newRule(subject).op === 'answered') return []
  return (valuesOf(question, code) ?? []).map(({ value, label }) => ({
    label,
    rule: { ...newRule(subject), value: /^\d+$/.test(value) ? Number(value) : value === 'true' },
  }))
}

/**
 * Renders the field that determines what new quotas count. Either one quota counts all complete responses, or each
 * choice of a question gets a quota, which counts the responses with this choice.
 */
function countSelect(structure: Structure, value: string): Html {
  const code = defaultCode(structure)
  const questions = structure.form
    .flatMap(({ children }) => children)
    .filter((question) => rulesByChoice(question, code).length > 0)
    .map((question) => ({
      value: question.id,
      label: t('One quota for each choice of “{value}”', { value: cardTitle(question, structure, code) }),
    }))
  return select({
    name: 'of',
    label: t('Quotas to add'),
    value,
    hint: t('If you add one quota, you can limit it to some responses in the next step.'),
    options: [{ value: '', label: t('One quota for all complete responses') }, ...questions],
  })
}

/**
 * Returns the new quotas that the form requests. A quota for a choice has the name of the choice. If another quota has
 * this name, a number is added to the name.
 */
function newQuotas(form: FormFields, structure: Structure): Omit<Quota, 'when'>[] {
  const code = defaultCode(structure)
  const limit = parseLimit(formValue(form, 'limit'))
  const action = (formValue(form, 'action') ?? 'complete') as Quota['action']
  const of = formValue(form, 'of') ?? ''
  if (of === '') return [{ name: (formValue(form, 'name') ?? '').trim(), limit, action }]
  const names = new Set(quotasOf(structure).map(({ name }) => name))
  return rulesByChoice(findQuestion(structure, of).question, code).map(({ label, rule }) => {
    let name = label
    for (let number = 2; names.has(name); number += 1) name = `${label} (${number})`
    names.add(name)
    return { name, limit, action, when: { all: [rule] } }
  })
}

/**
 * Adds quotas or removes a quota. If authors add one quota and not a quota for each choice of a question, redirects to
 * the page of this quota, where they add rules.
 */
export async function saveQuotas(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const isAdding = formValue(form, 'do') === 'add'
  const removed = isAdding ? undefined : Number(formValue(form, 'quota'))
  const kept = quotasOf(structure).flatMap((_, was) => (was === removed ? [] : [{ was }]))
  const added = isAdding ? newQuotas(form, structure) : []
  const label = isAdding
    ? added.length === 1
      ? storedText('Quota added')
      : storedText('{length} quotas added', { length: added.length })
    : storedText('Quota removed')
  const isSingle = isAdding && (formValue(form, 'of') ?? '') === ''
  return editorPage(request, {
    operation: { op: 'edit_survey', change: { quotas: [...kept, ...added] } },
    label,
    isCurrent: (now) => hasSeen(request, revisionOf(quotasOf(now))),
    view: (messages) => quotasPage(request, notSaved(messages)),
    redirect: isSingle ? pathWith(`${root}edit/condition/`, { quota: String(kept.length) }) : `${root}edit/quotas/`,
    flash: `${shownText(label)}.`,
  })
}
