import { deleteApplication } from '../../../domain/oauth/applications.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { applicationOf, ROOT } from './show.ts'

/** Asks for confirmation before an application is deleted. */
export async function confirmDeleteApplication(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  return confirmPage(request, {
    title: t('Delete “{name}”?', { name }),
    beforeHeading: backLink(`${ROOT}${id}/`, name),
    text: t(
      'Users can no longer authorize this application, and all existing access is revoked immediately. You cannot undo this.',
    ),
    button: t('Delete application'),
    cancel: { label: t('Cancel'), path: `${ROOT}${id}/` },
  })
}

export async function removeApplication(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  await request.write((context) => deleteApplication(context, id))
  request.flash(t('“{name}” deleted.', { name }))
  return { redirect: ROOT }
}
