import { findDraft, type PageDraft, saveDraft } from '../../domain/respondent/draft.ts'
import type { SubmittedPage } from '../../domain/respondent/submit-page.ts'
import type { Answers, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { fromForm, fromStored, toStored } from '../../domain/structure/stored.ts'
import { formValues } from '../../domain/structure/write-answer.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import type { PageResult } from '../page.ts'
import { pathFor, withoutPageState, withQuery } from './address.ts'
import { showPage } from './page.ts'
import { errorsByKey } from './question/render-context.ts'
import type { ResolvedRequest } from './resolve-request.ts'

/**
 * Stores the input of a rejected page as a draft and redirects to the URL that shows the draft. If the page were the
 * direct reply to the form, browsers would ask whether to submit the form again when the respondent returns to the
 * page.
 */
export async function redirectToDraft(
  resolved: ResolvedRequest,
  { key, stored, answers }: SubmittedPage,
  form: FormFields,
  draft: Omit<PageDraft, 'answers' | 'carried'>,
): Promise<PageResult> {
  const { request, snapshot, kept } = resolved
  const draftValues = {
    ...draft,
    values: stored ? notStored(snapshot.questionnaire, draft.values, answers) : draft.values,
    answers: stored ? {} : toStored(snapshot.questionnaire, answers),
    carried: stored ? {} : startFields(form),
  }
  const token = await saveDraft(request.context, { surveyId: snapshot.id, key }, formValue(form, '_draft'), draftValues)
  const path = pathFor(snapshot, key)
  if (stored) return { redirect: withQuery(path, { page: draft.page, ...kept, _draft: token }) }
  const search = withoutPageState(request.query)
  search.set('page', String(draft.page))
  search.set('_draft', token)
  return { redirect: `${path}?${search}` }
}

/** Returns the entered values without the texts that are stored as answers, which can be large. */
const notStored = (q: Questionnaire, values: PageDraft['values'], answers: Answers): PageDraft['values'] =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const field = q.byStoredKey.get(name)
      return !field || value === '' || answers[field.key] !== value
    }),
  )

/** Returns the hidden fields that keep the start time and the referrer until the response exists. */
export const startFields = (form: FormFields): Record<string, string> =>
  Object.fromEntries(
    ['_started', '_referrer'].flatMap((name) => {
      const value = formValue(form, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Shows a draft: the entered values, the errors, and the questions that the entered answers make visible. */
export async function showDraft(resolved: ResolvedRequest, draft: PageDraft): Promise<PageResult> {
  const { request, snapshot, stored, key } = resolved
  const { questionnaire: q } = snapshot
  const answers = stored?.answers ?? fromStored(q, draft.answers)
  return {
    page: await showPage(resolved, q.pages[Math.min(draft.page, q.pages.length) - 1]!, {
      key: key!,
      stored: stored !== undefined,
      answers,
      values: { ...formValues(q, answers, resolved.i18n.language), ...fromForm(q, draft.values) },
      errors: errorsByKey(draft.errors ?? []),
      more: draft.more,
      ...(draft.changed && { notStored: 'surveyChanged' as const }),
      carried: { ...draft.carried, _draft: request.query.get('_draft')! },
    }),
  }
}

/** Returns the draft that the URL names. */
export async function findRequestedDraft({ request, snapshot, key }: ResolvedRequest): Promise<PageDraft | undefined> {
  const token = request.query.get('_draft')
  return token === null || !key ? undefined : findDraft(request.context, { surveyId: snapshot.id, key }, token)
}
