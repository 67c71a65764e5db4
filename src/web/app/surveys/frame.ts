import { type Access, can, findAccess, type Permission } from '../../../domain/group/access.ts'
import { type SurveySummary, summariseSurvey } from '../../../domain/survey/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInPage, type SignedInRequest } from '../../session.ts'

/** The pages of one survey, by the role that opens them; who has it not does not see the tab. */
const TABS = [
  { name: 'overview', label: 'Overview', path: '', demand: 'Member' },
  { name: 'edit', label: 'Edit', path: 'edit/', demand: ['Edit', 'Test'] },
  { name: 'responses', label: 'Responses', path: 'responses/', demand: 'Analyze' },
  { name: 'reports', label: 'Reports', path: 'reports/', demand: 'Analyze' },
  { name: 'invitations', label: 'Invitations', path: 'invitations/', demand: 'Deploy' },
  { name: 'embeds', label: 'Embeds', path: 'embeds/', demand: 'Deploy' },
  { name: 'webhooks', label: 'Webhooks', path: 'webhooks/', demand: 'Owner' },
] as const satisfies readonly {
  name: string
  label: string
  path: string
  demand: Permission
}[]
export type Tab = (typeof TABS)[number]['name']

/** A request of somebody who is signed in and may see the survey that the address names. */
export interface SurveyRequest extends SignedInRequest {
  survey: SurveySummary
  /** What the visitor is to the survey. */
  access: Access
  /** Whether the visitor may, to leave out what the domain would refuse. */
  may(demand: Permission): boolean
  /** The survey's pages begin here. */
  root: string
}

/** A page of one survey. */
export type SurveyPage = (request: SurveyRequest) => Promise<PageResult>

/** Where the pages of a survey begin. */
export const surveyRoot = (id: number): string => `/account/surveys/${id}/`

function tabsView({ survey, may, root }: SurveyRequest, current: Tab): Html {
  const shown = TABS.filter(({ demand }) => may(demand))
  return html`<nav class="tabs" aria-label="Survey"><p><a href="${root}">${survey.name}</a>${!survey.live && html` <span class="tag">closed</span>`}</p>
<ul>${shown.map(
    ({ name, label, path }) =>
      html`<li><a href="${root}${path}"${name === current && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>`
}

/**
 * A page of one survey: finds the survey of the address and who the visitor is to it, and puts the survey's tabs
 * above whatever the page shows.
 * @throws {Problem} `survey_not_found`; `forbidden` to a member without the role of the tab
 */
export const surveyPage =
  (tab: Tab, page: SurveyPage): SignedInPage =>
  async (request) => {
    const id = parseId(request.params.id)
    const { demand } = TABS.find(({ name }) => name === tab)!
    const survey = await summariseSurvey(request.context, id, demand)
    const access = (await findAccess(request.context, id))!
    const inside: SurveyRequest = {
      ...request,
      survey,
      access,
      root: surveyRoot(id),
      may: (asked) => can(access, asked),
      render: (shown, status) =>
        request.render({ ...shown, beforeHeading: [tabsView(inside, tab), shown.beforeHeading] }, status),
    }
    return page(inside)
  }
