import { type Access, can, findAccess, type Permission } from '../../../domain/group/access.ts'
import { type SurveySummary, summariseSurvey } from '../../../domain/survey/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { icon } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInPage, type SignedInRequest } from '../../session.ts'

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

function tabsView({ survey, may, root }: SurveyRequest, current: Tab): Html {
  const shown = TABS().filter(({ permission }) => may(permission))
  return html`<nav class="tabs" aria-label="Survey">
    <p>
      <a href="${root}">${survey.name}</a> ${
        survey.unpublished
          ? html`<span class="tag open">Draft</span>`
          : survey.live
            ? html`<span class="tag good">Live</span>`
            : html`<span class="tag open">Closed</span>`
      }
    </p>
    <ul>
      ${shown.map(
        ({ name, label, path }) =>
          html`<li>
            <a href="${root}${path}"${name === current && html` aria-current="page"`}>${icon(name)}${label}</a>
          </li>`,
      )}
    </ul>
  </nav>`
}

/**
 * Converts a page of one survey to a page function. The function finds the survey that the URL names, and shows the
 * tabs of the survey above the page.
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
      render: (shown, status) =>
        request.render({ ...shown, beforeHeading: [tabsView(surveyRequest, tab), shown.beforeHeading] }, status),
    }
    const readsMuch = request.ctx.method === 'GET' && (tab === 'responses' || tab === 'reports' || tab === 'fieldwork')
    if (!readsMuch) return page(surveyRequest)
    return request.deps.services.replicas.read(request.context, (context) => page({ ...surveyRequest, context }))
  }
