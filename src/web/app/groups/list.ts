import { createGroup } from '../../../domain/group/commands.ts'
import { type GroupSummary, listGroups } from '../../../domain/group/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { GROUPS_PATH } from './show.ts'

export const showGroups = (request: SignedInRequest): Promise<PageResult> => groupsPage(request)

/** Lists the groups that the user owns or belongs to. */
async function groupsPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, csrf, form } = request
  const groups = await listGroups(context)
  const row = ({ id, name, ownerId, members }: GroupSummary): Html =>
    html`<li><div><a href="${GROUPS_PATH}${id}/">${name}</a>${ownerId !== context.actor.id && html` <span class="tag">member</span>`}</div><span class="soft">${pluralize(members, 'member')}</span></li>`
  return request.render(
    {
      title: t('Groups'),
      content: html`<p class="soft">The members of a group work on the surveys shared with the group. Roles control what each member can do.</p>
<section class="card" aria-labelledby="groups"><h2 id="groups">Your groups</h2>${
        groups.length === 0
          ? html`<p class="soft">No groups yet. Create a group below, add members, and share surveys with it.</p>`
          : html`<ul class="rows">${groups.map(row)}</ul>`
      }</section>
<section class="card" aria-labelledby="new"><h2 id="new">Create a group</h2>${alert(rejected?.general)}<form method="post" action="${GROUPS_PATH}">${csrfField(csrf)}
${field({ name: 'name', label: t('Name'), value: rejected ? (formValue(form, 'name') ?? '') : '', hint: t('Letters and digits only.'), required: true, errors: rejected?.errors ?? new Map() })}
<button class="primary">Create group</button></form></section>`,
    },
    rejected ? 422 : 200,
  )
}

export async function submitNewGroup(request: SignedInRequest): Promise<PageResult> {
  try {
    const { id, name } = await request.write((context) => createGroup(context, formValue(request.form, 'name') ?? ''))
    request.flash(t('“{name}” created. You can now add members.', { name }))
    return { redirect: `${GROUPS_PATH}${id}/` }
  } catch (error) {
    return groupsPage(request, fieldErrorsOf(request.toProblem(error), ['name']))
  }
}
