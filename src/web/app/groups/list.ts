import { createGroup, deleteGroup, renameGroup } from '../../../domain/group/commands.ts'
import { type GroupSummary, listGroups, summariseGroup } from '../../../domain/group/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, type FieldErrorTexts, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { GROUPS_PATH, groupPage } from './show.ts'

interface Refused {
  errors: FieldErrorTexts
  general: string | undefined
}

export const showGroups = (request: SignedInRequest): Promise<PageResult> => groupsPage(request)
export const showGroup = (request: SignedInRequest): Promise<PageResult> => groupPage(request)

/** The groups that one owns or belongs to. */
async function groupsPage(request: SignedInRequest, refused?: Refused): Promise<PageResult> {
  const { context, csrf, form } = request
  const groups = await listGroups(context)
  const row = ({ id, name, ownerId, members }: GroupSummary): Html =>
    html`<li><div><a href="${GROUPS_PATH}${id}/">${name}</a>${ownerId !== context.actor.id && html` <span class="tag">of somebody else</span>`}</div><span class="soft">${pluralize(members, 'member')}</span></li>`
  return request.render(
    {
      title: 'Groups',
      content: html`<p class="soft">People in a group work together on the surveys that are shared with it. Each has roles, which say what they may do there.</p>
<section class="card" aria-labelledby="groups"><h2 id="groups">Your groups</h2>${
        groups.length === 0
          ? html`<p class="soft">You have none yet.</p>`
          : html`<ul class="rows">${groups.map(row)}</ul>`
      }</section>
<section class="card" aria-labelledby="new"><h2 id="new">New group</h2>${alert(refused?.general)}<form method="post" action="${GROUPS_PATH}">${csrfField(csrf)}
${field({ name: 'name', label: 'Name', value: refused ? (formValue(form, 'name') ?? '') : '', hint: 'Letters and digits only.', required: true, errors: refused?.errors ?? new Map() })}
<button class="primary">Make the group</button></form></section>`,
    },
    refused ? 422 : 200,
  )
}

export async function submitNewGroup(request: SignedInRequest): Promise<PageResult> {
  try {
    const { id, name } = await request.write((context) => createGroup(context, formValue(request.form, 'name') ?? ''))
    request.flash(`“${name}” is made. Now take somebody in.`)
    return { redirect: `${GROUPS_PATH}${id}/` }
  } catch (error) {
    return groupsPage(request, fieldErrorsOf(request.toProblem(error), ['name']))
  }
}

export async function saveGroupName(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.group)
  try {
    await request.write((context) => renameGroup(context, id, formValue(request.form, 'name') ?? ''))
  } catch (error) {
    return groupPage(request, fieldErrorsOf(request.toProblem(error), ['name']))
  }
  request.flash('The group is renamed.')
  return { redirect: `${GROUPS_PATH}${id}/` }
}

/** Asks before its members lose what they could do by it. */
export async function confirmDeleteGroup(request: SignedInRequest): Promise<PageResult> {
  const { id, name, members } = await summariseGroup(request.context, parseId(request.params.group))
  return confirmPage(request, {
    title: `Delete “${name}”?`,
    beforeHeading: backLink(`${GROUPS_PATH}${id}/`, name),
    text: `${pluralize(members, 'member')} will no longer see the surveys that are shared with the group. The surveys stay.`,
    button: 'Delete the group',
    cancel: { label: 'Keep it', path: `${GROUPS_PATH}${id}/` },
  })
}

export async function removeGroup(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await summariseGroup(request.context, parseId(request.params.group))
  await request.write((context) => deleteGroup(context, id))
  request.flash(`“${name}” is deleted.`)
  return { redirect: GROUPS_PATH }
}
