import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { Webhook } from './webhook.ts'

/**
 * Returns the actor's webhooks, oldest first, and their total number.
 * @param survey limits the list to webhooks of this survey
 */
export async function listWebhooks(
  context: Context,
  slice?: Slice,
  survey?: number,
): Promise<{ total: number; webhooks: Webhook[] }> {
  const filter = { account: context.actor.id, ...(survey !== undefined && { survey }) }
  const [webhooks, total] = await context.em.findAndCount(Webhook, filter, {
    orderBy: { id: 'asc' },
    // Not all members of the slice are passed, because the entity manager gives the member `first` another meaning.
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

/** Loads the survey and collector of webhooks. */
export async function withScope<Found extends Webhook | Webhook[]>({ em }: Context, webhooks: Found): Promise<Found> {
  await em.populate(webhooks as Webhook[], ['survey', 'collector'])
  return webhooks
}
