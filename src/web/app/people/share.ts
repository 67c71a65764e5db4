import type { Context } from '../../../domain/context.ts'
import type { InvitationLink } from '../../../domain/group/colleague-invitations.ts'
import { listGroups } from '../../../domain/group/queries.ts'
import { listSurveyGroups, shareSurvey, unshareSurvey } from '../../../domain/survey/sharing.ts'
import {
  describeTeam,
  inviteToSurvey,
  removeTeamMember,
  resendTeamInvitation,
  setTeamMember,
  withdrawTeamInvitation,
} from '../../../domain/survey/team.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, fieldErrorsOf, select } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import { GROUPS_PATH } from '../groups.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { HAND_OVER_PATH } from './hand-over.ts'
import { invitationsView, invitedText, inviteView, linkView, memberView } from './views.ts'

/** Maximum number of groups that the page lists. */
const MAX_LISTED_GROUPS = 100

export const showShare = (request: SurveyRequest): Promise<PageResult> => sharePage(request)

/** Shows who can work on a survey, and invites others. */
async function sharePage(
  request: SurveyRequest,
  { rejected, link }: { rejected?: FormErrors; link?: InvitationLink } = {},
): Promise<PageResult> {
  const { context, survey, csrf, form } = request
  const { members, invitations } = await describeTeam(context, survey.id)
  const forms = { csrf, path: `${request.root}share/` }
  const owner = context.actor
  return request.render({
    title: t('Share'),
    scripts: ['copy.js'],
    content: html`
      ${link && linkView(link)}
      ${alert(rejected?.general)}
      ${inviteView({ ...forms, form, rejected, invitesNewAccounts: context.services.invitesNewAccounts })}
      ${invitationsView(invitations, forms)}
      <section class="card" aria-labelledby="people">
        <h2 id="people">People with access</h2>
        <ul class="rows sides">
          <li>
            <div class="grow">
              <strong>${owner.name || owner.username}</strong> <span class="soft">${owner.email}</span>
              <p class="soft">Owner</p>
            </div>
          </li>
          ${members.map((member) => memberView(member, forms))}
        </ul>
      </section>
      ${await groupsView(request)}
      <section class="card" aria-labelledby="activity">
        <h2 id="activity">Activity</h2>
        <p class="soft">Who edited, published, opened, closed, exported, shared, invited, and changed answers.</p>
        <p class="below"><a class="button plain" href="${request.root}activity/">View activity</a></p>
      </section>
      <section class="card" aria-labelledby="hand-over">
        <h2 id="hand-over">Hand over</h2>
        <p class="soft">Another person becomes the owner. Links keep working, and everyone keeps their access.</p>
        <p class="below"><a class="button plain" href="${HAND_OVER_PATH}?survey=${survey.id}">Hand over…</a></p>
      </section>`,
  })
}

/** Renders the groups with which the survey is shared. */
async function groupsView({ context, survey, csrf, root }: SurveyRequest): Promise<Html> {
  const { groups } = await listSurveyGroups(context, survey.id, { offset: 0, limit: MAX_LISTED_GROUPS })
  const shared = new Set(groups.map(({ id }) => id))
  const others = (await listGroups(context)).filter(({ id }) => !shared.has(id)).slice(0, MAX_LISTED_GROUPS)
  return html`<section class="card" aria-labelledby="groups">
    <h2 id="groups">Groups with access</h2>
    ${
      groups.length === 0
        ? html`<p class="soft">
          Not shared with a group. <a href="${GROUPS_PATH}">Groups</a> give the same people access to several surveys.
        </p>`
        : html`<ul class="rows sides">
          ${groups.map(
            ({ id, name }) =>
              html`<li>
                <a href="${GROUPS_PATH}${id}/">${name}</a>
                <form method="post" action="${root}share/groups/remove/">
                  ${csrfField(csrf)}
                  <button class="small quiet" name="group" value="${id}" aria-label="Stop sharing with ${name}">
                    Stop sharing
                  </button>
                </form>
              </li>`,
          )}
        </ul>`
    }
    ${
      others.length > 0 &&
      html`<form method="post" action="${root}share/groups/" class="below">
        ${csrfField(csrf)}
        ${select({
          name: 'group',
          label: t('Share with a group'),
          options: others.map(({ id, name }) => ({ value: id, label: name })),
        })}
        <button>Share</button>
      </form>`
    }
  </section>`
}

/** Invites a person. If the server cannot send email, the reply shows the link. */
export const submitTeamInvitation = (request: SurveyRequest): Promise<PageResult> => {
  const { form, survey } = request
  const invitation = { email: (formValue(form, 'email') ?? '').trim(), roles: formValues(form, 'roles').join(' ') }
  return invited(request, (context) => inviteToSurvey(context, survey.id, invitation))
}

export const resendTeamInvitationPage = (request: SurveyRequest): Promise<PageResult> =>
  invited(request, (context) => resendTeamInvitation(context, request.survey.id, parseId(request.params.invitation)))

const invited = (request: SurveyRequest, act: (context: Context) => Promise<InvitationLink>): Promise<PageResult> =>
  formPage(request, {
    fields: (error) => fieldErrorsOf(error, ['email', 'roles']),
    act,
    view: (rejected) => sharePage(request, { rejected }),
    done: (link) =>
      link.url === undefined
        ? { redirect: `${request.root}share/`, flash: invitedText(link) }
        : sharePage(request, { link }),
  })

export async function withdrawTeamInvitationPage(request: SurveyRequest): Promise<PageResult> {
  const id = parseId(request.params.invitation)
  await request.write((context) => withdrawTeamInvitation(context, request.survey.id, id))
  request.flash(t('Invitation withdrawn. Its link no longer works.'))
  return { redirect: `${request.root}share/` }
}

export const saveTeamMember = (request: SurveyRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['roles'],
    act: (context) =>
      setTeamMember(
        context,
        request.survey.id,
        parseId(formValue(request.form, 'member')),
        formValues(request.form, 'roles').join(' '),
      ),
    view: (rejected) => sharePage(request, { rejected }),
    done: ({ name, email }) => ({
      redirect: `${request.root}share/`,
      flash: t('Roles of {name} saved.', { name: name || email }),
    }),
  })

export async function removeTeamMemberPage(request: SurveyRequest): Promise<PageResult> {
  const member = parseId(formValue(request.form, 'member'))
  await request.write((context) => removeTeamMember(context, request.survey.id, member))
  request.flash(t('{email} no longer has access to this survey.', { email: formValue(request.form, 'email') ?? '' }))
  return { redirect: `${request.root}share/` }
}

/** Shares the survey with a group. */
export async function addSurveyGroup(request: SurveyRequest): Promise<PageResult> {
  const group = parseId(formValue(request.form, 'group'))
  await request.write((context) => shareSurvey(context, request.survey.id, [group]))
  request.flash(t('Survey shared.'))
  return { redirect: `${request.root}share/` }
}

/** Stops sharing the survey with a group. */
export async function removeSurveyGroup(request: SurveyRequest): Promise<PageResult> {
  const group = parseId(formValue(request.form, 'group'))
  await request.write((context) => unshareSurvey(context, request.survey.id, String(group)))
  request.flash(t('Survey no longer shared.'))
  return { redirect: `${request.root}share/` }
}
