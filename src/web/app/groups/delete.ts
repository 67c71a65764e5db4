import { deleteGroup } from '../../../domain/group/commands.ts'
import { summariseGroup } from '../../../domain/group/queries.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { GROUPS_PATH } from './show.ts'

/** Asks for confirmation before a group is deleted. */
export async function confirmDeleteGroup(request: SignedInRequest): Promise<PageResult> {
  const { id, name, members } = await summariseGroup(request.context, parseId(request.params.group))
  return confirmPage(request, {
    title: `Delete “${name}”?`,
    beforeHeading: backLink(`${GROUPS_PATH}${id}/`, name),
    text: `${pluralize(members, 'member')} will lose access to the surveys shared with the group. The surveys are not deleted.`,
    button: 'Delete group',
    cancel: { label: 'Cancel', path: `${GROUPS_PATH}${id}/` },
  })
}

export async function removeGroup(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await summariseGroup(request.context, parseId(request.params.group))
  await request.write((context) => deleteGroup(context, id))
  request.flash(`“${name}” deleted.`)
  return { redirect: GROUPS_PATH }
}
