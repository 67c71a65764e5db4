import { describeGroup, type GroupDescription } from '../../../domain/group/queries.ts'
import { listSurveys } from '../../../domain/survey/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { memberRow, rolesView } from './member-view.ts'

export const GROUPS_PATH = '/account/groups/'
/** Surveys offered for sharing, the newest. */
const MAX_SURVEYS = 200

interface Refused {
  errors: FieldErrorTexts
  general: string | undefined
}

/** One group: who is in it, and what is shared with it. Only its owner can change its members. */
export async function groupPage(request: SignedInRequest, refused?: Refused): Promise<PageResult> {
  const { context, csrf, params, form } = request
  const description = await describeGroup(context, parseId(params.group))
  const { group, members } = description
  const path = `${GROUPS_PATH}${group.id}/`
  const isOwner = group.ownerId === context.actor.id
  const errors: FieldErrorTexts = refused?.errors ?? new Map()
  return request.render(
    {
      title: group.name,
      beforeHeading: backLink(GROUPS_PATH, 'All groups'),
      content: html`${alert(refused?.general)}<section class="card" aria-labelledby="members"><h2 id="members">${pluralize(members.length, 'member')}</h2>${
        members.length === 0
          ? html`<p class="soft">Nobody is in it yet.</p>`
          : html`<ul class="rows">${members.map((member) => memberRow(member, isOwner ? { csrf, path } : undefined))}</ul>`
      }</section>${
        isOwner &&
        html`<section class="card" aria-labelledby="take"><h2 id="take">Take somebody in</h2><form method="post" action="${path}members/">${csrfField(csrf)}
${field({ name: 'email', label: 'E-mail address', type: 'email', value: errors.has('email') || refused?.general ? (formValue(form, 'email') ?? '') : '', hint: 'Of their account here.', required: true, errors })}
${rolesView([], 'new')}<button class="primary">Take them in</button></form></section>`
      }${await surveysView(request, description, path)}${
        isOwner &&
        html`<section class="card" aria-labelledby="change"><h2 id="change">The group itself</h2><form method="post" action="${path}">${csrfField(csrf)}
${field({ name: 'name', label: 'Name', value: errors.has('name') ? (formValue(form, 'name') ?? '') : group.name, hint: 'Letters and digits only.', required: true, errors })}
<div class="actions"><button>Rename</button><a class="button quiet" href="${path}delete/">Delete…</a></div></form></section>`
      }`,
    },
    refused ? 422 : 200,
  )
}

/** What is shared with the group; everybody may share what is theirs, and take it back. */
async function surveysView(
  { context, csrf }: SignedInRequest,
  { surveys }: GroupDescription,
  path: string,
): Promise<Html> {
  const { surveys: seen } = await listSurveys(context, { newestFirst: true }, { offset: 0, limit: MAX_SURVEYS })
  const own = seen.filter(({ creator }) => creator.id === context.actor.id)
  const shared = new Set(surveys.map(({ id }) => id))
  const others = own.filter(({ id }) => !shared.has(id))
  const row = ({ id, name }: { id: number; name: string }) =>
    html`<li><a href="/account/surveys/${id}/">${name}</a>${
      own.some((survey) => survey.id === id) &&
      html`<form method="post" action="${path}surveys/remove/">${csrfField(csrf)}<button class="small quiet" name="survey" value="${id}" aria-label="Take back ${name}">Take back</button></form>`
    }</li>`
  return html`<section class="card" aria-labelledby="surveys"><h2 id="surveys">${pluralize(surveys.length, 'survey')}</h2>${
    surveys.length === 0
      ? html`<p class="soft">Nothing is shared with it yet.</p>`
      : html`<ul class="rows">${surveys.map(row)}</ul>`
  }${
    others.length > 0 &&
    html`<form method="post" action="${path}surveys/" class="below">${csrfField(csrf)}${select({ name: 'survey', label: 'Share a survey of yours', options: others.map(({ id, name }) => ({ value: id, label: name })) })}<button>Share it</button></form>`
  }</section>`
}
