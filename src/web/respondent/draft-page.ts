import { findDraft, type PageDraft, saveDraft } from '../../domain/respondent/draft.ts'
import type { SubmittedPage } from '../../domain/respondent/submit-page.ts'
import { fromForm, fromStored, toStored } from '../../domain/structure/stored.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import type { PageResult } from '../page.ts'
import { pathFor, withoutOwn, withQuery } from './address.ts'
import { showPage } from './page.ts'
import { errorsByKey } from './question/render-context.ts'
import type { ResolvedRequest } from './resolve-request.ts'

/**
 * Answers a page that was not taken: it is kept and shown again at an address of its own. A page that were shown in the
 * answer itself would make browsers ask to send the form again when somebody comes back to it.
 */
export async function redirectToDraft(
  resolved: ResolvedRequest,
  { key, stored, answers }: SubmittedPage,
  pairs: FormFields,
  draft: Omit<PageDraft, 'answers' | 'carried'>,
): Promise<PageResult> {
  const { request, snapshot, requestedLanguage } = resolved
  const kept = {
    ...draft,
    answers: stored ? {} : toStored(snapshot.questionnaire, answers),
    carried: stored ? {} : carriedOf(pairs),
  }
  const token = await saveDraft(request.context, { surveyId: snapshot.id, key }, formValue(pairs, '_draft'), kept)
  const own = pathFor(snapshot, key)
  if (stored) return { redirect: withQuery(own, { page: draft.page, lang: requestedLanguage, _draft: token }) }
  const search = withoutOwn(request.query)
  search.set('page', String(draft.page))
  search.set('_draft', token)
  return { redirect: `${own}?${search}` }
}

/** Returns what a form carries along until there is a response to keep it. */
export const carriedOf = (pairs: FormFields) => ({
  _started: formValue(pairs, '_started') ?? '',
  _referrer: formValue(pairs, '_referrer') ?? '',
})

/** Shows a page again with what was typed, what is wrong, and what the answers newly show. */
export async function showDraft(resolved: ResolvedRequest, draft: PageDraft): Promise<PageResult> {
  const { request, snapshot, stored, key } = resolved
  const { questionnaire: q } = snapshot
  const answers = stored?.answers ?? fromStored(q, draft.answers)
  return {
    page: await showPage(resolved, q.pages[Math.min(draft.page, q.pages.length) - 1]!, {
      key: key!,
      stored: stored !== undefined,
      answers,
      values: { ...answers, ...fromForm(q, draft.values) },
      errors: errorsByKey(draft.errors ?? []),
      more: draft.more,
      ...(draft.changed && { notStored: 'surveyChanged' as const }),
      carried: { ...draft.carried, _draft: request.query.get('_draft')! },
    }),
  }
}

/** The draft that an address names. */
export async function findRequestedDraft({ request, snapshot, key }: ResolvedRequest): Promise<PageDraft | undefined> {
  const token = request.query.get('_draft')
  return token === null || !key ? undefined : findDraft(request.context, { surveyId: snapshot.id, key }, token)
}
