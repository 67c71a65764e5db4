import { problems } from '../../domain/problem.ts'
import { storedDataOf } from '../../domain/respondent/stored-data.ts'
import { panelHostsOf } from '../../domain/survey/panel-return.ts'
import { changesSinceOpening } from '../../domain/survey/save-version.ts'
import { privacyTextsFor } from '../../domain/text/catalog.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { privacyPathFor, privacyView } from './privacy-view.ts'
import { givesReceipt } from './receipt.ts'
import { redirectOf, resolveRequest } from './resolve-request.ts'
import { surveyPage } from './view.ts'

/**
 * Shows what the responses of a survey contain, what no one can see, and what the owner has changed since the survey
 * opened. The page is generated from the settings and from the columns of responses, so its owner cannot change it.
 * @throws {Problem} `survey_not_found`, also for a survey that was never open
 */
export async function showPrivacy(request: PageRequest): Promise<PageResult> {
  const { snapshot, collector, i18n } = await resolveRequest(request)
  if (snapshot.unpublished) throw problems.surveyNotFound()
  const { anonymous, custom_authentication: authentication } = collector.settings
  const redirectUrl = redirectOf(collector)
  const privacy = {
    ...storedDataOf(snapshot, collector),
    isAnonymous: anonymous,
    links: snapshot.collectors.size,
    signInHost: authentication.enabled ? new URL(authentication.endpoint_uri).host : undefined,
    redirectHost: redirectUrl && new URL(redirectUrl).host,
    givesReceipt: givesReceipt(collector),
    panelHosts: panelHostsOf(collector.panelReturn),
    changes: await changesSinceOpening(request.context, snapshot.id),
  }
  const { questionnaire: q, theme } = snapshot
  const pathInLanguage = (lang: string) => privacyPathFor(snapshot, collector, lang)
  const prefix = privacyTextsFor(i18n.language).texts.title
  return {
    page: surveyPage({ q, theme, i18n, pathInLanguage }, { prefix, content: privacyView(privacy, i18n.language) }),
  }
}
