import { createGroup, deleteGroup, renameGroup } from '../../../domain/group/commands.ts'
import { type GroupSummary, listGroups, summariseGroup } from '../../../domain/group/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { ask } from '../../forms/confirm.ts'
import { counted } from '../../layout/pluralize.ts'
import { backTo } from '../../layout/back-link.ts'
import { alert, type Faults, faultsOf, field } from '../../forms/field.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn, type SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { GROUPS, groupPage } from './show.ts'

interface Refused {
  faults: Faults
  general: string | undefined
}

export const showGroups = (visit: SignedIn): Promise<Answer> => groupsPage(visit)
export const showGroup = (visit: SignedIn): Promise<Answer> => groupPage(visit)

/** The groups that one owns or belongs to. */
async function groupsPage(visit: SignedIn, refused?: Refused): Promise<Answer> {
  const { context, csrf, form } = visit
  const groups = await listGroups(context)
  const row = ({ id, name, ownerId, members }: GroupSummary): Html =>
    html`<li><div><a href="${GROUPS}${id}/">${name}</a>${ownerId !== context.actor.id && html` <span class="tag">of somebody else</span>`}</div><span class="soft">${counted(members, 'member')}</span></li>`
  return visit.show(
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

export async function makeGroup(visit: SignedIn): Promise<Answer> {
  try {
    const { id, name } = await visit.write((context) => createGroup(context, one(visit.form, 'name') ?? ''))
    visit.tell(`“${name}” is made. Now take somebody in.`)
    return { redirect: `${GROUPS}${id}/` }
  } catch (error) {
    return groupsPage(visit, faultsOf(visit.known(error), ['name']))
  }
}

export async function changeName(visit: SignedIn): Promise<Answer> {
  const id = idIn(visit.params.group)
  try {
    await visit.write((context) => renameGroup(context, id, one(visit.form, 'name') ?? ''))
  } catch (error) {
    return groupPage(visit, faultsOf(visit.known(error), ['name']))
  }
  visit.tell('The group is renamed.')
  return { redirect: `${GROUPS}${id}/` }
}

/** Asks before its members lose what they could do by it. */
export async function askToDropGroup(visit: SignedIn): Promise<Answer> {
  const { id, name, members } = await summariseGroup(visit.context, idIn(visit.params.group))
  return ask(visit, {
    title: `Delete “${name}”?`,
    above: backTo(`${GROUPS}${id}/`, name),
    text: `${counted(members, 'member')} will no longer see the surveys that are shared with the group. The surveys stay.`,
    button: 'Delete the group',
    keep: { label: 'Keep it', path: `${GROUPS}${id}/` },
  })
}

export async function dropGroup(visit: SignedIn): Promise<Answer> {
  const { id, name } = await summariseGroup(visit.context, idIn(visit.params.group))
  await visit.write((context) => deleteGroup(context, id))
  visit.tell(`“${name}” is deleted.`)
  return { redirect: GROUPS }
}
