import { rotateSecret } from '../../../domain/webhook/commands.ts'
import { html } from '../../../lib/html.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { findScopedWebhook, type WebhookScope } from './scope.ts'
import { secretPage } from './secret.ts'

/** Asks for confirmation before the signing secret is replaced. */
export async function confirmRotateSecret(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id, subscriptionUrl } = await findScopedWebhook(request, scope)
  const path = `${scope.path}${id}/`
  return confirmPage(request, {
    title: t('Replace signing secret?'),
    beforeHeading: backLink(path, t('Webhook')),
    text: html`Messages to <span class="address">${subscriptionUrl}</span> are signed with both the new and the old secret for 24 hours, then with the new one only. Update your system within 24 hours. You cannot restore the old secret.`,
    button: t('Replace secret'),
    cancel: { label: t('Cancel'), path },
  })
}

/** Replaces the signing secret, and shows the new one. */
export async function rotateSecretPage(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id } = await findScopedWebhook(request, scope)
  const { webhook, secret } = await request.write((context) => rotateSecret(context, id))
  return secretPage(request, scope, webhook, secret, t('Secret replaced. The old secret also works for 24 hours.'))
}
