import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { Webhook } from './webhook.ts'

/**
 * Returns the actor's webhooks, oldest first, and their total number.
 * @param survey limits them to webhooks of this survey
 */
export async function listWebhooks(
  context: Context,
  slice?: Slice,
  survey?: number,
): Promise<{ total: number; webhooks: Webhook[] }> {
  const mine = { account: context.actor.id, ...(survey !== undefined && { survey }) }
  const [webhooks, total] = await context.em.findAndCount(Webhook, mine, {
    orderBy: { id: 'asc' },
    // Not the whole slice: a page has a `first`, which means something else to the entity manager.
    ...(slice && { offset: slice.offset, limit: slice.limit }),
  })
  return { total, webhooks }
}

/**
 * Returns one of the actor's webhooks.
 * @throws {Problem} `webhook_not_found`
 */
export const findWebhook = ({ em, actor }: Context, id: number): Promise<Webhook> =>
  em.findOneOrFail(Webhook, { id, account: actor.id }, { failHandler: problems.webhookNotFound })

/** Selects webhooks with their survey and collector. */
export async function withScope<Found extends Webhook | Webhook[]>({ em }: Context, found: Found): Promise<Found> {
  await em.populate(found as Webhook[], ['survey', 'collector'])
  return found
}
