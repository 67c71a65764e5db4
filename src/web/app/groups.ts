import type { Context } from '../../domain/context.ts'
import {
  type InvitationLink,
  inviteToGroup,
  listInvitations,
  resendInvitation,
  withdrawInvitation,
} from '../../domain/group/colleague-invitations.ts'
import {
  createGroup,
  deleteGroup,
  lockOwnGroup,
  removeMember,
  renameGroup,
  setMember,
} from '../../domain/group/commands.ts'
import {
  describeGroup,
  type GroupDescription,
  type GroupSummary,
  listGroups,
  summariseGroup,
} from '../../domain/group/queries.ts'
import { Problem } from '../../domain/problem.ts'
import { listSurveys } from '../../domain/survey/queries.ts'
import { shareSurvey, unshareSurvey } from '../../domain/survey/sharing.ts'
import { type Html, html } from '../../lib/html.ts'
import { csrfField } from '../csrf.ts'
import { confirmPage } from '../forms/confirm.ts'
import { alert, type FormErrors, field, fieldErrorsOf, select } from '../forms/field.ts'
import { formValue, formValues } from '../forms/form-fields.ts'
import { formPage } from '../forms/form-page.ts'
import { t } from '../i18n/t.ts'
import { pluralize } from '../layout/format.ts'
import { backLink } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { parseId, type SignedInRequest } from '../session.ts'
import { invitationsView, invitedText, inviteView, linkView, memberView } from './people/views.ts'

export const showGroups = (request: SignedInRequest): Promise<PageResult> => groupsPage(request)

/** Lists the groups that the user owns or belongs to. */
async function groupsPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, csrf, form } = request
  const groups = await listGroups(context)
  const row = ({ id, name, ownerId, members }: GroupSummary): Html =>
    html`<li>
      <div>
        <a href="${GROUPS_PATH}${id}/">${name}</a>
        ${ownerId !== context.actor.id && html` <span class="tag">member</span>`}
      </div>
      <span class="soft">${pluralize(members, 'member')}</span>
    </li>`
  return request.render({
    title: t('Groups'),
    content: html`
      <p class="soft">
        The members of a group work on the surveys shared with the group. Roles control what each member can do.
      </p>
      <section class="card" aria-labelledby="groups">
        <h2 id="groups">Your groups</h2>
        ${
          groups.length === 0
            ? html`<p class="soft">No groups yet. Create a group below, add members, and share surveys with it.</p>`
            : html`<ul class="rows">${groups.map(row)}</ul>`
        }
      </section>
      <section class="card" aria-labelledby="new">
        <h2 id="new">Create a group</h2>
        ${alert(rejected?.general)}
        <form method="post" action="${GROUPS_PATH}">
          ${csrfField(csrf)}
          ${field({
            name: 'name',
            label: t('Name'),
            value: rejected ? (formValue(form, 'name') ?? '') : '',
            required: true,
            errors: rejected?.errors,
          })}
          <button class="primary">Create group</button>
        </form>
      </section>`,
  })
}

export const submitNewGroup = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['name'],
    act: (context) => createGroup(context, formValue(request.form, 'name') ?? ''),
    view: (rejected) => groupsPage(request, rejected),
    done: ({ id, name }) => ({
      redirect: `${GROUPS_PATH}${id}/`,
      flash: t('“{name}” created. You can now add members.', { name }),
    }),
  })

export const GROUPS_PATH = '/account/groups/'
/**
 * Maximum number of surveys that the page reads to find the surveys that the user owns. The page reads the newest
 * surveys first.
 */
const MAX_LISTED_SURVEYS = 200

export const showGroup = (request: SignedInRequest): Promise<PageResult> => groupPage(request)

/** Shows a group, its members and the surveys shared with it. Only the owner can change the members. */
async function groupPage(
  request: SignedInRequest,
  { rejected, link }: { rejected?: FormErrors; link?: InvitationLink } = {},
): Promise<PageResult> {
  const { context, csrf, params, form } = request
  const description = await describeGroup(context, parseId(params.group))
  const { group, members } = description
  const path = `${GROUPS_PATH}${group.id}/`
  const isOwner = group.ownerId === context.actor.id
  const errors = rejected?.errors
  return request.render({
    title: group.name,
    beforeHeading: backLink(GROUPS_PATH, t('All groups')),
    scripts: ['copy.js'],
    content: html`
      ${link && linkView(link)}
      ${alert(rejected?.general)}
      <section class="card" aria-labelledby="members">
        <h2 id="members">${members.length === 0 ? t('Members') : pluralize(members.length, 'member')}</h2>
        ${
          members.length === 0
            ? html`<p class="soft">
              No members yet.${isOwner && html` <a href="#invite">Invite a colleague</a> who works on your surveys.`}
            </p>`
            : html`<ul class="rows sides">
              ${members.map((member) => memberView(member, isOwner ? { csrf, path } : undefined))}
            </ul>`
        }
      </section>
      ${
        isOwner &&
        html`
          ${invitationsView(await listInvitations(context, group.id), { csrf, path })}
          ${inviteView({ csrf, path, form, rejected, invitesNewAccounts: context.services.invitesNewAccounts })}`
      }
      ${await surveysView(request, description, path)}
      ${
        isOwner &&
        html`<section class="card" aria-labelledby="change">
          <h2 id="change">Group settings</h2>
          <form method="post" action="${path}">
            ${csrfField(csrf)}
            ${field({
              name: 'name',
              label: t('Name'),
              value: errors?.has('name') ? (formValue(form, 'name') ?? '') : group.name,
              required: true,
              errors,
            })}
            <div class="actions">
              <button>Rename</button>
              <a class="button plain danger" href="${path}delete/">Delete group…</a>
            </div>
          </form>
        </section>`
      }`,
  })
}

/** Renders the surveys shared with the group. Users can share their own surveys and stop sharing them. */
async function surveysView(
  { context, csrf }: SignedInRequest,
  { surveys }: GroupDescription,
  path: string,
): Promise<Html> {
  const { surveys: surveysOfUser } = await listSurveys(
    context,
    { order: 'newest' },
    { offset: 0, limit: MAX_LISTED_SURVEYS },
  )
  const ownSurveys = surveysOfUser.filter(({ creator }) => creator.id === context.actor.id)
  const sharedIds = new Set(surveys.map(({ id }) => id))
  const unshared = ownSurveys.filter(({ id }) => !sharedIds.has(id))
  const row = ({ id, name }: { id: number; name: string }) =>
    html`<li>
      <a href="/account/surveys/${id}/">${name}</a>
      ${
        ownSurveys.some((survey) => survey.id === id) &&
        html`<form method="post" action="${path}surveys/remove/">
          ${csrfField(csrf)}
          <button class="small quiet" name="survey" value="${id}" aria-label="Stop sharing ${name}">
            Stop sharing
          </button>
        </form>`
      }
    </li>`
  return html`<section class="card" aria-labelledby="surveys">
    <h2 id="surveys">${surveys.length === 0 ? t('Surveys') : pluralize(surveys.length, 'survey')}</h2>
    ${
      surveys.length === 0
        ? html`<p class="soft">
          No surveys shared yet. Members work on the surveys that their owners share with the group.
        </p>`
        : html`<ul class="rows sides">${surveys.map(row)}</ul>`
    }
    ${
      unshared.length > 0 &&
      html`<form method="post" action="${path}surveys/" class="below">
        ${csrfField(csrf)}
        ${select({
          name: 'survey',
          label: t('Share one of your surveys'),
          options: unshared.map(({ id, name }) => ({ value: id, label: name })),
        })}
        <button>Share survey</button>
      </form>`
    }
  </section>`
}

export async function saveGroupName(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.group)
  return formPage(request, {
    fields: ['name'],
    act: (context) => renameGroup(context, id, formValue(request.form, 'name') ?? ''),
    view: (rejected) => groupPage(request, { rejected }),
    done: () => ({ redirect: `${GROUPS_PATH}${id}/`, flash: t('Group renamed.') }),
  })
}

/** Adds a member, or changes the roles of a member. */
export async function saveMember(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  const group = parseId(params.group)
  const member = { email: (formValue(form, 'email') ?? '').trim(), roles: formValues(form, 'roles').join(' ') }
  return formPage(request, {
    fields: memberErrors,
    act: (context) => setMember(context, group, member),
    view: (rejected) => groupPage(request, { rejected }),
    done: ({ name, email }) => ({
      redirect: `${GROUPS_PATH}${group}/`,
      flash: t('Roles of {name} saved.', { name: name || email }),
    }),
  })
}

const memberErrors = (error: unknown): FormErrors =>
  error instanceof Problem && error.code === 'user_not_found'
    ? { errors: new Map([['email', t('No account uses this email address.')]]), general: undefined }
    : fieldErrorsOf(error, ['email', 'roles'])

export async function removeGroupMember(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  const email = formValue(request.form, 'email') ?? ''
  await request.write((context) => removeMember(context, group, email))
  request.flash(t('{email} removed from the group.', { email }))
  return { redirect: `${GROUPS_PATH}${group}/` }
}

/** Invites a person. If the server cannot send email, the reply shows the link. */
export const submitGroupInvitation = (request: SignedInRequest): Promise<PageResult> => {
  const { form, params } = request
  const invitation = { email: (formValue(form, 'email') ?? '').trim(), roles: formValues(form, 'roles').join(' ') }
  return invited(request, (context) => inviteToGroup(context, parseId(params.group), invitation))
}

export const resendGroupInvitation = (request: SignedInRequest): Promise<PageResult> =>
  invited(request, async (context) => {
    const { id, name } = await lockOwnGroup(context, parseId(request.params.group))
    return resendInvitation(context, id, parseId(request.params.invitation), name)
  })

const invited = (request: SignedInRequest, act: (context: Context) => Promise<InvitationLink>): Promise<PageResult> =>
  formPage(request, {
    fields: (error) => fieldErrorsOf(error, ['email', 'roles']),
    act,
    view: (rejected) => groupPage(request, { rejected }),
    done: (link) =>
      link.url === undefined
        ? { redirect: `${GROUPS_PATH}${parseId(request.params.group)}/`, flash: invitedText(link) }
        : groupPage(request, { link }),
  })

export async function withdrawGroupInvitation(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  await request.write(async (context) => {
    await lockOwnGroup(context, group)
    await withdrawInvitation(context, group, parseId(request.params.invitation))
  })
  request.flash(t('Invitation withdrawn. Its link no longer works.'))
  return { redirect: `${GROUPS_PATH}${group}/` }
}

/** Shares one of the user's surveys with a group. */
export async function shareWithGroup(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  await request.write((context) => shareSurvey(context, parseId(formValue(request.form, 'survey')), String(group)))
  request.flash(t('Survey shared.'))
  return { redirect: `${GROUPS_PATH}${group}/` }
}

/** Stops sharing a survey with a group. */
export async function unshareWithGroup(request: SignedInRequest): Promise<PageResult> {
  const group = parseId(request.params.group)
  await request.write((context) => unshareSurvey(context, parseId(formValue(request.form, 'survey')), String(group)))
  request.flash(t('Survey no longer shared.'))
  return { redirect: `${GROUPS_PATH}${group}/` }
}

/** Asks for confirmation before a group is deleted. */
export async function confirmDeleteGroup(request: SignedInRequest): Promise<PageResult> {
  const { id, name, members } = await summariseGroup(request.context, parseId(request.params.group))
  return confirmPage(request, {
    title: t('Delete “{name}”?', { name }),
    beforeHeading: backLink(`${GROUPS_PATH}${id}/`, name),
    text: t('{members} will lose access to the surveys shared with the group. The surveys are not deleted.', {
      members: pluralize(members, 'member'),
    }),
    button: t('Delete group'),
    cancel: { label: t('Cancel'), path: `${GROUPS_PATH}${id}/` },
  })
}

export async function removeGroup(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await summariseGroup(request.context, parseId(request.params.group))
  await request.write((context) => deleteGroup(context, id))
  request.flash(t('“{name}” deleted.', { name }))
  return { redirect: GROUPS_PATH }
}
