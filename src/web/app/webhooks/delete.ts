import { deleteWebhook } from '../../../domain/webhook/commands.ts'
import { html } from '../../../lib/html.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { eventText, findScopedWebhook, type WebhookScope } from './scope.ts'

/** Asks for confirmation before a webhook is deleted. */
export async function confirmDeleteWebhook(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const webhook = await findScopedWebhook(request, scope)
  const path = `${scope.path}${webhook.id}/`
  return confirmPage(request, {
    title: t('Delete this webhook?'),
    beforeHeading: backLink(path, t('Webhook')),
    text: html`This stops deliveries to <span class="address">${webhook.subscriptionUrl}</span> (${eventText(webhook)}) and deletes its delivery log. Pending deliveries are not sent.`,
    button: t('Delete webhook'),
    cancel: { label: t('Cancel'), path },
  })
}

export async function removeWebhook(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id, subscriptionUrl } = await findScopedWebhook(request, scope)
  await request.write((context) => deleteWebhook(context, id))
  request.flash(t('Webhook for {subscriptionUrl} deleted.', { subscriptionUrl }))
  return { redirect: scope.path }
}
