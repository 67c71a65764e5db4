import { renameGroup } from '../../../domain/group/commands.ts'
import { describeGroup, type GroupDescription } from '../../../domain/group/queries.ts'
import { listSurveys } from '../../../domain/survey/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, type FormErrors, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { memberRow, rolesView } from './member-view.ts'

export const GROUPS_PATH = '/account/groups/'
/**
 * Maximum number of surveys that the page reads to find the surveys that the user owns. The page reads the newest
 * surveys first.
 */
const MAX_LISTED_SURVEYS = 200

export const showGroup = (request: SignedInRequest): Promise<PageResult> => groupPage(request)

/** Shows a group, its members and the surveys shared with it. Only the owner can change the members. */
export async function groupPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, csrf, params, form } = request
  const description = await describeGroup(context, parseId(params.group))
  const { group, members } = description
  const path = `${GROUPS_PATH}${group.id}/`
  const isOwner = group.ownerId === context.actor.id
  const errors: FieldErrorTexts = rejected?.errors ?? new Map()
  return request.render(
    {
      title: group.name,
      beforeHeading: backLink(GROUPS_PATH, t('All groups')),
      content: html`${alert(rejected?.general)}<section class="card" aria-labelledby="members"><h2 id="members">${pluralize(members.length, 'member')}</h2>${
        members.length === 0
          ? html`<p class="soft">No members yet.</p>`
          : html`<ul class="rows sides">${members.map((member) => memberRow(member, isOwner ? { csrf, path } : undefined))}</ul>`
      }</section>${
        isOwner &&
        html`<section class="card" aria-labelledby="add"><h2 id="add">Add a member</h2><form method="post" action="${path}members/">${csrfField(csrf)}
${field({ name: 'email', label: t('Email address'), type: 'email', value: errors.has('email') || rejected?.general ? (formValue(form, 'email') ?? '') : '', hint: t('The email address of the person’s account.'), required: true, errors })}
${rolesView([], 'new')}<button class="primary">Add member</button></form></section>`
      }${await surveysView(request, description, path)}${
        isOwner &&
        html`<section class="card" aria-labelledby="change"><h2 id="change">Group settings</h2><form method="post" action="${path}">${csrfField(csrf)}
${field({ name: 'name', label: t('Name'), value: errors.has('name') ? (formValue(form, 'name') ?? '') : group.name, hint: t('Letters and digits only.'), required: true, errors })}
<div class="actions"><button>Rename</button><a class="button plain danger" href="${path}delete/">Delete group…</a></div></form></section>`
      }`,
    },
    rejected ? 422 : 200,
  )
}

/** Renders the surveys shared with the group. Users can share their own surveys and stop sharing them. */
async function surveysView(
  { context, csrf }: SignedInRequest,
  { surveys }: GroupDescription,
  path: string,
): Promise<Html> {
  const { surveys: surveysOfUser } = await listSurveys(
    context,
    { newestFirst: true },
    { offset: 0, limit: MAX_LISTED_SURVEYS },
  )
  const ownSurveys = surveysOfUser.filter(({ creator }) => creator.id === context.actor.id)
  const sharedIds = new Set(surveys.map(({ id }) => id))
  const unshared = ownSurveys.filter(({ id }) => !sharedIds.has(id))
  const row = ({ id, name }: { id: number; name: string }) =>
    html`<li><a href="/account/surveys/${id}/">${name}</a>${
      ownSurveys.some((survey) => survey.id === id) &&
      html`<form method="post" action="${path}surveys/remove/">${csrfField(csrf)}<button class="small quiet" name="survey" value="${id}" aria-label="Stop sharing ${name}">Stop sharing</button></form>`
    }</li>`
  return html`<section class="card" aria-labelledby="surveys"><h2 id="surveys">${pluralize(surveys.length, 'survey')}</h2>${
    surveys.length === 0
      ? html`<p class="soft">No surveys shared yet.</p>`
      : html`<ul class="rows sides">${surveys.map(row)}</ul>`
  }${
    unshared.length > 0 &&
    html`<form method="post" action="${path}surveys/" class="below">${csrfField(csrf)}${select({ name: 'survey', label: t('Share one of your surveys'), options: unshared.map(({ id, name }) => ({ value: id, label: name })) })}<button>Share survey</button></form>`
  }</section>`
}

export async function saveGroupName(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.group)
  try {
    await request.write((context) => renameGroup(context, id, formValue(request.form, 'name') ?? ''))
  } catch (error) {
    return groupPage(request, fieldErrorsOf(request.toProblem(error), ['name']))
  }
  request.flash(t('Group renamed.'))
  return { redirect: `${GROUPS_PATH}${id}/` }
}
