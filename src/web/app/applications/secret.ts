import { rotateClientSecret } from '../../../domain/oauth/applications.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { applicationOf, applicationPage, ROOT } from './show.ts'

/** Asks for confirmation before the client secret is replaced. */
export async function confirmNewSecret(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  return confirmPage(request, {
    title: t('Replace the secret of “{name}”?', { name }),
    beforeHeading: backLink(`${ROOT}${id}/`, name),
    text: t(
      'The current secret stops working immediately. The application cannot get tokens until it uses the new secret. Existing tokens remain valid. You cannot undo this.',
    ),
    button: t('Replace secret'),
    cancel: { label: t('Cancel'), path: `${ROOT}${id}/` },
  })
}

/** Replaces the client secret and shows the new secret in the reply. */
export async function renewApplicationSecret(request: SignedInRequest): Promise<PageResult> {
  const secret = await request.write((context) => rotateClientSecret(context, parseId(request.params.id)))
  return applicationPage(request, await applicationOf(request), { secret })
}
