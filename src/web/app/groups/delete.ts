import { deleteGroup } from '../../../domain/group/commands.ts'
import { summariseGroup } from '../../../domain/group/queries.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { GROUPS_PATH } from './show.ts'

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
