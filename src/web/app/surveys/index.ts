import type Router from '@koa/router'
import type { PageResult, PageServices } from '../../page.ts'
import { signedIn } from '../../session.ts'
import { routeEdit } from '../builder/index.ts'
import { routeEmbeds } from '../embeds/index.ts'
import { routeInvitations } from '../invitations/index.ts'
import { routeReports } from '../reports/index.ts'
import { routeResponses } from '../responses/index.ts'
import { routeSurveyWebhooks } from '../webhooks/index.ts'
import { ofSurvey, type SurveyRequest, type Tab } from './frame.ts'
import { showOverview } from './show.ts'

/** Adds a page of a survey. @param path after `/account/surveys/<id>/` @param largest form that it takes, in bytes */
export type AddPage = (
  method: 'get' | 'post',
  path: string,
  operation: string,
  page: (request: SurveyRequest) => Promise<PageResult>,
  largest?: number,
) => void

/** The pages in which people work on one survey. */
export function routeSurvey(router: Router, deps: PageServices): void {
  const under =
    (tab: Tab): AddPage =>
    (method, path, operation, page, largest) =>
      router[method](`/account/surveys/:id/${path}`, signedIn(deps, operation, 'surveys', ofSurvey(tab, page), largest))
  under('overview')('get', '', 'showOverview', showOverview)
  routeEdit(under('edit'))
  routeResponses(under('responses'))
  routeReports(under('reports'))
  routeInvitations(under('invitations'))
  routeEmbeds(under('embeds'))
  routeSurveyWebhooks(under('webhooks'))
}
