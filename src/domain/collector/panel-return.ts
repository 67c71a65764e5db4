import { randomToken } from '../../lib/secrets.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'
import { type PanelReturn, type PanelReturnChange, parsePanelReturn, withSecret } from '../survey/panel-return.ts'
import { lockSurvey } from '../survey/queries.ts'
import { invalidateSurvey } from '../survey/snapshot.ts'
import { surveyUrl } from '../survey-address.ts'
import { type CollectorSummary, findCollector } from './queries.ts'

/**
 * Returns the panel of a collector; null without one.
 * @throws {Problem} `collector_not_found`, `forbidden`
 */
export const findPanelReturn = async (context: Context, id: number): Promise<PanelReturn | null> =>
  (await findCollector(context, id)).panelReturn ?? null

/**
 * Changes where the respondents of a panel return.
 * @throws {Problem} `collector_not_found`, `forbidden`, `invalid_request` with one error per invalid member
 */
export const updatePanelReturn = (
  context: Context,
  id: number,
  change: PanelReturnChange,
): Promise<PanelReturn | null> => changePanel(context, id, (before) => parsePanelReturn(before, change))

/**
 * Creates a new secret, with which all addresses are signed from now on. It is returned only once.
 * @throws {Problem} `collector_not_found`, `forbidden`
 */
export async function rotatePanelSecret(context: Context, id: number): Promise<string> {
  const secret = randomToken()
  await changePanel(context, id, (before) => withSecret(context.services, before, secret))
  return secret
}

/**
 * Removes the panel of a collector with its secret.
 * @throws {Problem} `collector_not_found`, `forbidden`
 */
export const deletePanelReturn = (context: Context, id: number): Promise<unknown> =>
  changePanel(context, id, () => null)

async function changePanel<Result extends PanelReturn | null>(
  context: Context,
  id: number,
  change: (before: PanelReturn | null) => Result,
): Promise<Result> {
  const { em } = context
  const { survey } = await findCollector(context, id)
  // As for other changes of collectors, the row of the survey is locked first.
  await lockSurvey(context, survey.id, 'Deploy')
  const collector = await findCollector(context, id)
  await em.refresh(collector)
  const panelReturn = change(collector.panelReturn ?? null)
  collector.panelReturn = panelReturn
  await invalidateSurvey(em, survey.id)
  await em.flush()
  return panelReturn
}

/** Returns the address of a collector for the panel, which adds the ID of the respondent to its end. */
export function entryUrl({ baseUrl }: Services, collector: CollectorSummary, { parameter }: PanelReturn): string {
  const url = surveyUrl(baseUrl, collector.survey, collector.isDefault ? undefined : collector.id)
  return `${url}${collector.isDefault ? '?' : '&'}${parameter}=`
}
