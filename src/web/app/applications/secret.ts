import { rotateClientSecret } from '../../../domain/oauth/commands.ts'
import { confirmPage } from '../../forms/confirm.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { applicationOf, applicationPage, linkToApplications, ROOT } from './show.ts'

/** Asks for confirmation before the secret is replaced. */
export async function confirmNewSecret(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  return confirmPage(request, {
    title: `Replace the secret of “${name}”?`,
    beforeHeading: linkToApplications,
    text: 'The current secret stops working immediately. The application cannot get tokens until it uses the new secret. Existing tokens remain valid. You cannot undo this.',
    button: 'Replace secret',
    cancel: { label: 'Cancel', path: `${ROOT}${id}/` },
  })
}

/** Replaces the secret and shows the new one in the reply. */
export async function renewApplicationSecret(request: SignedInRequest): Promise<PageResult> {
  const secret = await request.write((context) => rotateClientSecret(context, parseId(request.params.id)))
  return applicationPage(request, await applicationOf(request), { secret })
}
