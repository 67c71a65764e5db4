import { panelOutcomeOf } from '../../domain/respondent/panel-outcome.ts'
import { type PanelOutcome, returnAddress } from '../../domain/survey/panel-return.ts'
import type { PageResult } from '../page.ts'
import type { ResolvedRequest } from './resolve-request.ts'

/**
 * Redirects a respondent of a panel whose response has ended. The end page of a response redirects every time, so that
 * nobody is lost if a redirect does not arrive or a page is submitted twice.
 * @returns undefined if the respondent does not come from a panel, or the panel has no address for this end
 */
export async function redirectToPanel(resolved: ResolvedRequest): Promise<PageResult | undefined> {
  const { request, snapshot, stored, panelId } = resolved
  if (panelId === undefined || !stored) return undefined
  const outcome = await panelOutcomeOf(request.context, snapshot, stored)
  return outcome && redirectAs(resolved, outcome)
}

/** Redirects a respondent of a panel who comes too late: the survey is full or closed. */
export const redirectLate = (resolved: ResolvedRequest): PageResult | undefined => redirectAs(resolved, 'quota_full')

function redirectAs(
  { request, collector: { panelReturn }, panelId }: ResolvedRequest,
  outcome: PanelOutcome,
): PageResult | undefined {
  if (!panelReturn || panelId === undefined) return undefined
  const redirect = returnAddress(request.context.services, panelReturn, outcome, panelId)
  return redirect === undefined ? undefined : { redirect }
}
