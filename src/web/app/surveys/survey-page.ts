import { type Access, can, findAccess, type Permission } from '../../../domain/group/access.ts'
import { type SurveySummary, summariseSurvey } from '../../../domain/survey/queries.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInPage, type SignedInRequest } from '../../session.ts'
import { editMenu, isEditPage } from '../builder/menu.ts'

/** The tabs of a survey. A user without the permission of a tab does not see the tab. */
const TABS = perLanguage(
  () =>
    [
      { name: 'overview', label: t('Overview'), path: '', permission: 'Member' },
      { name: 'edit', label: t('Edit'), path: 'edit/', permission: ['Edit', 'Test'] },
      { name: 'responses', label: t('Responses'), path: 'responses/', permission: 'View' },
      { name: 'reports', label: t('Reports'), path: 'reports/', permission: 'Report' },
      { name: 'fieldwork', label: t('Fieldwork'), path: 'fieldwork/', permission: 'View' },
      { name: 'invitations', label: t('Invitations'), path: 'invitations/', permission: 'Deploy' },
      { name: 'collectors', label: t('Collectors'), path: 'collectors/', permission: 'Deploy' },
      { name: 'share', label: t('Share'), path: 'share/', permission: 'Owner' },
      { name: 'webhooks', label: t('Webhooks'), path: 'webhooks/', permission: 'Owner' },
    ] as const satisfies readonly {
      name: string
      label: string
      path: string
      permission: Permission
    }[],
)
export type Tab = ReturnType<typeof TABS>[number]['name']

/** A request of a signed-in user to a page of a survey that the user may see. */
export interface SurveyRequest extends SignedInRequest {
  survey: SurveySummary
  /** Whether the user owns the survey, or which roles the user has on it. */
  access: Access
  /** Returns whether the user has a permission. Pages call it to leave out actions that the domain would reject. */
  may(permission: Permission): boolean
  /** The address of the survey's overview. The addresses of the survey's other pages begin with it. */
  root: string
}

/** A page of one survey. */
export type SurveyPage = (request: SurveyRequest) => Promise<PageResult>

/** Returns the address of a survey's overview. */
export const surveyRoot = (id: number): string => `/account/surveys/${id}/`

/** Renders the bar with the name and the state of a survey, its tabs, and the actions of the page. */
function barView({ survey, may, root }: SurveyRequest, current: Tab, action: Part): Html {
  const shown = TABS().filter(({ name, permission }) => name !== 'webhooks' && may(permission))
  const tab = current === 'webhooks' ? 'edit' : current
  return html`<nav class="survey-bar" aria-label="Survey">
    <p>
      <a href="${root}" title="${survey.name}">${survey.name}</a> ${
        survey.unpublished
          ? html`<span class="tag open">Draft</span>`
          : survey.live
            ? html`<span class="tag good">Live</span>`
            : html`<span class="tag open">Closed</span>`
      }
    </p>
    <div class="tabs">
      <ul>
        ${shown.map(
          ({ name, label, path }) =>
            html`<li>
              <a href="${root}${path}"${name === tab && html` aria-current="page"`}>${label}</a>
            </li>`,
        )}
      </ul>
    </div>
    ${action && html`<div class="bar-action">${action}</div>`}
  </nav>`
}

/** Returns what the shell shows around a page of a survey. A heading that repeats its tab is hidden. */
function framed(request: SurveyRequest, tab: Tab, page: Parameters<SurveyRequest['render']>[0]): typeof page {
  const side =
    page.side ?? (tab === 'webhooks' ? editMenu(request, 'webhooks', page.beforeHeading !== undefined) : null)
  const hidesHeading = isEditPage(page.title) || TABS().some(({ label }) => label === page.title)
  return { ...page, side, hidesHeading, bar: barView(request, tab, hidesHeading ? page.action : null) }
}

/**
 * Converts a page of one survey to a page function. The function finds the survey that the URL names, and shows the
 * bar of the survey above the page.
 * @throws {Problem} `survey_not_found`; `forbidden` if the user lacks the permission of the tab
 */
export const surveyPage =
  (tab: Tab, page: SurveyPage): SignedInPage =>
  async (request) => {
    const id = parseId(request.params.id)
    const { permission } = TABS().find(({ name }) => name === tab)!
    const survey = await summariseSurvey(request.context, id, permission)
    const access = (await findAccess(request.context, id))!
    const surveyRequest: SurveyRequest = {
      ...request,
      survey,
      access,
      root: surveyRoot(id),
      may: (permission) => can(access, permission),
      render: (shown, status) => request.render(framed(surveyRequest, tab, shown), status),
    }
    const readsMuch = request.ctx.method === 'GET' && (tab === 'responses' || tab === 'reports' || tab === 'fieldwork')
    if (!readsMuch) return page(surveyRequest)
    return request.deps.services.replicas.read(request.context, (context) => page({ ...surveyRequest, context }))
  }
