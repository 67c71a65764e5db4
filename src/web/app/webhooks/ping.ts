import { ping } from '../../../domain/webhook/log.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { findScopedWebhook, type WebhookScope } from './scope.ts'

/** Queues a sample delivery and redirects to its page. */
export async function sendSample(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id } = await findScopedWebhook(request, scope)
  const delivery = await request.write((context) => ping(context, id))
  request.flash(t('Sample delivery queued.'))
  return { redirect: `${scope.path}${id}/deliveries/${delivery.id}/` }
}
