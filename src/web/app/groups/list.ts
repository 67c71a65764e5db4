import { createGroup, deleteGroup, renameGroup } from '../../../domain/group/commands.ts'
import { type GroupSummary, listGroups, summariseGroup } from '../../../domain/group/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { ask } from '../../forms/confirm.ts'
import { alert, type FieldErrorTexts, faultsOf, field } from '../../forms/field.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { backTo } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { one } from '../../respondent/input.ts'
import { idIn, type SignedInRequest } from '../../session.ts'
import { GROUPS, groupPage } from './show.ts'

interface Refused {
  faults: FieldErrorTexts
  general: string | undefined
}

export const showGroups = (request: SignedInRequest): Promise<PageResult> => groupsPage(request)
export const showGroup = (request: SignedInRequest): Promise<PageResult> => groupPage(request)

/** The groups that one owns or belongs to. */
async function groupsPage(request: SignedInRequest, refused?: Refused): Promise<PageResult> {
  const { context, csrf, form } = request
  const groups = await listGroups(context)
  const row = ({ id, name, ownerId, members }: GroupSummary): Html =>
    html`<li><div><a href="${GROUPS}${id}/">${name}</a>${ownerId !== context.actor.id && html` <span class="tag">of somebody else</span>`}</div><span class="soft">${pluralize(members, 'member')}</span></li>`
  return request.render(
    {
      title: 'Groups',
      content: html`<p class="soft">People in a group work together on the surveys that are shared with it. Each has roles, which say what they may do there.</p>
<section class="card" aria-labelledby="groups"><h2 id="groups">Your groups</h2>${
        groups.length === 0
          ? html`<p class="soft">You have none yet.</p>`
          : html`<ul class="rows">${groups.map(row)}</ul>`
      }</section>
<section class="card" aria-labelledby="new"><h2 id="new">New group</h2>${alert(refused?.general)}<form method="post" action="${GROUPS}">${csrfField(csrf)}
${field({ name: 'name', label: 'Name', value: refused ? (one(form, 'name') ?? '') : '', hint: 'Letters and digits only.', required: true, faults: refused?.faults ?? new Map() })}
<button class="primary">Make the group</button></form></section>`,
    },
    refused ? 422 : 200,
  )
}

export async function makeGroup(request: SignedInRequest): Promise<PageResult> {
  try {
    const { id, name } = await request.write((context) => createGroup(context, one(request.form, 'name') ?? ''))
    request.flash(`“${name}” is made. Now take somebody in.`)
    return { redirect: `${GROUPS}${id}/` }
  } catch (error) {
    return groupsPage(request, faultsOf(request.toProblem(error), ['name']))
  }
}

export async function changeName(request: SignedInRequest): Promise<PageResult> {
  const id = idIn(request.params.group)
  try {
    await request.write((context) => renameGroup(context, id, one(request.form, 'name') ?? ''))
  } catch (error) {
    return groupPage(request, faultsOf(request.toProblem(error), ['name']))
  }
  request.flash('The group is renamed.')
  return { redirect: `${GROUPS}${id}/` }
}

/** Asks before its members lose what they could do by it. */
export async function askToDropGroup(request: SignedInRequest): Promise<PageResult> {
  const { id, name, members } = await summariseGroup(request.context, idIn(request.params.group))
  return ask(request, {
    title: `Delete “${name}”?`,
    above: backTo(`${GROUPS}${id}/`, name),
    text: `${pluralize(members, 'member')} will no longer see the surveys that are shared with the group. The surveys stay.`,
    button: 'Delete the group',
    keep: { label: 'Keep it', path: `${GROUPS}${id}/` },
  })
}

export async function dropGroup(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await summariseGroup(request.context, idIn(request.params.group))
  await request.write((context) => deleteGroup(context, id))
  request.flash(`“${name}” is deleted.`)
  return { redirect: GROUPS }
}
